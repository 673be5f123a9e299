"""What is known is used: numbers size settings, and every fact that people are asked for changes something."""

from __future__ import annotations

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.model import Row
from advisor.engine.boxes import bits
from advisor.engine.formula import names_in
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from advisor.rulebase.model.types import Value, Values

BASE = load()
CLIENT: dict[str, Values] = {
    "host.role": "nfs-client", "client.kernel": "6.12", "client.kernel_stream": "mainline", "network.cloud": "none",
    "mount.sec": "sys", "network.transport": "tcp", "workload.kind": "backup", "workload.access": "sequential",
    "mount.vers": "4.1", "client.count": 10,
}


def settled(name: str, facts: dict[str, Values]) -> Row:
    row = advise(BASE, Answers(facts)).find(name)
    assert row is not None, f"{name} is open"
    return row


def written(name: str, **facts: Values) -> Value:
    """What is written for a setting; None for nothing."""
    return settled(name, {**CLIENT, **facts}).written


def test_buffers_follow_from_speed_and_round_trip() -> None:
    # RFC 7323: 1 Gbit/s * 80 ms = 10 MB must be in flight; half of a buffer is overhead.
    far: dict[str, Values] = {"storage.platform": "knfsd", "network.speed_gbps": 1, "network.rtt_us": 80000}
    assert written("sysctl.net.ipv4.tcp_rmem", **far) == "4096 131072 20000000"
    assert written("sysctl.net.ipv4.tcp_wmem", **far) == "4096 16384 20000000"
    near: dict[str, Values] = {**far, "network.rtt_us": 200}
    assert written("sysctl.net.ipv4.tcp_rmem", **near) == "4096 131072 6291456", "the default is enough"
    del far["network.rtt_us"]
    assert written("sysctl.net.ipv4.tcp_rmem", **far) == "4096 131072 6291456", "what is not known asks for nothing"
    assert settled("sysctl.net.ipv4.tcp_rmem", {**CLIENT, **far}).value == "4096 * *"


def test_a_longer_path_needs_more_than_the_vendors_figure() -> None:
    eda: dict[str, Values] = {"storage.platform": "anf", "workload.kind": "eda", "network.speed_gbps": 10}
    assert written("sysctl.net.ipv4.tcp_rmem", **eda) == "4096 131072 16777216"
    assert written("sysctl.net.ipv4.tcp_rmem", **eda, **{"network.rtt_us": 20000}) == "4096 131072 50000000"


def test_the_numbers_are_shown() -> None:
    far = {**CLIENT, "storage.platform": "knfsd", "network.speed_gbps": 1, "network.rtt_us": 80000}
    row = settled("sysctl.net.ipv4.tcp_rmem", far)
    assert row.why.endswith("Computed from network.rtt_us=80000 and network.speed_gbps=1.")
    hana = {**CLIENT, "storage.platform": "ontap", "workload.kind": "sap-hana", "network.speed_gbps": 100}
    assert "Computed" not in settled("sysctl.net.ipv4.tcp_rmem", hana).why, "the number is SAP's whatever the speed"


def test_connections_follow_from_speed_unless_a_vendor_names_a_number() -> None:
    def connections(platform: str, gbps: int, **facts: Values) -> Value:
        return written("mount.nconnect", **{"storage.platform": platform, "network.speed_gbps": gbps, **facts})

    for platform in ("knfsd", "flashblade", "powerscale", "ontap", "hammerspace"):
        assert connections(platform, 1) == connections(platform, 10) == 1, platform
        assert connections(platform, 100) == 8, platform  # VAST's 8 per 100 Gbit/s
        assert connections(platform, 400) == 16, platform  # as many as Linux opens
    assert connections("knfsd", 25, **{"network.cloud": "aws"}) == 5  # AWS: 5 Gbit/s for a flow
    assert connections("truenas", 1) == connections("truenas", 10) == 1, "one connection fills the link"
    assert connections("truenas", 25) == connections("truenas", 100) == 16, "the vendor's page shows 16"
    assert connections("azure-files", 100) == 4
    assert connections("aws-fsx-openzfs", 1, **{"network.cloud": "aws"}) == 16
    assert connections("azure-files", 100, **{"workload.single_threaded": True}) == 1
    assert connections("knfsd", 100, **{"mount.sec": "krb5p"}) is None
    assert connections("truenas", 100, **{"mount.sec": "krb5p"}) is None


def test_a_fast_link_is_not_presumed_for_a_line_that_a_vendor_shows() -> None:
    row = settled("mount.nconnect", {**CLIENT, "storage.platform": "truenas"})
    assert row.written == 1, "more only above 12 Gbit/s, and nobody said so; 1 suits every rule that may apply"
    assert "network.speed_gbps" not in {taken.fact for taken in (*row.rests_on, *row.presumes)}


