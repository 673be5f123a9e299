"""Every file is accepted by the tool that it is for, with plain and with hostile names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.install.context import unit_name
from tests.each import each
from tests.install.cases import CASES, HOSTILE, made
from tests.install.tools import lines, run, tool, written
from tests.tiers import some

SERVERS = ("failover-pair", "hpc-server", "debian-server")
MOUNTS = [case for case in CASES if case not in SERVERS]
NAMES = [pytest.param(None, id="plain"), pytest.param(HOSTILE, id="hostile")]
WITH = {
    "fstab": MOUNTS,
    "sysctl.d/91-nfs.conf": ["anf-eda-static", "hana"],
    "modprobe.d/91-nfs.conf": ["anf-eda-static", "kubernetes", "hana"],
    ".rules": ["anf-eda-static", "azure-files"],
    "nfs.conf.d/91-nfs.conf": ["azure-files-24.04", "knfsd-sequential", "failover-pair", "debian-server"],
    "playbook.yml": [*CASES],
    "benchmarks/fio-64k-sequential.fio": ["anf-eda-static", "efs", "home-1gbe", "knfsd-sequential"],
    "benchmarks/fio-random-qd64.fio": ["azure-files", "azure-files-24.04"],
    "exports.d/nfs-advisor.exports": ["debian-server"],
}
"""The end of a path → the cases that have such a file."""


@pytest.mark.parametrize("ending", WITH)
def test_who_gets_it(ending: str) -> None:
    assert [case for case in CASES if any(path.endswith(ending) for path in made(case))] == WITH[ending]


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("case", some(MOUNTS, 4))
def test_findmnt(tmp_path: Path, case: str, names: Any) -> None:
    fstab = written(tmp_path, made(case, names)) / "fstab"
    told = run("findmnt", "--verify", "--tab-file", str(fstab))
    complaints = [
        line for line in told.stdout.splitlines()
        if re.match(r"\s*\[[EW]\]", line) and "unreachable on boot" not in line  # no such mount point here
    ]
    assert complaints == [], told.stdout
    assert "0 parse errors" in told.stderr, told.stderr
    found = json.loads(run("findmnt", "--json", "--fstab", "--tab-file", str(fstab)).stdout)["filesystems"]
    wanted = names or {"server": "nfs-server.example", "export": "/export", "target": "/mnt/nfs"}
    assert [(one["source"], one["target"]) for one in found] == [
        (f"{wanted['server']}:{wanted['export']}", wanted["target"])
    ]


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("case", some(MOUNTS, 4))
def test_systemd_analyze(tmp_path: Path, case: str, names: Any) -> None:
    folder = written(tmp_path, made(case, names)) / "systemd"
    units = sorted(folder.iterdir())
    assert [unit.suffix for unit in units] == [".automount", ".mount"]
    told = run("systemd-analyze", "verify", "--man=no", "--generators=no", *map(str, units))
    ours = [line for line in told.stderr.splitlines() if any(unit.name in line for unit in units)]
    assert told.returncode == 0, told.stderr
    assert ours == []


@each(lambda: ["/mnt/data", "/", "//mnt//a-b/", "/.hidden/x.y", "/a b", HOSTILE["target"], "/é/ü",
                                  "/a/./b", "/a:b_c"])
def test_systemd_escape(path: str) -> None:
    told = run("systemd-escape", "-p", "--suffix=mount", path)
    assert told.returncode == 0
    assert unit_name(path, "mount") == told.stdout.rstrip("\n")


@pytest.mark.parametrize("case", WITH["sysctl.d/91-nfs.conf"])
def test_sysctl_keys(case: str) -> None:
    """sysctl -p would change this machine: each key is looked up instead, and the syntax read as sysctl does."""
    for line in lines(made(case)["sysctl.d/91-nfs.conf"].text):
        key, sign, value = line.partition("=")
        assert sign, line
        assert re.fullmatch(r"[0-9 ]+", value.strip()), line
        there = Path("/proc/sys", key.strip().replace(".", "/"))
        if there.exists():
            assert run("sysctl", "-n", key.strip()).returncode == 0
            assert len(there.read_text().split()) == len(value.split())


@pytest.mark.parametrize("case", WITH["modprobe.d/91-nfs.conf"])
def test_modprobe(tmp_path: Path, case: str) -> None:
    folder = written(tmp_path, made(case)) / "modprobe.d"
    told = run("modprobe", "-C", str(folder), "-c")
    assert told.returncode == 0, told.stderr
    assert told.stderr == ""
    for line in lines((folder / "91-nfs.conf").read_text()):
        assert line in told.stdout.splitlines()


@pytest.mark.parametrize("case", WITH[".rules"])
def test_udevadm(tmp_path: Path, case: str) -> None:
    rules = written(tmp_path, made(case)) / "udev" / "90-nfs-read-ahead.rules"
    (line,) = lines(rules.read_text())
    assert re.fullmatch(r'(?:[A-Z]+(?:\{\w+\})?(?:==|=)"[^"]*"(?:, |$))+', line), line
    if "verify" not in run("udevadm", "--help").stdout:
        pytest.skip("udevadm is older than 254 and cannot verify rules")
    told = run("udevadm", "verify", str(rules))
    assert told.returncode == 0, told.stdout + told.stderr


@pytest.mark.parametrize("case", WITH["nfs.conf.d/91-nfs.conf"])
def test_nfsconf(tmp_path: Path, case: str) -> None:
    file = written(tmp_path, made(case)) / "nfs.conf.d" / "91-nfs.conf"
    section, read = "", 0
    for line in lines(file.read_text()):
        if line.startswith("["):
            section = line.strip("[]")
            continue
        key, _, value = line.partition("=")
        assert run("nfsconf", "--file", str(file), "--get", section, key).stdout.strip() == value
        read += 1
    assert read


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("case", WITH["playbook.yml"])
def test_role_has_the_names(case: str, names: Any) -> None:
    values = yaml.load(made(case, names)["roles/nfs_advice/defaults/main.yml"].text, Loader=Unsafe)
    wanted = names or {"server": "nfs-server.example", "export": "/export", "target": "/mnt/nfs"}
    for mount in values["nfs_advice_mounts"]:
        assert mount["source"] == f"{wanted['server']}:{wanted['export']}"
        assert mount["path"] == wanted["target"]
        (line,) = lines(made(case, names)["fstab"].text)
        assert ",".join(mount["options"]) in line
    for line in values["nfs_advice_exports"]:
        assert line in made(case, names)["exports.d/nfs-advisor.exports"].text


def test_what_the_files_set_the_role_sets() -> None:
    """The files and the role are two ways to the same settings."""
    for case in WITH["playbook.yml"]:
        told = made(case)
        values = yaml.load(told["roles/nfs_advice/defaults/main.yml"].text, Loader=Unsafe)
        ways = {
            "sysctl.d/91-nfs.conf": [f"{key} = {value}" for key, value in values["nfs_advice_sysctl"].items()],
            "modprobe.d/91-nfs.conf": [
                f"options {one['module']} {one['name']}={one['value']}" for one in values["nfs_advice_modules"]
            ],
            "nfs.conf.d/91-nfs.conf": [
                line for section, keys in values["nfs_advice_nfs_conf"].items()
                for line in (f"[{section}]", *(f"{key}={value}" for key, value in keys.items()))
            ],
            "udev/90-nfs-read-ahead.rules": [values["nfs_advice_udev_rule"]] if values["nfs_advice_udev_rule"] else [],
            "exports.d/nfs-advisor.exports": values["nfs_advice_exports"],
            "nfsd-threads": [one["line"] for one in values["nfs_advice_lines"]],
        }
        for path, wanted in ways.items():
            assert (lines(told[path].text) if path in told else []) == wanted, (case, path)


@pytest.mark.parametrize("names", NAMES)
def test_yamllint_has_nothing_to_say(tmp_path: Path, names: Any) -> None:
    """With its defaults, as most repositories run it; a name that is longer than a line cannot be mended."""
    for case in CASES:
        written(tmp_path / case, made(case, names))
    long = "{extends: default, rules: {line-length: disable}}" if names else "default"
    told = run("yamllint", "--strict", "-d", long, ".", cwd=tmp_path)
    assert told.returncode == 0, told.stdout


class Unsafe(yaml.SafeLoader):
    """Reads !unsafe as Ansible does."""


Unsafe.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))  # type: ignore[arg-type]


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("case", WITH["benchmarks/fio-64k-sequential.fio"] + WITH["benchmarks/fio-random-qd64.fio"])
def test_fio(tmp_path: Path, case: str, names: Any) -> None:
    folder = written(tmp_path, made(case, names)) / "benchmarks"
    for job in folder.glob("*.fio"):
        told = run("fio", "--parse-only", str(job), cwd=tmp_path)
        assert told.returncode == 0, told.stdout + told.stderr
        assert told.stderr == ""


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("case", some(MOUNTS, 4))
def test_shell(tmp_path: Path, case: str, names: Any) -> None:
    """The commands, with what they call replaced by something that prints its words."""
    folder = written(tmp_path, made(case, names))
    shown = 'mount() { printf "%s\\n" "$@"; }; mkdir() { :; }; '
    script = shown + (folder / "mount.sh").read_text()
    words = run("sh", "-c", script).stdout.splitlines()
    wanted = names or {"server": "nfs-server.example", "export": "/export", "target": "/mnt/nfs"}
    assert words[-2:] == [f"{wanted['server']}:{wanted['export']}", wanted["target"]]
    for other in folder.glob("benchmarks/*.sh"):
        assert run("sh", "-n", str(other)).returncode == 0


def test_mdtest_commands(tmp_path: Path) -> None:
    folder = written(tmp_path, made("kubernetes", HOSTILE))
    script = 'mpirun() { printf "<%s>" "$@"; echo; }; ' + (folder / "benchmarks" / "mdtest-metadata.sh").read_text()
    told = run("sh", "-c", script, "sh", "my hosts")
    assert told.returncode == 0, told.stderr
    rows = told.stdout.splitlines()
    assert len(rows) == 10
    assert all("<my hosts>" in row and f"<{HOSTILE['target']}>" in row for row in rows)
    assert run("sh", "-c", script).returncode != 0  # the host file has to be named


@pytest.mark.parametrize("case", WITH["exports.d/nfs-advisor.exports"])
def test_exports_have_options_for_each_client(case: str) -> None:
    (line,) = lines(made(case, {"clients": "10.0.0.0/8 build7.example"})["exports.d/nfs-advisor.exports"].text)
    assert re.fullmatch(r"/export  10\.0\.0\.0/8\([a-z0-9_=:,]+\)  build7\.example\([a-z0-9_=:,]+\)", line), line


def test_automount_reads_the_map(tmp_path: Path) -> None:
    """automount -m prints what it makes of the maps; a namespace of its own has a master map of ours."""
    tool("automount")
    names = {"server": "srv.example", "export": "/a b&c$d", "target": "/mnt/x y"}
    folder = written(tmp_path, made("home-1gbe", names)) / "autofs"
    master = tmp_path / "auto.master"
    master.write_text(f"/- {folder}/auto.nfs-advisor\n")
    told = run("unshare", "-rm", "sh", "-c", f"mount --bind {master} /etc/auto.master && automount -m")
    if told.returncode or "Mount point: /-" not in told.stdout:
        pytest.skip(f"automount cannot read maps here: {told.stderr.strip()[:200]}")
    rest = made("home-1gbe", names)["autofs/auto.nfs-advisor"].text.splitlines()[-1].split("  ", 1)[1]
    assert f"  /mnt/x y | {rest}\n" in told.stdout
