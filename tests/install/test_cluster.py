"""The group of a failover pair: the resources in their order, accepted by Pacemaker's own tools."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.rows import by_hand
from advisor.cli import main
from advisor.install import Artefact, artefacts
from advisor.install.context import Unwritable
from advisor.pages.failover import picture
from tests.install.cases import CASES, HOSTILE, base, made
from tests.install.clusters import exported, load
from tests.install.tools import lines, run, written
from tests.tiers import some

PAIR = CASES["failover-pair"]
GIVEN = {"STATE_DEVICE": "/dev/a", "STATE_TYPE": "ext4", "DATA_DEVICE": "/dev/b", "DATA_TYPE": "xfs",
         "ADDRESS": "192.0.2.10"}
AGENT = re.compile(r"^pcs .* resource create (\S+) ocf:heartbeat:(\S+)", re.MULTILINE)


def files(**changed: Any) -> dict[str, Artefact]:
    return {one.path: one for one in artefacts(base(), advise(base(), Answers(facts={**PAIR, **changed})))}


def script(**changed: Any) -> str:
    found = files(**changed)
    assert "exports.d/nfs-advisor.exports" not in found  # the cluster exports, and exportfs -ra would withdraw that
    return "\n".join(lines(found["cluster/nfs-group.sh"].text))


def test_the_address_follows_the_exports_and_file_systems_go_first() -> None:
    agents = [agent for _, agent in AGENT.findall(script())]
    assert agents == ["Filesystem", "Filesystem", "nfsserver", "exportfs", "IPaddr2", "nfsnotify"]


@pytest.mark.parametrize(("cloud", "movers"), some([
    ("none", ["IPaddr2"]), ("azure", ["azure-lb", "IPaddr2"]), ("aws", ["aws-vpc-move-ip"]),
    ("gcp", ["gcp-vpc-move-vip", "IPaddr2"]),
], 2))
def test_each_cloud_moves_the_address_in_its_own_way(cloud: str, movers: list[str]) -> None:
    found = files(**{"network.cloud": cloud})
    agents = [agent for _, agent in AGENT.findall("\n".join(lines(found["cluster/nfs-group.sh"].text)))]
    assert agents[agents.index("exportfs") + 1:] == [*movers, "nfsnotify"]
    assert "cluster/nfs-group.crm" not in found, "RHEL has pcs and no crmsh"
    crm = exported(**{"network.cloud": cloud})
    primitives = re.findall(r"^primitive \S+ ocf:heartbeat:(\S+)", crm, re.MULTILINE)
    assert primitives[primitives.index("exportfs") + 1:] == [*movers, "nfsnotify"]
    assert ("nfs-address " in crm.split("group nfs ")[1]) is ("IPaddr2" in movers)
    assert "op stop timeout=120s" in script()


def test_without_clients_of_version_3_nobody_is_notified() -> None:
    text = script(**{"server.v3_clients": False, "package.resource-agents": "4.16.0-1.el10"})
    assert "nfsnotify" not in text
    assert "nfs_no_notify" not in text
    assert "nfsv4_only=true" in text


@pytest.mark.parametrize("own_mount", [True, False])
def test_mountpoint_is_given_once(own_mount: bool) -> None:
    made = script(**{"export.own_mount": own_mount})
    (options,) = re.findall(r"options=(\S+)", made)
    assert ('mountpoint="$MOUNT_POINT"' in options) is not own_mount
    assert ('directory="$MOUNT_POINT"' in made) is not own_mount
    assert [option.partition("=")[0] for option in options.split(",")].count("mountpoint") == 1


def test_a_pair_without_pacemaker_has_a_file_of_exports_and_no_resources() -> None:
    found = files(**{"server.cluster_stack": "other"})
    assert "exports.d/nfs-advisor.exports" in found
    assert not [path for path in found if path.startswith("cluster/")]


def test_a_server_alone_has_a_file_of_exports() -> None:
    facts = {name: value for name, value in PAIR.items() if name != "server.cluster_stack"} | {"server.ha": False}
    alone = {one.path for one in artefacts(base(), advise(base(), Answers(facts=facts)))}
    assert "exports.d/nfs-advisor.exports" in alone
    assert "cluster/nfs-group.sh" not in alone


def test_what_data_depend_on_is_left_to_people_by_name() -> None:
    """The file of resources has some of it, and none of them is there before somebody made a fencing device."""
    advice = advise(base(), Answers(facts=PAIR))
    grave = {row.tunable for row in by_hand(advice) if (row.strength, row.consequence) == ("must", "data-loss")}
    assert grave >= {"cluster.fencing", "cluster.boot"}
    (script,) = [one.text for one in artefacts(base(), advice) if one.path == "apply.sh"]
    left = script[script.index("Left to do by hand"):]
    assert not [name for name in grave if f"({name})" not in left]


def test_the_steps_have_one_order_everywhere_and_fencing_is_the_first() -> None:
    advice = advise(base(), Answers(facts={**PAIR, "server.distro": "rhel", "server.shared_storage": "fc"}))
    found = {one.path: one for one in artefacts(base(), advice)}
    group = found["cluster/nfs-group.sh"]
    report = found["REPORT.md"].text
    in_group = " ".join(group.text[group.text.index("# First, in this order"):].replace("\n#", "\n").split())
    marks = [
        "(cluster.fencing)", "lvm.conf on every node", "disable --now nfs-server", "mkfs -t STATE_TYPE",
        "mount STATE_DEVICE",
    ]
    load = ["sh cluster/nfs-group.sh", "pcs cluster cib-push"]
    for told, wanted in (
        ("\n".join(group.apply), [*marks, *load]), (report[report.index("To load"):], [*marks, *load]),
        (found["apply.sh"].text[found["apply.sh"].text.index("Left to do"):], [*marks, *load]), (in_group, marks),
        (report[report.index("## To do by hand"):], ["[cluster.fencing]", "#clustervolume_group", "[cluster.boot]"]),
        (report[report.index("- Install"):], ["fencing first", "sh apply.sh", *load]),
    ):
        assert not [mark for mark in wanted if mark not in told], told
        places = [told.index(mark) for mark in wanted]
        assert places == sorted(places), told
    assert not [line for line in report.splitlines() if line.startswith("# STATE_DEVICE")], "it is a command"
    drbd = advise(base(), Answers(facts={**PAIR, "server.distro": "rhel", "server.shared_storage": "replicated"}))
    steps = next(one.apply for one in artefacts(base(), drbd) if one.path == "cluster/nfs-group.sh")
    assert "lvm.conf" not in "".join(steps)
    assert "Create the DRBD" in steps[1], "a device has to be before it is mounted"
    assert not any("DRBD" in step for step in group.apply)


def test_pacemaker_refuses_it_without_fencing(tmp_path: Path) -> None:
    folder = written(tmp_path, made("failover-pair"))
    cib = tmp_path / "cib.xml"
    cib.write_text(run("cibadmin", "--empty").stdout)
    refused = run("sh", str(folder / "cluster/nfs-group.sh"), str(cib), cwd=tmp_path, **GIVEN)
    assert refused.returncode != 0
    assert "STONITH" in refused.stderr


def test_pacemaker_accepts_it_once_there_is_fencing_whatever_the_names(
    tmp_path: Path, fenced: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path, made("failover-pair", HOSTILE))
    cib = tmp_path / "cib.xml"
    cib.write_text(fenced)
    told = run("sh", str(folder / "cluster/nfs-group.sh"), str(cib), cwd=tmp_path, **GIVEN)
    assert told.returncode == 0, told.stderr
    group = re.findall(r'<primitive id="(nfs-[^"]+)"', cib.read_text())
    assert group == [name for name, _ in AGENT.findall((folder / "cluster/nfs-group.sh").read_text())]
    assert main(["lint", str(cib), "--no-config"]) == 0, capsys.readouterr().out


def test_several_clients_of_one_directory_release_its_locks_once() -> None:
    names = {"export": "/srv/nfs", "clients": "10.0.0.0/24 10.0.1.0/24"}
    exports = [line for line in made("failover-pair", names)["cluster/nfs-group.sh"].text.split("\npcs ")
               if "ocf:heartbeat:exportfs" in line]
    assert ["unlock_on_stop=false" in line for line in exports] == [False, True]


def test_agents_without_the_parameter_are_not_given_the_scope() -> None:
    old = {"server.distro": "ubuntu", "server.release": "22.04", "server.nfs_utils": "1:2.6.1-1ubuntu1"}
    assert "nfs_server_scope" not in script(**old)
    assert "nfs_server_scope" in script(**{**old, "server.release": "24.04"})


def test_a_replicated_pair_starts_where_drbd_is_promoted(tmp_path: Path, fenced: str) -> None:
    text = script(**{"server.shared_storage": "replicated"})
    cib = tmp_path / "cib.xml"
    cib.write_text(fenced)
    run("pcs", "-f", str(cib), "resource", "create", "disk", "ocf:pacemaker:Stateful", "promotable")
    (tmp_path / "group.sh").write_text(text)
    told = run("sh", str(tmp_path / "group.sh"), str(cib), cwd=tmp_path, DRBD="disk-clone", **GIVEN)
    assert told.returncode == 0, told.stderr
    assert re.findall(r'<primitive id="(nfs-[^"]+)"', cib.read_text()) == [name for name, _ in AGENT.findall(text)]
    order = re.findall("<rsc_order [^>]*>", cib.read_text())
    assert all(word in order[0] for word in ('first="disk-clone"', 'first-action="promote"', 'then="nfs"'))
    with_it = re.findall("<rsc_colocation [^>]*>", cib.read_text())
    assert all(word in with_it[0] for word in ('rsc="nfs"', 'with-rsc="disk-clone"', 'with-rsc-role="Promoted"'))


@pytest.mark.parametrize("shared", ["fc", "replicated"])
@pytest.mark.parametrize("v3", [True, False])
def test_crmsh_takes_the_same_group(tmp_path: Path, fenced: str, shared: str, v3: bool) -> None:
    changed = {"server.shared_storage": shared, "server.v3_clients": v3}
    cib = tmp_path / "cib.xml"
    cib.write_text(fenced)
    load(cib, exported(**changed))
    assert run("crm_verify", "-V", "-x", str(cib)).returncode == 0
    group = re.findall(r'<primitive id="(nfs-[^"]+)"', cib.read_text())
    names = [name for name, _ in AGENT.findall(script(**changed))]
    assert group == (["nfs-volumes", *names] if shared == "fc" else names)


def test_names_that_crmsh_would_misread_are_left_to_pcs() -> None:
    answers = Answers(facts={**PAIR, "server.distro": "debian"}, names={**HOSTILE, "export": "/é"})
    found = [one.path for one in artefacts(base(), advise(base(), answers))]
    assert "cluster/nfs-group.crm" not in found
    assert "cluster/nfs-group.sh" in found


def test_the_recording_client_finds_what_was_confirmed_and_lost(tmp_path: Path) -> None:
    (tmp_path / "record.py").write_text(files()["cluster/record.py"].text)
    (tmp_path / "file").write_text("0\n1\n3\n")
    (tmp_path / "log").write_text("0 0.1 ok\n1 62.5 ok\n2 0.1 Input/output error\n3 0.0 ok\n")
    told = run("python3", "record.py", "check", "file", "log", cwd=tmp_path)
    assert told.returncode == 1
    assert told.stdout.splitlines() == [
        "writes: 4, longest pause: 62.5 s", "failed: 1, first: write 2, Input/output error", "confirmed and lost: 0",
    ]
    (tmp_path / "log").write_text("0 0.1 ok\n1 0.1 ok\n2 0.1 ok\n")
    assert "confirmed and lost: 1, first: 2" in run("python3", "record.py", "check", "file", "log", cwd=tmp_path).stdout


@pytest.mark.parametrize("names", [pytest.param(None, id="plain"), pytest.param(HOSTILE, id="hostile")])
def test_the_picture_is_well_formed_and_shows_the_group_in_order(names: Any) -> None:
    drawn = ElementTree.fromstring(made("failover-pair", names)["cluster/picture.svg"].text)
    agents = [one.text for one in drawn.iter() if one.get("class") == "agent"]
    assert agents == ["Filesystem", "Filesystem", "nfsserver", "exportfs", "IPaddr2", "nfsnotify"] or names


@pytest.mark.parametrize("names", [pytest.param({}, id="plain"), pytest.param(HOSTILE, id="hostile")])
def test_the_picture_fits_a_terminal(names: dict[str, str]) -> None:
    told = picture(advise(base(), Answers(facts=PAIR, names=names)))
    assert told
    assert max(map(len, told)) <= 76
    assert all(line.isprintable() for line in told)


def test_a_setting_of_the_server_restarts_a_resource_and_not_the_unit() -> None:
    steps = files(**{"server.v3_clients": False})["nfs.conf.d/91-nfs.conf"].apply
    assert "systemctl restart nfs-server" not in steps
    restart = steps.index("crm_resource --restart --resource nfs-server")
    assert "if the cluster has its group already" in steps[restart - 1], "the group is loaded only after that"


def test_it_does_nothing_before_the_variables_are_set(tmp_path: Path) -> None:
    folder = written(tmp_path, made("failover-pair"))
    told = run("sh", str(folder / "cluster/nfs-group.sh"), cwd=tmp_path)
    assert told.returncode != 0
    assert "STATE_DEVICE" in told.stderr
    assert not list(tmp_path.glob("*.xml"))
    assert os.access(folder / "cluster/nfs-group.sh", os.X_OK)


@pytest.mark.parametrize("export", ["/srv/my data", "/srv/*", "/srv/a[0]", "/srv/a\\040b"])
def test_a_directory_that_the_agent_would_split_is_refused(export: str) -> None:
    with pytest.raises(Unwritable, match="splits a path"):
        made("failover-pair", {"export": export})


@pytest.mark.parametrize(("advised", "written", "storage"), [
    ("cluster.stickiness", "resource-stickiness", "fc"), ("cluster.notify", "nfsnotify", "fc"),
    ("cluster.volume_group", "LVM-activate", "fc"), ("cluster.replication", "DRBD", "replicated"),
])
def test_the_group_has_what_is_advised_for_it_and_nothing_else(advised: str, written: str, storage: str) -> None:
    whole = advise(base(), Answers(facts={**PAIR, "server.shared_storage": storage}))
    without = whole._replace(rows=tuple(row for row in whole.rows if row.tunable != advised))
    for advice in (whole, without):
        (group,) = (one.text for one in artefacts(base(), advice) if one.path == "cluster/nfs-group.sh")
        is_advised = any(row.tunable == advised and row.written for row in advice.rows)
        assert (written in "\n".join(lines(group)), advice is whole) == (is_advised, is_advised)


def test_what_the_group_does_not_make_is_left_to_do_by_hand() -> None:
    found = files(**{"server.fencing_s": 60})
    group, apply = found["cluster/nfs-group.sh"].text, found["apply.sh"].text
    for name in ("cluster.port", "cluster.fencing", "cluster.helpers"):
        assert f"({name})" in apply
        assert f"({name})" in " ".join(group.replace("#", "").split()).replace("- ", "-")
        assert f"# {name}: " not in group, "only what it makes is argued for"
    assert "cluster.stop_timeout: " in group
    assert "(cluster.stop_timeout)" not in apply


@pytest.mark.parametrize(("server", "asked"), [("10.0.0.10", False), ("fd00::10", False), ("nas1.example", True)])
def test_an_address_that_was_given_is_not_asked_for_again(server: str, asked: bool) -> None:
    advice = advise(base(), Answers(facts={**PAIR, "server.distro": "debian"}, names={"server": server}))
    found = {one.path: one for one in artefacts(base(), advice)}
    group = found["cluster/nfs-group.sh"]
    assert ("ADDRESS:?" in group.text) is asked
    assert any("ADDRESS=…" in step for step in group.apply) is asked
    assert (f"ip={server}" in found["cluster/nfs-group.crm"].text) is not asked


def test_the_volume_group_is_named_where_the_pair_has_one() -> None:
    for storage, named in (("replicated", False), ("fc", True)):
        advice = advise(base(), Answers(facts={**PAIR, "server.distro": "rhel", "server.shared_storage": storage}))
        group = next(one for one in artefacts(base(), advice) if one.path == "cluster/nfs-group.sh")
        assert ("VOLUME_GROUP" in group.text, any("VOLUME_GROUP=…" in step for step in group.apply)) == (named, named)


def test_a_cluster_of_sles_is_made_with_crmsh_and_starts_after_its_storage() -> None:
    found = files(**{"server.distro": "sles", "server.shared_storage": "replicated", "server.fencing_s": 144})
    assert "cluster/nfs-group.sh" not in found, "SLES has crmsh and no pcs"
    group = found["cluster/nfs-group.crm"].text
    assert "\norder nfs-after-drbd Mandatory: DRBD-CLONE:promote nfs:start\n" in group
    assert "\ncolocation nfs-with-drbd inf: nfs DRBD-CLONE:Promoted\n" in group
    assert "op monitor interval=30s timeout=154s\n" in group.partition("exportfs")[2], "longer than the fencing"
    assert "DRBD-CLONE" not in exported(**{"server.shared_storage": "fc"})
