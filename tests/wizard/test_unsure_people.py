"""First runs of people who do not know much, written down with what they know before the wizard was asked."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from advisor import session as state
from advisor.advice.line import mount_line
from advisor.session import Session
from tests.wizard.driving import BASE


class Run(NamedTuple):
    """`known`: the rest is "I don't know". `wanted`, `never`: options of the line. `most`: answers that it may take."""

    known: dict[str, Any]
    wanted: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    most: int = 10


UNSAFE = ("soft", "nolock", "udp")
RUNS = {
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
    session, asked = state.go(state.start(), None), []
    while (fact := state.current(BASE, session)) is not None:
        asked.append(fact)
        assert len(asked) <= most, asked
        told = known.get(fact)
        session = state.dont_know(BASE, session, fact) if told is None else state.answer(BASE, session, fact, told)
    return session


@pytest.mark.parametrize("name", RUNS)
def test_it_ends_soon_with_a_line_that_harms_nobody(name: str) -> None:
    run = RUNS[name]
    session = sat(run.known, run.most)
    if state.ending(BASE, session).side == "client":
        options = mount_line(state.preview(BASE, session)).split()[3].split(",")
        assert set(run.wanted) <= set(options), options
        assert not [one for one in options if one.partition("=")[0] in run.never], options


@pytest.mark.parametrize("name", RUNS)
def test_what_stays_open_is_said_with_the_question_that_settles_it(name: str) -> None:
    ended = state.ending(BASE, sat(RUNS[name].known))
    hanging = {tunable for tunables in ended.hanging.values() for tunable in tunables}
    assert hanging <= {one.tunable for one in ended.waiting}
    assert {one.tunable for one in ended.waiting if one.strength == "must"} <= hanging
    assert not {one.fact for one in ended.taken} & set(ended.hanging), "told once"
    for fact, tunables in ended.hanging.items():
        assert fact not in RUNS[name].known
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
    assert "workload.static_data" in [one.fact for one in state.upcoming(BASE, session)]
    assert "mount.nocto" in {one.tunable for one in state.preview(BASE, session).open}
    unsure = state.preview(BASE, state.dont_know(BASE, session, "workload.static_data"))
    assert [one.fact for one in unsure.find("mount.nocto").rests_on] == ["workload.static_data"]
