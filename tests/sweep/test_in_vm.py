"""A sweep in a virtual machine: a real client, a real server and fio; interrupted in every way, beside a production
mount that holds a lock.

It takes minutes a kernel where the processor cannot run machines, so it runs where ADVISOR_VM=all asks."""

from __future__ import annotations

import itertools
import json
import os
from collections import Counter, defaultdict
from functools import cache
from statistics import median

import pytest

from advisor.sweep.model import Factor, OwnNamespace, Run, SweepPlan
from advisor.sweep.plan_file import to_yaml
from tests.kernel.judge import KERNELS
from tests.kernel.vm.image import image
from tests.kernel.vm.packages import Missing, missing_programs
from tests.sweep.vm.machine import SWEEP, told
from tests.tiers import thorough

Seen = dict[str, list[str]]
WANTED = os.environ.get("ADVISOR_VM") == "all"
pytestmark = [
    thorough,
    pytest.mark.skipif(not WANTED, reason="boots virtual machines; ADVISOR_VM=all asks for it"),
    pytest.mark.skipif(bool(missing_programs()), reason=f"not installed: {', '.join(missing_programs())}"),
]

OWN = OwnNamespace("veth", "br0", "192.0.2.9/24")
FACTORS = (
    Factor("mount.vers", ("3", "4.1")), Factor("mount.nconnect", (1, 3)), Factor("mount.sync", (True, False)),
)
ALONE = (Factor("mount.vers", ("3", "4.1")), Factor("sysctl.sunrpc.tcp_slot_table_entries", (8, 16)))


def plan(export: str, factors: tuple[Factor, ...] = FACTORS, own: OwnNamespace | None = OWN) -> SweepPlan:
    points = tuple(itertools.product(*(range(len(one.levels)) for one in factors)))
    jobs = {"write": {"rw": "write", "bs": "8k", "size": "4m", "runtime": "1", "time_based": "1"}}
    return SweepPlan(export, factors, points, jobs, {"mount.rsize": 65536}, 1, 7, 0, None, (), own, "2026-11-22")


WHOLE = plan("192.0.2.1:/srv/data")
PLANS = {
    "own.yaml": to_yaml(WHOLE),
    "host.yaml": to_yaml(WHOLE._replace(own=None)),
    "ro.yaml": to_yaml(plan("192.0.2.1:/srv/ro")),
    "full.yaml": to_yaml(plan("192.0.2.1:/srv/full")),
    "dead.yaml": to_yaml(plan("192.0.2.77:/srv/data")),
    "wrong.yaml": to_yaml(WHOLE).replace("blocks: 1", "blocks: many"),
    "alone.yaml": to_yaml(plan("192.0.2.1:/srv/data", ALONE, None)),
}
STEPS = r"""
cd /tmp
left() { # what is there of a sweep that has ended
	grep -l nfs-advisor-sweep /proc/[0-9]*/mounts 2>/dev/null | each "$1.mounts"
	ip -oneline link | grep adv | each "$1.links"
	on_server ls /srv/data | grep nfs-advisor | each "$1.folders"
	tr '\n' ' ' </var/lib/nfs-advisor/sweep/journal.jsonl | grep . | each "$1.journal"
	pgrep -lx 'fio|cat|mount.nfs' | each "$1.programs"
}
mount.nfs 192.0.2.1:/srv/data /mnt/prod -o vers=4.1,hard
python3 /hold.py /mnt/prod/held >/tmp/held 2>&1 3>&- & holder=$!
until [ -e /mnt/prod/held ]; do sleep 0.1; done

for plan in host ro full dead wrong; do
	advisor sweep run /plans/$plan.yaml >/tmp/out 2>&1; say $plan.code $?
	each $plan.said </tmp/out
	left $plan
done

rows() { cat /tmp/own/runs.jsonl 2>/dev/null | wc -l; }
for signal in INT TERM KILL; do
	target=$(($(rows) + 2))
	advisor sweep run /plans/own.yaml -o /tmp/own >/tmp/out 2>&1 3>&- & sweep=$!
	until [ $(rows) -ge $target ] || ! kill -0 $sweep 2>/dev/null; do sleep 0.1; done
	sleep 1.2
	kill -$signal $sweep; wait $sweep; say $signal.code $?
	sleep 1
	left $signal
	say $signal.rows $(rows)
	[ $signal != KILL ] || each KILL.said </tmp/out
done
advisor sweep run /plans/own.yaml -o /tmp/own >/tmp/out 2>&1; say end.code $?
each end.said </tmp/out
left end
each row </tmp/own/runs.jsonl
each environment <<<"$(tr -d '\n' </tmp/own/environment.json)"

on_server python3 -c 'import fcntl; fcntl.lockf(open("/srv/data/held", "r+"), fcntl.LOCK_EX | fcntl.LOCK_NB)' 2>&1 |
	tail -1 | each rival
kill $holder; wait $holder
each held </tmp/held
on_server bash -c 'grep -h name: /proc/fs/nfsd/clients/*/info' | each clients
dmesg | grep -i 'lost .* lock\|reclaim' | each lost
umount /mnt/prod
cat /proc/sys/sunrpc/tcp_slot_table_entries | each slots.before
mv /bin/fio /bin/fio.gone
advisor sweep run /plans/alone.yaml -o /tmp/alone >/tmp/out 2>&1; say alone.code $?
each alone.said </tmp/out
left alone
each alone.row </tmp/alone/runs.jsonl
cat /proc/sys/sunrpc/tcp_slot_table_entries | each slots.after
"""


