"""A message is found in whatever people paste of it, and in nothing else."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.diagnose.diagnosis import Diagnosis
from advisor.diagnose.evidence import Reader
from advisor.diagnose.messages import MessageIndex, TextMatch, TextPattern
from advisor.rulebase.model import ErrorTexts, Message, RuleBase
from advisor.rulebase.words import FoldedLine, Folding, folding_tables, index_messages, lower_case, prepared, printable
from tests.each import each

ERRORS = [
    ErrorTexts(id="EACCES", texts={"en": ["Permission denied"], "de": ["Keine Berechtigung"]}),
    ErrorTexts(id="ESTALE", texts={"en": ["Stale file handle", "Stale NFS file handle"], "fr": ["Panne d'accès"]}),
]
FOLDING = Folding(**folding_tables(ERRORS))


def match(text: str, line: str) -> TextMatch | None:
    return pattern(text).match(FOLDING.line(line))


def pattern(text: str) -> TextPattern:
    return TextPattern(prepared("m.m", text, FOLDING), FOLDING.errors)


def index_of(messages: dict[str, Message]) -> MessageIndex:
    rows, words = index_messages(messages.values(), ())
    patterns = {str(number): row for number, row in enumerate(rows)}
    return MessageIndex(SimpleNamespace(messages=messages, patterns=patterns, reading=words, foreign=words["foreign"]))


DENIED = "access denied by server while mounting {source}"


@pytest.mark.parametrize("line", [
    "mount.nfs: access denied by server while mounting nas:/srv",
    "Output: mount.nfs: access denied by server while mounting nas:/srv",
    "Nov 22 10:11:12 web7 mount[812]: mount.nfs: Access denied  by server while mounting nas:/srv.",
    "[Fri Nov 22 10:11:12 2024] ACCESS DENIED BY SERVER WHILE MOUNTING nas:/srv",
    "\x1b[1;31maccess denied\x1b[0m by server while mounting “nas:/srv”",
    'level=error msg="access denied by server while mounting \\"nas:/srv"',
])
def test_prefixes_colours_quotes_and_capitals_make_no_difference(line: str) -> None:
    found = match(DENIED, line.replace('\\"', '"'))
    assert found is not None
    assert found.fields["source"].lower() == "nas:/srv"


@pytest.mark.parametrize("line", [
    "access denied by server while mounting",
    "access denied by the server while mounting nas:/srv",
    "no access denied, by server while mounting nas:/srv",
    "",
])
def test_other_lines_do_not_fit(line: str) -> None:
    assert match(DENIED, line) is None


@each(lambda: [
    ("{source}: {errno}", "nas:/x: Permission denied", {"source": "nas:/x", "errno": "Permission denied"}),
    ("{path}: {errno}", "ls: /mnt/a: Keine Berechtigung", {"path": "/mnt/a", "errno": "Permission denied"}),
    ("{path}: {errno}", "/mnt/a: Stale NFS file handle", {"path": "/mnt/a", "errno": "Stale file handle"}),
    ("error {number} of {path}", "error -13 of /a/b", {"number": "-13", "path": "/a/b"}),
    ("port {number}", "port 0x801", {"number": "0x801"}),
    ("Linux {server} {version} #", "Linux nas7 5.14.0-362.el9 #1 SMP", {"server": "nas7", "version": "5.14.0-362.el9"}),
    ("mountd speaks {version}", "mountd speaks v3", {"version": "v3"}),
    ("from {address} for {path} ({path2}): no", "from 192.0.2.7 for /a (/): no",
     {"address": "192.0.2.7", "path": "/a", "path2": "/"}),
    ("Unknown parameter '{option}'", 'Unknown parameter "nconect"', {"option": "nconect"}),
    ("{any} gave up on {path}", "it gave up on /a", {"any": "it", "path": "/a"}),
    ("a {{brace}} for {path}", "a {brace} for /b", {"path": "/b"}),
])
def test_fields_hold_what_stood_there(text: str, line: str, fields: dict[str, str]) -> None:
    found = match(text, line)
    assert found is not None
    assert found.fields == fields


@pytest.mark.parametrize(("text", "line"), [
    ("port {number} is taken", "port http is taken"),
    ("{path}: {errno}", "/mnt/a: all is well"),
    ("mountd speaks {version}", "mountd speaks volumes"),
    ("mounting {path} failed", "mounting everything at once failed"),
    ("timed out", "untimed outing"),
])
def test_a_field_takes_only_its_kind(text: str, line: str) -> None:
    assert match(text, line) is None


@pytest.mark.parametrize(("text", "line"), [
    ("open failed", "nfs_open failed"), ("open failed", "reopen failed"), ("open failed", "open failed2"),
    ("open failed", "open failed_here"), ("{path}: gone", "/a: gonexyz"),
])
def test_a_message_begins_and_ends_with_whole_words(text: str, line: str) -> None:
    assert match(text, line) is None


@pytest.mark.parametrize(("text", "line", "found"), [
    ("open failed", "(open failed)", "open failed"),
    ("open failed", "x:open failed:7", "open failed"),
    ("[fault] here", "x[fault] here", "[fault] here"),
    ("gave up:", "it gave up:x", "gave up:"),
    ("{path}: {errno}", "at /a: Permission deniedls: /b", "/a: Permission denied"),
])
def test_an_edge_that_is_no_letter_may_touch_a_word(text: str, line: str, found: str) -> None:
    """So may an error's text, where a paste lost its line ends."""
    at = match(text, line)
    assert at is not None
    assert line[at.start : at.end] == found


