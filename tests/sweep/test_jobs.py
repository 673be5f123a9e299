"""What fio and dd are told, and what they tell; mounts in the way; options in effect."""

from __future__ import annotations

import json

import pytest

from advisor.files.mountinfo import MountInfo
from advisor.rulebase.base import load
from advisor.sweep import jobs
from advisor.sweep.bench import all_nfs_mounts, server_mounts, servers
from advisor.sweep.design import differences, kernel_path, mount_options
from advisor.sweep.model import Asked
from tests.sweep.fake import FakeHost

READ = {"total_ios": 80, "bw_bytes": 45343827, "iops": 345.9, "runtime": 185,
        "clat_ns": {"mean": 2542723.9, "percentile": {"99.000000": 10420224}}}
IDLE = {"total_ios": 0}
TUNABLES = load().tunables


def fio(**changes: object) -> str:
    return "fio: a warning\n" + json.dumps({"jobs": [{"error": 0, "read": READ, "write": IDLE, **changes}]})


def test_fio_is_read() -> None:
    (read,) = jobs.read_fio(fio())
    assert (read.direction, read.rate, read.seconds, read.p99) == ("read", 45343827, 0.185, 10420.224)
    assert read.steady is None
    assert jobs.read_fio(fio(steadystate={"attained": 0}))[0].steady is False
    assert jobs.read_fio(fio(steadystate={"attained": 1}))[0].steady is True
    assert [one.direction for one in jobs.read_fio(fio(write=READ))] == ["read", "write"]


@pytest.mark.parametrize("output", [
    "", "{", "[]", '{"jobs": []}', '{"jobs": [{}]}', fio(read=IDLE), fio(error=28), fio(read=[]),
    fio(read={**READ, "iops": "x"}),
])
def test_what_fio_did_not_measure_is_no_data(output: str) -> None:
    with pytest.raises(jobs.JobError):
        jobs.read_fio(output)


def test_fio_gets_a_folder_of_its_own_and_writes_new_files() -> None:
    command = jobs.fio("w", {"rw": "write", "size": "1g"}, "/there")
    assert {"--directory=/there", "--unlink=1", "--fallocate=none", "--thread"} <= set(command)
    read = jobs.fio("r", {"rw": "randread", "size": "1g"}, "/there", lay_out=True)
    assert "--create_only=1" in read
    assert "--unlink=1" not in read


def test_dd_is_read() -> None:
    told = "128+0 records in\n128+0 records out\n1048576 bytes (1.0 MB, 1.0 MiB) copied, 0.5 s, 2.1 MB/s\n"
    assert jobs.read_dd("write", told)[0].rate == 2097152
    for wrong in ("", "1048576 bytes copied, 0 s, ", "x bytes copied, 1 s, "):
        with pytest.raises(jobs.JobError):
            jobs.read_dd("write", wrong)


def test_dd_does_the_nearest() -> None:
    job = {"rw": "write", "bs": "8k", "size": "1m", "direct": "1"}
    assert jobs.dd(job, "/f") == ["dd", "bs=8192", "count=128", "if=/dev/zero", "of=/f", "oflag=direct", "conv=fsync"]
    read = jobs.dd({**job, "rw": "read"}, "/f")
    assert read == ["dd", "bs=8192", "count=128", "if=/f", "of=/dev/null", "iflag=direct"]
    with pytest.raises(jobs.JobError):
        jobs.dd({**job, "rw": "randrw"}, "/f")


def test_sizes_and_times() -> None:
    assert jobs.size({"size": "4m", "numjobs": "3"}) == 12 << 20
    assert jobs.seconds({"runtime": "1m", "ramp_time": "5"}) == 65
    assert jobs.seconds({}) == 0


@pytest.mark.parametrize(("asked", "options"), [
    ({"mount.vers": "4.1", "mount.nconnect": 4, "mount.sync": True}, "vers=4.1,nconnect=4,sync"),
    ({"mount.vers": "3", "mount.sync": False}, "vers=3,async,nolock"),
    ({"mount.rsize": 65536}, "rsize=65536,nolock"),
    ({"mount.vers": "4.2", "sysctl.sunrpc.tcp_slot_table_entries": 8}, "vers=4.2"),
])
def test_options_are_written_for_mount(asked: Asked, options: str) -> None:
    assert mount_options(TUNABLES, asked) == options


def mounted(options: str, fstype: str = "nfs4") -> MountInfo:
    return MountInfo(1, 1, "0:1", "/", "/there", "rw,relatime", (), fstype, "nas:/srv", options)


IN_EFFECT = "rw,sync,vers=4.1,rsize=65536,wsize=65536,namlen=255,hard,proto=tcp,nconnect=4,timeo=600,retrans=2,sec=sys"


@pytest.mark.parametrize(("asked", "wrong"), [
    ({"mount.vers": "4.1", "mount.sync": True, "mount.nconnect": 4, "mount.rsize": 65536, "mount.hard": "hard"}, []),
    ({"mount.sync": False}, ["async was asked for; in effect is sync"]),
    ({"mount.rsize": 1048576}, ["rsize=1048576 was asked for; in effect is rsize=65536"]),
    ({"mount.nconnect": 8}, ["nconnect=8 was asked for; in effect is nconnect=4"]),
    ({"mount.vers": "3"}, ["vers=3 was asked for; in effect is vers=4.1"]),
    ({"sysctl.sunrpc.tcp_slot_table_entries": 8}, []),
])
def test_what_is_in_effect_is_compared(asked: Asked, wrong: list[str]) -> None:
    assert differences(TUNABLES, asked, mounted(IN_EFFECT)) == wrong


def test_an_option_that_is_not_shown_is_at_its_default() -> None:
    shown = "rw,vers=3,rsize=65536,hard,nolock,proto=tcp"
    assert differences(TUNABLES, {"mount.sync": False, "mount.nconnect": 1}, mounted(shown, "nfs")) == []
    assert differences(TUNABLES, {"mount.nconnect": 2}, mounted(shown, "nfs")) != []


def test_settings_of_the_kernel_have_files() -> None:
    assert kernel_path("sysctl.sunrpc.tcp_max_slot_table_entries") == "/proc/sys/sunrpc/tcp_max_slot_table_entries"
    assert kernel_path("module.nfs.max_session_slots") == "/sys/module/nfs/parameters/max_session_slots"
    assert kernel_path("sysctl.vm.dirty_ratio") is None


class Listing(FakeHost):
    def text(self, path: str) -> str:
        if path.endswith("nfsfs/servers"):
            return ("NV SERVER   PORT USE HOSTNAME\nv4 c0000201  801   1 nas\n"
                    "v3 20010db8000000000000000000000005  801   1 six\n")
        return super().text(path)


def test_the_kernel_lists_its_servers() -> None:
    assert servers(Listing()) == {"192.0.2.1", "2001:db8::5"}
    assert servers(FakeHost()) == set()


def test_mounts_in_the_way_are_named() -> None:
    assert server_mounts(Listing("/data"), ["192.0.2.1"]) == ["/data (192.0.2.1:/srv)"]
    assert server_mounts(Listing("/data"), ["192.0.2.2"]) == []
    assert server_mounts(Listing(), ["2001:db8::5"]) == ["a mount of 2001:db8::5 that no process shows"]
    assert all_nfs_mounts(FakeHost("/data")) == ["/data (192.0.2.1:/srv)"]
    assert all_nfs_mounts(FakeHost()) == []
