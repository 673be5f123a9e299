"""`advisor observe`: what it prints, what it keeps, and what it refuses."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from advisor.cli import main, observe
from advisor.observe import snapshot
from advisor.observe.snapshot import RecordingError, record
from advisor.rulebase.base import load
from advisor.rulebase.model.record import facts_in
from tests.each import each
from tests.observe.test_window import SAMPLES, SOCKETS
from tests.observe.texts import mount, mountinfo, tcp
from tests.schemas import validate

KINDS = [f"KIND_{letter}" for letter in "ABCDEFGHIJKL"]
SLOW = {"READ": [400, 400, 0, 1, 1, 100, 80_000, 80_400, 0]}
STARVED = [tcp(sends=400, backlog=2600)]


def readings(host: str = "/mnt/1") -> tuple[dict[str, str], dict[str, str]]:
    """Before and after a window in which calls waited for RPC slots."""
    common = {"mountinfo": mountinfo(host), "bdi_read_ahead_kb": "0:50 128\n"}
    first = {"mountstats": mount(host, age=60, xprts=[tcp(sends=0)]), "uptime": "100 0\n", **common}
    last = {"mountstats": mount(host, age=70, xprts=STARVED, ops=SLOW), "uptime": "110 0\n", "ss_client": SOCKETS}
    return first, {**last, **common}


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    record(str(tmp_path / "kept"), *readings(), SAMPLES)
    return tmp_path / "kept"


def printed(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert main(["observe", *args]) == 0
    return capsys.readouterr().out


def test_a_recording_is_judged_in_words_that_fit_the_screen(
    capsys: pytest.CaptureFixture[str], recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = printed(capsys, "--replay", str(recording))
    assert out.startswith("/mnt/1  nas:/export\n  in 10 s: 400 calls\n")
    assert "Too few RPC slots" in out
    assert "6.5 calls waited for a slot" in out
    assert "sysctl.sunrpc.tcp_max_slot_table_entries" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out


def test_json_keeps_its_published_schema(capsys: pytest.CaptureFixture[str], recording: Path) -> None:
    told = json.loads(printed(capsys, "--replay", str(recording), "--output-format", "json"))
    validate(told, "advisor-observe-1")
    (one,) = told["mounts"]
    assert "rpc_slots" in {each["id"] for each in one["conclusions"]}
    assert {"observed.backlog", "observed.calls"} <= set(one["conclusions"][0]["evidence"])
    assert sum(one["time"].values()) == 201_000  # 100 + 80 000 ms of 400 calls, and 300 after the answers


def test_a_mount_that_is_mounted_again_counts_from_then_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first, last = readings()
    first["mountstats"] = mount(age=60, ops={"READ": [9000, 9000, 0, 1, 1, 1, 9, 9, 0]})
    last["mountstats"] = mount(age=3, ops=SLOW)
    record(str(tmp_path / "kept"), first, last, "")
    told = printed(capsys, "--replay", str(tmp_path / "kept"))
    assert "since it was mounted in the window, 4 s ago: 401 calls" in told  # with NULL, the first of every mount


def test_a_page_and_a_picture_tell_the_same_and_need_nothing_else(
    capsys: pytest.CaptureFixture[str], recording: Path
) -> None:
    page = printed(capsys, "--replay", str(recording), "--output-format", "html")
    picture = printed(capsys, "--replay", str(recording), "--output-format", "svg")
    ElementTree.fromstring(picture)
    for text in (page, picture):
        for told in ("Too few RPC slots", "waits in the client", "(200 ms)", "READ", "no histogram"):
            assert told in text
        assert "<1 % (0.25 ms)" in text or "&lt;1 % (0.25 ms)" in text
        assert not re.search("<script|<link|<img|@import", text)
        assert set(re.findall("https?://[^ \"']*", text)) <= {"http://www.w3.org/2000/svg"}
    assert page.startswith("<!DOCTYPE html>")


def test_what_cannot_be_told_apart_is_named_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    first, last = readings()
    del last["ss_client"]
    record(str(tmp_path / "kept"), first, last, "")
    out = printed(capsys, "--replay", str(tmp_path / "kept"))
    assert "▚ network and server together  100 % (200 ms)" in out
    assert "▓" not in out
    assert "network and server cannot be told apart" in out


def test_kinds_of_calls_are_told_with_their_times_and_sizes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    first, last = readings()
    calls = {name: [10, 10, 0, 2048, 20480, 5, 20, 30 + number, 0] for number, name in enumerate(KINDS)}
    last["mountstats"] = mount(age=70, ops=calls)
    record(str(tmp_path / "kept"), first, last, "")
    rows = printed(capsys, "--replay", str(tmp_path / "kept")).partition("Calls by kind\n")[2].splitlines()
    assert rows[0].split("  ")[-1] == "KiB back"
    # 41 of all 426 ms; 10 calls of 4.1 ms, of 0.2 and 2.0 KiB
    assert rows[1].split() == ["KIND_L", "10", "9.6", "4.1", "0.5", "2.0", "0.2", "2.0"]
    assert rows[9].split() == ["4", "others", "40", "29.6", "3.1", "0.5", "2.0", "0.2", "2.0"]


def test_markdown_is_for_a_ticket(capsys: pytest.CaptureFixture[str], recording: Path) -> None:
    assert "## Too few RPC slots" in printed(capsys, "--replay", str(recording), "--output-format", "markdown")


def test_what_is_watched_and_kept_is_judged_the_same_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = iter(readings())
    monkeypatch.setattr(snapshot, "snapshot", lambda: next(texts))
    monkeypatch.setattr(snapshot, "samples", lambda _: iter([SAMPLES]))
    monkeypatch.setattr(snapshot, "kernel_log", lambda _: SAID.splitlines())
    watched = printed(capsys, "--for", "10s", "--record", str(tmp_path / "kept"))
    assert "Too few RPC slots" in watched
    assert printed(capsys, "--replay", str(tmp_path / "kept")) == watched


def test_facts_are_written_for_other_commands(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    first, last = readings()
    asked = {"GETATTR": [4000, 4000, 0, 1, 1, 1, 900, 9000, 0]}
    last["mountstats"] = mount("/mnt/1", age=70, ops=asked, events={16: 50})
    record(str(tmp_path / "kept"), first, last, "")
    facts = tmp_path / "facts.yaml"
    printed(capsys, "--replay", str(tmp_path / "kept"), "--write-to", str(facts))
    assert "workload.access: \"metadata\"  # 100 % of 4,000 calls" in facts.read_text()
    (tmp_path / "fstab").write_text("nas:/export /mnt/1 nfs4 defaults 0 0\n")
    given = ["--mounts", str(tmp_path / "fstab"), "--facts", str(facts)]
    assert main(["recommend", *given, "--output-format", "json"]) == 0
    advised = capsys.readouterr().out
    assert '"workload.access": "metadata"' in advised
    assert '"workload.locks": true' in advised


def test_a_quiet_mount_shows_no_fact(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    quiet = {"mountstats": mount(age=60), "uptime": "100 0\n"}
    record(str(tmp_path / "kept"), quiet, {"mountstats": mount(age=70), "uptime": "110 0\n"}, "")
    printed(capsys, "--replay", str(tmp_path / "kept"), "--write-to", str(tmp_path / "facts.yaml"))
    assert "mounts: []" in (tmp_path / "facts.yaml").read_text()


def test_a_line_is_told_meanwhile(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, last = readings()
    texts = iter([first, last, last])
    now = iter(range(0, 100, 5))
    monkeypatch.setattr(snapshot, "snapshot", lambda: next(texts))
    monkeypatch.setattr(snapshot, "samples", lambda _: iter([SAMPLES, SAMPLES]))
    monkeypatch.setattr(observe.time, "monotonic", lambda: next(now))
    told, *report = printed(capsys, "--for", "10s", "--every", "10s").splitlines()
    assert told[8:].startswith("  /mnt/1  40 calls/s, 201 ms  Too few RPC slots")
    assert "  in 10 s: 400 calls" in report


def test_a_window_is_read_in_parts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    now = [0.0]

    def counted() -> dict[str, str]:
        at = round(now[0])
        row = {"READ": [at * 10, at * 10, 0, 1, 1, 0, at * 50, at * 60, 0]}
        return {"mountstats": mount(age=60 + at, ops=row), "uptime": f"{100 + now[0]:.2f} 0\n"}

    def looks(seconds: float) -> Iterator[str]:
        while now[0] < seconds:
            yield ""
            now[0] += 0.25

    monkeypatch.setattr(snapshot, "snapshot", counted)
    monkeypatch.setattr(snapshot, "counters", counted)
    monkeypatch.setattr(snapshot, "samples", looks)
    monkeypatch.setattr(observe.time, "monotonic", lambda: now[0])
    kept = tmp_path / "kept"
    told = json.loads(printed(capsys, "--for", "24s", "--record", str(kept), "--output-format", "json"))
    (one,) = told["mounts"]
    assert [part["observed.window"] for part in one["parts"]] == [2000] * 12
    assert {part["observed.call_rate"] for part in one["parts"]} == {10_000}
    assert sorted(path.name for path in (kept / "between").iterdir()) == [f"{at:02}" for at in range(1, 12)]
    again = json.loads(printed(capsys, "--replay", str(kept), "--output-format", "json"))
    assert again["mounts"][0]["parts"] == one["parts"]


def test_a_copy_of_a_host_gives_averages_and_two_give_a_window(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name, reading in zip(("monday", "tuesday"), readings()):
        for place, key in (("proc/self/mountstats", "mountstats"), ("proc/uptime", "uptime")):
            path = tmp_path / name / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(reading[key])
    alone = printed(capsys, "--root", str(tmp_path / "tuesday"))
    assert "since it was mounted, 70 s ago: 401 calls" in alone
    assert "There is only one reading" in alone
    both = printed(capsys, "--root", str(tmp_path / "tuesday"), "--earlier", str(tmp_path / "monday"))
    assert "in 10 s: 400 calls" in both
    assert "were not seen" in both


SS = """Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port Process
u_str ESTAB  0      0      * 20771             * 20772
\t skmem:(r0,rb212992,t0,tb212992,f0,w0,o0,bl0,d0)
udp   UNCONN 0      0      127.0.0.1:323       0.0.0.0:*  users:(("chronyd",pid=9,fd=5)) uid:998 ino:21 sk:1
tcp   ESTAB  0      0      192.0.2.1:871       192.0.2.7:2049 timer:(keepalive,16sec,0) ino:0 sk:3
\t skmem:(r0,rb131072,t0) ts sack cubic rto:201 rtt:0.62/0.41 minrtt:0.3 busy:9000ms rwnd_limited:6300ms(70.0%)
tcp   ESTAB  0      0      192.0.2.1:22        198.51.100.4:50222 users:(("sshd",pid=7,fd=4)) ino:9 sk:4
\t ts sack cubic rtt:90/9 minrtt:80 busy:10ms
"""


def test_a_sosreport_tells_of_its_connections(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What TCP counted since a connection was made; its mean round trip is of another time than the calls."""
    mounts = "nas:/export /mnt/1 nfs4 rw,vers=4.2,addr=192.0.2.7 0 0\n"
    for place, text in (
        ("sos_commands/networking/ss_-peaonmi", SS), ("proc/mounts", mounts), ("proc/uptime", "110 0\n"),
        ("proc/self/mountstats", mount(age=100, ops=SLOW, xprts=[tcp(sends=400)])),
    ):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (one,) = json.loads(printed(capsys, "--root", str(tmp_path), "--output-format", "json"))["mounts"]
    assert one["since_mount"]
    assert one["facts"]["observed.window_limited"] == 700
    assert one["facts"]["observed.least_tcp_rtt"] == 300
    assert not {"observed.tcp_rtt", "observed.server_share"} & one["facts"].keys()
    assert "tcp_window" in {found["id"] for found in one["conclusions"]}


