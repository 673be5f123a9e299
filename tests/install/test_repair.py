"""The files that repair a host, of a host that is written down: what they change, in which order, and what goes back.

tests/cli/test_check.py runs the scripts."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.check.check_host import check_host
from advisor.check.host import GivenFacts, HostText, WholeHost
from advisor.host.tree import tree_of
from advisor.install import Artefact
from advisor.install.host_changes import CheckedFiles, EditedFile
from advisor.install.repair import RepairScope, _edit_existing, _order, repair_files
from advisor.lint.run import lint_text
from advisor.rulebase.base import load

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
    return {one.path: one for one in repair_files(host, judge, RepairScope(frozenset(safeties), lambda *_: True))}


def test_a_file_that_a_fix_changes_is_kept_and_comes_back() -> None:
    made = repaired({"/etc/fstab": FSTAB})
    assert (made["files/etc/fstab"].text, made["found/etc/fstab"].text) == (CLEAN, FSTAB)
    assert made["files/etc/fstab"].install == "/etc/fstab"
    assert [*made][-4:] == ["apply.sh", "look.sh", "undo.sh", "STEPS.md"]
    assert "put files/etc/fstab /etc/fstab" in made["apply.sh"].text
    assert "put_back files/etc/fstab found/etc/fstab /etc/fstab" in made["undo.sh"].text
    assert f"-{FSTAB}+{CLEAN}" in made["changes.diff"].text
    assert [made[name].mode for name in ("apply.sh", "look.sh", "undo.sh", "STEPS.md")] == [0o755] * 3 + [0o644]
    assert "the host of /example" in made["STEPS.md"].text


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
