"""apply.sh, verify.sh and revert.sh for each case: readable by every shell, and run in a mount namespace of their own.

tests/kernel/test_scripts_in_vm.py runs them with a real server and a real kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.advice.answers import NAMES
from tests.install.cases import CASES, HOSTILE, advice, made
from tests.install.tools import run, tool, written
from tests.tiers import some

SCRIPTS = ("apply.sh", "verify.sh", "revert.sh")
COURSE = r"""
set -e
PATH=$1/bin:$PATH:/usr/sbin:/sbin
mount -t tmpfs none /mnt
cp -a "$1/etc" /mnt/etc
cp -a /etc/alternatives /mnt/etc
mount --bind /mnt/etc /etc
mount -t tmpfs none /var/lib
mount -t tmpfs none /run
mount -t tmpfs none /proc/sys
mkdir -p /proc/sys/net/core /proc/sys/net/ipv4 /proc/sys/vm
for name in net/core/rmem_max net/core/wmem_max vm/dirty_bytes vm/dirty_ratio; do echo 7 > /proc/sys/$name; done
show() { find /etc -type f | sort | while read -r file; do echo "$file: $(cat "$file")"; done; cat /proc/sys/*/*/* ; }
show > /mnt/before
step() { echo "== $1"; shift; "$@" 2>&1 || echo "ended with $?"; }
[ "$3" != own ] || sed -i 's/,hard/,hard,ro/' "$2/fstab"
step apply sh "$2/apply.sh"
step fstab cat /etc/fstab
step verify sh "$2/verify.sh"
step again sh "$2/apply.sh"
[ "$3" = plain ] || [ "$3" = own ] || echo "theirs /theirs tmpfs noauto 0 0" >> /etc/fstab
[ "$3" != edited ] || echo 'vm.swappiness = 1' >> /etc/sysctl.d/91-nfs.conf
step revert sh "$2/revert.sh"
show > /mnt/after
step left diff /mnt/before /mnt/after
step state ls /var/lib
"""


@pytest.mark.parametrize("names", [None, HOSTILE])
@pytest.mark.parametrize("case", some(CASES, 4))
def test_every_shell_reads_them(tmp_path: Path, case: str, names: dict[str, str] | None) -> None:
    folder = written(tmp_path, made(case, names))
    for script in SCRIPTS:
        if (folder / script).exists():
            told = run("dash", "-n", str(folder / script))
            assert told.returncode == 0, told.stderr


def test_shellcheck_has_nothing_to_say(tmp_path: Path) -> None:
    tool("shellcheck")
    for case in CASES:
        for number, names in enumerate((None, HOSTILE)):
            written(tmp_path / f"{case}-{number}", made(case, names))
    ours = [str(path) for path in sorted(tmp_path.glob("*/*.sh")) if path.name in SCRIPTS]
    told = run("shellcheck", "--exclude=SC2016", *ours)  # a $ in a quoted name is meant
    assert told.returncode == 0, told.stdout


def course(folder: Path, case: str, how: str, names: dict[str, str] = NAMES) -> dict[str, list[str]]:
    """What each step printed: step → lines."""
    (folder / "etc/sysctl.d").mkdir(parents=True)
    (folder / "etc/sysctl.d/91-nfs.conf").write_text("# mine\n")
    (folder / "etc/fstab").write_text("# top\nnas:/old /mnt/nfs/ nfs soft 0 0\nproc /proc proc defaults 0 0\n")
    (folder / "bin").mkdir()
    for fake in ("mount.nfs", "udevadm", "exportfs"):
        (folder / "bin" / fake).write_text(f'#!/bin/sh\necho "{fake} $*"\n')
        (folder / "bin" / fake).chmod(0o755)
    (folder / "bin/mount").write_text('#!/bin/sh\n[ $# != 1 ] || exit 0\nexec /bin/mount "$@"\n')
    (folder / "bin/mount").chmod(0o755)
    out = written(folder / "out", made(case, names))
    told = run("unshare", "-rm", "sh", "-c", COURSE, "sh", str(folder), str(out), how)
    if told.returncode:
        pytest.skip(f"no mounts of its own here: {told.stderr.strip()[-200:]}")
    steps: dict[str, list[str]] = {}
    for line in told.stdout.splitlines():
        if line.startswith("== "):
            steps[line[3:]] = lines = []
        else:
            lines.append(line)
    return steps


def test_what_was_there_comes_back(tmp_path: Path) -> None:
    told = course(tmp_path, "anf-eda-static", "plain")
    line = made("anf-eda-static", NAMES)["fstab"].text.splitlines()[-1]
    assert told["fstab"] == ["# top", line, "proc /proc proc defaults 0 0"]
    assert told["verify"] == ["/mnt/nfs is not mounted", "1 of 14 settings are not as advised.", "ended with 1"]
    assert told["again"][-1:] == ["To see what is in effect: sh verify.sh"]
    assert not any(line.startswith(("wrote", "set")) for line in told["again"])
    assert told["left"] == []
    assert told["state"] == [], "nothing is kept of what is back"


def test_what_was_edited_in_the_folder_is_what_is_installed_and_taken_back(tmp_path: Path) -> None:
    told = course(tmp_path, "anf-eda-static", "own")
    assert ",hard,ro," in told["fstab"][1]
    assert told["left"] == []


@pytest.mark.parametrize(("case", "given", "wanted"), [
    ("anf-eda-static", {}, "--server, --export and --target"), ("debian-server", {}, "--export and --clients"),
    ("anf-eda-static", {"target": "/data", "server": "nas"}, "--export"),
])
def test_nothing_is_done_with_placeholders(tmp_path: Path, case: str, given: dict[str, str], wanted: str) -> None:
    told = course(tmp_path, case, "plain", given)
    assert told["apply"] == [f"Nothing was done. Make these files again and give {wanted}, for which the files have "
                             "placeholders.", "ended with 1"]
    assert told["fstab"] == ["# top", "nas:/old /mnt/nfs/ nfs soft 0 0", "proc /proc proc defaults 0 0"]
    assert told["left"] == told["state"] == []


def test_lines_of_others_stay(tmp_path: Path) -> None:
    told = course(tmp_path, "anf-eda-static", "added")
    assert "took the line for /mnt/nfs out of /etc/fstab again" in told["revert"]
    assert [line for line in told["left"] if line[0] in "<>"] == ["> theirs /theirs tmpfs noauto 0 0"]


def test_a_file_that_was_edited_since_stays(tmp_path: Path) -> None:
    told = course(tmp_path, "anf-eda-static", "edited")
    assert any("/etc/sysctl.d/91-nfs.conf was changed since: it stays." in line for line in told["revert"])
    assert told["revert"][-1] == "ended with 1"
    assert told["state"] == ["nfs-advisor"], "what was found is still there to be looked at"


def test_what_was_exported_is_withdrawn(tmp_path: Path) -> None:
    """exportfs -a adds exports and withdraws none."""
    told = course(tmp_path, "debian-server", "plain")
    assert told["apply"].count("exportfs -a") == 1
    calls = [line for line in told["revert"] if line.startswith("exportfs")]
    assert calls == ["exportfs -u client.example:/export", "exportfs -a"]
    assert told["left"] == []


def test_what_is_written_is_looked_at() -> None:
    """Whatever a written file sets, verify.sh asks for."""
    for case in CASES:
        files = made(case)
        if "verify.sh" not in files:
            assert not files.keys() & {"fstab", "sysctl.d/91-nfs.conf", "exports.d/nfs-advisor.exports"}
            continue
        text = files["verify.sh"].text
        for one in advice(case).advised:
            if one.kind == "module-parameter" and one.written is not None and not one.already:
                assert f"/{one.tunable.split('.')[-1]} {one.written}" in text
        assert ("fstab" in files) == ("\nlasts " in text)


def test_only_what_changes_something_needs_root() -> None:
    for name in SCRIPTS:
        assert ("Run this as root." in made("efs")[name].text) is (name != "verify.sh")