def test_read_ahead_keeps_the_path_full() -> None:
    def ahead(gbps: int, rtt: int, platform: str = "knfsd") -> Value:
        facts: dict[str, Values] = {
            "storage.platform": platform, "network.speed_gbps": gbps, "network.rtt_us": rtt,
        }
        return written("bdi.read_ahead_kb", **facts)

    assert ahead(1, 200) == 1024
    assert ahead(10, 4000) == 4883  # 5 MB
    assert ahead(100, 80000) == 15359  # below what one report found harmful
    assert ahead(1, 200, "anf") == 15360


def test_clients_with_version_4_0_are_served() -> None:
    server: dict[str, Values] = {
        "host.role": "nfs-server", "storage.platform": "knfsd", "server.nfs_utils": "2.9.1", "mount.vers": "4.2",
    }
    for ha in (True, False):
        asked = {**server, "server.ha": ha, "server.v40_clients": True}
        row = settled("nfs.conf.nfsd.vers4.0", asked)
        assert (row.written, row.strength) == ("y", "must")
        assert settled("nfs.conf.nfsd.vers4.0", {**asked, "server.v40_clients": False}).written is None


def test_what_one_mount_needs_of_a_server_other_clients_need_too() -> None:
    """A rule for the server that reads the version of one mount also reads what is known of all clients' versions."""
    for name, decision in BASE.decisions.items():
        if not name.startswith("nfs.conf.nfsd."):
            continue
        for rule in decision.rules.values():
            for version, fact in (("3", "server.v3_clients"), ("4.0", "server.v40_clients")):
                if f"'mount.vers': '{version}'" in str(rule.when):
                    assert fact in str(rule.when), rule.id


ONLY_FINDINGS = {
    "storage.endpoint", "client.nfs_utils", "host.clock_synchronised", "server.nfs_ganesha",
    "client.kernel_stream", "client.nfs_utils_stream", "server.nfs_utils_stream", "package.lvm2",
    "package.amazon-efs-utils", "package.truenas", "package.ontap",
}
"""Facts that change findings and known bugs, not settings; `recommend` never asks for them."""


def test_every_fact_that_people_are_asked_for_changes_a_setting() -> None:
    """`rules verify` proves that each fact of a condition changes an outcome; here none is left out."""
    engine = BASE.engine
    used: set[str] = set()
    for name in BASE.decisions:
        ranked = engine.decision(name)
        used |= {engine.space.owner[guard].id for guard in bits(engine.constraints.reading(ranked.reads))}
        used |= {fact for rule in ranked.rules for fact in names_in(rule.value)}
    assert {name for name, fact in BASE.facts.items() if fact.ask and name not in used} == ONLY_FINDINGS


def test_what_was_observed_is_not_called_pinned() -> None:
    seen = "observed 2026-11-28 by advisor probe nas:/srv"
    for origin, why in (({}, "You answered this."), ({"mount.vers": seen}, f"{seen.capitalize()}."),
                        ({"mount.vers": "/etc/fstab"}, "Found in /etc/fstab.")):
        row = advise(BASE, Answers({**CLIENT, "storage.platform": "knfsd"}, origin=origin)).find("mount.vers")
        assert row is not None
        assert (row.pinned, row.why) == (True, why)
    row = advise(BASE, Answers({"storage.platform": "knfsd"}, pins={"mount.vers": "4.1"})).find("mount.vers")
    assert row is not None
    assert row.why == "Pinned by you."


def test_strict_settles_nothing_that_is_open_otherwise() -> None:
    web = Answers({"storage.platform": "anf", "workload.kind": "web"})
    unsettled = {row.tunable for row in advise(BASE, web).rows if row.otherwise}
    assert "mount.actimeo" in unsettled
    assert not unsettled & {row.tunable for row in advise(BASE, web, strict=True).advised}


def test_a_server_is_told_of_clients_that_have_only_udp_and_lint_keeps_its_finding() -> None:
    server: dict[str, Values] = {"host.role": "nfs-server", "storage.platform": "knfsd"}
    assert settled("nfs.conf.nfsd.udp", server).written == "n"
    assert settled("nfs.conf.nfsd.udp", {**server, "mount.proto": "udp"}).written == "y"
    found = lint_text("[nfsd]\nudp=y\n", "x", BASE, {}, kind="nfs.conf").findings
    assert [finding.rule for finding in found] == ["nfsd-udp/off"]


def test_what_has_no_effect_in_some_cases_is_advised_for_the_others() -> None:
    server: dict[str, Values] = {"host.role": "nfs-server", "storage.platform": "knfsd"}
    assert settled("service.nfsdcld", server).value == "running", "the version of the mounts is not known"
    assert settled("service.nfsdcld", {**server, "mount.vers": "3"}).value == "n/a"
    eda: dict[str, Values] = {"storage.platform": "anf", "workload.kind": "eda", "client.kernel": "6.1"}
    assert advise(BASE, Answers(eda)).find("service.idmapd_domain") is None, "a client waits for its version"
