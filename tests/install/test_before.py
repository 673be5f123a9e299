"""Undo puts back what was there; no two files own one knob; an export says whether clients may write."""

from __future__ import annotations

import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import FSTAB, AnswerError, Answers, Before, check_answers
from advisor.advice.model import Advice
from advisor.host.probe import HostValue
from advisor.host.tree import Tree, tree_of
from advisor.install import Artefact, artefacts, host_changes
from tests.install.cases import CASES, HOME, base, made

RMEM = "sysctl.net.core.rmem_max"
SYSCTL = "/etc/sysctl.d/91-nfs.conf"


def advised(facts: dict[str, Any], before: dict[str, Before] | None = None, **more: Any) -> Advice:
    return advise(base(), Answers(facts=facts, before=before or {}, **more))


def files(told: Advice) -> dict[str, Artefact]:
    return {one.path: one for one in artefacts(base(), told)}


def test_kernel_settings_go_back_to_what_was_seen() -> None:
    one = files(advised(CASES["anf-eda-static"], {RMEM: Before(4194304, "/proc/x")}))["sysctl.d/91-nfs.conf"]
    assert "sysctl -w net.core.rmem_max=4194304" in one.undo
    assert one.undo[-1] == "Reboot; the kernel then has its previous value"  # the others were not looked at
    assert "sysctl -n net.core.rmem_max  # shows 16777216" in one.verify


def test_nothing_is_guessed_where_nobody_looked() -> None:
    one = made("anf-eda-static")["sysctl.d/91-nfs.conf"]
    assert not any("sysctl -w" in step for step in one.undo)
    assert "212992" not in " ".join(one.undo)


def test_a_larger_buffer_is_not_made_smaller() -> None:
    told = advised(CASES["anf-eda-static"], {RMEM: Before(67108864, "/proc/x")}).find(RMEM)
    assert told is not None
    assert told.text == "net.core.rmem_max = 67108864"
    assert told.steps.before == "67108864, as recommended (/proc/x)"


@pytest.mark.parametrize("path", ["sysctl.d/91-nfs.conf", "modprobe.d/91-nfs.conf", "nfs.conf.d/91-nfs.conf",
                                  "exports.d/nfs-advisor.exports", "systemd/mnt-nfs.mount"])
def test_a_file_that_was_there_is_kept_and_put_back(tmp_path: Path, path: str) -> None:
    """The commands, run on files of ours: the first original comes back, however often the new file was installed."""
    case = next(case for case in CASES if path in made(case))
    one = made(case)[path]
    place = str(tmp_path / "there")
    for original in (None, "mine\n"):
        Path(place).unlink(missing_ok=True)
        if original is not None:
            Path(place).write_text(original)
        for _ in range(2):
            run(one.apply[:2], one, place)
        assert Path(place).read_text() == one.text
        run([step for step in one.undo if step.startswith(("rm ", "[ ! -e"))], one, place)
        assert (Path(place).read_text() if Path(place).exists() else None) == original


def run(steps: Any, one: Artefact, place: str) -> None:
    import subprocess

    source = Path(place).with_name("new")
    source.write_text(one.text)
    for step in steps:
        words = step.replace(one.install, place).replace(shlex.quote(one.path), str(source))
        words = words.replace("/etc/systemd/system/", place) if words.endswith("/etc/systemd/system/") else words
        subprocess.run(["sh", "-c", words], check=True)


def test_where_there_is_no_file_none_is_kept() -> None:
    absent = files(advised(CASES["anf-eda-static"], {SYSCTL: Before(None, SYSCTL)}))["sysctl.d/91-nfs.conf"]
    assert absent.apply[0].startswith("install ")
    assert absent.undo[0] == f"rm -f {SYSCTL}"
    assert not any(".before" in step for step in (*absent.apply, *absent.undo))