SAID = ("nfs: server nas not responding, still trying\nnfs: server nas not responding, still trying\n"
        "usb 1-1: new device\nnfs: server nas OK\n")


def test_what_the_kernel_said_meanwhile_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """By the messages that diagnose knows; it stands at the top of a recording."""
    first, last = readings()
    record(str(tmp_path / "kept"), first, {**last, "dmesg": SAID}, SAMPLES)
    assert (tmp_path / "kept/dmesg").read_text() == SAID
    told = json.loads(printed(capsys, "--replay", str(tmp_path / "kept"), "--output-format", "json"))
    validate(told, "advisor-observe-1")
    texts = {one["text"]: one["times"] for one in told["kernel"]}
    assert texts["nfs: server nas not responding, still trying"] == 2
    assert not any("usb" in one for one in texts)
    out = printed(capsys, "--replay", str(tmp_path / "kept"))
    assert "Messages of the kernel in the window" in out
    assert "was not read" not in out


def test_messages_that_could_not_be_read_are_said_to_be_missing(
    capsys: pytest.CaptureFixture[str], recording: Path
) -> None:
    assert "The kernel's messages (dmesg) were not read" in " ".join(
        printed(capsys, "--replay", str(recording)).split()
    )


def test_a_host_without_nfs_is_told_so_at_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "snapshot", dict)
    monkeypatch.setattr(snapshot, "samples", lambda _: pytest.fail("nothing is to be watched"))
    assert printed(capsys) == "No NFS file system is mounted, and no NFS server runs here.\n"


