"""What the screens of `observe --live` show, and what their keys do, fed by a tree of files that changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from textual.widgets import OptionList

from advisor.cli import main, observe
from advisor.observe import snapshot
from advisor.observe.snapshot import record, replay
from advisor.observe.window import HostFeed, RollingWindow
from advisor.wizard.live import Watch, make_frame, recording_frame
from tests.observe.test_command import readings
from tests.observe.test_window import SAMPLES
from tests.observe.texts import mount, mountinfo, tcp
from tests.tiers import thorough
from tests.wizard.driving import BASE
from tests.wizard.test_walks import what_the_bottom_says

pytestmark = thorough

SIZES = ((40, 15), (80, 24), (120, 40))


class Fake(NamedTuple):
    """A mount of the tree: what it has counted so far."""

    target: str
    calls: int
    queue: int = 0
    time: int = 10
    backlog: int = 0
    age: int = 500


class Host:
    """A folder with the files of a host, and what reads it: time goes on by `second` at each reading."""

    def __init__(self, root: Path) -> None:
        self.root, self.second = root, 1000.0
        (root / "proc/self").mkdir(parents=True)
        self.feed = HostFeed(RollingWindow(BASE, 60.0), 2.0, str(root))
        self.app = Watch(HostFeed(self.feed.rolling, 2.0))
        self.app.feed.run = lambda _: None  # the test reads, not a thread

    def reads(self, *mounts: Fake, after: float = 2.0, pools: str = "") -> None:
        """One reading more, shown at once."""
        self.second += after
        stats = "".join(
            mount(one.target, age=one.age + int(self.second) - 1000, xprts=[tcp(sends=one.calls, backlog=one.backlog)],
                  ops={"READ": [one.calls, one.calls, 0, 1, 1, one.queue, one.calls * one.time,
                                one.queue + one.calls * one.time, 0]})
            for one in mounts
        )
        files = {"self/mountstats": stats, "self/mountinfo": mountinfo(*(one.target for one in mounts)),
                 "uptime": f"{self.second:.2f} 0\n"}
        for name, text in files.items():
            (self.root / "proc" / name).write_text(text)
        if pools:
            (self.root / "proc/fs/nfsd").mkdir(parents=True, exist_ok=True)
            (self.root / "proc/fs/nfsd/pool_stats").write_text(pools)
        self.feed.read(self.second, "")
        rolling = self.feed.rolling
        self.app.take(make_frame(rolling.report(), rolling.steps, rolling.seconds))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def text(app: Watch) -> str:
    return "\n".join(strip.text.replace("│", " ").rstrip() for strip in app.screen._compositor.render_strips())


def played(app: Watch, play: Callable[..., Awaitable[None]], size: tuple[int, int] = (80, 24)) -> None:
    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()

            async def press(*keys: str) -> str:
                await pilot.press(*keys)
                await pilot.pause()
                await pilot.pause()
                return text(app)

            await play(press, pilot)

    asyncio.run(run())


BUSY = Fake("/busy", 4000, queue=80_000, backlog=26_000)


@pytest.mark.parametrize("size", SIZES)
def test_each_mount_has_its_numbers_and_what_limits_it(host: Host, size: tuple[int, int]) -> None:
    async def play(press, pilot) -> None:
        assert "reading" in await press()
        host.reads(Fake("/busy", 0), Fake("/quiet", 0))
        host.reads(BUSY, Fake("/quiet", 10))
        shown = (await press()).splitlines()
        assert max(map(len, shown)) <= size[0]
        busy = next(line for line in shown if "/busy" in line)
        assert busy.split()[1:5] == ["2,000", "30", "ms", "40"]  # 4000 calls of 10 + 20 ms in 2 s, 80 s of waiting
        assert "Too few RPC slots"[: size[0] - 4] in shown[shown.index(busy) + 1]
        assert shown.index(busy) < next(at for at, line in enumerate(shown) if "/quiet" in line)

    played(host.app, play, size)


def test_the_page_of_a_mount_has_the_bar_the_calls_and_the_reasons(host: Host) -> None:
    async def play(press, pilot) -> None:
        host.reads(Fake("/busy", 0))
        host.reads(BUSY)
        shown = await press("enter")
        for told in ("/busy", "calls per second", "Where the time of a call goes", "waits in the client          67 %",
                     "network and server together"):
            assert told in shown
        await pilot.resize_terminal(120, 60)
        shown = await press()
        for told in ("Too few RPC slots", "6.5 calls waited for a slot", "sysctl.sunrpc.tcp_max_slot_table_entries",
                     "Calls by kind", "READ"):
            assert told in shown
        assert "Enter" in await press("escape")

    played(host.app, play)


def test_a_mount_that_ends_or_is_mounted_again_is_told_so(host: Host) -> None:
    async def play(press, pilot) -> None:
        host.reads(Fake("/a", 0), Fake("/b", 100))
        host.reads(Fake("/a", 10), Fake("/b", 120))
        await press("enter")
        host.reads(Fake("/a", 20), after=2.0)
        assert "This mount is gone. It will reappear here once it is mounted again." in await press()
        assert "was unmounted" in await press("escape")
        host.reads(Fake("/a", 5, age=1 - int(host.second) + 1000), after=2.0)
        assert "mounted 4 s ago" in await press()  # ages are whole seconds: up to one more

    played(host.app, play)


def test_no_mount_is_told_and_the_first_one_is_listed(host: Host) -> None:
    async def play(press, pilot) -> None:
        host.reads()
        assert "No NFS file system is mounted here; it is listed as soon as there is one." in await press()
        host.reads(Fake("/new", 10))
        shown = await press()
        assert "/new" in shown
        assert "No NFS" not in shown

    played(host.app, play)


def test_the_server_of_this_host_is_told_below(host: Host) -> None:
    async def play(press, pilot) -> None:
        host.reads(pools="0 100 100 100 0\n")
        host.reads(pools="0 1000 1000 110 0\n")
        assert "The NFS server on this host: " in await press()
        assert "nothing that was counted" not in text(host.app)

    played(host.app, play)


def test_a_pause_keeps_what_is_shown_and_ends_with_the_latest(host: Host) -> None:
    async def play(press, pilot) -> None:
        host.reads(Fake("/a", 0))
        host.reads(Fake("/a", 20))
        before = await press("space")
        assert "paused" in before
        host.reads(Fake("/a", 2020))
        assert await press() == before
        after = await press("space")
        assert "1,000" in after
        assert "paused" not in after

    played(host.app, play)


def test_the_list_is_sorted_by_a_key_or_a_click_and_the_cursor_stays_at_its_mount(host: Host) -> None:
    def order(shown: str) -> list[str]:
        return [word for line in shown.splitlines() for word in line.split()[:1] if word in ("/a", "/b", "/c")]

    async def play(press, pilot) -> None:
        zero = Fake("/a", 0), Fake("/b", 0), Fake("/c", 0)
        host.reads(*zero)
        host.reads(Fake("/a", 10, time=5, queue=9), Fake("/b", 30, time=1), Fake("/c", 20, time=9))
        found = host.app.screen.query_one(OptionList)
        assert found.highlighted == 0  # what is on top, whatever it is
        assert order(await press("down")) == ["/b", "/c", "/a"]
        assert order(await press("s")) == ["/c", "/a", "/b"]
        assert order(await press("s")) == ["/a", "/b", "/c"]
        assert found.highlighted == 2  # /c, to which it was moved
        await press("home", "s", "s", "s", "s")
        assert found.highlighted == 0
        await pilot.click("#heads", offset=(2, 0))
        assert order(await press()) == ["/a", "/b", "/c"]
        assert "mount▾" in text(host.app)

    played(host.app, play)


def test_the_interval_has_a_least_and_a_most(host: Host) -> None:
    async def play(press, pilot) -> None:
        host.reads(Fake("/a", 0))
        assert "every 1 s" in await press("minus", "minus")
        assert "every 2 s" in await press("plus")
        assert "every 60 s" in await press(*["plus"] * 9)
        assert host.app.feed.every == 60

    played(host.app, play)


def test_mouse_keys_help_and_the_way_out(host: Host) -> None:
    async def play(press, pilot) -> None:
        host.reads(Fake("/a", 0), Fake("/b", 0))
        host.reads(Fake("/a", 10), Fake("/b", 5))
        await press()
        await pilot.click(OptionList, offset=(3, 2))
        assert (await press()).startswith(" advisor  /b ")
        assert (await press("right")).startswith(" advisor  /a ")
        assert what_the_bottom_says(host.app)["space"] == "app.pause"
        shown = await press("question_mark")
        assert "The next mount" in shown
        assert "Space P" in shown or "Space p" in shown
        await press("escape", "escape", "q")
        assert host.app._exit
        assert host.app.feed.ended.is_set()

    played(host.app, play)


def test_control_c_ends_it_as_it_ends_top(host: Host) -> None:
    async def play(press, pilot) -> None:
        host.reads(Fake("/a", 0))
        await press("enter", "ctrl+c")
        assert host.app._exit

    played(host.app, play)


def test_a_name_in_the_mount_table_is_shown_and_not_obeyed(host: Host) -> None:
    async def play(press, pilot) -> None:
        host.reads(Fake("/mnt/\\033[2J[bold]x", 0))
        host.reads(Fake("/mnt/\\033[2J[bold]x", 10))
        assert "\\x1b[2J[bold]x" in await press()
        assert "[bold]x" in await press("enter")

    played(host.app, play, (120, 40))


def test_a_recording_is_shown_with_what_it_kept_between(tmp_path: Path) -> None:
    first, last = readings()
    middle = {"mountstats": mount(age=65, xprts=[tcp(sends=100)]), "uptime": "105 0\n"}
    record(str(tmp_path / "kept"), first, last, SAMPLES, [middle])
    frame = recording_frame(BASE, replay(str(tmp_path / "kept")), lambda _: True, "kept")
    assert [step.rate for step in frame.mounts[0].steps] == [0.0, 80.0]

    async def play(press, pilot) -> None:
        shown = await press()
        assert "recording of 10 s" in shown
        assert "Too few RPC slots" in shown
        assert "interval" not in shown
        await press("minus", "space", "enter")
        assert "Where the time of a call goes" in text(app)

    app = Watch(None, frame)
    played(app, play)


def test_the_thread_reads_until_it_is_told_to_stop(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    looks: list[float] = []
    frames: list[float] = []

    class Ended:
        def is_set(self) -> bool:
            return len(frames) == 3

        def wait(self, seconds: float) -> None:
            now[0] += seconds or 0.001

    host.reads()
    monkeypatch.setattr("advisor.observe.window.time.monotonic", lambda: now[0])
    monkeypatch.setattr(snapshot, "sample", lambda root: looks.append(now[0]) or f"@@ t={now[0]}\n")
    host.feed.ended = Ended()  # type: ignore[assignment]
    host.feed.run(lambda _: frames.append(now[0]))
    assert frames == pytest.approx([0.0, 2.0, 4.0], abs=0.01)
    assert len(looks) >= 12


@pytest.mark.parametrize(("args", "said"), [
    (["--write-to", "x.yaml"], "leave out --live"),
    (["--record", "x"], "leave out --live"),
    (["--compare", "x.json"], "leave out --live"),
    (["--output-format", "svg"], "for svg leave it out"),
    (["--root", "/no/such/place.tar"], "not a folder"),
    ([], "--live needs a terminal"),
])
def test_what_the_screens_cannot_do(capsys: pytest.CaptureFixture[str], args: list[str], said: str) -> None:
    assert main(["observe", "--live", *args]) == 2
    assert said in capsys.readouterr().err


def test_without_textual_it_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observe.terminal, "check_terminal", lambda *_: None)
    monkeypatch.setitem(__import__("sys").modules, "textual", None)
    assert main(["observe", "--live"]) == 2
    said = capsys.readouterr().err
    assert "pip install textual" in said
    assert "--every 5s" in said