def test_the_old_line_of_fstab_is_replaced_and_comes_back() -> None:
    old = "nas:/a  /mnt/nfs  nfs  soft{0}  0 0"
    one = files(advised(CASES["home-1gbe"], {FSTAB: Before(old, "/etc/fstab:7")}))["fstab"]
    assert any(old in step and "/etc/fstab:7" in step for step in one.apply)
    assert not any(">>" in step for step in one.apply)
    assert any(old in step for step in one.undo)
    one = files(advised(CASES["home-1gbe"], {FSTAB: Before(None, "/etc/fstab")}))["fstab"]
    assert "cat fstab >> /etc/fstab" in one.apply


def test_what_a_host_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/fstab").write_text(
        "nas:/home  /home  nfs  rw,hard,rsize=65536,noatime  0 0\nnas:/data  /data  nfs  soft,rsize=32768  0 2\n"
    )
    tree = Tree(str(tmp_path))
    found = {"sysctl.net.ipv4.tcp_sack": HostValue(0, "/proc/s"), "tuned.profile": HostValue("a; id", "/etc/t")}
    seen = host_changes.settings_before(base(), found, Answers(names={"target": "/data"}), tree)
    assert seen["sysctl.net.ipv4.tcp_sack"] == Before(0, "/proc/s")
    assert "tuned.profile" not in seen
    assert seen["mount.hard"] == Before("soft", "/etc/fstab:2")
    assert seen["mount.rsize"] == Before(32768, "/etc/fstab:2")
    assert seen["mount.nconnect"] == Before(None, "/etc/fstab:2")
    assert seen["fstab.passno"] == Before(2, "/etc/fstab:2")
    assert seen[FSTAB].value == "nas:/data  /data  nfs  soft,rsize=32768  0 2"
    odd = tree_of({FSTAB: "nas:/data /data nfs rsize=many,timeo=100 0 0\n/dev/sda /local ext4 rw 0 0\n"})
    seen = host_changes.settings_before(base(), {}, Answers(names={"target": "/data"}), odd)
    assert (seen["mount.rsize"].value, seen["mount.timeo"].value) == (None, 100), "a value that is none is not restored"
    local = host_changes.settings_before(base(), {}, Answers(names={"target": "/local"}), odd)
    assert local == {FSTAB: Before("/dev/sda /local ext4 rw 0 0", "/etc/fstab:2")}
    other = host_changes.settings_before(base(), found, Answers(names={"target": "/new"}), tree)
    assert other[FSTAB] == Before(None, "/etc/fstab, which has no line for /new")
    assert FSTAB not in host_changes.settings_before(base(), found, Answers(), tree)
    there = host_changes.files_before([FSTAB, "/etc/none"], Tree(str(tmp_path)))
    assert there == {FSTAB: Before(True, FSTAB), "/etc/none": Before(None, "/etc/none")}


def written_sysctls(told: dict[str, Artefact]) -> dict[str, list[str]]:
    """Key → files that set it."""
    owners: dict[str, list[str]] = {}
    for path, one in told.items():
        if path.startswith(("sysctl.d", "tuned", "modprobe.d")):
            for line in one.text.splitlines():
                key = line.partition("=")[0].strip()
                if line and not line.startswith("#") and "." in key:
                    owners.setdefault(key, []).append(path)
    return owners


@pytest.mark.parametrize("case", CASES)
def test_no_key_has_two_files(case: str) -> None:
    assert all(len(paths) == 1 for paths in written_sysctls(made(case)).values())


def test_the_profile_of_a_database_keeps_its_own_limits() -> None:
    """sap-hana of tuned sets dirty_background_bytes; a file that sets the ratio would take the knob from it."""
    facts = {**CASES["hana"], "workload.kind": "sap-hana"}
    told = advised(facts)
    assert told.find("tuned.profile") is not None
    keys = written_sysctls(files(told))
    assert not [key for key in keys if key.startswith("vm.dirty")]


