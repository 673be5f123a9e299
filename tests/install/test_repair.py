"""The files that repair a host, of a host that is written down: what they change, in which order, and what goes back.

tests/cli/test_check.py runs the scripts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.check.check_host import check_host
from advisor.check.host import GivenFacts, HostText, WholeHost
from advisor.host.tree import tree_of
from advisor.install import Artefact, host_changes, repair
from advisor.install.context import data
from advisor.install.host_changes import CheckedFiles, EditedFile, NewFiles, edit_files, plan_new_files
from advisor.install.repair import (
    Plan,
    _as_texts,
    _changed_targets,
    _diff,
    _edit_existing,
    _is_removed,
    _not_undone,
    _order,
    _remounts,
    _steps,
    repair_files,
)
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

BASE = load()
FSTAB = "nas:/a  /a  nfs  vers=4.2,intr  0 0\n"
CLEAN = "nas:/a  /a  nfs  vers=4.2  0 0\n"


def repaired(files: dict[str, str], roles: int = 1, safeties: tuple[str, ...] = ("safe",)) -> dict[str, Artefact]:
    tree = tree_of(files)
    whole = WholeHost(BASE, tree, lambda _: GivenFacts({}, ()))
    check_host(whole)
    found = [finding for results in whole.areas.values() for result in results for finding in result.findings]

    def judge(text: HostText) -> Any:
        result = lint_text(text.text, text.name, BASE, whole.known(text.name, False), kind=text.host_file.kind)
        return result, result.findings

    host = CheckedFiles(BASE, tree, whole.collected, whole.probed,
                        [whole.known("", server) for server in (False, True)][:roles], found, frozenset(whole.not_read))
    return {one.path: one for one in repair_files(host, judge, frozenset(safeties), lambda *_: True)}


def test_a_file_that_a_fix_changes_is_kept_and_comes_back() -> None:
    made = repaired({"/etc/fstab": FSTAB})
    assert (made["files/etc/fstab"].text, made["found/etc/fstab"].text) == (CLEAN, FSTAB)
    assert made["files/etc/fstab"].install == "/etc/fstab"
    assert [*made][-4:] == ["apply.sh", "look.sh", "undo.sh", "STEPS.md"]
    assert "put files/etc/fstab /etc/fstab" in made["apply.sh"].text
    assert "put_back files/etc/fstab found/etc/fstab /etc/fstab" in made["undo.sh"].text
    assert f"-{FSTAB}+{CLEAN}" in made["changes.diff"].text
    assert [made[name].mode for name in ("apply.sh", "look.sh", "undo.sh", "STEPS.md")] == [0o755] * 3 + [0o644]
    steps = made["STEPS.md"].text
    assert "the host of /example" in steps
    assert "- `sh look.sh` shows what is in effect afterwards.\n- To go back: `sh undo.sh`.\n" in steps
    order = [steps.index(f"{name}`") for name in ("changes.diff", "sh apply.sh", "sh look.sh", "sh undo.sh")]
    assert order == sorted(order)


@pytest.mark.parametrize("files", [{"/etc/fstab": CLEAN}, {"/usr/lib/sysctl.d/x.conf": "vm.dirty_ratio = 5\n"}, {}])
def test_where_no_fix_is_there_is_nothing_to_edit(files: dict[str, str]) -> None:
    made = repaired(files, roles=0)
    assert not [path for path in made if path.startswith("found/")]


def test_a_host_of_both_roles_gets_files_for_mounting_and_hears_so() -> None:
    files = {"/etc/fstab": FSTAB, "/etc/exports": "/srv *(rw,sync,no_subtree_check)\n"}
    said = "This host mounts and serves; the new files are for mounting only."
    assert said in repaired(files, roles=2)["STEPS.md"].text
    assert said not in repaired(files, roles=1)["STEPS.md"].text


def edit(path: str, kind: str) -> EditedFile:
    host_file = next(one for one in BASE.host_files.values() if one.kind == kind)
    return EditedFile(HostText(host_file, path, path, "old\n"), "new\n", frozenset())


@each(lambda: [
    ("/etc/fstab", "/etc/fstab", "fstab", True), ("/usr/etc/fstab", "/usr/etc/fstab", "fstab", False),  # of a package
    ("/etc/fstab", "report.txt: /etc/fstab", "fstab", False), ("/etc/fstab", "/etc/fstab", "none", False),
])
def test_files_that_fixes_change(path: str, name: str, kind: str, edited: bool) -> None:
    def judge(text: HostText) -> Any:
        result = lint_text(text.text, "fstab", BASE, {})
        return result, result.findings

    host_file: Any = SimpleNamespace(kind=kind)
    told = edit_files([HostText(host_file, path, name, FSTAB)], judge, frozenset(["safe"]))
    assert [one.text for one in told] == [CLEAN] * edited


def test_what_mounts_depend_on_is_installed_first() -> None:
    kinds = ("fstab", "exports", "sysctl", "modprobe", "nfs.conf", "udev")
    ordered = sorted((edit(f"/etc/{kind}", kind) for kind in kinds), key=_order)
    found = [one.file.host_file.kind for one in ordered]
    assert found == ["modprobe", "udev", "sysctl", "nfs.conf", "exports", "fstab"]


def test_a_new_file_that_exists_becomes_an_edit_so_that_undo_restores_it() -> None:
    there, other = edit("/etc/sysctl.d/91-nfs.conf", "sysctl"), edit("/etc/fstab", "fstab")
    new = [Artefact("a", "ours\n", "t", "/etc/sysctl.d/91-nfs.conf"), Artefact("b", "x\n", "t", "/etc/b.conf"),
           Artefact("c", "read in place\n", "t")]
    edits, files = _edit_existing([there, other], new, [there.file, other.file])
    assert [(one.file.path, one.file.text, one.text) for one in edits] == [
        ("/etc/fstab", "old\n", "new\n"), ("/etc/sysctl.d/91-nfs.conf", "old\n", "ours\n")]
    assert [one.path for one in files] == ["b"]


def plan(**more: Any) -> Plan:
    return Plan(**{"edits": (), "new": NewFiles([], []), "changes": (), "runs": (), "by_hand": (), "left": (), **more})


@each(lambda: [
    ({}, False), ({"edits": [1]}, True), ({"new": NewFiles([Artefact("a", "", "t")], [])}, True),
    ({"changes": [1]}, True), ({"runs": ["x"]}, True), ({"by_hand": ["X."]}, True),
    ({"new": NewFiles([], ["left"]), "left": [1]}, False),
])
def test_files_are_made_if_there_is_anything_to_do(parts: dict[str, Any], made: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repair, "_plan", lambda *_: plan(**parts))
        patch.setattr(repair, "repair_artefacts", lambda *_: ["made"])
        host: Any = SimpleNamespace()
        told = repair_files(host, repaired, frozenset(), lambda *_: True)  # type: ignore[arg-type]
    assert bool(told) is made


def finding(rule: str, file: str = "f", line: int = 1, tunable: str | None = None, remedy: str = "Do it.") -> Any:
    return SimpleNamespace(rule=rule, file=file, line=line, tunable=tunable, remedy=remedy)


def test_the_steps_of_a_repair_are_commands_once_and_sentences_for_people() -> None:
    host: Any = SimpleNamespace(found=[finding("any-rule")], probed=SimpleNamespace(mounts=[]),
                                collected=SimpleNamespace(texts=[]))
    files = [Artefact("a", "", "", apply=("Reboot.", "sysctl --system")), Artefact("b", "", "", apply=("Reboot.",))]
    exports, again = edit("/etc/exports", "exports"), edit("/etc/exports.d/a.exports", "exports")
    commands, by_hand = _steps(host, [exports, again], files)
    assert (commands, by_hand) == (["exportfs -a"], ["Reboot."]), "commands of new files are in the script already"
    rule, steps = next((rule, steps) for rule, steps in data()["differences"].items() if steps)
    host.found = [finding(rule), finding(rule)]
    told = (*_steps(host, [], [])[0], *_steps(host, [], [])[1])
    assert [*told] == [*dict.fromkeys(steps)]


def test_a_mount_whose_line_was_changed_is_mounted_again_if_it_is_mounted() -> None:
    rule = data()["for_people"][0]
    changed = edit("/etc/fstab", "fstab")
    text = changed.file._replace(text="nas:/a /a nfs intr 0 0\n# x\nnas:/b /b/ nfs hard 0 0\nnas:/c /c nfs hard 0 0\n")
    changed = changed._replace(file=text, text=text.text.replace("intr", "hard"))
    assert [*_changed_targets(changed)] == ["/a"]

    def told(*mounted: str, found: tuple[Any, ...] = ()) -> list[str]:
        host: Any = SimpleNamespace(
            probed=SimpleNamespace(mounts=[SimpleNamespace(target=target) for target in mounted]), found=found,
            collected=SimpleNamespace(texts=[text]))
        return [*_remounts(host, [changed])]

    again = data()["remount"]
    assert told("/a", "/b") == [again.format(target="/a")]
    assert told("/b") == []
    assert told("/b", found=(finding(rule, text.name, 3),)) == [again.format(target="/b")], "its finding needs it"
    assert told("/a", found=(finding(rule, text.name, 3),)) == ["Do it.", again.format(target="/a")]
    assert told(found=(finding("other", text.name, 3),)) == []


@each(lambda: [
    (finding("x"), False), (finding(next(iter(data()["differences"]))), True), (finding(data()["for_people"][0]), True),
    (finding("x", "/etc/fstab", 1), False),  # it is left in the edited file
    (finding("x", "/etc/fstab", 2), True), (finding("y", "/etc/fstab", 1), True),
    (finding("x", tunable="sysctl.vm.a"), True), (finding("x", tunable="sysctl.vm.b"), True),
    (finding("x", tunable="sysctl.vm.c"), False), (finding("x", tunable="sysctl.vm"), False),
])
def test_which_findings_are_gone_after_a_repair(found: Any, removed: bool) -> None:
    edits = [edit("/etc/exports", "exports"), edit("/etc/fstab", "fstab")._replace(left=frozenset({(1, "x")}))]
    files = [Artefact("a", "# sysctl.vm.a: why\nvm.a = 1\n", "")]
    change: Any = SimpleNamespace(tunable="sysctl.vm.b")
    assert _is_removed(found, edits, files, [change]) is removed


def test_what_undo_does_not_undo() -> None:
    module: Any = SimpleNamespace(tunable="module.nfs.x")
    sysctl: Any = SimpleNamespace(tunable="sysctl.x")
    undo = Artefact("a", "", "", undo=("Reboot; it is as before", "rm x"))
    assert _not_undone(plan()) == _not_undone(plan(changes=[sysctl], runs=["udevadm control"])) == []
    assert _not_undone(plan(new=NewFiles([undo, undo], []))) == ["Reboot; it is as before"]
    told = [_not_undone(plan(by_hand=["Mount it."])), _not_undone(plan(changes=[sysctl, module])),
            _not_undone(plan(runs=["exportfs -a"]))]
    assert ["".join(lines).split(" ")[0] for lines in told] == ["What", "A", "What"]


def test_of_a_file_that_was_replaced_all_lines_are_in_the_diff() -> None:
    one = edit("/etc/a", "fstab")
    assert "".join(_diff([one])).endswith("-old\n+new\n")
    longer = one._replace(text="new\nmore\n")
    assert "".join(_diff([longer])) == "--- /etc/a\n+++ /etc/a\n@@ -1,1 +1,2 @@\n-old\n+new\n+more\n"


def test_a_new_file_is_a_text_of_the_place_where_it_is_installed() -> None:
    (found,) = _as_texts(BASE, [Artefact("x", "vm.a = 1\n", "", "/etc/sysctl.d/91-nfs.conf"), Artefact("y", "", "")])
    assert (found.host_file.kind, found.path, found.text) == ("sysctl", "/etc/sysctl.d/91-nfs.conf", "vm.a = 1\n")


def test_what_is_set_at_once_is_what_was_reported_or_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    concerned: list[set[str]] = []
    monkeypatch.setattr(repair.host_changes, "changes", lambda probed, last, names: concerned.append(names) or [])
    new = NewFiles([Artefact("x", "vm.dirty_ratio = 5\n", "t", "/etc/sysctl.d/91-nfs.conf")], [])
    monkeypatch.setattr(repair.host_changes, "plan_new_files", lambda *_: new)
    repaired({"/etc/fstab": FSTAB})
    (names,) = concerned
    assert "sysctl.vm.dirty_ratio" in names, "a new file changes it"
    assert any(name.startswith("mount.") for name in names), "it was reported"


HANA = {"storage.platform": "ontap", "host.role": "nfs-client", "workload.kind": "sap-hana"}


@pytest.mark.parametrize(("set_to", "fits"), [
    ("16777216", True), ("33554432", True), ("212992", False), ("many", False),
])
def test_what_a_file_of_the_host_sets_is_kept_or_left_to_people(set_to: str, fits: bool) -> None:
    tunable = "sysctl.net.core.rmem_max"
    whole = WholeHost(BASE, tree_of({}), lambda _: GivenFacts({}, ()))
    host: Any = SimpleNamespace(base=BASE, probed=whole.probed, tree=tree_of({}))
    place: Any = SimpleNamespace(path="/etc/x.conf")
    own: Any = SimpleNamespace(meaning=set_to, file=place, place="/etc/x.conf:1", text=f"x={set_to}")
    without = plan_new_files(host, HANA, {}, lambda *_: True)
    assert (any(f"# {tunable}: " in file.text for file in without.files), without.left) == (True, [])
    made = plan_new_files(host, HANA, {tunable: own}, lambda *_: True)
    assert not any(f"# {tunable}: " in file.text for file in made.files)
    told = [words.partition(";")[0] for words in made.left]
    assert told == ([] if fits else [f"/etc/x.conf:1 sets x={set_to}"])


def test_of_the_files_that_could_be_written_those_that_change_something_are(monkeypatch: pytest.MonkeyPatch) -> None:
    tunable = "sysctl.net.core.rmem_max"
    offered = [Artefact("a", "# other: why\n", "t", "/etc/a"), Artefact("b", f"# {tunable}: why\n", "t", "/etc/b"),
               Artefact("sysctl.d/c", f"# {tunable}: why\nvm.dirty_ratio = 20\n", "t", "/etc/sysctl.d/c.conf"),
               Artefact("sysctl.d/d", f"# {tunable}: why\nfs.nfs.nosuch = 1\n", "t", "/etc/sysctl.d/d.conf")]
    monkeypatch.setattr(host_changes, "host_files", lambda _: offered)
    host: Any = SimpleNamespace(base=BASE, probed=WholeHost(BASE, tree_of({}), lambda _: GivenFacts({}, ())).probed,
                                tree=tree_of({}))
    made = plan_new_files(host, HANA, {}, lambda *_: True)
    assert [file.path for file in made.files] == ["b", "sysctl.d/c"]
    assert [words.partition(" is not written: ")[0] for words in made.left] == ["/etc/sysctl.d/d.conf"]
    assert not plan_new_files(host, HANA, {}, lambda *_: False).files


def test_the_steps_have_their_headings() -> None:
    steps = repaired({"/etc/fstab": FSTAB})["STEPS.md"].text
    headings = [line for line in steps.split("\n") if line.startswith("#")]
    assert headings[:3] == ["# Repair of this host", "## In this order", "## Files"]


def test_the_steps_name_what_people_do_and_what_is_set_at_once() -> None:
    change: Any = SimpleNamespace(tunable="sysctl.x", apply="set x", undo="unset x")
    told = repair._steps_page(plan(by_hand=["Mount it."], changes=[change]), ["Made by us.", "More."])
    assert "\nMade by us.\n" in told
    assert "More." not in told
    assert told.index("- By hand: Mount it.") < told.index("sh look.sh")
    assert "## Values that are set at once" in told
    assert "`sysctl.x` | `set x` | `unset x`" in told
    assert "set at once" not in repair._steps_page(plan(by_hand=["Mount it."]), ["Made by us."])
    assert "## Files" not in told


@each(lambda: [
    ("message", "safe", "f:1: message. Do it."), ("message.", "safe", "f:1: message. Do it."),
    ("message?", "", "f:1: message? Do it."),
    ("message", "unsafe", "f:1: message. Do it. --unsafe-fixes makes this change."),
])
def test_a_finding_that_is_left_in_words(message: str, safety: str, words: str) -> None:
    one = finding("x")
    one.message, one.fix = message, SimpleNamespace(safety=safety) if safety else None
    assert repair._finding_text(one) == words
