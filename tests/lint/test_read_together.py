"""Files that are read together: exports.d after exports, drop-ins with their unit, automount units with their mount."""

from __future__ import annotations

import pytest

from advisor.files.read_together import (
    Beside,
    RunFiles,
    exports_of,
    read_together,
    replacing,
    section_of,
    unit_of,
    without_unit,
)
from advisor.lint.finding import Finding
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

UNIT = "[Mount]\nWhat=nas:/data\nWhere=/mnt/data\nType=nfs\nOptions=_netdev,vers=4.2,soft\n"
FOLDER = "/etc/systemd/system/"


def findings(name: str, files: dict[str, tuple[str, str]]) -> list[Finding]:
    """What is found in one of the files (name → kind, text) beside the others."""
    kind, text = files[name]
    beside = [Beside(kind, name, text) for name, (kind, text) in files.items()]
    return [f for f in lint_text(text, name, load(), {}, kind=kind, beside=beside).findings if not f.policy]


def exports(**texts: str) -> dict[str, tuple[str, str]]:
    names = {"main": "/etc/exports", "a": "/etc/exports.d/a.exports", "b2": "/etc/exports.d/b2.exports",
             "b10": "/etc/exports.d/b10.exports", "hidden": "/etc/exports.d/.x.exports", "other": "/old/exports"}
    return {names[key]: ("exports", text + "\n") for key, text in texts.items()}


def test_the_order_of_exports() -> None:
    files = exports(b10="/a x(ro)", a="/a x(ro)", main="/a x(ro)", b2="/a x(ro)", hidden="/a x(ro)", other="/a x(ro)")
    beside = [Beside(kind, name, text) for name, (kind, text) in files.items()]
    read = [file.name.removeprefix("/etc/") for file in exports_of(RunFiles(beside), "/etc")]
    assert read == ["exports", "exports.d/a.exports", "exports.d/b2.exports", "exports.d/b10.exports"]
    assert [file.name for file in exports_of(RunFiles(beside), "/old")] == ["/old/exports"]


def test_exports_in_several_files() -> None:
    files = exports(main="/a x(ro)\n/n 10.0.0.0/8(ro,fsid=5)", a="/a x(rw)\n/n 10.1.0.0/16(rw)\n/m y(ro,fsid=5)")
    told = {f.rule: f for f in findings("/etc/exports.d/a.exports", files)}
    assert set(told) == {"export-twice", "export-network-shadowed", "export-fsid-twice"}
    assert told["export-twice"].message == "x already has /a, from line 1 of /etc/exports; the options here are ignored"
    assert "line 2 of /etc/exports" in told["export-network-shadowed"].message
    assert not findings("/etc/exports", files)


def test_the_root_of_nfsv4_in_another_file() -> None:
    files = exports(main="/srv 10.0.0.0/8(ro,fsid=0)", a="/home 10.0.0.0/8(rw)\n/srv/a 10.0.0.0/8(rw)")
    assert [(f.line, f.rule) for f in findings("/etc/exports.d/a.exports", files)] == [(1, "export-outside-root")]


def units(**texts: str) -> dict[str, tuple[str, str]]:
    names = {"unit": "mnt-data.mount", "early": "mnt-data.mount.d/10-a.conf", "late": "mnt-data.mount.d/20-b.conf",
             "other": "mnt-x.mount.d/10-a.conf", "auto": "mnt-data.automount", "fstab": "fstab", "x": "mnt-x.mount"}
    return {
        FOLDER + names[key]: ("fstab" if key == "fstab" else "systemd-mount", text) for key, text in texts.items()
    }


def test_a_drop_in_is_judged_as_the_unit_that_it_makes() -> None:
    files = units(unit=UNIT, early="[Mount]\nOptions=_netdev,vers=4.2,soft\n")
    told = [(f.line, f.column, f.rule) for f in findings(f"{FOLDER}mnt-data.mount.d/10-a.conf", files)]
    assert (2, 26, "hard/default") in told
    assert [f.rule for f in findings(f"{FOLDER}mnt-data.mount", files)] == ["unit-options-replaced"]
    alone = units(early="[Mount]\nOptions=soft\n")
    assert not findings(f"{FOLDER}mnt-data.mount.d/10-a.conf", alone)