@pytest.mark.parametrize(("held", "kept", "gone"), [
    ({"sysctl.vm.dirty_ratio": 30}, "vm.dirty_ratio = 30", "vm.dirty_bytes"),
    ({"sysctl.vm.dirty_background_ratio": 7}, "vm.dirty_background_ratio = 7", "vm.dirty_background_bytes"),
])
def test_a_ratio_and_its_bytes_are_one_knob(held: dict[str, Any], kept: str, gone: str) -> None:
    facts = {**HOME, "storage.platform": "azure-blob", "client.memory_gib": 64, "workload.kind": "general"}
    told = advised(facts, pins=held)
    text = files(told)["sysctl.d/91-nfs.conf"].text
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert kept in lines
    assert not [line for line in lines if line.startswith(gone)]
    other = told.find(f"sysctl.{gone}")
    assert other is not None
    assert other.why.startswith(kept)


def test_both_of_one_knob_cannot_be_held() -> None:
    with pytest.raises(AnswerError, match="one limit in two units"):
        check_answers(base(), Answers(pins={"sysctl.vm.dirty_ratio": 20, "sysctl.vm.dirty_bytes": 8192}))
    assert check_answers(base(), Answers(pins={"sysctl.vm.dirty_ratio": 20, "sysctl.vm.dirty_bytes": "omit"}))


def test_a_limit_that_was_off_goes_back_to_the_other_unit() -> None:
    facts = {**HOME, "storage.platform": "azure-blob", "client.memory_gib": 64, "workload.kind": "general"}
    before = {"sysctl.vm.dirty_bytes": Before(0, "p"), "sysctl.vm.dirty_ratio": Before(40, "p")}
    told = advised(facts, before).find("sysctl.vm.dirty_bytes")
    assert told is not None
    assert told.steps.undo == "Delete the line, then sysctl -w 'vm.dirty_ratio=40'"


def test_read_ahead_has_one_owner() -> None:
    facts = CASES["azure-files-24.04"]
    told = files(advised(facts, pins={"bdi.read_ahead_rule": "udev-rule"}))
    assert "udev/90-nfs-read-ahead.rules" in told
    assert "nfs.conf.d/91-nfs.conf" not in told
    told = files(advised(facts))
    assert "udev/90-nfs-read-ahead.rules" not in told
    assert "[nfsrahead]" in told["nfs.conf.d/91-nfs.conf"].text


SERVER = {"host.role": "nfs-server", "storage.platform": "knfsd", "workload.kind": "general", "mount.sec": "sys"}


def test_no_export_is_read_only_by_oversight() -> None:
    told = files(advised(SERVER))
    assert "(rw" in told["exports.d/nfs-advisor.exports"].text
    assert "Mounts are writable unless ro is given." in told["REPORT-details.md"].text.replace("\\", "")
    for ro, word in ((False, "rw"), (True, None)):
        line = files(advised({**SERVER, "mount.ro": ro}))["exports.d/nfs-advisor.exports"].text.splitlines()[-1]
        options = line.partition("(")[2].rstrip(")").split(",")
        assert ("rw" in options) is (word == "rw")
        assert "True" not in line


def test_an_export_is_not_opened_to_the_wrong_flavour() -> None:
    facts = {name: value for name, value in SERVER.items() if name != "mount.sec"}
    told = files(advised({**facts, "mount.ro": False}))
    assert "sec=" not in told["exports.d/nfs-advisor.exports"].text.splitlines()[-1]
    assert "the server has to trust root on every client" in told["REPORT-details.md"].text
    known = {**facts, "mount.ro": False, "identity.root_trusted": False, "identity.directory": "ad"}
    assert "sec=krb5" in files(advised(known))["exports.d/nfs-advisor.exports"].text.splitlines()[-1]


def test_the_place_of_a_fact_is_told_only_where_the_host_shows_what_was_said() -> None:
    shown = {"client.kernel": HostValue("6.1", "/proc/x"), "client.distro": HostValue("rhel", "/etc/os-release")}
    probed: Any = SimpleNamespace(settings={}, facts=shown, mounts=[])
    told = host_changes._advice(base(), probed, {"client.kernel": "6.1", "client.distro": "debian"})
    assert told.answers.origin == {"client.kernel": "/proc/x"}
