"""`advisor recommend` for one host with several mounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.recommended import told
from tests.tiers import thorough

pytestmark = thorough

TEXT = """\
schema: advisor-answers/1
facts: {client.kernel: "6.1", client.distro: rhel, client.release: "9.3", host.role: nfs-client}
mounts:
- {server: 10.0.0.4, export: /data, target: /hana/data/HDB}
- {server: 10.0.0.5, export: /log, target: /hana/log/HDB}
- {server: 10.0.0.*, storage.platform: anf, storage.volume_protocol: "4.1"}
- {server: fs-0123abcd.efs.eu-west-1.amazonaws.com, export: /, target: /efs}
- {server: nas7, export: /home, target: /home, storage.platform: ontap}
"""
EDA = """\
- {server: 10.1.0.5, export: /eda, target: /eda, storage.platform: anf, workload.kind: eda,
   storage.volume_protocol: "3", workload.static_data: yes, mount.sec: sys}
"""
TARGETS = ["/hana/data/HDB", "/hana/log/HDB", "/efs", "/home"]


@pytest.fixture
def answers(tmp_path: Path) -> str:
    path = tmp_path / "answers.yaml"
    path.write_text(TEXT)
    return str(path)


def test_one_line_each_and_the_hosts_settings_once(advisor, answers: str) -> None:
    document = told(advisor, "--answers", answers)
    lines = {mount["target"]: mount["line"].split() for mount in document["mounts"]}
    assert list(lines) == TARGETS
    assert "nconnect=4" in lines["/hana/data/HDB"][3].split(",")
    assert "nconnect=2" in lines["/hana/log/HDB"][3].split(",")
    assert "noresvport" in lines["/efs"][3].split(",")
    settled = {one["tunable"]: one for one in document["settled"]}
    assert settled["module.nfs.max_session_slots"]["write"] == 180
    assert settled["module.nfs.max_session_slots"]["mounts"] == ["/hana/data/HDB", "/hana/log/HDB"]
    assert settled["sysctl.net.core.rmem_max"]["cites"]
    found = {mount["target"]: mount["found"] for mount in document["mounts"]}
    assert "storage.platform" in found["/efs"]
    assert found["/hana/log/HDB"].keys() == {"workload.kind", "workload.hana_volume"}
    assert not any(one["tunable"].startswith("sysctl") for mount in document["mounts"] for one in mount["settled"])


def test_the_text_has_a_line_for_each_and_marks_what_names_gave_away(advisor, answers: str) -> None:
    out = advisor("recommend", "--answers", answers).out
    assert [line.split()[1] for line in out.splitlines() if "  nfs  " in line] == TARGETS
    assert out.count("net.core.rmem_max") == 1
    assert "found: workload.kind=home (a guess: the mount point is in /home)" in out
    assert "(For /hana/data/HDB, /hana/log/HDB.)" in " ".join(out.split())


def test_a_conflict_is_in_text_and_json_and_in_no_file(advisor, answers: str, tmp_path: Path) -> None:
    Path(answers).write_text(TEXT + EDA)
    (conflict,) = [one for one in told(advisor, "--answers", answers)["conflicts"] if one["tunable"] == "tuned.profile"]
    assert {(side["target"], side["rule"]) for side in conflict["sides"]} >= {
        ("/hana/log/HDB", "tuned-profile/hana"), ("/eda", "tuned-profile/anf"),
    }
    out = " ".join(advisor("recommend", "--answers", answers).out.split())
    assert "no value suits all mounts, so none is set" in out
    assert "sap-hana for /hana/data/HDB, /hana/log/HDB (should, tuned-profile/hana)" in out
    assert "latency-performance for /eda (may, tuned-profile/anf)" in out
    assert "--pin tuned.profile=VALUE" in out
    assert told(advisor, "--answers", answers, "--pin", "tuned.profile=sap-hana")["conflicts"] == []


def test_the_files_hold_all_lines(advisor, answers: str, tmp_path: Path) -> None:
    ran = advisor("recommend", "--answers", answers, "--write-to", str(tmp_path / "out"))
    assert ran.code == 0, ran.err
    lines = [mount["line"] for mount in told(advisor, "--answers", answers)["mounts"]]
    fstab = (tmp_path / "out/fstab").read_text().splitlines()
    assert [line for line in fstab if line and line[0] != "#"] == lines
    heads = [line for line in fstab if line.startswith("# Made by advisor ")]
    assert len(heads) == len(TARGETS), "the comments of each line stand above it, although they are equal"
    assert (tmp_path / "out/systemd/hana-log-HDB.mount").exists()
    assert (tmp_path / "out/sysctl.d/91-nfs.conf").read_text().count("\nnet.core.rmem_max = ") == 1
    master = (tmp_path / "out/autofs/auto.master.d/nfs-advisor.autofs").read_text()
    assert master.count("\n/-  ") == 1
    assert len(list((tmp_path / "out/reports").iterdir())) == 3 * len(TARGETS), "page, details, both for a browser"
    again = advisor("recommend", "--answers", answers, "--write-to", str(tmp_path / "out"))
    assert again.code == 0
    assert "same" in again.out or "unchanged" in again.out


def test_a_target_chooses_one(advisor, answers: str) -> None:
    out = advisor("why", "nconnect", "--answers", answers, "--target", "/hana/log/HDB").out
    assert "nconnect=2" in out
    ran = advisor("why", "nconnect", "--answers", answers)
    assert ran.code == 2
    assert "choose one with --target: /hana/data/HDB, /hana/log/HDB, /efs, /home" in ran.err
    assert "mounts" not in told(advisor, "--answers", answers, "--target", "/efs")


def test_mounts_of_an_fstab_with_sections_in_a_file_of_facts(advisor, tmp_path: Path) -> None:
    (tmp_path / "fstab").write_text(
        "10.0.0.4:/log  /hana/log/HDB  nfs  hard,x-systemd.automount  0 0\nnas:/home  /home  nfs  ro,soft  0 0\n"
    )
    (tmp_path / "facts.yaml").write_text(
        "client.kernel: '6.1'\nclient.distro: debian\nmounts:\n"
        "- {server: 10.0.0.*, storage.platform: anf, storage.volume_protocol: '4.1'}\n"
        "- {target: /nosuch, workload.kind: eda}\n"
    )
    args = ("--mounts", str(tmp_path / "fstab"), "--facts", str(tmp_path / "facts.yaml"))
    log, home = told(advisor, *args)["mounts"]
    assert {"nconnect=2", "x-systemd.automount"} <= set(log["line"].split()[3].split(","))
    assert "ro" in home["line"].split()[3].split(",")
    assert "facts.yaml:5:3: no mount matches target = /nosuch" in advisor("recommend", *args).err


def test_each_line_of_an_fstab_is_compared_under_what_is_known_of_its_mount(
    advisor, answers: str, tmp_path: Path
) -> None:
    (tmp_path / "fstab").write_text(
        "10.0.0.4:/data  /hana/data/HDB  nfs  vers=4.1,hard,nconnect=4,rsize=262144,wsize=262144  0 0\n"
        "10.0.0.5:/log  /hana/log/HDB  nfs  vers=4.1,hard,nconnect=4,rsize=262144,wsize=262144  0 0\n"
    )
    facts = tmp_path / "facts.yaml"
    facts.write_text(
        "mounts:\n- {server: 10.0.0.*, storage.platform: anf, workload.kind: sap-hana}\n"
        "- {target: /hana/data/*, workload.hana_volume: data}\n- {target: /hana/log/*, workload.hana_volume: log}\n"
    )
    args = ("--compare", str(tmp_path / "fstab"), "--set", "client.kernel=6.1", "--set", "mount.sec=sys",
            "--set", "client.distro=debian")
    rows = told(advisor, *args, "--facts", str(facts))["compare"]
    nconnect = {row["target"]: row for row in rows if row["tunable"] == "mount.nconnect"}
    assert (nconnect["/hana/log/HDB"]["verdict"], nconnect["/hana/log/HDB"]["advised"]) == ("differs", "nconnect=2")
    assert nconnect["/hana/data/HDB"]["verdict"] != "differs"
    assert told(advisor, *args, "--answers", answers)["compare"]


@pytest.mark.parametrize(("args", "said"), [
    (("--mounts", "/no/such/place"), "file not found"),
    (("--mounts", "/dev/null"), "no NFS line with"),
])
def test_faults(advisor, args: tuple[str, ...], said: str) -> None:
    ran = advisor("recommend", *args)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
