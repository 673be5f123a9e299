"""The faults of other tools that docs/observe.md lists: what they make of some counters, and what is right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.observe.quantities import conclusions
from advisor.observe.snapshot import Snapshot
from advisor.observe.window import server_quantities, windows
from advisor.rulebase.base import load
from tests.observe.test_window import between, row
from tests.observe.texts import mount, tcp

DOCS = Path(__file__).parents[2] / "docs/observe.md"
CALLS = row(4000, 4000, 0, 1, 1, 100, 4000, 5000, 0)


def several_connections() -> None:
    """Four connections with 1000, 1010, 990 and 0 sends: the last alone would show no traffic and no backlog."""
    sends, waits = (1000, 1010, 990, 0), (4000, 4040, 3960, 0)
    last = mount(age=70, ops=CALLS, xprts=[tcp(sends=one, backlog=two) for one, two in zip(sends, waits)])
    found = between(mount(age=60, xprts=[tcp()] * 4), last).quantities
    assert (sends[-1], waits[-1]) == (0, 0)
    assert found["observed.backlog"] == 4000
    assert found["observed.connections"] == 4


def backlog_by_the_interval() -> None:
    """The same load, looked at for 1, 10 and 60 s."""
    theirs, ours = [], []
    for seconds in (1, 10, 60):
        sends, waiting = 100 * seconds, 400 * seconds
        last = mount(age=60 + seconds, ops=row(sends, sends, 0, 1, 1, 1, 9 * sends, 9 * sends, 0),
                     xprts=[tcp(sends=sends, backlog=waiting)])
        theirs.append(round(waiting / sends / seconds, 2))
        ours.append(between(mount(age=60, xprts=[tcp()]), last, seconds).quantities["observed.backlog"])
    assert theirs == [4.0, 0.4, 0.07]
    assert ours == [4000, 4000, 4000]


def read_plus() -> None:
    """No READ at all, and yet the mount reads."""
    last = mount(age=70, ops={"READ_PLUS": [40, 40, 0, 1, 1, 1, 400, 500, 0]}, sizes={4: 40 << 17})
    one = between(mount(age=60), last)
    assert "READ" not in one.calls
    assert (one.quantities["observed.reads"], one.quantities["observed.read_payload"]) == (40, 1 << 17)


def served(packets: int, woken: int) -> dict[str, int]:
    """Two readings of a server whose `th` line says nothing and which queues a socket with each message."""
    first, last = (
        Snapshot({"nfsd_pool_stats": f"0 {arrived} {arrived} {slept} 0\n", "rpc_nfsd": "th 1 0 0.000 0.000 0.000\n"})
        for arrived, slept in ((100, 100), (100 + packets, 100 + woken))
    )
    return server_quantities(first, last)


def starved(packets: int, woken: int) -> bool:
    return "server_threads" in {one.conclusion.id for one in conclusions(load(), served(packets, woken))}


def thread_histogram() -> None:
    """Starved or not, the histogram is 0; the threads that were woken tell."""
    assert starved(900, 20)
    assert not starved(900, 890)


def sockets_enqueued() -> None:
    """As many as messages, with threads to spare."""
    assert not starved(900, 900)


def long_queue() -> None:
    """80 % of the time is spent in the queue each time, and the cause is another one each time."""
    queued = {
        "mount.vers": "4.2", "observed.calls": 900, "observed.queue_share": 800, "observed.stall": 0,
        "observed.backlog": 0, "observed.send_queue": 0, "observed.reconnects": 0, "observed.tasks_per_request": 1000,
    }
    causes = {
        "rpc_slots": {"observed.backlog": 6400}, "session_slots": {"observed.tasks_per_request": 4800},
        "send_queue": {"observed.send_queue": 16_000}, "resets": {"observed.reconnects": 8},
    }
    for cause, sign in causes.items():
        drawn = {one.conclusion.id for one in conclusions(load(), {**queued, **sign})}
        assert drawn & causes.keys() == {cause}


FAULTS: dict[str, Callable[[], None]] = {
    "with `nconnect`, the counters of the last connection only": several_connections,
    '"rpc bklog" divided by the seconds of the interval: 4.0, 0.4 or 0.07 for the same load': backlog_by_the_interval,
    "on Linux 6.12, NFSv4.2 reads with READ_PLUS": read_plus,
    "the `th` line of `/proc/net/rpc/nfsd`, whose histogram is always 0": thread_histogram,
    "`sockets-enqueued` of `pool_stats`, which counts with each packet": sockets_enqueued,
    "a long queue as a sign of too few slots": long_queue,
}
"""The second column of the table → what shows it."""


@pytest.mark.parametrize("fault", FAULTS)
def test_the_counters_are_read_rightly_where_others_err(fault: str) -> None:
    FAULTS[fault]()


def test_each_fault_that_the_page_lists_is_shown_here() -> None:
    table = DOCS.read_text(encoding="utf-8").partition("## What other tools get wrong")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    assert [cells[1] for cells in rows] == list(FAULTS)


def test_an_empty_window_of_a_mount_is_no_fault() -> None:
    """Nothing is divided by the calls that there were none of."""
    (one,) = windows(Snapshot({"mountstats": mount(age=60)}), Snapshot({"mountstats": mount(age=70)}))
    assert one.quantities["observed.calls"] == 0
    assert "observed.rtt" not in one.quantities
