"""Advice follows the versions that are known: no setting that a host lacks, none that a known fault spoils."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.model import SILENT, Row
from advisor.engine import holds
from advisor.lint.lifetimes import lacking
from advisor.lint.rule_index import RuleIndex
from advisor.rulebase.lives import standings
from tests.advice.environments import base
from tests.each import each
from tests.rulebase.test_lives import things
from tests.tiers import some

if TYPE_CHECKING:
    from advisor.rulebase.model.tunables import Life

MAINLINE = {"client.kernel_stream": "mainline"}
SPOILED = [(name, tunable) for name, erratum in base().errata.items() for tunable in erratum.spoils]
PAIR = {"host.role": "nfs-server", "storage.platform": "knfsd", "server.ha": True, "server.cluster_stack": "other"}


def row(tunable: str, known: dict[str, object]) -> Row:
    return next(one for one in advise(base(), Answers(known)).rows if one.tunable == tunable)


@each(lambda: [
    # Linux 6.19 asks for delegations of directories, which Ganesha cannot answer; 6.18 does not ask.
    ("module.nfsv4.directory_delegations", {"storage.platform": "ganesha", "workload.kind": "home",
                                            "client.kernel": "7.0.4", **MAINLINE}, "N", "client-dir-deleg-ganesha"),
    ("module.nfsv4.directory_delegations", {"storage.platform": "ganesha", "client.kernel": "6.18.2", **MAINLINE},
     "keep", "directory-delegations/default"),
    ("module.nfsv4.directory_delegations", {"storage.platform": "knfsd", "client.kernel": "7.0.4", **MAINLINE},
     "keep", "directory-delegations/default"),
    # A fault of NFSv4.2 where client and server would negotiate it; what is asked for is left alone.
    ("mount.vers", {"storage.platform": "knfsd", "workload.kind": "vm-images", "client.kernel": "6.17.3", **MAINLINE},
     "4.1", "client-image-corruption-6-17"),
    ("mount.vers", {"storage.platform": "knfsd", "workload.kind": "vm-images", "client.kernel": "6.16.9", **MAINLINE},
     "4.1", "client-delegated-times"),
    ("mount.vers", {"storage.platform": "knfsd", "workload.kind": "vm-images", "client.kernel": "6.12.40", **MAINLINE},
     "4.2", "vers/linux-server"),
    ("mount.vers", {"storage.platform": "knfsd", "workload.kind": "general", "client.distro": "rhel",
                    "client.release": "7.9"}, "keep", "vers/default"),
    ("mount.vers", {"storage.platform": "azure-files", "client.kernel": "6.17.3", **MAINLINE},
     "4.1", "vers/only-4.1"),
    ("mount.fsc", {"storage.platform": "knfsd", "workload.kind": "ai-training", "network.speed_gbps": 10,
                   "client.kernel": "6.12.5", **MAINLINE},
     "omit", "client-netfs-read-crash"),
    ("mount.fsc", {"storage.platform": "knfsd", "workload.kind": "ai-training", "network.speed_gbps": 10,
                   "client.kernel": "6.12.40", "client.kernel_stream": "debian"}, True, "fsc/ai-training"),
    ("nfs.conf.nfsd.scope", {**PAIR, "server.nfs_utils": "2.6.2", "server.nfs_utils_stream": "upstream"},
     "n/a", "setting-too-new"),
    ("nfs.conf.nfsd.scope", {**PAIR, "server.nfs_utils": "2.6.3", "server.nfs_utils_stream": "upstream"},
     "nfs-pair", "nfsd-scope/other-manager"),
    ("nfs.conf.nfsd.scope", {**PAIR, "server.nfs_utils": "2.5.4-34.el9"}, "nfs-pair", "nfsd-scope/other-manager"),
])
def test_a_known_version_decides(tunable: str, known: dict[str, object], value: object, rule: str) -> None:
    found = row(tunable, known)
    assert found.rule is not None, found
    assert (found.value, found.rule.id) == (value, rule)


def test_nothing_is_lacking_or_at_fault_before_a_version_is_known() -> None:
    index = RuleIndex(base(), {}, kind="nfs.conf")
    assert [name for name, tunable in base().tunables.items() if lacking(index, tunable)] == []
    conditions = [f"erratum:{name}:{fact}" for name, erratum in base().errata.items() for fact in erratum.facts]
    assert [condition for condition in conditions if holds(base().engine, condition, {})] == []


def test_a_pinned_value_stays() -> None:
    known = {"storage.platform": "knfsd", "client.kernel": "6.17.3", "mount.vers": "4.2", **MAINLINE}
    assert (row("mount.vers", known).value, row("mount.vers", known).pinned) == ("4.2", True)


@pytest.mark.parametrize(("name", "tunable"), some(SPOILED, 3))
def test_where_a_fault_is_its_setting_is_not_advised(name: str, tunable: str) -> None:
    """With its first version; what depends on more than that may be open."""
    erratum, engine = base().errata[name], base().engine
    stream, spans = next(iter(erratum.affected.items()))
    asks = {fact: value[0] if isinstance(value, list) else value for fact, value in erratum.when.items()}
    asks = {"storage.platform": "knfsd", "workload.kind": "ai-training", **asks}
    others = {fact: value for fact, value in asks.items() if fact != tunable}
    version = erratum.facts[0]
    first = spans[0].introduced or "1"
    first += ".1" if first.count(".") == 1 else ""  # a shorter number stands for all releases of its series
    here = {**others, version: first, f"{version}_stream": stream}
    found = row(tunable, here)
    if tunable in engine.facts and found.value != "omit":
        there = engine.state({**here, tunable: found.value} if found.value not in SILENT else here)
        assert not any(holds(engine, f"erratum:{name}:{of}", there) for of in erratum.facts), found
    else:
        assert found.value in (erratum.spoils[tunable], "n/a") or found.possible or found.otherwise, found


OLDEST = {"kernel": "5.4.0-42-generic", "nfs_utils": "1:1.3.4-2.5ubuntu3"}
NEWEST = {"kernel": "7.3.4", "nfs_utils": "2.9.2"}
HOSTS: list[dict[str, object]] = [
    {"host.role": "nfs-server", "storage.platform": "knfsd", "workload.kind": "hpc", "client.count": 200,
     "server.ha": True, "server.cluster_stack": "pacemaker", "server.v3_clients": True},
    {"host.role": "nfs-server", "storage.platform": "knfsd", "workload.kind": "home", "identity.users": "several",
     "network.firewall": True, "mount.vers": "3", "server.memory_gib": 64},
    {"host.role": "nfs-client", "storage.platform": "ganesha", "workload.kind": "ai-training", "mount.sec": "krb5p"},
    {"host.role": "nfs-client", "storage.platform": "knfsd", "workload.kind": "home", "network.rtt_us": 20000,
     "network.speed_gbps": 10},
]


@pytest.mark.parametrize("versions", [OLDEST, NEWEST], ids=["oldest", "newest"])
@pytest.mark.parametrize("host", HOSTS, ids=range(len(HOSTS)))
def test_no_advice_names_what_the_version_lacks(host: dict[str, object], versions: dict[str, str]) -> None:
    """Neither a reason nor a step: a text may name such a file, option or program only with its version."""
    side = str(host["host.role"]).removeprefix("nfs-")
    known = {key: value for key, value in host.items() if key in base().facts}
    known.update((f"{side}.{name}", version) for name, version in versions.items())
    index = RuleIndex(base(), known, kind="nfs.conf")

    def lacks(lives: list[Life]) -> bool:
        found = standings(lives, base().facts, lambda when: index.verdict(when, index.state))
        return any(standing.kind in ("too-new", "gone", "ignored") for standing in found)

    gone = [thing for thing, _, lives in things() if lacks(lives)]
    gone += ["nfs.conf"] if lacks([*base().kinds["nfs.conf"].lives]) else []
    assert len(gone) > 3
    pattern = re.compile("|".join(rf"(?<![\w/.-]){re.escape(thing)}(?![\w-])" for thing in gone))
    told = advise(base(), Answers(known))
    for one in told.rows:
        if one.part in ("set", "leave out"):
            for text in (one.why, one.text, *one.steps):
                if not re.search(r"(nfs-utils|Linux|kernel) [0-9]", text):
                    assert not pattern.search(text), f"{one.tunable}: {text}"