def test_the_last_drop_in_counts() -> None:
    files = units(unit=UNIT, early="[Mount]\nOptions=soft\n", late="[Mount]\nOptions=_netdev,vers=4.2,hard\n",
                  other="[Mount]\nOptions=soft\n")
    early = findings(f"{FOLDER}mnt-data.mount.d/10-a.conf", files)
    assert [f.rule for f in early] == ["unit-options-replaced"]
    assert "20-b.conf:2" in early[0].message
    assert not findings(f"{FOLDER}mnt-data.mount.d/20-b.conf", files)
    assert not findings(f"{FOLDER}mnt-x.mount.d/10-a.conf", files)


def test_a_drop_in_that_leaves_the_options_alone() -> None:
    files = units(unit=UNIT, early="[Mount]\nTimeoutSec=60\n")
    assert "hard/default" in {f.rule for f in findings(f"{FOLDER}mnt-data.mount", files)}
    assert not findings(f"{FOLDER}mnt-data.mount.d/10-a.conf", files)


AUTO = "[Automount]\nWhere=/mnt/data\n"


@pytest.mark.parametrize(("others", "missing"), [
    ({"x": UNIT.replace("data", "x")}, True), ({"x": UNIT.replace("data", "x"), "unit": UNIT}, False), ({}, False),
    ({"x": UNIT.replace("data", "x"), "fstab": "nas:/data /mnt/data/ nfs noauto 0 0\n"}, False),
    ({"x": UNIT.replace("data", "x"), "fstab": "nas:/data /mnt/b nfs noauto 0 0\n"}, True),
])  # fmt: skip
def test_an_automount_unit_without_its_mount(others: dict[str, str], missing: bool) -> None:
    told = {f.rule for f in findings(f"{FOLDER}mnt-data.automount", units(auto=AUTO, **others))}
    assert ("automount-without-mount" in told) is missing


@each(lambda: [("mnt-data.mount.d", True), ("mnt-.mount.d", True), ("mount.d", True), ("srv-.mount.d", False),
 ("mnt-other.mount.d", False), ("-.mount.d", False), ("service.d", False)])
def test_drop_ins_of_one_unit_or_of_several(folder: str, changes: bool) -> None:
    """systemd also reads the folders of the name up to each dash, and of all units of the type."""
    files = {
        f"{FOLDER}mnt-data.mount": ("systemd-mount", UNIT),
        f"{FOLDER}{folder}/hard.conf": ("systemd-mount", "[Mount]\nOptions=_netdev,vers=4.2,nconect=8\n"),
    }
    unit = {f.rule for f in findings(f"{FOLDER}mnt-data.mount", files)}
    assert ("unit-options-replaced" in unit) is changes
    drop_in = {f.rule for f in findings(f"{FOLDER}{folder}/hard.conf", files)}
    assert ("unknown-option" in drop_in) is changes


def ganesha(**texts: str) -> list[Beside]:
    return [Beside("ganesha.conf", f"/etc/ganesha/{name}.conf", f"{text}\n") for name, text in texts.items()]


CHAIN = ganesha(ganesha='%include "a.conf"', a='%include "b.conf"', b="EXPORT { Export_Id = 3; }", other="NFSv4 {}")


@pytest.mark.parametrize(("name", "files", "others", "whole"), [
    ("ganesha", CHAIN, ["a", "b"], True), ("a", CHAIN, ["ganesha", "b"], True), ("b", CHAIN, ["ganesha", "a"], True),
    ("other", CHAIN, [], False), ("a", CHAIN[:2], ["ganesha"], False), ("ganesha", CHAIN[:1], [], False),
])  # fmt: skip
def test_files_that_include_one_another(name: str, files: list[Beside], others: list[str], whole: bool) -> None:
    linked = read_together("ganesha.conf", f"/etc/ganesha/{name}.conf", files)
    wanted = {f"/etc/ganesha/{other}.conf" for other in (*others, name)}
    assert linked is None if not others else linked is not None and {file.name for file in linked.files} == wanted
    assert (linked is not None and linked.whole) is whole


