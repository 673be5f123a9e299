"""What lies between two readings: sums that add up, and nothing where the counters do not tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.observe.counters import SampledTransport, held_back_calls, read_samples
from advisor.observe.snapshot import Snapshot
from advisor.observe.window import MountWindow, server_quantities, unmounted_targets, windows
from tests import needs
from tests.observe.recorded import SHARED, judged, scenarios
from tests.observe.texts import mount, mountinfo, tcp

READ = {"READ": [10, 10, 0, 1000, 40960, 100, 200, 400, 0]}


def snapshot(stats: str, uptime: float | None = None, **texts: str) -> Snapshot:
    seconds = {} if uptime is None else {"uptime": f"{uptime} 0.0\n"}
    return Snapshot({"mountstats": stats, **seconds, **texts})


def between(first: str, last: str, seconds: float = 10, **texts: str) -> MountWindow:
    (one,) = windows(snapshot(first, 100, **texts), snapshot(last, 100 + seconds, **texts))
    return one


def row(*numbers: int) -> dict[str, list[int]]:
    return {"READ": list(numbers)}


def test_times_are_those_of_the_window() -> None:
    one = between(mount(age=60, ops=READ), mount(age=70, ops=row(30, 30, 0, 3000, 122880, 300, 4200, 8400, 0)))
    assert one.calls == {"READ": 20}
    assert one.quantities["observed.rtt"] == 200_000
    assert one.quantities["observed.queue"] == 10_000
    assert one.quantities["observed.execute"] == 400_000
    assert one.quantities["observed.concurrency"] == 800
    assert one.quantities["observed.queue_share"] == 25
    assert (one.seconds, one.since_mount) == (10, False)


def test_all_connections_count_and_not_only_the_last() -> None:
    first = mount(age=60, xprts=[tcp(sends=0) for _ in range(4)])
    sends = (1000, 1010, 990, 200)
    last = mount(age=70, xprts=[tcp(sends=number, backlog=2 * number) for number in sends], ops=READ)
    found = between(first, last).quantities
    assert found["observed.connections"] == 4
    assert found["observed.backlog"] == 2000
    assert found["observed.slowest_connection"] == 200 * 4 * 1000 // sum(sends)


def test_a_counter_that_wrapped_went_on() -> None:
    first = mount(age=60, ops=row(10, 10, 0, 1, 1, 2**64 - 50, 100, 100, 0))
    last = mount(age=70, ops=row(20, 20, 0, 1, 1, 50, 300, 600, 0))
    assert between(first, last).quantities["observed.queue"] == 10_000


def test_a_line_that_ran_backwards_is_not_counted() -> None:
    first = mount(age=60, ops={**row(10, 10, 0, 1, 1, 500, 100, 100, 0), "WRITE": [1, 1, 0, 1, 1, 1, 1, 1, 0]})
    last = mount(age=70, ops={**row(20, 20, 0, 1, 1, 400, 300, 600, 0), "WRITE": [4, 4, 0, 1, 1, 1, 7, 7, 0]})
    assert between(first, last).calls == {"WRITE": 3}


def test_a_mount_that_was_mounted_again_counts_from_then_on() -> None:
    one = between(mount(age=6000, ops=row(900, 900, 0, 1, 1, 1, 1, 1, 0)), mount(age=4, ops=READ))
    assert one.calls["READ"] == 10
    assert one.seconds == 5
    assert not one.since_mount
    younger = between(mount(age=5, ops=row(4, 4, 0, 1, 1, 1, 1, 1, 0)), mount(age=8, ops=READ), seconds=60)
    assert younger.calls["READ"] == 10


def test_one_reading_is_an_average_since_the_mount() -> None:
    (one,) = windows(None, snapshot(mount(age=100, ops=READ)))
    assert (one.since_mount, one.seconds) == (True, 100)
    assert "observed.reconnects" not in one.quantities


def test_ages_tell_the_window_where_no_clock_was_kept() -> None:
    (one,) = windows(snapshot(mount(age=60)), snapshot(mount(age=90, ops=READ)))
    assert one.seconds == 30


def test_a_mount_that_ended_is_told() -> None:
    assert unmounted_targets(snapshot(mount("/a") + mount("/b")), snapshot(mount("/b"))) == ["/a"]


def test_idle_disconnects_are_no_losses() -> None:
    idle, busy = (mount(age=60, xprts=[tcp(connects=1, idle=idle, sends=5)]) for idle in (400, 2))
    last = mount(age=70, xprts=[tcp(connects=2, sends=15)], ops=READ)
    assert between(idle, last).quantities["observed.reconnects"] == 0
    assert between(busy, last).quantities["observed.reconnects"] == 1


def test_a_connection_that_was_added_leaves_the_spread_unknown() -> None:
    first = mount(age=60, xprts=[tcp(sends=500)])
    last = mount(age=70, xprts=[tcp(sends=900), tcp(sends=3)], ops=READ)
    assert not {"observed.backlog", "observed.slowest_connection"} & between(first, last).quantities.keys()


SAMPLES = """@@ t=10.0
# /sys/kernel/sunrpc/xprt-switches/switch-1/xprt-1-tcp/xprt_info state: state= CONNECTED dst: 192.0.2.7
last_used=5
pending_q_len=2
sending_q_len=0
tasks_queuelen=8
src_port=700
dst_port=2049
@@ t=13.5
# /sys/kernel/sunrpc/xprt-switches/switch-1/xprt-1-tcp/xprt_info state: state= CONNECTED dst: 192.0.2.7
last_used=5
pending_q_len=2
sending_q_len=0
tasks_queuelen=8
src_port=700
dst_port=2049
# /sys/kernel/sunrpc/xprt-switches/switch-2/xprt-2-tcp/xprt_info state: state=CLOSED dst: 192.0.2.7
<closed>
"""
SOCKETS = ("0 0 192.0.2.1:700 192.0.2.7:2049\n\t cubic rtt:0.5/0.1 minrtt:0.4 data_segs_in:90 busy:100ms "
           "rwnd_limited:50ms(50.0%)\n0 0 192.0.2.1:800 198.51.100.1:2049\n\t rtt:99/1 data_segs_in:5\n")


def seen(last: str, vers: str = "4.2") -> list[MountWindow]:
    texts = {"mountinfo": mountinfo("/mnt/1", "/mnt/2"), "ss_client": SOCKETS}
    first = snapshot(mount(age=60, vers=vers) + mount("/mnt/2", age=60), 100, mountinfo=mountinfo("/mnt/1", "/mnt/2"))
    return windows(first, snapshot(last, 110, **texts), read_samples(SAMPLES))


def test_queues_and_sockets_belong_to_the_mounts_of_their_server() -> None:
    for one in seen(mount(age=70, ops=READ) + mount("/mnt/2", age=70, ops=READ)):  # two mounts, one client: they share
        assert one.quantities["observed.stall"] == 3500
        assert one.quantities["observed.tasks_per_request"] == 4000
        assert one.quantities["observed.tcp_rtt"] == 500
        assert one.quantities["observed.window_limited"] == 500


def test_connections_that_may_be_another_mounts_say_nothing() -> None:
    two = mount(age=70, ops=READ) + mount("/mnt/2", age=70, vers="4.1", xprts=[tcp(sends=7)], ops=READ)
    for one in seen(two):  # two clients of NFSv4, and no port tells which is whose
        assert not {"observed.stall", "observed.tcp_rtt"} & one.quantities.keys()


def test_nfs3_says_which_port_is_its_own() -> None:
    older, newer = seen(
        mount(age=70, vers="3", xprts=[tcp(port=700, sends=9)], ops=READ) + mount("/mnt/2", age=70, ops=READ), "3"
    )
    assert older.quantities["observed.stall"] == 3500
    assert "observed.stall" not in newer.quantities


def test_the_server_of_a_copy_without_counters_is_unknown() -> None:
    pools = "# pool packets-arrived sockets-enqueued threads-woken threads-timedout\n0 100 100 30 0\n1 100 100 10 0\n"
    assert server_quantities(None, snapshot("")) == {}
    assert server_quantities(None, snapshot("", nfsd_pool_stats=pools)) == {
        "observed.server_messages": 200, "observed.threads_woken": 200,
    }
    assert server_quantities(snapshot("", nfsd_pool_stats=pools), snapshot("", nfsd_pool_stats=pools)) == {}


@st.composite
def steps_of_time(draw: st.DrawFn) -> tuple[int, ...]:
    """What a line may grow by: no call is sent less than once, and none is shorter than its parts."""
    calls = draw(st.integers(0, 10**6))
    queue, rtt, after = (draw(st.integers(0, 100)) * calls for _ in range(3))
    return calls, calls * draw(st.integers(1, 100)), 0, 1, 1, queue, rtt, queue + rtt + after, 0


@given(st.lists(steps_of_time(), min_size=3, max_size=3))
def test_two_windows_are_as_long_as_the_one_over_both(steps: list[tuple[int, ...]]) -> None:
    numbers = [[sum(step[place] for step in steps[:count]) for place in range(9)] for count in (1, 2, 3)]
    first, middle, last = (mount(age=10 * place, ops=row(*each)) for place, each in enumerate(numbers, 1))
    halves = between(first, middle).calls.get("READ", 0) + between(middle, last).calls.get("READ", 0)
    assert halves == between(first, last, 20).calls.get("READ", 0)


@pytest.mark.skipif(not SHARED.is_dir(), reason=needs.SHARED)
def test_recordings_give_the_numbers_that_another_program_found() -> None:
    names = {"rtt_ms": "rtt", "queue_ms": "queue", "exe_ms": "execute", "bklog": "backlog", "sending": "send_queue",
             "demand": "concurrency", "queue_share": "queue_share"}
    wrong = []
    for one in scenarios():
        numbers = one["numbers"]
        assert isinstance(numbers, dict)
        found = judged(one["id"], one["mount"])[0].quantities
        assert found["observed.calls"] == numbers["calls"]
        for name, ours in names.items() if numbers["calls"] else ():
            told, value = numbers[name] * 1000, found[f"observed.{ours}"]
            assert isinstance(value, int)
            if abs(value - told) > max(0.02 * told, 12):
                wrong.append((one["id"], name, told, value))
    assert wrong == []


@pytest.mark.parametrize("row", [
    (10, 4, 0, 1, 1, 1, 5, 5, 0),  # sent less often than called
    (10, 10, 0, 1, 1, 9_000_000, 5, 5, 0),  # waited longer than they took
    (10, 10, 0, 1, 1, 1, 9_000_000, 5, 0),
    (10, 10, 0, 1, 1, 1, 5, 10**15, 0),  # took longer than the mount is old
    (1 << 60, 1 << 60, 0, 1, 1, 1, 5, 5, 0),
])
def test_a_line_that_cannot_be_is_not_counted(row: tuple[int, ...]) -> None:
    last = mount(age=70, ops={"READ": row, "WRITE": [3, 3, 0, 1, 1, 1, 7, 7, 0]})
    assert between(mount(age=60), last).calls == {"WRITE": 3}


def test_a_connection_that_ran_backwards_says_nothing_of_losses() -> None:
    first, last = (
        mount(age=age, xprts=[tcp(connects=count, sends=age)], ops=READ) for age, count in ((60, 9), (70, 2))
    )
    assert "observed.reconnects" not in between(first, last).quantities


@pytest.mark.parametrize(
    ("xprt", "proto"), [("rdma 0 1 1 0 0 {} 499 0 600 7", "rdma"), ("udp 824 0 {} 51 1 60 2", "udp")]
)
def test_segments_of_tcp_say_nothing_of_other_transports(xprt: str, proto: str) -> None:
    segments = "Tcp: OutSegs RetransSegs\nTcp: {} {}\n"
    then, now = (
        mount(age=age, xprts=[xprt.format(age)], ops=READ).replace("proto=tcp", f"proto={proto}") for age in (60, 70)
    )
    first = snapshot(then, snmp_tcp=segments.format(1000, 10))
    (one,) = windows(first, snapshot(now, 110, snmp_tcp=segments.format(2000, 90)))
    assert one.quantities["mount.proto"] == proto
    assert "observed.segments" not in one.quantities


def test_mounts_that_share_connections_know_it() -> None:
    shared, own = [tcp(connects=1, sends=70, receives=70)], [tcp(connects=1, sends=9, receives=9)]
    last = snapshot(mount("/a", xprts=shared) + mount("/b", xprts=shared) + mount("/c", xprts=own),
                    mountinfo=mountinfo("/a", "/b", "/c"))
    assert [one.quantities["observed.sharing"] for one in windows(None, last)] == [2, 2, 1]


def test_the_server_tells_which_versions_it_served() -> None:
    pools = "0 {0} {0} {0} 0\n"
    fourth = " ".join(["0"] * 30 + ["{1}"] + ["0"] * 4 + ["3", "0"])
    nfsd = "rc {0} 5 9\nproc3 3 1 {0} 7\nproc4ops 37 " + fourth + "\n"

    def reading(calls: int, renewed: int) -> Snapshot:
        return snapshot("", nfsd_pool_stats=pools.format(calls), rpc_nfsd=nfsd.format(calls, renewed))

    assert server_quantities(reading(100, 4), reading(160, 6)) == {
        "observed.server_messages": 60, "observed.threads_woken": 1000, "observed.repeated_calls": 60,
        "observed.v3_calls": 60, "observed.v40_calls": 2,
    }
    restarted = server_quantities(reading(100, 4), reading(60, 1))
    assert restarted == {}


@pytest.mark.parametrize("text", ["", "rc", "proc3 2 x y", "proc4ops 2 1", "rc " + "9" * 5000])
def test_a_damaged_count_of_the_server_is_none(text: str) -> None:
    pools = "0 9 9 9 0\n"
    found = server_quantities(snapshot("", nfsd_pool_stats=pools, rpc_nfsd=text),
                              snapshot("", nfsd_pool_stats="0 99 99 99 0\n", rpc_nfsd=text))
    assert set(found) == {"observed.server_messages", "observed.threads_woken"}


def test_calls_that_are_held_back_have_no_request_yet() -> None:
    """Tasks less those that were sent or wait for the socket; or, where no tasks are counted, those without a slot."""

    def held(*transports: dict[str, int]) -> list[float]:
        return held_back_calls([SampledTransport(1.0, "a", f"{n}", "", one) for n, one in enumerate(transports)])

    assert held({"tasks_queuelen": 9, "pending_q_len": 3, "sending_q_len": 1}) == [5]
    assert held({"tasks_queuelen": 2, "pending_q_len": 3, "backlog_q_len": 4}) == [4]
    assert held({"tasks_queuelen": 2, "pending_q_len": 3}) == [0]
    assert held({"backlog_q_len": 4}, {"backlog_q_len": 5}) == [9]
    assert held({}) == [0]
    later = SampledTransport(2.0, "a", "0", "", {"backlog_q_len": 1})
    assert held_back_calls([SampledTransport(1.0, "a", "0", "", {"backlog_q_len": 7}), later]) == [7, 1]