@each(lambda: [
    *(("cannot mount {path}", f"cannot mount /a{mark} x", {"path": "/a"}) for mark in ".,;:"),
    *(("got error {number}", f"got error 13{mark} x", {"number": "13"}) for mark in ".,;:)]}>"),
    ("cannot mount {path}", "cannot mount .", {"path": "."}),
    ("mounting {path} failed.", "mounting /a failed", {"path": "/a"}),
    ("mounting {path} failed.", "mounting /a failed.", {"path": "/a"}),
    ("got {errno} handle", "got Stale NFS file handle handle", {"errno": "Stale file handle"}),
    ("{server} is down", "host nas.example is down", {"server": "nas.example"}),
    ("{server} is down", "nas.example is down", {"server": "nas.example"}),
])
def test_a_field_ends_before_what_is_not_of_it(text: str, line: str, fields: dict[str, str]) -> None:
    found = match(text, line)
    assert found is not None
    assert found.fields == fields


@pytest.mark.parametrize(("text", "words"), [
    ("bad un{name}able to reach{path}s host", ["bad", "to", "host"]),
    ("bad {name} to reach '{path}' host", ["bad", "to", "reach", "host"]),
    ("{name}ing stopped", ["stopped"]),
    ("stopped at{number}", ["stopped"]),
    ("no such host", ["no", "such", "host"]),
])
def test_only_whole_words_are_looked_for(text: str, words: list[str]) -> None:
    """A field may continue a word that stands beside it."""
    assert pattern(text).words == words


def test_a_long_line_is_cut_and_a_piece_tried_a_few_times_only() -> None:
    """However often a piece occurs, the work stays that of a few tries."""
    line = FOLDING.line("mounting " * 5000)
    assert len(line.text) < 10_000
    assert pattern("mounting {path} failed").match(line) is None


@given(st.text(max_size=200))
def test_any_line_is_folded_to_printable_text_of_one_length(raw: str) -> None:
    line = FOLDING.line(raw)
    assert isinstance(line, FoldedLine)
    assert len(line.text) == len(line.low)
    assert printable(raw).isprintable()
    assert len(lower_case(raw)) == len(raw)


@given(st.text(max_size=120), st.sampled_from((DENIED, "{any}: {errno}", "{number} {path}", "x{name}y{name2}z")))
def test_a_match_lies_in_its_line(raw: str, text: str) -> None:
    line = FOLDING.line(raw)
    found = pattern(text).match(line)
    if found is not None:
        assert 0 <= found.start <= found.end <= len(line.text)
        assert all(value in line.text for value in found.fields.values())


@pytest.mark.parametrize("legacy", ["mount.first", "mount.second"])
def test_of_two_messages_alike_the_one_that_is_still_printed_comes_first(legacy: str) -> None:
    messages = {
        name: Message.from_data({
            "id": name, "text": "no such server here", "means": "x", "legacy": name == legacy,
            "same_text": [other for other in ("mount.first", "mount.second") if other != name],
        })
        for name in ("mount.first", "mount.second")
    }
    index = index_of(messages)
    first, second = index.hits(index.folding.line("mount: No such server here"))
    assert (first.message.legacy, second.message.legacy) == (False, True)
    assert first.weight == second.weight


