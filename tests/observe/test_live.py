"""Reading this host: nothing but files of the kernel and one socket, whatever is mounted."""

from __future__ import annotations

import builtins
import io
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from advisor.observe import snapshot
from advisor.observe.counters import TcpSocket, longest_stall, read_samples, read_sockets
from advisor.observe.snapshot import Snapshot, connections, kernel_log, kernel_message


@contextmanager
def connection(family: int, address: str) -> Iterator[tuple[int, int]]:
    """The ports of a connection on which a hundred messages went each way."""
    with socket.socket(family) as listening:
        try:
            listening.bind((address, 0))
        except OSError:
            pytest.skip(f"no {address} here")
        listening.listen()
        with socket.create_connection(listening.getsockname()[:2]) as client, listening.accept()[0] as server:
            for _ in range(100):
                client.sendall(b"x")
                server.recv(1)
                server.sendall(b"y" * 3)
                client.recv(3)
            yield client.getsockname()[1], listening.getsockname()[1]


@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_the_kernel_tells_of_a_connection_what_went_over_it(family: int, address: str) -> None:
    with connection(family, address) as (local, port):
        text = connections([port])
        if not text:
            pytest.skip("the kernel has no sock_diag")
        (one,) = read_sockets(text)
        assert (one.local, one.peer) == ((address, local), (address, port))
        assert one.values["data_segs_out"] == one.values["data_segs_in"] == 100
        assert one.values["bytes_received"] == 300
        assert 0 < one.values["minrtt"] <= one.values["rtt"] < 1000
        assert connections([1]) == ""


def test_what_ss_prints_is_read_with_and_without_the_state() -> None:
    line = "127.0.0.1:886 [::ffff:192.0.2.7]:2049 \n\t skmem:(r0,rb131072) cubic rto:208 rtt:6.563/1.46 busy:2920ms "
    for head in ("0 0 ", "ESTAB 0      0      "):
        (one,) = read_sockets(head + line + "rwnd_limited:12ms(3.4%) minrtt:0.13\n")
        values = {"rto": 208, "rtt": 6.563, "busy": 2920, "rwnd_limited": 12, "minrtt": 0.13}
        assert one == TcpSocket(("127.0.0.1", 886), ("192.0.2.7", 2049), values)


def test_a_reading_opens_only_files_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    stats = "device nas:/x mounted on /mnt/dead with fstype nfs4 statvers=1.1\n\topts:\tvers=4.2,port=2050\n"
    mounted = "40 1 0:50 / /mnt/dead rw - nfs4 nas:/x rw,addr=192.0.2.7\n"

    def fake(path: str, mode: str) -> io.BytesIO:
        opened.append(path)
        return io.BytesIO({"mountstats": stats, "mountinfo": mounted}.get(path.rpartition("/")[2], "128\n").encode())

    def listed(path: str) -> list[str]:
        opened.append(path)
        return ["xprt-0-tcp"] if "switch-" in path else ["switch-0"]

    monkeypatch.setattr(builtins, "open", fake)
    monkeypatch.setattr(os, "listdir", listed)
    texts = snapshot.snapshot()
    looked = snapshot.sample()
    monkeypatch.undo()
    assert texts["bdi_read_ahead_kb"] == "0:50 128\n"
    assert "# /sys/kernel/sunrpc/xprt-switches/switch-0/xprt-0-tcp/xprt_info state: 128 dst: 128" in looked
    assert all(path.startswith(("/proc/", "/sys/")) for path in opened)
    assert not [path for path in opened if "dead" in path]


def test_a_host_without_anything_gives_an_empty_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(path: str, *_: object) -> None:
        raise PermissionError(path)

    monkeypatch.setattr(builtins, "open", nothing)
    monkeypatch.setattr(os, "listdir", nothing)
    monkeypatch.setattr(snapshot, "connections", lambda _: "")
    texts = snapshot.snapshot()
    monkeypatch.undo()
    empty = Snapshot(texts)
    assert (empty.mounts, empty.pools, empty.uptime, empty.sockets) == ([], None, None, [])


def test_looks_end_with_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(snapshot.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(snapshot.time, "sleep", sleep)
    monkeypatch.setattr(snapshot, "SAMPLE_INTERVAL", 0.5)
    monkeypatch.setattr(snapshot, "sample", lambda: "@@ t=1\n")
    assert len(list(snapshot.samples(3))) == 7  # at 0, 0.5, … 2.5 and 3.0


def test_a_transport_that_moves_does_not_stand_still() -> None:
    def at(second: float, used: int, pending: int = 1) -> str:
        return (f"@@ t={second}\n# /s/switch-1/xprt-1-tcp/xprt_info state: x dst: 192.0.2.7\nlast_used={used}\n"
                f"pending_q_len={pending}\n")

    assert longest_stall(read_samples(at(1, 5) + at(2, 6) + at(3, 7))) == 0
    assert longest_stall(read_samples(at(1, 5) + at(2, 5) + at(4, 5) + at(5, 6))) == 3
    assert longest_stall(read_samples(at(1, 5) + at(2, 5, 0) + at(4, 5))) == 0


@pytest.mark.parametrize(("record", "said"), [
    ("6,1234,5000000,-;nfs: server nas OK\n SUBSYSTEM=x\n", "nfs: server nas OK"),
    ("6,1234,4999999,-;older\n", None),
    ("garbage", None), ("6,1,x,-;no time\n", None), ("6,1,99999999999999999999999999,-;far\n", "far"),
])
def test_records_of_the_kernel_are_those_of_the_window(record: str, said: str | None) -> None:
    assert kernel_message(record, 5.0) == said


def test_the_ring_of_this_kernel_is_read_or_refused() -> None:
    assert kernel_log(float(10**9)) in (None, [])
