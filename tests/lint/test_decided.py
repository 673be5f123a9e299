"""What single functions of the linter decide and whole files seldom show: which versions are known, which blocks and
names are told of, which lines may not be judged alike."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.files.embedded_found import Segment
from advisor.files.option_reading import OptionProblem
from advisor.files.records import Placed, Stretch
from advisor.lint import exports, fix, judge, lifetimes, other_kinds, suppress
from advisor.lint.finding import Edit, Finding, Fix
from advisor.lint.lines import OpenItem, Result
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

BASE = load()
KERNELS = ("client.kernel", "server.kernel")


@each(lambda: [
    ({}, ("Linux", False)), ({"client.kernel": "6.1", "server.kernel": "6.1"}, ("", False)),
    ({"client.kernel": "6.1"}, ("", False)), ({"client.kernel": "99.1"}, ("Linux", True)),
    ({"host.role": "nfs-server", "client.kernel": "6.1"}, ("Linux", False)),
    ({"host.role": "nfs-server", "server.kernel": "6.1"}, ("", False)),
    ({"host.role": "nfs-server", "server.kernel": "99.1"}, ("Linux", True)),
    ({"host.role": "nfs-client", "server.kernel": "6.1"}, ("Linux", False)),
])
def test_whether_a_host_is_newer_than_what_is_known(known: Any, told: tuple[str, bool]) -> None:
    index = RuleIndex(BASE, known)
    newest, certainly = lifetimes.newest_known(index, KERNELS, index.state)
    assert (newest.partition(" ")[0], certainly) == told
    assert newest in ("", f"Linux {lifetimes.upstream(BASE.facts['client.kernel']).newest}")


GANESHA = """\
NFS_CORE_PARAM { NFS_Port = 2049; }
nfs_core_param { NFS_Port = 2050; }
EXPORT { Export_Id = 1; Pseudo = /x/; FSAL { Name = VFS; } CLIENT { Clients = "192.0.2.1", '192.0.2.2', 192.0.2.3; } }
EXPORT { Export_Id = 1; Path = /b; Pseudo = /x; Path = /c; FSAL { Name = VFS; } }
EXPORT { Export_Id = 2; Path = /c; Pseudo = /; Export_Id = 2; Tag = t; }
EXPORT { Export_Id = 3; Path = /c; Pseudo = "//"; Tag = t; EXPORT { Export_Id = 4; } }
CLIENT { Clients = *; }
LOG { FSAL { Name = VFS; } }
UNKNOWN { EXPORT { Export_Id = 9; } }
PSEUDOFS { CLIENT { Clients = 192.0.2.4; } }
"""
OF_BLOCKS = ("setting-block-", "setting-quoted", "setting-repeated", "setting-shared", "setting-section-")


def test_what_is_said_of_blocks_and_of_settings_that_only_one_may_have() -> None:
    found = lint_text(GANESHA, "/etc/ganesha/ganesha.conf", BASE, {}, kind="ganesha.conf").findings
    lines = GANESHA.split("\n")
    assert [
        (one.line, lines[one.line - 1][one.column - 1 : one.end_column - 1], one.rule.partition("-")[2], one.message)
        for one in found if one.rule.startswith(OF_BLOCKS)
    ] == [
        (2, "nfs_core_param", "block-repeated",
         "nfs_core_param is already in line 1, so everything in this one is ignored"),
        (3, '"192.0.2.1"', "quoted",
         'Clients: "192.0.2.1" is not understood in quotation marks, so it matches no client'),
        (3, "'192.0.2.2'", "quoted",
         "Clients: '192.0.2.2' is not understood in quotation marks, so it matches no client"),
        (4, "1", "shared", "Export_Id = 1 is already in the block of line 3, so the export is not made"),
        (4, "/x", "shared", "Pseudo = /x is already in the block of line 3, so the export is not made"),
        (4, "Path", "repeated", "Path is already set in line 4, so the export is not made"),
        (5, "Export_Id", "repeated", "Export_Id is already set in line 5, so the export is not made"),
        (6, "//", "shared", "Pseudo = // is already in the block of line 5, so the export is not made"),
        (6, "t", "shared", "Tag = t is already in the block of line 5, so the export is not made"),
        (6, "EXPORT", "block-misplaced", "nothing reads EXPORT here; it belongs outside of other blocks"),
        (7, "CLIENT", "block-misplaced",
         "nothing reads CLIENT here; it belongs inside EXPORT, EXPORT_DEFAULTS or PSEUDOFS"),
        (8, "FSAL", "block-misplaced", "nothing reads FSAL here; it belongs inside EXPORT, FSAL or DS"),
        (9, "UNKNOWN", "section-unknown", "UNKNOWN is not a block that anything reads"),
        (9, "EXPORT", "block-misplaced", "nothing reads EXPORT here; it belongs outside of other blocks"),
    ]


@pytest.mark.parametrize(("options", "option", "needed"), [
    ("nconnect=4", "nconnect=4", "5.3"), ("vers=4.1,rdirplus=force", "rdirplus=force", "6.15"),
])
def test_an_option_or_a_value_that_a_kernel_lacks_is_told_with_the_one_that_has_it(
    options: str, option: str, needed: str
) -> None:
    known = {"client.kernel": "4.4", "client.kernel_stream": "mainline"}
    (one,) = (one for one in lint_text(f"nas:/a /a nfs {options} 0 0\n", "fstab", BASE, known).findings
              if one.rule == "option-too-new" and one.message.startswith(f"{option} "))
    assert one.message.startswith(f"{option} needs Linux {needed}")
    assert one.message.endswith("; this client has 4.4")


def test_a_baseline_is_the_same_whatever_the_order_of_the_files(tmp_path: Any) -> None:
    results = [lint_text("nas:/a /a nfs soft,nosuch 0 0\n", str(tmp_path / name), BASE, {}) for name in "bca"]
    told = [(result, result.findings) for result in results]
    path = str(tmp_path / "baseline.json")
    assert suppress.baseline_text(path, told) == suppress.baseline_text(path, told[::-1])
    assert [item["file"] for item in json.loads(suppress.baseline_text(path, told))["findings"]] == sorted(
        name for name in "abc" for _ in results[0].findings)


@each(lambda: [
    ("a/b.txt", "<stdin>", "<stdin>"), ("/x/base", "/x/y/fstab", "y/fstab"), ("/x/base", "/y/fstab", "/y/fstab"),
    ("/x/base", "/xy/fstab", "/xy/fstab"), ("/x/base", "/x/y/../fstab", "fstab"),
])
def test_a_file_is_named_from_the_folder_of_the_baseline(path: str, name: str, told: str) -> None:
    assert suppress.relative(path, name) == told


def about(column: int, **more: Any) -> Finding:
    plain: dict[str, Any] = dict.fromkeys(Finding._fields)
    return Finding(**{**plain, "rule": "r", "severity": "warning", "field": "options", "column": column,
                      "policy": False, **more})


@each(lambda: [
    ([{"tunable": "a"}, {"tunable": "a"}], [0]), ([{"tunable": "a"}, {"tunable": "b"}], [0, 1]),
    ([{}, {}], [0, 1]), ([{"tunable": "a", "severity": "note"}, {"tunable": "a"}], [1]),
    ([{"tunable": "a"}, {"tunable": "a", "severity": "note"}], [0]),
    ([{"tunable": "a", "severity": "note", "policy": True}, {"tunable": "a", "severity": "note"}], [1]),
    ([{"tunable": "a", "policy": True}, {"tunable": "a"}], [0, 1]),  # a profile counts separately
    ([{"tunable": "a", "column": 1}, {"tunable": "a", "column": 2}], [0, 1]),
    ([{"tunable": "a", "field": "fstype"}, {"tunable": "b", "field": "fstype"}], [0]),
    ([{"tunable": "a"}, {"rule": judge.PRESUMES}], [0]),
    ([{"tunable": "a"}, {"rule": judge.PRESUMES, "column": 2}], [0, 1]),
    ([{"tunable": "a", "field": "source"}, {"rule": judge.PRESUMES}], [0, 1]),
    ([{"tunable": "a", "severity": "note"}, {"rule": judge.PRESUMES}], [0, 1]),
    ([{"tunable": "a", "policy": True}, {"rule": judge.PRESUMES}], [0, 1]),
    ([{"rule": judge.PRESUMES, "tunable": "b"}, {"rule": judge.PRESUMES, "tunable": "c"}], [0, 1]),
])
def test_of_several_findings_on_a_setting_the_gravest_is_kept(told: Any, kept: list[int]) -> None:
    findings = [about(**{"column": 1, "message": number, **one}) for number, one in enumerate(told)]
    assert [one.message for one in judge._one_each(findings)] == kept


@each(lambda: [
    ({}, []), ({"severity": "note"}, ["a"]), ({"severity": "note", "consequence": "ignored"}, []),
    ({"policy": True}, ["a"]), ({"tunable": "b"}, ["a"]),
])
def test_what_has_a_finding_is_no_question_as_well(told: Any, asked: list[str]) -> None:
    findings = [about(1, **{"tunable": "a", **told})]
    assert [name for name, _ in judge._unjudged((("a", ("fact",)),), findings)] == asked


@pytest.mark.parametrize(("name", "padded", "rules", "asked"), [
    ("/etc/fstab", False, ["setting-before-module", "r"], "a\n${b}"),
    ("at once", False, ["entry-not-understood", "r"], "a\n${b}"),
    ("/etc/fstab", True, ["setting-before-module", "r"], "\n\n\n\n\n\na\n${b}"),
])
def test_all_that_is_found_in_embedded_text_is_added_at_its_place(
    name: str, padded: bool, rules: list[str], asked: str
) -> None:
    index = RuleIndex(BASE, {}, kind="script")
    text = Placed([Stretch("a\n", 7, 3), Stretch("#{b}", 8, 3)])
    given: list[tuple[str, str, str]] = []

    def judged(of: RuleIndex, kind: str, told: str, file: str) -> Any:
        given.append((kind, told, file))
        line = told.count("\n") + 1
        one = about(1, line=line, end_column=2, severity="note")
        found = [one._replace(rule=rule) for rule in ("entry-not-understood", "setting-before-module", "r")]
        return SimpleNamespace(
            findings=found, nfs_lines=2, judged={line: "judged"}, alike={line: "entry"},
            open=[OpenItem(line, "t", ("f", "g"))], unread=[line - 1], votes={"f": 2, "g": 1},
        )

    result = Result("a.sh", "", index)
    result.nfs_lines, result.votes, result.unread = 1, {"f": 1}, [3]
    other_kinds._add_segment(result, Segment("fstab", name, 0, [text]), judged, padded=padded)
    assert given == [("fstab", asked, name)]
    assert [(one.file, one.line, one.column, one.rule) for one in result.findings] == [
        ("a.sh", 8, 3, rule) for rule in rules]
    assert (result.nfs_lines, result.judged, result.alike) == (3, {8: "judged"}, {8: "entry"})
    assert (result.open, result.unread) == ([OpenItem(8, "t", ("f", "g"))], [3, 7])
    assert result.votes == {"f": 3, "g": 1}


@each(lambda: [
    ([(3, 5)], [(6, 7)], True, True), ([(3, 5)], [(5, 7)], True, False), ([(3, 5)], [(1, 2)], True, True),
    ([(3, 5)], [(1, 3)], True, False), ([(3, 5)], [(3, 5)], False, True), ([(3, 5)], [(3, 5), (7, 8)], False, False),
    ([(3, 5)], [(3, 5), (7, 8)], True, False), ([(3, 5), (9, 10)], [(6, 8)], True, True), ([], [(1, 2)], False, False),
    ([(3, 5), (9, 10)], [(3, 5), (9, 10)], False, True), ([(1, 2), (9, 10)], [(4, 5), (11, 12)], True, True),
    ([(3, 9)], [(4, 5)], True, False), ([(4, 5)], [(3, 9)], True, False),
])
def test_edits_that_touch_are_not_made_at_once(taken: Any, wanted: Any, more: bool, possible: bool) -> None:
    taking = fix._Taken()
    assert not taken or taking.take([Edit(1, *place, "x") for place in taken], True)
    edits = [Edit(1, *place, "x") for place in wanted]
    assert taking.take(edits, more) is possible
    assert [(one.column, one.end_column) for one in taking.edits] == sorted(
        {*taken, *wanted} if possible else taken)


def test_fixes_that_come_to_no_end_are_given_up_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fix, "MAX_PASSES", 3)

    def judged(text: str) -> tuple[list[Finding], list[Finding]]:
        told = about(1, line=1, severity="note", tunable=f"t{len(text)}",
                     fix=Fix("safe", (Edit(1, len(text) + 1, len(text) + 1, "x"),)))
        return [told], [told]

    fixed = fix.fix_text("a", judged, fix.SAFETIES, fstab=False)
    assert fixed.text == "axx"
    assert [one.tunable for one in fixed.done] == ["t1", "t2"]
    assert [one.tunable for one in fixed.refused] == ["t3"]


@each(lambda: [
    ('# advisor: facts {"a": 1}\nx', True, {2: {"a": 1}}), ("# advisor: facts {}\nx", True, {}),
    ('# advisor: facts {"a": 1}\n\n# c\n# advisor: facts {"b": 2}\nx\ny', True, {5: {"a": 1, "b": 2}}),
    ('# advisor: pins {"a": 1}\nx', True, {}), ('# advisor: facts {"a": 1}', True, {}),
    ("# advisor: facts [1]\nx", False, {}), ('# advisor: facts {"a": 1\nx', False, {}),
    (' # advisor: facts {"a": 1}\nx', False, {}), ('# advisor: other {"a": 1}\nx', False, {}),
    ('# advisor: facts {"a": 1}\nx\ny', True, {2: {"a": 1}}),
    ('# advisor: facts {"a": "' + "b" * 20_000 + '"}\nx', False, {}),
])
def test_what_is_said_above_an_entry(text: str, is_one: bool, said: Any) -> None:
    assert suppress.stated(text, "facts") == said
    assert suppress.is_statement(text.split("\n", maxsplit=1)[0]) is is_one


@each(lambda: [
    ([], {}), ([{"a": 1, "b": 2}], {"a": 1, "b": 2}), ([{"a": 1, "b": 2}, {"a": 1, "b": 3}], {"a": 1}),
    ([{"a": 1}, {"b": 1}], {}),
])
def test_what_is_said_of_all_entries(told: list[dict[str, int]], said: dict[str, int]) -> None:
    text = "".join(f"# advisor: facts {json.dumps(one)}\nx\n" for one in told)
    assert suppress.stated_of_all(text, "facts") == said


def problem(text: str, start: int, **more: Any) -> OptionProblem:
    return OptionProblem(**{"kind": "bad-value", "text": text, "start": start, "message": "no", "tunable": "mount.x",
                            "value": 1, "expected": 2, "why": "Because.", "cites": ("a.b",), **more})


@each(lambda: [
    ({}, {"severity": "error", "consequence": "mount-fails", "remedy": judge.CHECK_OF["bad-value"], "edits": None}),
    ({"suggestion": "x=2"}, {"remedy": "Write x=2.", "safety": "unsafe", "edits": [(4, 7, "x=2"), (11, 14, "x=2")]}),
    ({"suggestion": ""}, {"remedy": "Remove x=1.", "safety": "unsafe", "edits": [(4, 8, ""), (10, 14, "")]}),
    ({"suggestion": "", "consequence": "ignored"}, {"severity": "note", "safety": "safe"}),
    ({"suggestion": "x", "consequence": "ignored"}, {"severity": "note", "safety": "unsafe", "consequence": "ignored"}),
    ({"consequence": "performance"}, {"severity": "warning", "consequence": "performance"}),
])
def test_a_problem_of_several_options_is_told_once_and_mended_everywhere(more: Any, told: dict[str, Any]) -> None:
    check = BASE.checks[judge.CHECK_OF["bad-value"]].replace(strength="should", remedy=judge.CHECK_OF["bad-value"])
    found = judge._finding(check, [problem("x=1", 3, **more), problem("x=1", 10, **more)], "ro,x=1,rw,x=1")
    assert (found.rule, found.field, found.column, found.end_column) == (check.check, "options", 4, 7)
    assert (found.tunable, found.value, found.expected, found.message) == ("mount.x", 1, 2, "no (and 1 more)")
    assert (found.why, found.cites) == ("Because.", ("a.b",))
    edits = found.fix and [(edit.column, edit.end_column, edit.text) for edit in found.fix.edits]
    is_so = {**found._asdict(), "edits": edits, "safety": found.fix and found.fix.safety}
    assert {name: is_so[name] for name in told} == told


@each(lambda: [("ro,,rw", 3, (4, 5)), (",ro", 0, (1, 2)), ("ro,", 3, (3, 4))])
def test_an_empty_option_is_marked_by_the_comma_beside_it(text: str, start: int, place: tuple[int, int]) -> None:
    check = BASE.checks[judge.CHECK_OF["empty-option"]]
    found = judge._finding(check, [problem("", start, kind="empty-option", suggestion="")], text)
    assert (found.column, found.end_column, found.message) == (*place, "no")


def test_a_file_of_exports_that_is_passed_over_is_told_of_once_at_its_first_export() -> None:
    text = "# none\n/a x(ro)\n/b x(nosuch)\n"
    told, lines = exports.judge(RuleIndex(BASE, {}, kind="exports"), text, "/etc/exports.d/.a.exports")
    assert [(one.rule, one.line, one.column, one.end_column) for one in told] == [("export-file-ignored", 2, 4, 5)]
    assert lines == 2


@each(lambda: [
    ({"tunable": "mount.vers", "value": None}, ""), ({"tunable": "mount.vers", "value": "3"}, "soft"),
    ({"tunable": None, "value": None}, "soft"),
])
def test_what_is_missing_marks_nothing_in_a_baseline(told: Any, marked: str) -> None:
    result = Result("/x/fstab", "nas:/a\t/a nfs soft,ro 0 0\n# advisor: x\n", RuleIndex(BASE, {}))
    one = about(15, line=1, end_column=19, file="/x/fstab", **told)
    assert suppress.fingerprint("/x/base", result, one) == ("fstab", "r", "nas:/a", "/a", marked)
    assert suppress.fingerprint("/x/base", result, one._replace(line=2, column=3, end_column=10))[2:4] == ("", "")


@each(lambda: [
    ("# advisor: ignore[a, b] it is so", ("a", "b"), "it is so", None), ("  # advisor: ignore[a]  ", ("a",), "", None),
    ("# advisor: ignore[] x", (), "x", "write '# advisor: ignore[name, name] reason'"),
    ("# advisor: ignored", (), "", "write '# advisor: ignore[name, name] reason'"),
    ("# advisor: facts {", (), "", "write '# advisor: facts {\"NAME\": \"VALUE\"}'"),
    ("# advisor: pins x", (), "", "write '# advisor: pins {\"NAME\": \"VALUE\"}'"),
])
def test_a_comment_that_suppresses_findings(raw: str, slugs: tuple[str, ...], reason: str, wrong: str | None) -> None:
    (one,) = suppress.suppressions(f"a\n{raw}\nb\n")
    assert (one.line, one.target, one.last, one.slugs) == (2, 3, 3, slugs)
    assert raw[one.span.column - 1 : one.span.end_column - 1] == raw.strip()
    assert one.reason == reason or not slugs
    assert one.problem == (f"not understood: {wrong}" if wrong else None)
    (last,) = suppress.suppressions(f"a\n{raw}\n\nb")
    assert slugs == () or last.problem == "no entry follows this comment, so it suppresses nothing"


@each(lambda: ["# a comment", "# my advisor: x", "# advisor ignore[a]", '# advisor: facts {"a": 1}'])
def test_other_comments_suppress_nothing(raw: str) -> None:
    assert suppress.suppressions(f"{raw}\na\n") == ()