@cache
def seen(kernel: str) -> Seen:
    """What the machine said: key → its lines."""
    try:
        machine = image(kernel, SWEEP)
    except Missing as error:
        pytest.skip(f"no virtual machine: {error}")
    found: dict[str, list[str]] = defaultdict(list)
    for line in told(machine, STEPS, PLANS).replace("\r", "").splitlines():
        key, tab, value = line.partition("\t")
        if tab:
            found[key].append(value)
    return found


def left(machine: Seen, when: str) -> dict[str, list[str]]:
    """What was left after a sweep."""
    kinds = ("mounts", "links", "folders", "journal", "programs")
    return {kind: machine[f"{when}.{kind}"] for kind in kinds if machine.get(f"{when}.{kind}")}


@pytest.fixture(params=KERNELS)
def machine(request: pytest.FixtureRequest) -> Seen:
    return seen(str(request.param))


def rows(machine: Seen, key: str = "row") -> list[Run]:
    return [Run(**json.loads(line)) for line in machine[key]]


@pytest.mark.parametrize(("name", "says"), [
    ("host", "/mnt/prod (192.0.2.1:/srv/data): mounted from the same server"),
    ("ro", "Read-only file system"),
    ("full", "MiB free; the jobs need 4 MiB"),
    ("dead", "192.0.2.77:/srv/data: "),
    ("wrong", "blocks is a whole number from 1 to 1000"),
])
def test_what_cannot_run_says_why_and_leaves_nothing(machine: Seen, name: str, says: str) -> None:
    assert machine[f"{name}.code"] == ["2"]
    assert says in " ".join(machine[f"{name}.said"])
    assert left(machine, name) == {}


def test_signals_leave_nothing_mounted(machine: Seen) -> None:
    assert (machine["INT.code"], machine["TERM.code"], machine["KILL.code"]) == (["130"], ["143"], ["137"])
    assert left(machine, "INT") == left(machine, "TERM") == {}
    # The folder on the server, of which the journal tells, is all that a killed sweep leaves.
    assert left(machine, "KILL").keys() == {"folders", "journal"}
    assert "an earlier sweep did not end" in " ".join(machine["end.said"])
    assert left(machine, "end") == {}


def test_a_sweep_that_was_interrupted_has_each_run_once(machine: Seen) -> None:
    assert machine["end.code"] == ["0"]
    done = Counter((run.plot, run.block, run.point, run.job, tuple(run.asked.items())) for run in rows(machine))
    assert done == Counter(
        (one.number, one.block, one.point, job, tuple(one.asked.items())) for one in WHOLE.plots() for job in one.jobs
    )
    assert all(run.why is None and run.tool == "fio" for run in rows(machine))


def test_each_mount_had_what_it_was_asked_for(machine: Seen) -> None:
    for run in rows(machine):
        words = run.options.split(",")
        asked = run.asked
        assert {f"vers={asked['mount.vers']}", f"nconnect={asked['mount.nconnect']}", "rsize=65536"} <= set(words)
        assert ("sync" in words) is run.asked["mount.sync"]
        assert run.counted["observed.connections"] == run.asked["mount.nconnect"]


def test_sync_is_far_slower_with_small_blocks(machine: Seen) -> None:
    rates: dict[object, list[float]] = defaultdict(list)
    for run in rows(machine):
        assert run.rate is not None
        rates[run.asked["mount.sync"]].append(run.rate)
    assert 2 * median(rates[True]) < median(rates[False])


def test_the_production_mount_keeps_its_lease_and_its_lock(machine: Seen) -> None:
    *errors, to_yaml = machine["held"]
    assert errors == []
    assert "BlockingIOError" in machine["rival"][0], "the server has given the lock away"
    assert int(to_yaml.split()[1]) > 10
    assert machine.get("lost") is None
    assert any('"Linux NFSv4.1 host1"' in line for line in machine["clients"])


def test_alone_on_the_host_slot_tables_are_tried_and_set_back(machine: Seen) -> None:
    assert machine["alone.code"] == ["0"]
    assert len(rows(machine, "alone.row")) == 4
    assert all(run.tool == "dd" and run.rate for run in rows(machine, "alone.row"))
    assert "fio is not installed" in " ".join(machine["alone.said"])
    assert machine["slots.before"] == machine["slots.after"]
    assert left(machine, "alone") == {}