def test_a_server_without_mounts_is_judged(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def reading(packets: int, woken: int) -> dict[str, str]:
        return {"mountstats": "", "uptime": f"{packets} 0\n", "nfsd_pool_stats": f"0 {packets} {packets} {woken} 0\n"}

    said = {(900, 20): "A sleeping thread was woken for only", (900, 890): "900 messages reached it, and its threads",
            (0, 0): "Nothing reached it."}
    for number, ((packets, woken), words) in enumerate(said.items()):
        record(str(tmp_path / str(number)), reading(100, 100), reading(100 + packets, 100 + woken), "")
        assert words in printed(capsys, "--replay", str(tmp_path / str(number)))


def test_a_quiet_mount_says_that_nothing_can_be_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    quiet = {"mountstats": mount(age=60), "uptime": "100 0\n"}
    record(str(tmp_path / "kept"), quiet, {"mountstats": mount(age=70), "uptime": "110 0\n"}, "")
    assert "Not enough traffic to say anything." in printed(capsys, "--replay", str(tmp_path / "kept"))


def test_only_the_mounts_that_are_asked_for(capsys: pytest.CaptureFixture[str], recording: Path) -> None:
    assert "Too few RPC slots" in printed(capsys, "--replay", str(recording), "--mount", "/mnt/1/")
    assert main(["observe", "--replay", str(recording), "--mount", "/mnt/9"]) == 2
    assert "no NFS file system is mounted there; mounted are /mnt/1" in capsys.readouterr().err


@pytest.mark.parametrize(("args", "said"), [
    (["--replay", "/no/such/place"], "/no/such/place: no such folder"),
    (["--replay", "{empty}"], "after/mountstats is missing"),
    (["--root", "{empty}"], "contains no /proc/self/mountstats"),
    (["--earlier", "{empty}"], "--earlier needs the later copy"),
    (["--root", "a", "--replay", "b"], "give one of them"),
    (["--every", "2s", "--output-format", "json"], "--every prints text"),
    (["--for", "never"], '"never" is not a length of time'),
    (["--for", "0s"], "from 1s to 24h"),
])
def test_what_cannot_be_done_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, args: list[str], said: str
) -> None:
    assert main(["observe", *(one.format(empty=tmp_path) for one in args)]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(RecordingError, match="is not empty"):
        record(str(tmp_path), {}, {}, "")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_names_from_the_mount_table_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    record(str(tmp_path / "kept"), *readings("/mnt/\\033[2J"), "")
    assert "\x1b" not in printed(capsys, "--replay", str(tmp_path / "kept"))


@pytest.mark.parametrize(("text", "seconds"), [("30", 30), ("30s", 30), ("1.5m", 90), ("2min", 120), ("1h", 3600)])
def test_lengths_of_time(text: str, seconds: float) -> None:
    assert observe._seconds(text) == seconds


@each(lambda: load().conclusions)
def test_each_conclusion_can_be_explained(name: str) -> None:
    told = load().conclusions[name]
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        assert main(["explain", name]) == 0
    page = shown.getvalue()
    words = " ".join(page.split())
    assert f"{name}: {told.title}" in words
    assert told.means in words
    assert all(quantity in page for quantity in facts_in(told.when))
    assert all(claim in page for claim in told.cites)
