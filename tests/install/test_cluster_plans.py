"""What Pacemaker's own scheduler would do with the group: its order, and what it does when something fails.

crm_simulate asks the scheduler for its plan and needs no cluster."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.install.clusters import exported, load
from tests.install.tools import run
from tests.tiers import thorough

pytestmark = thorough

ORDER = ["nfs-state", "nfs-data", "nfs-server", "nfs-export-1", "nfs-address", "nfs-notify"]
STEP = re.compile(r"\* (?:Resource action: +(\S+) +(start|stop|monitor=\d+) on (\w+)|Fencing (\w+))")


def plan(cib: Path, *words: str) -> tuple[list[str], Path]:
    """What the scheduler would do, in its order ("stop nfs-address a", "fence a"), and the configuration after it."""
    after = cib.with_name(f"{cib.stem}+.xml")
    told = run("crm_simulate", "--quorum", "1", "--xml-file", str(cib), "--simulate", "--save-output", str(after),
               *words).stdout
    found = STEP.findall(told.partition("Executing Cluster Transition")[2])
    return [f"fence {lost}" if lost else f"{verb} {resource} {node}" for resource, verb, node, lost in found
            if not verb.startswith("monitor=") and resource != "fence"], after


def changed(cib: Path, name: str, *words: str) -> Path:
    """A copy with an attribute of the cluster or of a node that crm_attribute sets or takes away."""
    copy = cib.with_name(f"{name}.xml")
    copy.write_text(cib.read_text())
    assert run("crm_attribute", *words, CIB_file=str(copy)).returncode == 0
    return copy


def all_of(verb: str, node: str, resources: list[str] = ORDER) -> list[str]:
    order = reversed(resources) if verb == "stop" else resources
    return [f"{verb} {resource} {node}" for resource in order]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory, fenced: str) -> tuple[list[str], Path]:
    """The plan for two nodes that have just come up with the exported group, and the configuration after it."""
    cib = tmp_path_factory.mktemp("plans") / "cib.xml"
    cib.write_text(fenced)
    load(cib, exported())
    return plan(cib, "--node-up", "a", "--node-up", "b")


@pytest.fixture(scope="module")
def runs(started: tuple[list[str], Path]) -> Path:
    """The group runs on b."""
    return started[1]


@pytest.fixture(scope="module")
def standby(runs: Path) -> Path:
    return changed(runs, "standby", "--node", "b", "--name", "standby", "--update", "on")


@pytest.fixture(scope="module")
def back(standby: Path) -> Path:
    """The group was moved to a, and b is there again."""
    moved = plan(standby)[1]
    return changed(moved, "back", "--node", "b", "--name", "standby", "--delete")


def test_the_group_starts_in_the_advised_order(started: tuple[list[str], Path]) -> None:
    assert started[0] == all_of("start", "b")


def test_a_move_stops_everything_in_reverse_before_anything_starts(standby: Path) -> None:
    assert plan(standby)[0] == [*all_of("stop", "b"), *all_of("start", "a")]


def test_nothing_starts_before_the_lost_node_is_fenced(runs: Path) -> None:
    assert plan(runs, "--node-fail", "b")[0] == ["fence b", *all_of("start", "a")]


def test_without_fencing_the_disks_are_mounted_while_the_lost_node_may_have_them(runs: Path) -> None:
    unfenced = changed(runs, "unfenced", "--name", "stonith-enabled", "--update", "false")
    assert plan(unfenced, "--node-fail", "b")[0] == all_of("start", "a")


def test_the_group_stays_when_the_other_node_comes_back(back: Path) -> None:
    assert plan(back)[0] == []


def test_without_stickiness_it_is_moved_once_more(back: Path) -> None:
    loose = back.with_name("loose.xml")
    loose.write_text(re.sub(r"<nvpair [^>]*resource-stickiness[^>]*>", "", back.read_text()))
    assert plan(loose)[0] == [*all_of("stop", "a"), *all_of("start", "b")]


def test_a_server_that_died_restarts_with_all_that_follows_it_while_the_file_systems_stay(runs: Path) -> None:
    later = ORDER[ORDER.index("nfs-server"):]
    assert plan(runs, "--op-inject", "nfs-server_monitor_10000@b=7")[0] == [
        *all_of("stop", "b", later), *all_of("start", "b", later),
    ]


def test_a_stop_that_fails_has_the_node_fenced(standby: Path) -> None:
    steps, after = plan(standby, "--op-fail", "nfs-server_stop_0@b=1")
    assert steps == all_of("stop", "b", ORDER[ORDER.index("nfs-server"):])
    assert plan(after)[0] == ["fence b", *all_of("start", "a")]
