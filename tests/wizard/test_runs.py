"""Whole sessions, as people would have them: few answers lead to a line that suits them."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers_file import parse_answers, read_answers
from advisor.advice.rows import mount_line
from advisor.advice.verdict import wanting
from advisor.lint.evidence import nfs_lines
from advisor.wizard import ending, files, mounts, questions, state
from advisor.wizard.questions import unanswered
from advisor.wizard.state import Refused, Session
from tests.tiers import some, thorough
from tests.wizard.driving import BASE, NEW, Driver, both, play

SCENARIOS = Path(__file__).parents[1] / "scenarios"
CALM: dict[str, Any] = {
    "workload.static_data": False, "workload.durable_writes": False, "workload.prompt_changes": False,
}
RUNS: dict[str, tuple[dict[str, Any], tuple[str, ...], tuple[str, ...]]] = {
    "web pages on Filestore": (
        {"storage.platform": "gcp-filestore", "storage.volume_protocol": "3", "workload.kind": "web",
         "client.kernel": "6.1", "network.cloud": "gcp", "network.transport": "tcp", "mount.vers": "3",
         "workload.static_data": False, "workload.durable_writes": False, "workload.prompt_changes": False},
        ("hard",), ("soft", "nolock", "intr"),
    ),
    "renders on FSx for ONTAP": (
        {"storage.platform": "aws-fsx-ontap", "workload.kind": "media", "client.kernel": "5.14.0-427.el9",
         "network.cloud": "aws", "workload.static_data": False, "workload.durable_writes": False,
         "workload.prompt_changes": False, "mount.sec": "sys"},
        ("hard",), ("soft", "nolock", "intr"),
    ),
    "home folders on EFS": (
        {"storage.platform": "aws-efs", "workload.kind": "home", "client.kernel": "6.8",
         "storage.encrypted_transit": False, "network.cloud": "aws", "workload.static_data": False,
         "workload.durable_writes": False, "workload.prompt_changes": False},
        ("hard", "noresvport", "vers=4.1"), ("soft", "nconnect", "vers=3"),
    ),
    "an old client on Azure NetApp Files": (
        {"storage.platform": "anf", "storage.volume_protocol": "3", "workload.kind": "eda",
         "client.kernel": "3.10.0-1160.el7", "mount.sec": "sys", "network.azure_load_balancer": False,
         "workload.static_data": False, "workload.durable_writes": False, "workload.shared_writes": False},
        ("hard", "vers=3"), ("nconnect", "soft"),
    ),
    # Microsoft: 4.1 is the only version (azure-files-eit.v41), with locks of its own.
    "backups on Azure Files": (
        {"storage.platform": "azure-files", "workload.kind": "backup", "client.kernel": "5.15", "mount.sec": "sys",
         "storage.encrypted_transit": False, "network.azure_load_balancer": False, "network.cloud": "azure", **CALM},
        ("hard", "vers=4.1", "sec=sys"), ("soft", "nolock", "lock", "intr"),
    ),
    # Oracle: NFSv3 (oci-overview.nfsv3), nofail and a reserved port (oci-mount.fstab).
    "home folders on OCI File Storage": (
        {"storage.platform": "oci-fss", "workload.kind": "home", "client.kernel": "5.15", "network.cloud": "oci",
         "mount.sec": "sys", **CALM},
        ("hard", "vers=3", "nofail"), ("soft", "nolock", "noresvport"),
    ),
    # WEKA: nolock belongs to NFSv3, and 4.1 has locks of its own (weka-nfs).
    "simulations on WEKA": (
        {"storage.platform": "weka", "workload.kind": "hpc", "client.kernel": "5.14.0-427.el9", "mount.sec": "sys",
         "network.cloud": "none", **CALM},
        ("hard", "vers=4.1"), ("soft", "nolock", "vers=3"),
    ),
    # Dell: always TCP, and NFSv3's locks by the lock manager (powerscale-kb-457328).
    "film on PowerScale": (
        {"storage.platform": "powerscale", "workload.kind": "media", "client.kernel": "5.14.0-427.el9",
         "mount.sec": "sys", "network.cloud": "none", **CALM},
        ("hard",), ("soft", "nolock", "proto=udp", "noac"),
    ),
    # Microsoft: the line has sec=sys, vers=3, nolock and proto=tcp (azure-blob-nfs.mount-line).
    "training data on Azure Blob": (
        {"storage.platform": "azure-blob", "workload.kind": "ai-training", "client.kernel": "6.8.0-45-generic",
         "client.distro": "ubuntu", "client.release": "24.04", "network.cloud": "azure",
         "network.azure_load_balancer": False, **CALM, "workload.static_data": True},
        ("hard", "vers=3", "nolock", "sec=sys", "proto=tcp"), ("soft", "lock"),
    ),
    # Oracle and NetApp for single instances: vers=3, hard, timeo=600; noac would stop RMAN.
    "Oracle on ONTAP": (
        {"storage.platform": "ontap", "workload.kind": "oracle", "workload.dnfs": False, "network.cloud": "none",
         "mount.sec": "sys", "mount.vers": "3"},
        ("hard", "vers=3", "rsize=262144", "wsize=262144", "timeo=600"), ("soft", "nolock", "noac", "intr"),
    ),
    # Microsoft: 256 KiB for SAP's file systems on Azure NetApp Files, with NFSv4.1.
    "/usr/sap on Azure NetApp Files": (
        {"storage.platform": "anf", "storage.volume_protocol": "4.1", "workload.kind": "general", "mount.sec": "sys",
         "client.kernel": "5.14.21-150500.55", "network.azure_load_balancer": True, **CALM},
        ("hard", "vers=4.1", "sec=sys", "rsize=262144", "wsize=262144"), ("soft", "nolock", "lock"),
    ),
    # Microsoft for NFS shares of Kubernetes: nconnect=4 and noresvport.
    "a PHP application of many small files on Azure Files": (
        {"storage.platform": "azure-files", "storage.encrypted_transit": False, "workload.kind": "web",
         "client.kernel": "5.15.0-1064-azure", "network.azure_load_balancer": False, **CALM},
        ("hard", "vers=4.1", "sec=sys", "nconnect=4", "noresvport"), ("soft", "nolock", "lock"),
    ),
    # AWS: the line of "Mounting EFS file systems".
    "Git repositories on EFS": (
        {"storage.platform": "aws-efs", "storage.encrypted_transit": False, "network.cloud": "aws",
         "workload.kind": "software-build", "workload.shared_writes": True, **CALM},
        ("hard", "vers=4.1", "rsize=1048576", "wsize=1048576", "timeo=600", "noresvport"),
        ("soft", "nolock", "nconnect"),
    ),
    # AWS: its example mounts with nconnect=16 (fsx-openzfs-perf).
    "builds on FSx for OpenZFS": (
        {"storage.platform": "aws-fsx-openzfs", "workload.kind": "software-build", "client.kernel": "6.1",
         "network.cloud": "aws", "mount.sec": "sys", "workload.shared_writes": True, **CALM},
        ("hard", "nconnect=16"), ("soft", "nolock", "intr"),
    ),
    # VAST: remoteports= is known to its own driver alone.
    "training on VAST": (
        {"storage.platform": "vast", "workload.kind": "ai-training", "client.kernel": "5.15", "network.cloud": "none",
         "mount.vers": "3", "workload.locks": False, "server.nlm": True, **CALM, "workload.static_data": True},
        ("hard", "vers=3"), ("soft", "remoteports", "noac"),
    ),
    # NetApp for databases: hard, with locks.
    "PostgreSQL on Google Cloud NetApp Volumes": (
        {"storage.platform": "gcp-netapp-volumes", "storage.volume_protocol": "both", "workload.kind": "postgresql",
         "client.kernel": "6.1", "network.cloud": "gcp", "mount.sec": "sys", **CALM},
        ("hard", "vers=4.1"), ("soft", "nolock", "intr", "noac"),
    ),
    # sqlite.org: the locks have to work, and do with every version.
    "an SQLite database of pods on Synology": (
        {"storage.platform": "synology", "host.role": "nfs-client", "workload.kind": "sqlite", "network.cloud": "none",
         **CALM},
        ("hard",), ("soft", "nolock", "local_lock"),
    ),
    # TrueNAS shows nconnect=16 (truenas-docs.nconnect-16), which may be set where one connection is too slow (FINE).
    "disks of Proxmox's machines on TrueNAS": (
        {"storage.platform": "truenas", "host.role": "nfs-client", "workload.kind": "vm-images",
         "client.kernel": "6.8.12-4-pve", "network.cloud": "none", **CALM},
        ("hard",), ("soft", "nolock", "intr", "noac"),
    ),
    # NetApp: NFSv4.1, whose locks end with the client (ontap-dbs.mysql-v4-locks), and these sizes.
    "MySQL on ONTAP": (
        {"storage.platform": "ontap", "workload.kind": "mysql", "network.cloud": "none"},
        ("hard", "vers=4.1", "rsize=262144", "wsize=262144"), ("soft", "nolock", "lock", "vers=3"),
    ),
    # Dovecot: nordirplus (dovecot-nfs.nordirplus).
    "mail on a Linux server": (
        {"storage.platform": "knfsd", "host.role": "nfs-client", "workload.kind": "mail",
         "client.kernel": "4.18.0-553.el8", "network.cloud": "none", **CALM},
        ("hard", "nordirplus"), ("soft", "nolock", "intr"),
    ),
}


def begun(known: dict[str, Any]) -> Session:
    """Past the question for the mount; a server has an entry of its own there."""
    session = state.go(state.start(), None)
    server = known.get("host.role") == "nfs-server"
    return state.answer(BASE, session, "host.role", "nfs-server") if server else session


@pytest.mark.parametrize("name", some(RUNS, 10))
def test_it_ends_within_ten_answers_with_a_line_that_is_right(name: str) -> None:
    known, wanted, never = RUNS[name]
    session, asked = state.go(state.start(), None), []
    while (fact := questions.current_question(BASE, session)) is not None:
        asked.append(fact)
        assert len(asked) <= 10, asked
        told = known.get(fact)
        session = state.dont_know(BASE, session, fact) if told is None else state.answer(BASE, session, fact, told)
    options = mount_line(questions.preview(BASE, session)).split()[3].split(",")
    assert set(wanted) <= set(options), options
    assert not [one for one in options if one.partition("=")[0] in never or one in never], options
    assert not [one for one in questions.ending(BASE, session).waiting if one.strength == "must"]


FINE: dict[str, tuple[dict[str, Any], str]] = {
    "disks of Proxmox's machines on TrueNAS": ({"network.speed_gbps": 25}, "nconnect=16"),  # up to 12, one is enough
}
"""Who goes on with the questions that could only fine-tune: what is known besides, and what the line has then."""


@thorough
@pytest.mark.parametrize("name", FINE)
def test_what_no_question_is_spent_on_is_asked_of_who_goes_on(name: str) -> None:
    known, wanted = {**RUNS[name][0], **FINE[name][0]}, FINE[name][1]
    session = state.go(state.start(), None)
    while (fact := questions.current_question(BASE, session)) is not None:
        told = known.get(fact)
        session = state.dont_know(BASE, session, fact) if told is None else state.answer(BASE, session, fact, told)
        if not session.fine and questions.current_question(BASE, session) is None:
            assert wanted not in mount_line(questions.preview(BASE, session))
            assert not [one for one in questions.preview(BASE, session).open if one.tunable.endswith(wanted[:4])]
            session = session._replace(fine=True)
    assert wanted in mount_line(questions.preview(BASE, session)).split()[3].split(",")


@pytest.mark.parametrize("name", ["home-1gbe-server", "postgresql-knfsd-server"])
def test_a_server_takes_no_more(name: str) -> None:
    known = read_answers(BASE, str(SCENARIOS / f"{name}.yaml")).facts
    session, asked = begun(known), ["host.role"]
    while (fact := questions.current_question(BASE, session)) is not None:
        asked.append(fact)
        assert len(asked) <= 10, asked
        session = state.answer(BASE, session, fact, known[fact])
    ended = questions.ending(BASE, session)
    assert ended.next.endswith("by hand on the server.")
    assert not [one for one in ended.waiting if one.strength == "must"]


SERVED = "nfs.example:/srv /mnt/srv"
HOME = "diskstation.local:/volume1 /mnt/nas"
PAIR: dict[str, Any] = {
    "storage.platform": "knfsd", "host.role": "nfs-server", "server.ha": True, "server.shared_storage": "fc",
    "server.v3_clients": False, "server.distro": "rhel", "server.release": "9.4", "network.cloud": "none",
}
JOBS: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    # Who knows, and who says "I don't know" to the rest.
    "computing on Azure NetApp Files": ("10.0.0.4:/vol1 /mnt/anf", {
        "storage.platform": "anf", "storage.volume_protocol": "4.1", "workload.kind": "hpc", "mount.sec": "sys",
        "client.kernel": "5.14.0-427.el9", "network.azure_load_balancer": False, "workload.static_data": False,
    }, ("hard", "vers=4.1", "nconnect=8")),
    "a web farm on EFS": ("fs-0123456789abcdef0.efs.eu-west-1.amazonaws.com:/ /var/www", {
        "storage.encrypted_transit": True, **CALM,
    }, ("hard", "vers=4.1", "noresvport", "tls")),
    "a pair of servers on RHEL": (SERVED, PAIR, ()),
    "a pair of servers that replicate": (SERVED, {**PAIR, "server.shared_storage": "replicated"}, ()),
    "a pair of servers with one enclosure": (SERVED, {**PAIR, "server.shared_storage": "sas"}, ()),
    "a pair of servers, and nothing is known of its disks": ("server", {**PAIR, "server.shared_storage": None}, ()),
    "a pair of servers, and the release is not known": ("server", {**PAIR, "server.release": None}, ()),
    "a pair of servers, from the menu": ("server", PAIR, ()),
    "a Synology at home": (HOME, {
        "storage.platform": "synology", "host.role": "nfs-client", "workload.kind": "home",
    }, ("hard",)),
    "a Synology at home, and nothing else is known": (HOME, {"storage.platform": "synology"}, ("hard",)),
}


@pytest.mark.parametrize("name", some(JOBS, 12))
def test_each_job_takes_at_most_eight_answers_the_mount_among_them(name: str) -> None:
    line, known, wanted = JOBS[name]
    session, asked = state.start(), 0
    if line:
        begin = mounts.configure_server(BASE, session) if line == "server" else mounts.use_text(BASE, session, line)
        session, asked = begin, 1
    while (fact := questions.current_question(BASE, session)) is not None:
        asked += 1
        told = known.get(fact)
        session = state.dont_know(BASE, session, fact) if told is None else state.answer(BASE, session, fact, told)
    assert asked <= 8, session.order
    found = ending.session_verdict(BASE, session)
    assert found.state == ("open" if known.get("server.shared_storage", 0) is None else "ready"), found
    options = mount_line(questions.preview(BASE, session)).split()[3].split(",")
    assert set(wanted) <= set(options), options


@pytest.mark.parametrize("name", some(JOBS, 8))
def test_the_written_answers_give_the_same_advice_again(name: str) -> None:
    line, known, _ = JOBS[name]
    session = mounts.use_text(BASE, state.start(), line) if line.count(" ") else state.start()
    for _ in range(3):  # in the middle, when much is not answered yet
        fact = questions.current_question(BASE, session)
        assert fact is not None
        told = known.get(fact)
        session = state.dont_know(BASE, session, fact) if told is None else state.answer(BASE, session, fact, told)
    (text,) = [one.text for one in files.artefacts(BASE, session) if one.path == files.ANSWERS]
    again, here = advise(BASE, parse_answers(BASE, text, "answers.yaml")), questions.preview(BASE, session)
    assert again.rows == here.rows
    assert mount_line(again) == mount_line(here)
    assumed = advise(BASE, parse_answers(BASE, text.replace("asked: true\n", ""), "answers.yaml"))
    assert len(assumed.open) < len(again.open), "without a person to ask, what is usual is assumed"


def test_the_line_of_a_client_tells_that_it_is_one() -> None:
    line, = nfs_lines(BASE, f"{HOME} nfs hard 0 0", "/etc/fstab")
    for session in (mounts.use_line(BASE, state.start(), line), mounts.add_lines(BASE, state.start(), [line])):
        assert session.answers.facts["host.role"] == "nfs-client"
        assert "host.role" not in session.order
    written = mounts.use_text(BASE, state.start(), HOME)
    assert "host.role" not in written.answers.facts, "somebody who sets up the server may write it, too"


def test_the_release_tells_the_version_of_a_package() -> None:
    session = state.go(state.start(), None)
    for fact, value in {"storage.platform": "knfsd", "host.role": "nfs-server", "server.ha": False,
                        "server.v3_clients": False, "server.distro": "debian"}.items():
        session = state.answer(BASE, session, fact, value)
    session = state.answer(BASE, session, "mount.vers", "4.0")
    asked = [one.fact for one in questions.upcoming_questions(BASE, session)]
    assert asked.index("server.release") + 1 == asked.index("server.nfs_utils")
    session = state.answer(BASE, session, "server.release", "12")
    assert "server.nfs_utils" not in [one.fact for one in questions.upcoming_questions(BASE, session)]


@pytest.mark.parametrize(("platform", "role"), some(product(
    ("gcp-filestore", "anf", "ontap", "freebsd-nfsd", "storage-scale", "other"), ("nfs-client", "nfs-server"),
), 5))
def test_whoever_knows_only_the_storage_is_spared_the_rest(platform: str, role: str) -> None:
    known = {"storage.platform": platform, "host.role": role}
    session, asked = state.go(state.start(), None), list[str]()
    while (fact := questions.current_question(BASE, session)) is not None:
        asked.append(fact)
        told = known.get(fact)
        session = state.dont_know(BASE, session, fact) if told is None else state.answer(BASE, session, fact, told)
    assert len(asked) <= 10, asked
    matter = [one.fact for one in unanswered(questions.preview(BASE, session)) if one.matters]
    assert questions.ending(BASE, session).matter == len(matter)
    more = questions.upcoming_questions(BASE, session._replace(fine=True))
    assert {one.fact for one in more} >= set(matter)


def test_after_ten_answers_what_the_verdict_waits_for_is_still_asked() -> None:
    session, known = state.go(state.start(), None), {**PAIR}
    for fact in ("storage.platform", "host.role", "server.ha"):
        session = state.answer(BASE, session, fact, known.pop(fact))
    for fact in [name for name, fact in BASE.facts.items()
                 if fact.scope == "host" and fact.ask and name not in session.order][:12]:
        session = session if fact in known else state.dont_know(BASE, session, fact)
    assert questions.answered(session, 0) > 10
    must = {one.tunable for one in wanting(questions.preview(BASE, session))}
    asks = questions.upcoming_questions(BASE, session)
    assert asks
    assert all(must & set(one.decisions) for one in asks)


class Run(NamedTuple):
    """`known`: the rest is "I don't know". `wanted`, `never`: options of the line. `most`: answers that it may take."""

    known: dict[str, Any]
    wanted: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    most: int = 10


UNSAFE = ("soft", "nolock", "udp")
UNSURE = {
    "a library on ONTAP with Kerberos": Run({
        "storage.platform": "ontap", "workload.kind": "general", "client.distro": "rhel", "client.release": "9.4",
        "mount.sec": "krb5i", "storage.volume_protocol": "4.1", "network.cloud": "none", "identity.directory": "ad",
        "identity.unattended": True,
    }, ("hard", "sec=krb5i"), UNSAFE),
    # AWS: the line of "Mounting EFS file systems" has these options.
    "WordPress on EFS": Run({
        "storage.platform": "aws-efs", "network.cloud": "aws", "workload.kind": "web", "client.distro": "amazon",
        "client.release": "2023", "client.kernel": "6.1",
    }, ("hard", "vers=4.1", "noresvport", "rsize=1048576", "wsize=1048576", "timeo=600"), (*UNSAFE, "nconnect")),
    "Oracle RAC on FSx for ONTAP": Run({
        "storage.platform": "aws-fsx-ontap", "network.cloud": "aws", "workload.kind": "oracle-rac",
        "workload.dnfs": True, "client.distro": "rhel", "client.release": "8.8", "client.kernel": "4.18.0-477.el8",
    }, ("hard", "actimeo=0"), UNSAFE),
    "a school's home folders on Debian": Run({
        "storage.platform": "knfsd", "host.role": "nfs-server", "server.distro": "debian", "server.release": "12",
        "server.ha": False, "workload.kind": "home",
    }),
    "AI training on VAST": Run({
        "storage.platform": "vast", "workload.kind": "ai-training", "client.distro": "rhel", "client.release": "9.3",
        "client.kernel": "5.14.0-362.el9", "client.vast_driver": False, "network.cloud": "none",
        "workload.access": "sequential", "workload.static_data": True,
    }, ("hard",), (*UNSAFE, "remoteports")),
    "renders on TrueNAS": Run({
        "storage.platform": "truenas", "workload.kind": "render", "client.distro": "ubuntu",
        "client.release": "22.04", "network.cloud": "none", "network.speed_gbps": 10,
    }, ("hard",), UNSAFE),
    "/sapmnt on Azure Files": Run({
        "storage.platform": "azure-files", "network.cloud": "azure", "workload.kind": "general",
        "client.distro": "sles", "client.release": "15.5", "client.kernel": "5.14.21-150500.55", "mount.sec": "sys",
    }, ("hard", "vers=4.1", "sec=sys"), UNSAFE),
    "a pair of SLES servers": Run({
        "storage.platform": "knfsd", "host.role": "nfs-server", "server.ha": True,
        "server.shared_storage": "replicated", "server.v3_clients": False,
        "server.cluster_stack": "pacemaker", "server.distro": "sles",
        "server.release": "15.5", "network.cloud": "none", "server.firewall": True, "export.own_mount": True,
    }),
    "uploads of pods on Filestore": Run({
        "storage.platform": "gcp-filestore", "storage.tier": "zonal", "network.cloud": "gcp",
        "client.kubernetes": True, "workload.kind": "web", "workload.shared_writes": True,
    }, ("hard",), UNSAFE, most=12),
    "PostgreSQL on FlashBlade": Run({
        "storage.platform": "flashblade", "workload.kind": "postgresql", "client.distro": "ubuntu",
        "client.release": "24.04", "client.kernel": "6.8", "network.cloud": "none",
    }, ("hard",), (*UNSAFE, "async")),
    "virtual machines on a Debian server": Run({
        "storage.platform": "knfsd", "host.role": "nfs-client", "workload.kind": "vm-images",
        "client.distro": "debian", "client.release": "12", "client.kernel": "6.8", "network.cloud": "none",
        "mount.sec": "sys",
    }, ("hard",), (*UNSAFE, "async")),
    "somebody who knows nothing": Run({}, ("hard",), UNSAFE),
    "somebody who knows nothing but that it is the server": Run({"host.role": "nfs-server"}, most=14),
}


def sat(known: dict[str, Any], most: int = 40) -> Session:
    session, asked = begun(known), list[str]()
    while (fact := questions.current_question(BASE, session)) is not None:
        asked.append(fact)
        assert len(asked) <= most, asked
        told = known.get(fact)
        session = state.dont_know(BASE, session, fact) if told is None else state.answer(BASE, session, fact, told)
    return session


@pytest.mark.parametrize("name", some(UNSURE, 5))
def test_it_ends_soon_with_a_line_that_harms_nobody(name: str) -> None:
    run = UNSURE[name]
    session = sat(run.known, run.most)
    if not questions.ending(BASE, session).next:
        options = mount_line(questions.preview(BASE, session)).split()[3].split(",")
        assert set(run.wanted) <= set(options), options
        assert not [one for one in options if one.partition("=")[0] in run.never], options


@pytest.mark.parametrize("name", some(UNSURE, 5))
def test_what_stays_open_is_said_with_the_question_that_settles_it(name: str) -> None:
    ended = questions.ending(BASE, sat(UNSURE[name].known))
    hanging = {tunable for tunables in ended.hanging.values() for tunable in tunables}
    assert hanging <= {one.tunable for one in ended.waiting}
    assert {one.tunable for one in ended.waiting if one.strength == "must"} <= hanging
    assert not {one.fact for one in ended.taken} & set(ended.hanging), "told once"
    for fact, tunables in ended.hanging.items():
        assert fact not in UNSURE[name].known
        assert tunables


def test_who_does_not_know_the_distribution_is_not_asked_for_its_release() -> None:
    session = sat({"storage.platform": "knfsd", "host.role": "nfs-server", "server.ha": True})
    assert "server.distro" in session.answers.unknown
    assert not {"server.release", "server.nfs_utils", "package.resource-agents"} & set(session.order)


def test_a_safe_value_is_assumed_only_of_what_somebody_did_not_know() -> None:
    known = {"storage.platform": "ontap", "network.cloud": "none", "workload.kind": "general"}
    session = state.start()
    for fact, value in known.items():
        session = state.answer(BASE, session, fact, value)
    assert "workload.static_data" in [one.fact for one in questions.upcoming_questions(BASE, session)]
    assert "mount.nocto" in {one.tunable for one in questions.preview(BASE, session).open}
    unsure = questions.preview(BASE, state.dont_know(BASE, session, "workload.static_data"))
    assert [one.fact for one in unsure.find("mount.nocto").rests_on] == ["workload.static_data"]


ANSWERS: dict[str, Any] = {
    "workload.kind": "eda", "host.role": "nfs-client", "storage.volume_protocol": "3", "workload.static_data": True,
    "workload.access": "mixed", "network.transport": "tcp", "mount.sec": "sys", "mount.ro": False,
    "storage.encrypted_transit": False, "network.cloud": "azure", "workload.durable_writes": False,
}
"""What the administrator knows; of everything else "I don't know" is said."""
FOUND: dict[str, tuple[Any, str]] = {"client.kernel": ("5.14.0-362.el9", "/proc/sys/kernel/osrelease")}
CASES = [("anf", "nconnect=8", FOUND), ("azure-files", "nconnect=4", {})]


@both
@pytest.mark.parametrize("case", some([(one,) for one in CASES], 2), ids=lambda case: case[0])
def test_a_configuration_with_nconnect(
    case: tuple[str, str, dict[str, Any]], size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform, wanted, found = case
    monkeypatch.chdir(tmp_path)

    async def scene(driver: Driver) -> None:
        while wanted not in driver.text():
            await driver.press(*keys(str(questions.current_question(BASE, driver.app.session)), platform, found))
            assert driver.presses < 15
        await driver.press("tab", "e", "enter")  # a letter goes into a field that waits for a number
        driver.sees("files in nfs-config", "written")
        assert driver.presses <= 15

    play(scene, size, session=NEW, found=found)
    assert wanted in (tmp_path / "nfs-config" / "fstab").read_text()
    assert read_answers(BASE, "nfs-config/answers.yaml").facts["storage.platform"] == platform
    assert (tmp_path / "nfs-config" / "REPORT.md").exists()


def keys(fact: str, platform: str, found: dict[str, Any]) -> list[str]:
    """What is pressed as the answer to a question."""
    told = BASE.facts[fact]
    if fact in found:
        return ["enter"]
    if fact == "client.kernel":
        return ["5", "full_stop", "1", "4", "enter"]
    value = platform if fact == "storage.platform" else ANSWERS.get(fact)
    values: list[Any] = [True, False] if told.type == "bool" else list(told.values or ())
    if value is None and told.type in ("int", "version"):
        return ["down", "enter"]
    place = values.index(value) if value in values else len(values)
    return [str(place + 1)] if place < 9 else ["down"] * place + ["enter"]


def test_it_can_be_stopped_at_any_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def scene(driver: Driver) -> None:
        for _ in range(3):
            await driver.press(*keys(str(questions.current_question(BASE, driver.app.session)), "anf", {}))
        await driver.press("tab", "e", "enter")
        driver.sees("written")

    play(scene, session=NEW)
    written = (tmp_path / "nfs-config" / "fstab").read_text()
    assert "vers=3" in written
    assert "rsize=262144" in written


@thorough
@pytest.mark.parametrize("seed", range(14))
def test_nothing_is_plainly_ready_of_which_lint_would_warn(seed: int) -> None:
    drawn, session = random.Random(seed), NEW
    for _ in range(10):
        fact = questions.current_question(BASE, session)
        if fact is None:
            break
        told = BASE.facts[fact]
        answers: list[Any] = [True, False] if told.type == "bool" else list(told.values or ()) or ["64"]
        try:
            session = state.answer(BASE, session, fact, drawn.choice(answers))
        except Refused:
            session = state.dont_know(BASE, session, fact)
    told = ending.session_verdict(BASE, session)._replace(unnamed=())
    found = [text for text in files.lint_artefacts(BASE, session) if not text.startswith("note")]
    assert not found or told.badge != "READY" or told.beside, found