def test_the_section_in_which_a_file_is_included() -> None:
    files = [Beside("nfs.conf", "/etc/nfs.conf", "[nfsd]\ninclude = local.conf\n"),
             Beside("nfs.conf", "/etc/local.conf", "threads = 8\n")]
    assert section_of("nfs.conf", "/etc/local.conf", files) == "nfsd"
    assert section_of("nfs.conf", "/etc/nfs.conf", files) is None
    assert section_of("idmapd.conf", "/etc/local.conf", files) is None


def test_a_file_without_a_section_includes_others_in_its_own() -> None:
    texts = {
        "c": "include = a\n", "b": "include = c\ninclude = b\n", "a": "[mountd]\ninclude = nfs.conf\n",
        "nfs.conf": "[nfsd]\ninclude = b\n", "d": "include = e\n",
    }
    files = [Beside("nfs.conf", f"/etc/{name}", text) for name, text in texts.items()]
    told = {name: section_of("nfs.conf", f"/etc/{name}", files) for name in ("a", "b", "c", "d", "e", "nfs.conf")}
    assert told == {"a": "nfsd", "b": "nfsd", "c": "nfsd", "d": None, "e": None, "nfs.conf": "mountd"}


def test_numbers_in_names_of_exports_are_in_numerical_order() -> None:
    names = ["9.exports", "10.exports", "a9.exports", "a10.exports", "a10b.exports", "ab.exports"]
    beside = [Beside("exports", f"/etc/exports.d/{name}", "") for name in reversed(names)]
    assert [file.name.rpartition("/")[2] for file in exports_of(RunFiles(beside), "/etc")] == names


def test_the_drop_in_that_counts_instead_of_a_file() -> None:
    names = ["x.mount", "x.mount.d/20.conf", "x.mount.d/10.conf", "mount.d/15.conf", "y.mount.d/30.conf", "x.mount.d/4"]
    options = "[Mount]\nOptions=hard\n"
    beside = [Beside("systemd-mount", f"{FOLDER}{name}", options) for name in names]

    def after(name: str, run: list[Beside]) -> str | None:
        file = replacing(f"{FOLDER}{name}", run)
        return file and file.name.removeprefix(FOLDER)

    assert after("x.mount", beside) == after("x.mount.d/10.conf", beside) == "x.mount.d/20.conf"
    assert after("z.mount", beside) == "mount.d/15.conf"
    assert after("x.mount.d/20.conf", beside) is None
    assert after("mount.d/15.conf", beside) is None
    assert after("x-.mount.d/1.conf", beside) is None
    without = [file._replace(text="[Mount]\nType=nfs\n") if "/20" in file.name else file for file in beside]
    assert after("x.mount", without) == "mount.d/15.conf"
    names = ["srv-.mount.d/1.conf", "-.mount.d/2.conf"]
    several = [Beside("systemd-mount", f"{FOLDER}{name}", options) for name in names]
    assert after("srv-a.mount", several) == after("srv-a-b.mount", several) == "srv-.mount.d/1.conf"
    assert after("srv.mount", several) is None
    assert after("-.mount", several) == "-.mount.d/2.conf"


def test_of_several_units_that_a_drop_in_changes_the_first_of_nfs_counts() -> None:
    texts = {"a.mount": "Type=ext4\n", "b.mount": "Type=nfs4\n", "c.mount": "Type=nfs\n"}
    beside = [Beside("systemd-mount", FOLDER + name, text) for name, text in texts.items()]
    drop_in = f"{FOLDER}mount.d/1.conf"
    assert unit_of(drop_in, beside) == "Type=nfs4\n"
    assert unit_of(drop_in, beside[:1]) == "Type=ext4\n"
    assert unit_of(drop_in, []) == unit_of(f"{FOLDER}a.mount", beside) == ""
    assert without_unit(drop_in, "[Mount]\nOptions=soft\n", [])
    assert not without_unit(f"{FOLDER}a.mount", "[Mount]\nOptions=soft\n", [])
