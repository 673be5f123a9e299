"""A message is found in whatever people paste of it, and in nothing else."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.diagnose.messages import MessageIndex, TextMatch, TextPattern
from advisor.diagnose.text import FoldedLine, Folding, lower_case, printable
from advisor.rulebase.model import ErrorTexts, Message

ERRORS = [
    ErrorTexts(id="EACCES", texts={"en": ["Permission denied"], "de": ["Keine Berechtigung"]}),
    ErrorTexts(id="ESTALE", texts={"en": ["Stale file handle", "Stale NFS file handle"], "fr": ["Panne d'accès"]}),
]
FOLDING = Folding(ERRORS)


def match(text: str, line: str) -> TextMatch | None:
    return TextPattern("m.m", text, FOLDING).match(FOLDING.line(line))


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


@pytest.mark.parametrize(("text", "line", "fields"), [
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


def test_a_long_line_is_cut_and_a_piece_tried_a_few_times_only() -> None:
    """However often a piece occurs, the work stays that of a few tries."""
    line = FOLDING.line("mounting " * 5000)
    assert len(line.text) < 10_000
    assert TextPattern("m.m", "mounting {path} failed", FOLDING).match(line) is None


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
    found = TextPattern("m.m", text, FOLDING).match(line)
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
    index = MessageIndex(SimpleNamespace(errno={}, messages=messages))
    first, second = index.hits(index.folding.line("mount: No such server here"))
    assert (first.message.legacy, second.message.legacy) == (False, True)
    assert first.weight == second.weight