@pytest.mark.parametrize(("line", "found"), [
    ("the export is not visible", ["export is not visible"]),
    ("this export is not visible to all", ["export is not visible"]),
    ("the export is not visible, is not visible to all", ["export is not visible", "visible to all"]),
    ("is not visible to all, export is not visible", ["export is not visible", "visible to all"]),
    ("open failed:(no reply)", ["open failed:", "(no reply)"]),
    ("a:(no reply)open failed:", ["open failed:", "(no reply)"]),
])
def test_of_messages_that_overlap_the_stronger_is_told(line: str, found: list[str]) -> None:
    texts = {"m.long": "export is not visible", "m.short": "visible to all", "m.a": "open failed:", "m.b": "(no reply)"}
    messages = {name: Message.from_data({"id": name, "text": text, "means": "x"}) for name, text in texts.items()}
    index = index_of(messages)
    assert [hit.message.text for hit in index.hits(index.folding.line(line))] == found


@pytest.mark.parametrize(("line", "found"), [
    ("the reply was late", ["m.client", "m.server"]),
    ("mountd: the reply was late", ["m.server"]),
    ("late was reply was late", ["m.client", "m.server"]),
    ("mountd: late was reply was late", ["m.server"]),
    ("the reply was late, says mountd", ["m.client", "m.server"]),
])
def test_of_messages_of_one_text_both_are_told_unless_a_program_stands_before(line: str, found: list[str]) -> None:
    """The third message overlaps with both and is as strong, but is another text."""
    texts = {"m.client": ("reply was late", "nfsd"), "m.server": ("reply was late", "mountd"),
             "m.other": ("late was reply", "lockd")}  # fmt: skip
    messages = {
        name: Message.from_data({
            "id": name, "text": text, "means": "x", "program": program,
            "same_text": [other for other in texts if texts[other][0] == text and other != name],
        })
        for name, (text, program) in texts.items()
    }
    index = index_of(messages)
    assert [hit.message.id for hit in index.hits(index.folding.line(line))] == found


@pytest.mark.parametrize(("line", "found"), [
    ("exportfs: duplicated export entries", {"exportfs.duplicates"}),
    ("mount.nfs: access(ed) denied by server while mounting", {"mount-nfs.access-denied"}),
    ("It says lchown operation not permitted", {"application.chown-refused"}),
    ("NFS fails to mount any shares from the filer", set()),
    ("Our NFSv3 mount fails, with v4 it works. The server is a NAS.", set()),
    ("After the update both mounts are read-only", set()),
    ("rm says the directory is not empty", set()),
    ("As root I get permission denied, as a user all is well", set()),
])
def test_most_words_of_a_message_tell_of_it_if_they_are_rare_and_in_order(
    base: RuleBase, line: str, found: set[str]
) -> None:
    index = base.ready(Reader).index
    told = {hit.message.id for hit in index.near(index.folding.line(line))}
    assert found <= told
    assert bool(told) is bool(found)


def test_a_message_in_part_is_no_proof(base: RuleBase) -> None:
    for text, whole in (("2 validation errors in block EXPORT", True), ("It logs validation errors of a block", False)):
        told = Diagnosis(base, text)
        assert "ganesha.block-errors" in told.evidence.seen
        assert bool(told.confirmed()) is whole


REFUSED = "mount.nfs: access denied by server while mounting 10.0.0.9:/vol"


@pytest.mark.parametrize("wrapped", [
    f'MountVolume.MountDevice failed for volume "pv" : rpc error: code = Internal desc = exit status 32 {REFUSED}',
    f"GRPC error: rpc error: code = Internal desc = mount failed\\nOutput: {REFUSED}\\n",
    f"ERROR stderr=\"b'{REFUSED}'\"",
    f'{{"level":"error","msg":"error: {REFUSED}"}}',
    f"rpc error: code = PermissionDenied desc = {REFUSED.partition(': ')[2]}",
    f"Warning  FailedMount  2m  kubelet  Output: {REFUSED}",
])
def test_what_a_program_passes_on_is_searched_again(base: RuleBase, wrapped: str) -> None:
    told = Diagnosis(base, wrapped)
    assert "mount-nfs.access-denied" in told.evidence.seen
    assert "mount-nfs.rpc-error" not in told.evidence.seen
    assert "no-capability-to-mount" not in [one.cause.id for one in told.causes[:3]]
