"""What is taken from a text: messages, configuration, facts that were read or stated, and unknown lines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.diagnose.configuration import (
    CLIENT_ALLOWED,
    MAX_LINES,
    PATH_EXPORTED,
    PastedFinding,
    _configuration_line,
    _heading,
    _shown_exports,
    blocks,
    export_facts,
    export_line,
    lint_pasted,
    mounts,
)
from advisor.diagnose.evidence import UNKNOWN, Reader, TextEvidence
from advisor.diagnose.messages import PastedLine, pasted_lines, time_of
from advisor.rulebase.base import load
from advisor.rulebase.clauses import Vocabulary, find_group
from advisor.rulebase.model import RuleBase
from advisor.rulebase.words import stem
from tests.each import each

DENIED = "mount.nfs: access denied by server while mounting nas:/srv/data"


@pytest.fixture(scope="module")
def reader(base: RuleBase) -> Reader:
    return base.ready(Reader)


@pytest.mark.parametrize("text", [
    DENIED,
    f"> {DENIED}",
    f"> > {DENIED}",
    f"```\n{DENIED}\n```",
    f"root@web7:~# {DENIED}",
    DENIED.replace(" while ", " while\n"),
    f'{{"log": "trying\\n{DENIED}\\n", "stream": "stderr"}}',
])
def test_a_message_is_found_however_it_is_wrapped(reader: Reader, text: str) -> None:
    (found,) = reader.read(text).problems()
    assert (found.message.id, found.nearly) == ("mount-nfs.access-denied", False)


def test_repeats_are_counted_with_their_first_and_last_time(reader: Reader) -> None:
    text = "\n".join(f"Nov 22 10:11:1{n} web7 mount[8]: {DENIED}" for n in range(5))
    (one,) = reader.read(text).problems()
    assert (one.count, one.first, one.last, one.line) == (5, "Nov 22 10:11:10", "Nov 22 10:11:14", 1)


def test_two_whole_messages_in_two_lines_are_two(reader: Reader) -> None:
    (one,) = reader.read(f"{DENIED}\n{DENIED}").problems()
    assert one.count == 2


def test_pasted_configuration_is_judged_where_it_places(reader: Reader) -> None:
    found = reader.read(f"{DENIED}\nThe exports are:\n\n/srv/data 192.168.1/24(rw,sync)\n").configuration
    assert [(one.finding.rule, one.line) for one in found.findings if one.finding.severity == "error"] == [
        ("export-client-never-matches", 4)
    ]


def test_a_finding_has_the_number_of_its_line_and_a_given_fact_has_none(reader: Reader) -> None:
    text = "Exports:\n\n/srv/a 192.168.1/24(rw,sync)\n/srv/b 10.0.0.0/8(rw,sync)\n"
    found = reader.read(text, {"client.kernel": "6.1"})
    assert [one.line for one in found.configuration.findings if one.finding.severity == "error"] == [3]
    assert ("client.kernel", "6.1", 0) in found.read


def test_a_mount_command_tells_facts(reader: Reader) -> None:
    found = reader.read("$ sudo mount -t nfs -o vers=3,soft nas:/srv /mnt\n" + DENIED)
    assert ("mount.vers", ["3"]) in [(one.fact, one.value) for one in found.read]


@pytest.mark.parametrize(("text", "fact", "value"), [
    ("It is mounted with nfsvers=3, and hangs.", "mount.vers", ["3"]),
    ("Mounted with `sec=krb5p,vers=4.2`.", "mount.sec", ["krb5p"]),
    ("The version is 3.", "mount.vers", None),
])
def test_an_option_in_a_sentence_states_a_fact(reader: Reader, text: str, fact: str, value: list[str] | None) -> None:
    stated = [one.value for one in reader.read(text).stated if one.fact == fact]
    assert (value in stated) if value else not stated


@pytest.mark.parametrize("line", [
    DENIED, "I mount /srv on /mnt with nfs and rw", "# /srv 192.168.1.0/24(rw)", "ls -l /srv/data", "mount: /dev/sdb1",
    "http://example.org/a?b(c)",
])
def test_prose_is_no_configuration(line: str) -> None:
    assert list(blocks(list(pasted_lines(line)))) == []


def test_an_unknown_line_of_nfs_is_told_and_others_are_not(reader: Reader) -> None:
    found = reader.read("nfs: frobnication failed with code 7\nsshd: authentication failed\n" + DENIED)
    assert [one.text for one in found.unknown] == ["nfs: frobnication failed with code 7"]


@pytest.mark.parametrize(("line", "time"), [
    ("2024-11-22T10:11:12+0100 web7 kernel: x", "2024-11-22T10:11:12"),
    ("Nov  2 10:11:12 web7 kernel: x", "Nov  2 10:11:12"),
    ("[Fri Nov 22 10:11:12 2024] nfs: x", "Fri Nov 22 10:11:12 2024"),
    ("[  123.456789] nfs: x", "123.456789"),
    ("nfs: x", None),
])
def test_the_time_of_a_line(line: str, time: str | None) -> None:
    assert time_of(line) == time


@pytest.mark.parametrize(("one", "other"), [
    ("mounts", "mounting"), ("mounted", "mount"), ("files", "file"), ("stopped", "stop"), ("slowly", "slow"),
    ("cached", "caches"),
])
def test_endings_make_no_difference(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["nfs", "ls", "nas", "dns", "access", "class"])
def test_short_words_keep_their_s(word: str) -> None:
    assert stem(word) in (word, word.removesuffix("e"))


VOCABULARY = Vocabulary([["slow", "sluggish", "takes forever"]], load().concepts.values())


@pytest.mark.parametrize(("text", "words", "there"), [
    ("Listing a directory takes forever.", ["slow", "listing"], True),
    ("ls is sluggish on the share", ["slow", "ls"], True),
    ("It became read only at night", ["read only"], True),
    ("It can only be read at night", ["read only"], False),
    ("The folders are gone", ["files|folders", "gone"], True),
    ("It is slow. Then ls works.", ["slow", "ls"], False),
])
def test_words_of_a_group_stand_in_one_sentence(text: str, words: list[str], there: bool) -> None:
    group = VOCABULARY.group(words)
    found = [find_group(one, group) for one in VOCABULARY.sentences([(1, text)])]
    assert any(one is not None for one in found) is there


@pytest.mark.parametrize(("text", "denied"), [
    ("There is no firewall here", True), ("The firewall is disabled", True), ("The firewall is on", False),
    ("I did not see why, but the firewall is on", False), ("We run without a firewall", True),
])
def test_a_negation_counts_beside_its_word(text: str, denied: bool) -> None:
    group = VOCABULARY.group(["firewall"])
    (sentence,) = VOCABULARY.sentences([(1, text)])
    at = find_group(sentence, group)
    assert at is not None
    assert VOCABULARY.is_negated(sentence, group, at) is denied


@each(lambda: [
    ("root@web7:~# mount -a", "mount -a"),
    ("[root@web7 ~]# mount -a", "mount -a"),
    ("user@web7:/srv/data$ ls", "ls"),
    ("$ mount -a", "mount -a"),
    ("# mount -a", "# mount -a"),
    ("mail me@example.org: it hangs # always", "mail me@example.org: it hangs # always"),
    ("x@y:~# " + "a" * 200, "a" * 200),
])
def test_a_prompt_is_left_out(line: str, left: str) -> None:
    assert [one.text for one in pasted_lines(line)] == [left]


MOUNT = "mount.nfs: access denied by server while mounting nas:{}\n"
TRIED = "mount.nfs: trying text-based options 'vers=4.2,addr=192.0.2.1,clientaddr={}'\n"
PRINTED = "/srv/data\t192.0.2.0/24(sync,wdelay,hide,no_subtree_check,sec=sys,rw,secure,root_squash)\n"


def told(text: str) -> dict[str, tuple[bool, bool]]:
    """Fact → its value, and whether it is sure."""
    return {one.fact: (one.value, one.sure) for one in export_facts(list(pasted_lines(text)))}


@each(lambda: [
    (PRINTED, "/srv/dat", False, True),
    (PRINTED, "/srv/data", True, True),
    (PRINTED, "/srv/data/", True, True),
    (PRINTED, "/srv/data/sub", True, True),
    ("Export list for nas:\n/volume1/media 192.0.2.0/24\n", "/media", False, True),
    ("Export list for nas:\n/volume1/media 192.0.2.0/24\n", "/volume1/media", True, True),
    ("/srv 192.0.2.0/24(ro,fsid=0)\n/srv/data 192.0.2.0/24(rw)\n", "/data", True, True),
    ("/srv 192.0.2.0/24(ro,fsid=root)\n", "/data", True, True),
    ("/srv/data *(rw)\n", "/srv/other", False, False),  # somebody's lines may be a part of the file
])
def test_the_path_is_looked_for_among_the_exports(listed: str, asked: str, value: bool, sure: bool) -> None:
    assert told(MOUNT.format(asked) + listed)[PATH_EXPORTED] == (value, sure)


def test_a_long_path_has_its_clients_in_the_next_line() -> None:
    text = "/srv/a-very-long-path-indeed\n\t\t192.0.2.0/24(sync,wdelay,hide,rw)\n"
    assert told(TRIED.format("198.51.100.7") + MOUNT.format("/srv/a-very-long-path-indeed") + text) == {
        PATH_EXPORTED: (True, True), CLIENT_ALLOWED: (False, True),
    }


@each(lambda: [
    ("192.0.2.0/24", "192.0.2.9", True), ("192.0.2.0/255.255.255.0", "192.0.2.9", True),
    ("192.0.2.7", "192.0.2.9", False),
    ("*", "198.51.100.7", True), ("2001:db8::/32", "2001:db8::1", True), ("2001:db8::/32", "192.0.2.9", False),
    ("*.example", "192.0.2.9", None), ("@trusted", "192.0.2.9", None), ("client1", "192.0.2.9", None),
])
def test_the_address_is_compared_where_that_is_certain(client: str, address: str, value: bool | None) -> None:
    text = TRIED.format(address) + MOUNT.format("/srv") + f"/srv {client}(rw)\n"
    assert told(text).get(CLIENT_ALLOWED) == (None if value is None else (value, True))


def test_the_refusal_in_the_servers_log_gives_the_address() -> None:
    text = "rpc.mountd[9]: refused mount request from 192.0.2.7 for /srv (/): unmatched host\n"
    assert told(text + MOUNT.format("/srv") + "/srv 198.51.100.0/24(rw)\n")[CLIENT_ALLOWED] == (False, True)


@pytest.mark.parametrize("text", [
    MOUNT.format("/srv"), PRINTED, MOUNT.format("/srv/x") + "mount other:/y\n" + PRINTED, MOUNT.format("/") + PRINTED,
    "see https://example.org/nfs for mount\n" + PRINTED,
])
def test_nothing_is_said_where_a_side_is_missing_or_servers_are_several(text: str) -> None:
    assert told(text) == {}


@each(lambda: [
    ("/etc/exports (home):\n/srv/b 192.168.1.7", "exports", "/srv/b 192.168.1.7", 2),
    ("/etc/exports: /srv *(rw,sync)", "exports", "/srv *(rw,sync)", 1),
    ("/etc/exports: (server)\n/srv nas2", "exports", "/srv nas2", 2),
    ("The exports of the box:\n\n/srv nas2", "exports", "/srv nas2", 3),
    ("/etc/fstab (client)\n/dev/sda1 / ext4 rw 0 1\nnas:/srv /mnt nfs rw 0 0", "fstab", "nas:/srv /mnt nfs rw 0 0", 3),
    ("/data 10.1.0.0/16(rw,async)   mounted with nfsvers=3", "exports", "/data 10.1.0.0/16(rw,async)", 1),
    ("/data 10.1.0.0/16", "exports", "/data 10.1.0.0/16", 1),
    ("$ cat /etc/nfs.conf\n[nfsd]\nthreads=4", "nfs.conf", "[nfsd]\nthreads=4", 2),
    ("nas:/srv /mnt nfs rw,soft 0 0 and then it waits", "fstab", "nas:/srv /mnt nfs rw,soft 0 0", 1),
    ("a:/b /c nfs rw\n/etc/exports (b):\n/srv d", "exports", "/srv d", 3),
])
def test_a_heading_says_the_kind_and_prose_is_left_out(text: str, kind: str, read: str, number: int) -> None:
    found = {one.kind: one for one in blocks(list(pasted_lines(text)))}
    assert (found[kind].text.strip(), found[kind].lines[0]) == (read, number)


@each(lambda: [
    "/etc/exports (home):", "/etc/fstab (server)", "/etc/exports",
    "exportfs: /etc/exports:1: syntax error: bad option list",
    "/usr/bin/ls (coreutils) says nothing", "/srv/data (home): is where we keep things", "/srv/data is full",
])
def test_a_heading_or_a_sentence_is_no_export(text: str) -> None:
    assert list(blocks(list(pasted_lines(text)))) == []


@pytest.mark.parametrize(("text", "values"), [
    ("Mounted with vers=4.1 it hangs", {"4.1"}), ("It hangs, with vers=3 it works", set()),
    ("vers=4.2 fails. It is fine with vers=3", {"4.2"}), ("I use nfsvers=3,soft and it is slow", {"3"}),
])
def test_an_option_with_which_it_works_is_not_the_one_in_use(base: RuleBase, text: str, values: set[str]) -> None:
    stated = base.ready(Reader).read(text).stated
    found = [one.value for one in stated if one.fact == "mount.vers"]
    assert {value for values_ in found for value in (values_ if isinstance(values_, list) else [values_])} == values


@pytest.mark.parametrize(("text", "fact", "value"), [
    ("/srv 10.0.0.0/8(rw,no_root_squash)", "story.root_squash", False),
    ("/srv 10.0.0.0/8(rw)", "story.export_rw", True),
    ("/srv 10.0.0.0/8(ro,sync)", "story.export_rw", False), ("/srv *(rw,all_squash)", "story.all_squash", True),
    ("/etc/exports:\n/srv host(ro)", "story.export_rw", False), ("The export is rw.", "story.export_rw", True),
    ("/srv 10.0.0.0/24(rw,sync)\nnobody can mount it", "story.export_rw", True),
])
def test_the_options_of_exports_are_facts(base: RuleBase, text: str, fact: str, value: bool) -> None:
    assert {one.value for one in base.ready(Reader).read(text).stated if one.fact == fact} == {value}


def test_options_behind_a_space_are_not_those_of_the_named_client(base: RuleBase) -> None:
    for text, values in (("/srv 10.0.0.0/8 (rw)", set()), ("/srv (rw)", {True}), ("/srv 10.0.0.0/8(ro) (rw)", {False})):
        assert {one.value for one in base.ready(Reader).read(text).stated if one.fact == "story.export_rw"} == values


@pytest.mark.parametrize("text", [
    "Unable to attach or mount volumes: unmounted volumes=[d], unattached volumes=[d]: "
    "timed out waiting for the condition",
    "nfsd invoked oom-killer: gfp_mask=0x201da, order=0",
])
def test_a_text_that_says_nothing_of_the_cause_has_none(base: RuleBase, text: str) -> None:
    assert not base.ready(Reader).read(text).is_about_trouble()


@each(lambda: [
    ("/srv nas1", None, "/srv nas1"), ("/srv 10.0.0.0/8", "/srv 10.0.0.0/8", "/srv 10.0.0.0/8"),
    ("/srv *(rw) which does not work", "/srv *(rw)", "/srv *(rw)"), ("/srv", None, None), ("/srv nas1(rw", None, None),
    ('"/srv data" *(rw)', '"/srv data" *(rw)', '"/srv data" *(rw)'), ('"/srv data" nas1', None, None),
    ("/srv: *(rw)", None, None), ("/srv *(rw) nas2", "/srv *(rw)", "/srv *(rw)"),
    ("/srv to(o) *(rw)", "/srv to(o) *(rw)", "/srv to(o) *(rw)"), ("/srv isn't *(rw)", None, None),
    ("/srv *(rw) isn't 10.0.0.1(rw)", None, None),
])
def test_a_name_alone_is_a_client_below_a_heading(text: str, unheaded: str | None, headed: str | None) -> None:
    assert (export_line(text), export_line(text, True)) == (unheaded, headed)


@each(lambda: [
    ("nas:/srv /mnt -v", [("nas", "/srv", "/mnt")]), ("-v nas:/srv /mnt", []), ("docker run --volume=x:/y z", []),
    ("mount nas:/srv on /mnt", [("nas", "/srv", "/mnt")]), ("x=nas:/srv", [("nas", "/srv", "")]),
    ("https://nas/srv and nas://srv", []), ("mount [fd00::1]:/a /b", [("fd00::1", "/a", "/b")]),
])
def test_what_a_line_mounts(text: str, found: list[tuple[str, str, str]]) -> None:
    assert [*mounts(text)] == found


@pytest.mark.parametrize(("text", "kind", "lines"), [
    ("[nfsd]\nthreads = 8\n", "nfs.conf", (1, 2)), ("$ cat /etc/nfs.conf\n[nfsd]\nthreads = 8\n", "nfs.conf", (2, 3)),
    ("[Mount]\nWhat=nas:/a\nWhere=/a\nType=nfs\n", "systemd-mount", (1, 2, 3, 4)),
])
def test_a_block_is_of_the_kind_that_its_heading_or_its_text_shows(
    text: str, kind: str, lines: tuple[int, ...]
) -> None:
    assert [(found.kind, found.lines) for found in blocks(list(pasted_lines(text)))] == [(kind, lines)]


@each(lambda: [
    ("/etc/exports (server):", ("exports", "")), ("/etc/exports (server): /srv *(rw)", ("exports", "/srv *(rw)")),
    ("/etc/exports (on nas)", ("exports", "")), ("/etc/exports (on nas) is short", None),
    ("/srv (rw,sync)", None), ("/srv (home)", None), ("/srv (home):", (None, "")), ("/etc/exports (rw,sync)", None),
    ("/etc/exports (fsid=0)", None), (": (x):", None), ("", None), ("/etc/exports:1: error", None),
    ("# cat /etc/fstab", ("fstab", "")), ("/etc/fstab: nas:/a /a nfs", ("fstab", "nas:/a /a nfs")),
    ("/etc/fstab is long", None), ("fstab", ("fstab", "")), ("other", None), ("This is in `exports`:", ("exports", "")),
    ("one two three four five six seven eight nine exports:", ("exports", "")),
    ("one two three four five six seven eight nine ten exports:", None),
])
def test_what_a_line_names_as_the_kind_of_the_next(text: str, told: tuple[str | None, str] | None) -> None:
    assert _heading(text) == told


@each(lambda: [
    ("Export list for nas:\n/a *\n/b 10.0.0.0/8,web1\n", [("/a", "*"), ("/b", "10.0.0.0/8"), ("/b", "web1")], True),
    ("Export list for nas:\n/a *\nand so on\n/b web1\n", [("/a", "*")], True),  # the list has ended
    ("Export list for nas:\n/a\n", [("/a", "@")], True),  # for whom is not shown
    ("/a *(rw)\n", [("/a", "*")], False), ("/a\n\t\t<world>(rw,wdelay)\n", [("/a", "*")], True),
    ("/a\n\t\t<world>(rw)\n", [], True), ("a\n\t\t<world>(rw,wdelay)\n", [], True),
    ("/a <world>(rw,wdelay)\n/b *(ro)\n", [("/a", "*"), ("/b", "*")], False),
])
def test_the_exports_that_a_text_shows(text: str, exports: list[tuple[str, str]], whole: bool) -> None:
    shown = _shown_exports([*pasted_lines(text)])
    assert [(one.path, one.client) for one in shown.exports] == exports
    assert shown.whole is whole


def test_facts_of_pasted_lines_are_words_and_each_is_there_once(base: RuleBase) -> None:
    options = ("vers=3,rsize=8192", "vers=3", "vers=4.2")
    told = lint_pasted(base, [*pasted_lines("".join(f"nas:/a /a nfs {option} 0 0\n" for option in options))], {})
    assert told.facts["mount.vers"] == ["3", "4.2"]
    assert "mount.rsize" not in told.facts, "a number is one of many"
    assert not any(None in values for values in told.facts.values())


@each(lambda: [("nfs: it fails", 1), ("nfs: it works", 0), ("disk: it fails", 0)])
def test_lines_that_are_not_known_are_kept_if_they_are_about_a_problem_with_nfs(text: str, kept: int) -> None:
    lists: Any = {"nfs-lines": ("nfs:",), "trouble": ("fail",)}
    evidence = TextEvidence(lists)
    for number in range(UNKNOWN + 2):
        evidence.leave(PastedLine(number, text), text)
    assert (evidence.unknown_count, len(evidence.unknown)) == (kept * (UNKNOWN + 2), kept * UNKNOWN)


@each(lambda: [
    ({"nfs"}, True), ({"mount"}, True), ({"server"}, False), ({"file"}, False), ({"server", "file"}, True),
    ({"no:nfs"}, True), (set(), False),
])
def test_a_text_is_about_files_over_a_network(terms: set[str], about: bool) -> None:
    lists: Any = {"topics-own": {"nfs"}, "topics": {"mount"}, "topics-files": {"file"}}
    evidence = TextEvidence(lists)
    evidence.terms.update(terms)
    assert evidence.names_nfs() is about
    evidence.of_others = True
    assert evidence.is_elsewhere() is not ({"nfs", "no:nfs"} & terms != set())


def test_what_a_message_shows_counts_once(base: RuleBase) -> None:
    found = base.ready(Reader).read("mount.nfs: Remote I/O error\n\nthen again: Remote I/O error\n")
    assert [(fact.fact, fact.value) for fact in found.read if fact.fact == "story.server_fault"] == [
        ("story.server_fault", True),
    ]


@pytest.mark.parametrize(("text", "troubled"), [("the share hangs", True), ("the share is here", False)])
def test_words_of_trouble_are_noticed(reader: Reader, text: str, troubled: bool) -> None:
    assert reader.read(text).names_trouble is troubled


@pytest.mark.parametrize(("severity", "consequence", "decides"), [
    ("error", "mount-fails", True), ("error", "security", False), ("warning", "mount-fails", False),
    ("note", "performance", False),
])
def test_a_line_that_cannot_work_decides(severity: str, consequence: str, decides: bool) -> None:
    finding: Any = SimpleNamespace(severity=severity, consequence=consequence)
    assert PastedFinding(finding, 1, "", "fstab").decides is decides


def test_how_much_of_a_text_is_messages(reader: Reader) -> None:
    def share(*lines: tuple[str, bool]) -> float:
        evidence = TextEvidence(reader.vocabulary.lists)
        for number, (text, known) in enumerate(lines, 1):
            evidence.say(number, text, known)
        return evidence.known_share()

    assert (share(), share(("denied", True)), share(("denied", False))) == (0, 1, 0)
    assert share(("denied", True), ("refused", False)) == 0.5


def test_of_a_message_in_several_lines_the_first_is_shown(reader: Reader) -> None:
    first = reader.read(f"x\nNov 22 10:11:12 web7 a: {DENIED}")
    first.take(reader.read(f"Nov 22 10:11:10 web7 b: {DENIED}"))
    (found,) = first.problems()
    assert (found.count, found.line, found.text) == (2, 1, f"Nov 22 10:11:10 web7 b: {DENIED}")
    assert (found.first, found.last) == ("Nov 22 10:11:12", "Nov 22 10:11:10"), "in the order in which they were given"


@each(lambda: [
    ("nas:/a /a nfs", ("fstab", "nas:/a /a nfs")), ("nas:/a /a nfs rw 0 0", ("fstab", "nas:/a /a nfs rw 0 0")),
    ("nas:/a /a nfs rw 0 0 and it fails", ("fstab", "nas:/a /a nfs rw 0 0")),
    ("nas:/a /a nfs rw and it fails", ("fstab", "nas:/a /a nfs rw")), ("nas:/a a nfs rw", None),
    ("nas:/a /a xfs nfs", None), ("# nas:/a /a nfs rw", None), ("nfs", None), ("nas:/a /a", None),
    ("nas:/a on /a type nfs (rw)", ("mount", "nas:/a on /a type nfs (rw)")),
    ("nas:/a /a nfs " + "x" * MAX_LINES, None),  # too long to be one
    ("sudo mount -t nfs -o ro nas:/a /a", ("fstab", "nas:/a /a nfs ro 0 0")), ("mount nas:/a", None),
])
def test_a_line_of_configuration_ends_where_a_person_goes_on(text: str, line: tuple[str, str] | None) -> None:
    assert _configuration_line(text, None) == line
