"""What the linter decides beside its rules, on values made up for it: what a finding rests on, where a change may be
made, which lines are told apart, and what stands below a mount."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.files.export_options import SEC, ExportGrammar
from advisor.files.fstab import read as read_fstab
from advisor.files.fstab import split_options
from advisor.files.libmount import Item
from advisor.files.records import Placed, Setting, Span, Stretch
from advisor.lint import alike, between, checks, exports, kind_rules, other_kinds
from advisor.lint.compare import LineSettings
from advisor.lint.finding import Edit, Finding, Fix
from advisor.lint.fix import SAFETIES, _Attempt, _Fixer
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.lint.suppress import suppressions
from advisor.rulebase.base import load
from advisor.rulebase.model import Check
from tests.each import each

BASE = load()
ITEMS = split_options("rw,soft,timeo=5")


def finding(**more: Any) -> Finding:
    told = {"rule": "r", "severity": "warning", "line": 1, "column": 1, "end_column": 2, "field": "source",
            "tunable": None, "message": "", "why": "", "remedy": "", "fix": None, **more}
    plain = {name: told.get(name) for name in Finding._fields}
    return Finding(**{**plain, "cites": (), "depends_on": (), "policy": False, "joint": told.get("joint")})  # type: ignore[arg-type]


SETS = ({"mount.ro"}, {"mount.hard"}, {"mount.timeo", "mount.retrans"})


@each(lambda: [
    ({}, set()), ({"tunable": "mount.hard"}, {1}), ({"tunable": "mount.retrans"}, {2}), ({"rule": "w"}, {0}),
    ({"message": "here is timeo=5"}, {2}), ({"remedy": "Remove soft."}, {1}), ({"why": "So soft is."}, {1}),
    ({"field": "options", "column": 4, "end_column": 8}, {1}),  # soft, from its first letter to behind its last
    ({"field": "options", "column": 3, "end_column": 4}, set()),
    ({"field": "options", "column": 3, "end_column": 5}, {1}),
    ({"field": "options", "column": 7, "end_column": 9}, {1}),
    ({"field": "options", "column": 8, "end_column": 9}, set()),
    ({"field": "options", "column": 2, "end_column": 10}, {0, 1, 2}),
    ({"field": "target", "column": 4, "end_column": 8}, set()),
    ({"fix": Fix("safe", (Edit.within("options", 3, 7, "hard"),))}, {1}),
    ({"fix": Fix("safe", (Edit.within("target", 3, 7, "x"),))}, set()),
    ({"joint": SimpleNamespace(both=finding(message="soft and timeo=5"))}, {1, 2}),
])
def test_the_options_that_a_finding_rests_on(told: Any, numbers: set[int]) -> None:
    assert alike._rests_on(ITEMS, SETS, finding(**told), {"w": {"mount.ro"}}) == numbers


@each(lambda: [
    ({"figures": {"a": {"formula": "mount.timeo * mount.retrans"}}}, {"mount.timeo", "mount.retrans"}),
    ({"differ": ["mount.rsize"]}, {"mount.rsize"}), ({"fix": {"safety": "safe", "remove": ["mount.ro"]}}, set()),
    ({"fix": {"safety": "safe", "remove": [{"mount.hard": "soft"}]}}, {"mount.hard"}),
    ({"fix": {"safety": "safe", "set": {"mount.hard": True}}}, {"mount.hard"}), ({}, set()),
])
def test_the_settings_that_a_check_weighs(more: Any, names: set[str]) -> None:
    check = Check.from_data({"check": "c", "strength": "should", "consequence": "security", "message": "m", "why": "w",
                             "remedy": "r", "cites": ["a.b"], **more})
    assert alike._weighed(RuleIndex(BASE, {}), check) == names


@each(lambda: [((1, 5), (1, 5)), ((6, 13), (6, 15)), ((6, 11), (6, 11)), ((12, 13), (12, 15)), ((1, 13), (1, 15))])
def test_a_finding_is_moved_to_the_place_of_its_options(old: tuple[int, int], new: tuple[int, int]) -> None:
    before, after = split_options("soft,timeo=5,rw"), split_options("soft,timeo=600,ro")
    edit = Edit.within("options", old[0] - 1, old[1] - 1, "x")
    one = finding(field="options", column=old[0], end_column=old[1], fix=Fix("safe", (edit,)))
    told = one._replace(joint=SimpleNamespace(both=one, _replace=lambda both: SimpleNamespace(both=both)))  # type: ignore[arg-type]
    moved = alike._moved(told, [item.start for item in before], before, after)
    assert moved.joint is not None
    assert moved.fix is not None
    places: list[Any] = [moved, moved.joint.both, *moved.fix.edits]
    assert [(at.column, at.end_column) for at in places] == [new] * 3
    elsewhere = alike._moved(one._replace(field="target", fix=None), [item.start for item in before], before, after)
    assert (elsewhere.column, elsewhere.end_column) == old


def test_a_line_differs_from_those_with_which_it_is_judged_in_what_is_free() -> None:
    entry: Any = None
    judged: Any = SimpleNamespace(items=ITEMS, free=frozenset({"mount.timeo"}))
    own, shared = (alike.MountLine(entry, items, {}, judged) for items in (ITEMS, split_options("rw")))
    assert (own.shares, shared.shares) == (False, True)
    assert not own.differs_in(["mount.timeo"])
    assert shared.differs_in(["mount.timeo", "mount.hard"])
    assert not shared.differs_in(["mount.hard"])


@each(lambda: [
    ({}, False), ({"entry": None}, True), ({"problems": ("p",)}, True), ({"usable": False}, True),
])
def test_an_option_with_which_something_is_wrong_is_like_none(more: Any, itself: bool) -> None:
    shared = SimpleNamespace(id="x", implies=(), rules=())
    got = {"entry": SimpleNamespace(shared=shared, implies=(), spelling="x"), "problems": (), "usable": True,
           "open": (), "value": 5, **more}
    rules: Any = SimpleNamespace(grammar=SimpleNamespace(option=lambda *_: SimpleNamespace(**got)),
                                 _told_apart=frozenset({"y"}), passed=lambda *_: "passed")

    def likeness(item: Item) -> object:
        return kind_rules.KindRules._likeness(rules, "nfs", item)

    assert (likeness(ITEMS[2]) == "timeo=5") is itself
    assert likeness(split_options("timeo=a b")[0]) == "timeo=a b"
    rules._told_apart = frozenset({"x"})
    assert likeness(ITEMS[2]) == "timeo=5"


@each(lambda: [
    ("/a/b", "/a"), ("/a", "/a"), ("/a/", "/a"), ("/b", "/"), ("/", "/"), ("/a/b/c", "/a"), ("/ab", "/"), ("a/b", None),
    ("", None),
])
def test_the_mount_of_a_path(path: str, mount: str | None) -> None:
    mounted: Any = {"/a": "/a", "/": "/"}
    found: Any = between._mount_of(path, mounted)
    assert found == mount
    assert between._mount_of(path, {}) is None


@each(lambda: [
    ("/nfs/x /x none bind 0 0", ["bound-before-nfs"]), ("/nfs/x /x none bind,_netdev 0 0", []),
    ("/other/x /x none bind 0 0", []), ("/dev/sda /x ext4 ro 0 0", []), ("//nas/x /x cifs ro 0 0", []),
    ("/nfs/swap none swap sw 0 0", []), ("nfs/x /x none bind 0 0", []),
    ("overlay /x overlay lowerdir=/l,upperdir=/nfs/u,workdir=/w 0 0", ["overlay-upper-on-nfs"]),
    ("overlay /x overlay lowerdir=/nfs/l,upperdir=/u,workdir=/w 0 0", []), ("overlay /x overlay upperdir= 0 0", []),
    ("overlay /x overlay upperdir=nfs/u 0 0", []),
])
def test_what_is_mounted_from_a_directory_on_nfs(line: str, rules: list[str]) -> None:
    entries = read_fstab(f"nas:/a /nfs nfs hard 0 0\n{line}\n").entries
    found = [*between.check_stacked(RuleIndex(BASE, {}), entries, frozenset({1}))]
    assert [one.rule for _, one in found] == rules
    assert not [*between.check_stacked(RuleIndex(BASE, {}), entries, frozenset())], "without NFS nothing is said"


@each(lambda: [
    ("nas:/a /a nfs hard 0 0\nnas:/b /a nfs hard 0 0", [(2, "fstab-duplicate-target")]),
    ("nas:/a /a nfs hard 0 0\nnas:/b /b nfs hard 0 0", []),
    ("nas:/a /a nfs hard 0 0\nx /a/ tmpfs ro 0 0", [(2, "fstab-duplicate-target")]),
    ("y /a tmpfs rw 0 0\nx /a tmpfs ro 0 0\nnas:/b /b nfs hard 0 0", []),
    ("nas:/b /a/b nfs hard 0 0\nnas:/a /a nfs hard 0 0", [(1, "fstab-target-order")]),
    ("nas:/b /a/b nfs hard 0 0\nx /a tmpfs ro 0 0", [(1, "fstab-target-order")]),
    ("x /a/b tmpfs ro 0 0\ny /a tmpfs ro 0 0\nnas:/b /c nfs hard 0 0", []),
    ("nas:/b /a nfs hard 0 0\nx / ext4 ro 0 1", []), ("nas:/a none nfs hard 0 0\nnas:/b none nfs hard 0 0", []),
])
def test_mount_points_that_hide_one_another(text: str, found: list[tuple[int, str]]) -> None:
    entries = read_fstab(f"{text}\n").entries
    nfs = frozenset(entry.line_no for entry in entries if entry.fstype.value == "nfs")
    told = [*between.check_targets(RuleIndex(BASE, {}), entries, nfs)]
    assert [(entry.line_no, one.rule) for entry, one in told] == found


def test_a_total_is_reported_once_at_the_line_that_passes_it() -> None:
    check = Check.from_data({
        "check": "c", "strength": "should", "consequence": "security", "message": "{total} of {count}", "why": "w",
        "remedy": "r", "cites": ["a.b"], "total": {"of": "mount.nconnect", "each": ["fstab.host"], "limit": 20}})
    index = RuleIndex(BASE, {})

    def told(*lines: str) -> list[tuple[int, str]]:
        entries = read_fstab("\n".join(lines)).entries
        mounted = [alike.judge(index, entry, "f") for entry in entries]
        return [(line.entry.line_no, one.message) for line, one in between._total(index, check, mounted)]

    a, b, c = (f"{name}:/x /{name} nfs nconnect=10 0 0" for name in "abc")
    assert told(a, b) == []
    assert told(a, b, c) == [(3, "30 of 3")]
    assert told(a, a.replace("=10", "=15"), b) == [], "of one server the smallest counts"
    assert told(a, b, "d:/x /d nfs hard 0 0", c) == [(3, "31 of 4")], "and the default elsewhere"


@each(lambda: [
    ("# advisor: ignore[x]\n[a]\n", [(2, 2)]), ("# advisor: ignore[x]\n\n[a]\n", [(None, 0)]),
    ("# advisor: ignore[x]\n# more\n[a]\n", [(3, 3)]), ("# advisor: ignore[x]\na\\\nb\nc\n", [(2, 3)]),
    ("a\n# advisor: ignore[x]", [(None, 0)]), ("# x\na", []),
])
def test_the_lines_that_a_comment_is_about(text: str, about: list[tuple[int | None, int]]) -> None:
    told = suppressions(text, signs="#;", continued=True)
    assert [(one.target, one.last if one.target else 0) for one in told] == about
    assert all(bool(one.problem) is (one.target is None) for one in told)


def test_what_the_type_brings_is_no_option() -> None:
    settings = {field: Setting(1, field, 0, 1, field) for field in ("options", "fstype")}
    line = LineSettings({}, "", settings)
    assert [checks._brought_by_option(line, name) for name in ("options", "fstype", "x")] == [
        settings["options"], None, None]


@each(lambda: [
    ("rw,sync", "rw,sync", 5, True), ("rw,sync", "rw,other", 5, False), ("rw,sync", "rw,sync", 4, False),
])
def test_options_are_at_their_columns_or_cannot_be_edited(written: str, read: str, column: int, right: bool) -> None:
    span = SimpleNamespace(line=1, column=column, end_column=column + len(read))
    part, result = SimpleNamespace(exact=True, span=span, text=read), SimpleNamespace(line=lambda _: f"-o, {written}")
    assert other_kinds._as_written(result, [part]) is right  # type: ignore[arg-type, list-item]
    assert other_kinds._as_written(result, [SimpleNamespace(exact=False)]) is True  # type: ignore[arg-type, list-item]


@each(lambda: [
    ("sec=sys:krb5", "sys"), ("sec=krb5:none", "none"), ("sec=krb5", "krb5"), ("sec=krb5:krb5i", "krb5:krb5i"),
])
def test_of_several_flavours_the_weakest_is_judged(option: str, value: str) -> None:
    assert exports._value(SimpleNamespace(tunable=SEC, value=option[4:])) == value  # type: ignore[arg-type]
    assert exports._value(SimpleNamespace(tunable="x", value=option[4:])) == option[4:]  # type: ignore[arg-type]


@each(lambda: [
    ("x", None, True, "x; exportfs stops reading here, so this export is not made"),
    ("x", 1, True, "x; exportfs stops reading here, so this export and the one after it are not made"),
    ("x", 2, True, "x; exportfs stops reading here, so this export and the 2 after it are not made"),
    ("x", 1, False, "x; exportfs stops reading here without a message, so the export after it is not made"),
    ("x", 2, False, "x; exportfs stops reading here without a message, so the 2 exports after it are not made"),
])
def test_what_is_lost_by_a_mistake(words: str, following: int | None, lost_too: bool, told: str) -> None:
    assert exports._with_loss(words, following, lost_too) == told


FORM = ("export-blank-before-options", "export-path-unquoted", "export-no-options", "export-option-unknown",
        "export-option-overridden")


def export_rules(text: str) -> list[str]:
    told = {one.rule for one in lint_text(text, "/etc/exports", BASE, {}, kind="exports").findings}
    return sorted(rule for rule in told if rule in FORM)


@each(lambda: [
    ("/a 10.0.0.1(rw,sync,no_subtree_check)", []), ("/a 10.0.0.1 (rw,sync)", ["export-blank-before-options"]),
    ("/my dir 10.0.0.1(ro,sync)", ["export-no-options"]), ("/a My 10.0.0.1(ro,sync)", ["export-path-unquoted"]),
    ("/a host 10.0.0.1(ro,sync)", ["export-no-options"]), ("/a My(ro) 10.0.0.1(ro,sync)", []),
    ("/a $CLIENT(rw,sync)", []), ("/a 10.0.0.1(rw,frob)", ["export-option-unknown"]),
    ("/a 10.0.0.1(rw,ro,sync)", ["export-option-overridden"]), ("/a -ro 10.0.0.1(rw,sync)", []),
])
def test_what_is_wrong_with_an_export_by_itself(line: str, rules: list[str]) -> None:
    assert export_rules(f"{line}\n") == rules


def stop(**more: Any) -> Finding:
    edits = more.pop("edits", (Edit(1, 3, 5, "x"),))
    return finding(**{"severity": "note", "line": 1, "fix": Fix("safe", edits), **more})


@each(lambda: [
    ({}, [{}], ["r"]), ({}, [{"edits": ()}], []), ({}, [{"fix": None}], []),
    ({}, [{"fix": Fix("other", (Edit(1, 3, 5, "x"),))}], []),
    ({}, [{"edits": (Edit(1, 3, 5, "a\nb"),)}], []), ({}, [{"edits": (Edit(2, 3, 5, "a"),)}], []),
    ({"closed": {1}}, [{}], []), ({"closed": {2}}, [{}], ["r"]),
    ({"barred": {("one line", "r", (Edit(1, 3, 5, "x"),))}}, [{}], []),
    ({"barred": {("other", "r", (Edit(1, 3, 5, "x"),))}}, [{}], ["r"]), ({"share": 0}, [{}], []),
    ({}, [{"rule": "a", "severity": "note"}, {"rule": "b", "severity": "error"}], ["b", "a"]),
    ({"harmful": {(1, "b", "")}}, [{"rule": "a"}, {"rule": "b", "severity": "error"}], ["a", "b"]),
    ({}, [{}, {"edits": (Edit(1, 6, 7, "y"),)}], ["r", "r"]), ({}, [{}, {"edits": (Edit(1, 5, 7, "y"),)}], ["r"]),
    ({"shares": {1: 1}}, [{}, {"edits": (Edit(1, 6, 7, "y"),)}], ["r"]),
    ({"shares": {1: 2}}, [{}, {"edits": (Edit(1, 6, 7, "y"),)}], ["r", "r"]),
    ({"share": 1}, [{}, {"edits": (Edit(1, 6, 7, "y"),)}], ["r"]),
    ({}, [{}, {"rule": "s", "edits": (Edit(1, 6, 7, "y"),)}], ["r"]), ({}, [{}, {"rule": "s"}], ["r", "s"]),
])
def test_the_fixes_that_are_made_at_once(state: Any, wanted: list[Any], chosen: list[str]) -> None:
    fixer = _Fixer("one line", lambda _: ([], []), SAFETIES, fstab=False)
    vars(fixer).update(state)
    told = fixer._choose([stop(**one) for one in wanted])
    assert [one.rule for of in told.values() for one in of] == chosen


@each(lambda: [
    ("a b c d", "a b x d", False), ("a b c d", "a b d", True), ("a b c d", "a b c d 0 0", False),
    ("a b c d", "a b c d 0 0 0", True),
])
def test_a_line_that_loses_or_gains_words_is_worse(before: str, after: str, worse: bool) -> None:
    fixer = _Fixer(after, lambda _: ([], []), SAFETIES, fstab=True)
    fixer.seen = {1: set()}
    told = fixer._bad({1: _Attempt(before, [stop()], after)}, [stop()], [], after)
    assert told == ([1] if worse else [])


def test_a_pass_that_does_not_remove_its_finding_or_adds_an_error_is_worse() -> None:
    fixer = _Fixer("a b c d", lambda _: ([], []), SAFETIES, fstab=False)
    attempt = {1: _Attempt("a", [stop()], "x")}
    assert fixer._bad(attempt, [stop()], [stop()], "x") == [1]
    assert fixer._bad(attempt, [stop(), stop()], [stop()], "x") == []
    assert fixer._bad(attempt, [stop()], [stop(rule="e", severity="error", fix=None)], "x") == [1]
    assert fixer._bad(attempt, [stop()], [stop(rule="e", severity="error")], "x") == [], "another fix may remove it"
    assert fixer._bad({1: _Attempt("b", [stop()], "a b c d")}, [stop()], [], "x") == [1], "it was so before"


def told_of(text: str, kind: str, name: str, **more: Any) -> list[tuple[int, str]]:
    found = lint_text(text, name, BASE, more, kind=kind).findings
    return [(one.line, one.rule) for one in found if one.rule.startswith("setting-")]


@each(lambda: [
    ("[nfsd]\nthreds=1\n", [(2, "setting-unknown")]), ("[nfsd]\n{{ threds }}=1\n", []),
    ("[nfsd]\nmore {{ x threds y }}=1\n", []), ("[nfsd]\nxthreads{{ a }}=1\n", []),
])
def test_a_name_with_a_gap_in_it_is_not_looked_up(text: str, found: list[tuple[int, str]]) -> None:
    assert told_of(text, "nfs.conf", "/etc/nfs.conf") == found


def test_settings_that_come_too_early_are_reported_once_for_each_module_at_the_first() -> None:
    keys = ("fs.nfs.nlm_grace_period", "sunrpc.tcp_slot_table_entries", "vm.dirty_ratio", "fs.nfs.nlm_timeout")
    text = "".join(f"{key} = 10\n" for key in keys)
    found = [(one.line, one.message.partition(" applied")[0])
             for one in lint_text(text, "/etc/sysctl.d/a.conf", BASE, {}, kind="sysctl").findings
             if one.rule == "setting-before-module"]
    assert found == [(1, "fs.nfs.nlm_grace_period, fs.nfs.nlm_timeout are"), (2, "sunrpc.tcp_slot_table_entries is")]


@each(lambda: [
    ("nas:/a /a nsf rw 0 0", True), ("nas:/a /a ext4 rw 0 0", False), ("nas:a /a nsf rw 0 0", False),
    ("/dev/sda /a nsf rw 0 0", False), ("10.0.0.1:/a /a nsf4 rw 0 0", True),
])
def test_a_type_that_nobody_knows_is_a_misspelled_one_if_a_server_is_named(line: str, found: bool) -> None:
    told = {one.rule for one in lint_text(f"{line}\n", "fstab", BASE, {}).findings}
    assert ("fstab-type-unknown" in told) is found


NFS_CONF, MODPROBE = "nfs.conf", "modprobe"


@each(lambda: [
    ("[nfsd]\nthreds=1\n", NFS_CONF, {}, "is ignored (did you mean threads?)", "Write threads=1."),
    ("[nfsd]\nzzz=1\n", NFS_CONF, {}, "is not a setting of [nfsd] up to nfs-utils ", "Correct the name, or "),
    ("[nfsd]\nzzz=1\n", NFS_CONF, {"server.nfs_utils": "2.8.3"}, "is not a setting of [nfsd] and is ignored",
     "Remove the line, or correct the name."),
    ("[mountd]\nlease-time=1\n", NFS_CONF, {}, "read in [nfsd], not in [mountd]", "Move lease-time=1 to [nfsd]."),
    ("options nfs zzz=1\n", MODPROBE, {}, "is not a parameter of the module nfs up to Linux ", "Correct the name, "),
    ("options nfs max_session_slot=1\n", MODPROBE, {}, "(did you mean max_session_slots?)",
     "Write options nfs max_session_slots=1."),
    ("options nfs nconnect=8\n", MODPROBE, {}, "(it is a mount option)", "Remove nconnect=8 here, and "),
    ("options nfs hard\n", MODPROBE, {}, "(it is a mount option)", "Remove hard here, and "),
])
def test_what_is_said_of_a_name_that_nothing_reads(text: str, kind: str, known: Any, said: str, remedy: str) -> None:
    (found,) = (one for one in lint_text(text, "x", BASE, known, kind=kind).findings if one.severity != "note")
    assert said in found.message
    assert found.remedy.startswith(remedy)
    assert (found.fix is not None) is ("did you mean" in said)


def form(line: str, has: str | None = None) -> Any:
    return SimpleNamespace(line=line, has=has)


OWN = SimpleNamespace(platform="own", set_in=None, exports_lines=[form("alpha .*"), form("beta .*")])
GUI = SimpleNamespace(platform="gui", set_in="its pages", exports_lines=[form("/gui .*", "="), form("/old .*")])
PLAIN = SimpleNamespace(platform="plain", set_in=None, exports_lines=[])


@each(lambda: [
    ("alpha x", None, "own", 1), ("\n# alpha x\nbeta x", None, "own", 3), ("gamma x", None, None, 0),
    ("alpha x(ro)", None, None, 0), ("gamma x", "own", "own", 1), ("gamma x(ro)", "own", None, 0),
    ("alpha x", "gui", None, 0), ("/gui x=1", None, "gui", 1), ("/gui x", None, None, 0),
    ("/old x(ro)", None, "gui", 1),
    ("/gui x=1", "gui", "gui", 1), ("/gui x=1", "other", None, 0), ("/gui x", "gui", None, 0),
    ("gamma", "plain", None, 0),
    ("", "own", None, 0), ("#x", "own", None, 0),
])
def test_the_product_whose_form_a_line_of_exports_has(text: str, given: str | None, name: str | None, at: int) -> None:
    index: Any = SimpleNamespace(given={"storage.platform": given} if given else {},
                                 rulebase=SimpleNamespace(platforms=[PLAIN, OWN, GUI]))
    platform, line = exports.product(index, text)
    assert (platform.platform if platform else None, line) == (name, at)


@each(lambda: [
    (["/a h(rw,sync)", "/b h(rw,sync)"], 1, True), (["/a h(rw,anonuid=5)", "/b h(rw,anonuid=5)"], 1, True),
    (["/a h(rw)", "/a h(ro)"], 1, False), (["/a h(rw)", "/a h(rw,sync)"], 1, False),
    (["/a h(rw)", "/a *(rw)"], 1, False),
    (["/a h(rw,rw)", "/a h(rw)"], 1, False), (["/a -rw h()", "/a h(rw)"], 1, False),
    (["/a h(rw)", "/a h(rw)"], 10**9, None),
    (["/a h(rw,frob)", "/a h(rw,frob)"], 1, None), (["/a h(sec=krb5,rw,sec=sys,ro)"] * 2, 1, None),
])
def test_exports_that_no_test_tells_apart(lines: list[str], few: int, alike_: bool | None) -> None:
    index = RuleIndex(BASE, {}, kind="exports")
    index.lines = 10
    shapes = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exports, "FEW", few)
        for (export,) in map(exports.read, lines):
            options = BASE.ready(ExportGrammar).read(export.options)
            where = {"exports.client": Setting(export.client.text, "target", 0, 1, export.client.text),
                     "exports.path": Setting(export.path.text, "source", 0, 1, export.path.text)}
            shapes.append(exports._shape(index, export, options, where))
    assert (None if None in shapes else shapes[0] == shapes[1]) is alike_


def test_what_is_found_in_embedded_text_is_at_its_place_in_the_file() -> None:
    text = Placed.joined([Placed.in_place("# x\n", Span(7, 5, 5)), Placed([Stretch("soft,rw", 8, 11)])])
    starts = {1: 0, 2: 4}
    assert [other_kinds._line(text, starts, number) for number in (1, 2, 9)] == [7, 8, 7]
    edits = [other_kinds._edit(Edit(line, first, last, write), text, starts) for line, first, last, write in (
        (2, 1, 5, "hard"), (2, 6, 8, "ro"), (2, 1, 5, "a b"), (2, 1, 5, "it's"), (2, 1, 5, "$x"), (3, 1, 2, "x"),
        (1, 1, 2, "x"))]
    assert [edit and (edit.line, edit.column, edit.end_column) for edit in edits] == [
        (8, 11, 15), (8, 16, 18), (8, 11, 15), None, None, None, None]


def test_a_known_bug_is_reported_once_in_a_file_and_open_in_each_line() -> None:
    lines = "nas:/a /a nfs vers=4.2,hard 0 0\nnas:/b /b nfs vers=4.2,hard,nconnect=2 0 0\n"

    def told(**known: Any) -> tuple[list[int], list[int]]:
        facts = {f"client.{name}": value for name, value in known.items()}
        result = lint_text(lines, "fstab", BASE, facts)
        return ([one.line for one in result.findings if one.rule == "client-lookup-hang"],
                [one.line for one in result.open if one.tunable.endswith("client-lookup-hang")])

    assert told(kernel="6.11.4", kernel_stream="mainline") == ([1], [])
    assert told(kernel="4.4.1", kernel_stream="mainline") == ([], [])
    assert told(kernel="6.11.4") == ([], [1, 2])
