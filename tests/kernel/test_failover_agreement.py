"""What two kernels did when a pair failed over, beside what the rules say of each point of the design."""

from __future__ import annotations

import json
from math import ceil
from pathlib import Path

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.rulebase.base import load
from tests.each import each
from tests.kernel.failover.cases import cases
from tests.kernel.failover.outcome import Outcome

FILE = Path(__file__).with_name("observed-failover.jsonl")
SEEN = [Outcome(**json.loads(line)) for line in FILE.read_text(encoding="utf-8").splitlines()]
CASES = cases()
PERIOD = 0.5
"""Seconds between two records, which are part of every pause."""
GRACE, BACK_OFF = 90, 15
"""Seconds: what the servers were given, and after which a client that was told to wait asks again at the latest."""
NOT_ADVISED = {"fsid-differs", "data-missing-mountpoint", "nameless-v3", "node-mounted"}
"""Cases that break something beyond the decisions of the rule base."""
UNEXPECTED = {
    ("crash-v40", "6.12"): "the client appends over its first record, as failover-observed.v40-append says",
    ("agents-v3", "6.12"): "the erratum nfsnotify-statd-directory",
    ("agents-crash-v3", "6.12"): "the same",
    ("pacemaker-order", "6.12"): "the exports followed the address at once, and no client asked in between",
    ("file-systems-stop-first", "6.12"): "this kernel gives up the state of a withdrawn export, and umount works",
}
"""What the rules do not say; docs/failover.md tells of it."""
EXPECTED = [one for one in SEEN if (one.case, one.kernel) not in UNEXPECTED]
ADVISED = [one for one in EXPECTED if CASES[one.case].without is None and one.case not in NOT_ADVISED]
MANAGED = [one for one in SEEN if one.asked is not None and "move=crash" in CASES[one.case].settings]
"""Pacemaker had a lost node fenced."""
DECIDING = 1
"""Seconds that Pacemaker took, in the emulated machine, from Corosync's word that a node is lost to its request."""
LEFT_OUT = [(one, CASES[one.case].without) for one in EXPECTED if CASES[one.case].without is not None]


def name(one: Outcome) -> str:
    return f"{one.case} {one.kernel}"


def harmed(one: Outcome) -> bool:
    """Whether a program lost its lock or its data, or was told of an error; or the cluster would have fenced a node."""
    return bool(one.errors or one.lost or one.stolen or one.failed)


@each(lambda: zip(ADVISED), name)
def test_the_design_loses_nothing(one: Outcome) -> None:
    assert not harmed(one)
    assert one.pause is not None, "the program never went on"


@each(lambda: zip(ADVISED), name)
def test_the_pause_is_within_the_arithmetic(one: Outcome) -> None:
    """rules/sizing: what is served again after `started` is noticed after twice that silence at the latest."""
    assert one.pause
    assert one.pause <= 2 * one.started + 2 * PERIOD


@each(lambda: zip(MANAGED), name)
def test_pacemaker_is_within_the_estimates(one: Outcome) -> None:
    """rules/sizing, with the token timeout of the machine, and fencing and the start as they were seen to take."""
    assert one.asked is not None
    told = advise(load(), Answers({
        "host.role": "nfs-server", "storage.platform": "knfsd", "server.ha": True, "server.cluster_stack": "pacemaker",
        "server.token_ms": 3000, "server.fencing_s": ceil(one.stopped - one.asked),
        "server.start_s": ceil(one.started - one.stopped),
    }))
    seconds = {figure.tunable: figure.value for figure in told.estimates}
    assert one.asked <= seconds["estimate.failover_noticed"] + DECIDING
    assert one.started <= seconds["estimate.failover_served"] + DECIDING
    assert one.pause is None or one.pause <= seconds["estimate.failover_resumed"] + 2 * (DECIDING + PERIOD)


@each(lambda: LEFT_OUT)
def test_a_point_left_out_costs_what_the_rule_says(one: Outcome, decision: str) -> None:
    rules = load().decisions[decision].rules.values()
    said = {rule.consequence for rule in rules if rule.layer not in ("default", "gate")}
    assert said & {"data-loss", "stale-data", "hang", "errors", "performance"}
    if said == {"performance"}:
        (advised,) = (other for other in ADVISED if other.kernel == one.kernel and other.case == "planned")
        assert one.stopped > 10 * advised.stopped
    else:
        assert harmed(one)


@each(lambda: zip(SEEN), name)
def test_grace_ends_early_for_those_who_can_say_so(one: Outcome) -> None:
    """rules/sizing: NFSv4.0 keeps the whole grace period for all opens, NFSv3 that of lockd for all locks."""
    whole = (GRACE - 5, GRACE + BACK_OFF)
    if one.case == "crash-v40":
        assert one.new_open is not None
        assert whole[0] < one.new_open <= 2 * GRACE + BACK_OFF, "reclaiming prolongs it"
    elif one.case in ("planned-v3", "crash-v3", "pacemaker-v3", "pacemaker-crash-v3"):
        assert one.new_open is not None
        assert one.new_lock is not None
        assert one.new_open < 5
        assert whole[0] < one.new_lock <= whole[1]
    elif one.case in ("planned", "crash", "crash-v41", "v3-off", "pacemaker", "pacemaker-crash"):
        assert one.new_lock is not None
        assert one.new_lock < 5


def test_every_case_was_seen() -> None:
    assert {one.case for one in SEEN} == set(CASES)
    assert {one.kernel for one in SEEN} == {"6.1", "6.12"}
