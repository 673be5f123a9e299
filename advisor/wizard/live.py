"""The application of `observe --live`: the mounts of this host or of a recording as a list, like that of top, and the
details of one, read again and again until it is paused. Each time makes a frame, which both show."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.style import Style
from textual.widgets import OptionList, Static

from advisor.observe.quantities import measure
from advisor.observe.snapshot import Recording
from advisor.observe.window import (
    HostFeed,
    JudgedMount,
    MountKey,
    MountStep,
    ObserveReport,
    RollingWindow,
    waiting_calls,
    with_keys,
)
from advisor.pages.blocks import Block, Document
from advisor.pages.layout import spark
from advisor.pages.observe import add_mount
from advisor.pages.style import cells, visible
from advisor.rulebase.model import RuleBase
from advisor.wizard.row_lists import RowList
from advisor.wizard.rows import ListRow, list_row
from advisor.wizard.screen import KeyedScreen, PageScreen, bindings
from advisor.wizard.theme import ThemedApp
from advisor.wizard.widgets import BAD, DIM, GOOD, HEAD, WARN, Head, KeyBar, Sections, screen


class Watch(ThemedApp):
    """`feed`: reads this host; None for a recording, which has only `frame`. `leads`: label of the key that ends the
    application."""

    TITLE = "NFS mounts"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, feed: HostFeed | None, frame: WatchFrame | None = None, theme: str = "dark", leads: str = "quit"
    ) -> None:
        super().__init__(theme)
        self.feed, self.frame, self.latest = feed, frame, frame
        self.paused, self.leads = False, leads

    def get_default_screen(self) -> Screen[None]:
        return MountList()

    def on_mount(self) -> None:
        if self.feed is not None:
            threading.Thread(target=self.feed.run, args=(self._read,), daemon=True).start()

    def _read(self, rolling: RollingWindow) -> None:
        """Called in the thread of the feed."""
        frame = make_frame(rolling.report(), rolling.steps, rolling.seconds)
        with contextlib.suppress(RuntimeError):  # the application has ended
            self.call_later(self.take, frame)

    def take(self, frame: WatchFrame) -> None:
        """Shows a frame, at once or when the pause ends."""
        self.latest = frame
        if not self.paused:
            self.frame = frame
            self.show()

    def show(self) -> None:
        for shown in self.screen_stack:
            if isinstance(shown, WatchScreen) and shown.is_mounted:
                shown.show_frame()

    def action_pause(self) -> None:
        self.paused = not self.paused
        self.frame = self.frame if self.paused else self.latest
        self.show()

    def action_pace(self, step: int) -> None:
        """Changes the interval between readings to the next longer (1) or shorter (-1) one of INTERVALS."""
        if self.feed is None:
            self.bell()
            return
        every = self.feed.every
        intervals = [interval for interval in INTERVALS if (interval > every if step > 0 else interval < every)]
        self.feed.every = min(intervals, key=lambda interval: abs(interval - every), default=every)
        self.show()

    def reading_age(self) -> tuple[str, ...]:
        """Texts on the interval of readings and the length of the judged window, the longer one first."""
        frame = self.frame
        if frame is None or self.feed is None:
            return ("reading" if frame is None else f"recording of {frame.seconds:.0f} s", "")
        every = "paused" if self.paused else f"every {self.feed.every:g} s"
        judged = f"judged over {frame.seconds:.0f} s" if frame.seconds >= 1 else "since each was mounted"
        return (f"{every}, {judged}" if frame.mounts else every), every

    def leave(self) -> None:
        if self.feed is not None:
            self.feed.ended.set()
        self.exit(0)

    async def action_quit(self) -> None:
        self.leave()


class WatchScreen(KeyedScreen):
    """A screen that shows the last frame, with a line on top that says how old it is."""

    PLACE = "live"
    EVERYWHERE = (
        ("↑ ↓ PgUp PgDn", "Move in a list or a text"), ("Mouse", "Click on a mount, a column head or a key"),
    )
    BINDINGS = bindings(PLACE)

    @property
    def application(self) -> Watch:
        return self.app  # type: ignore[return-value]

    def bar(self) -> list[tuple[str, str, str]]:
        """The keys that do something: a recording cannot be paused."""
        keys = [(key, self.application.leads if says == "quit" else says, does) for key, says, does in super().bar()]
        return keys if self.application.feed is not None else [
            entry for entry in keys if entry[0] not in ("Space", "+ -")
        ]

    def show_frame(self) -> None:
        """Shows what was read last."""

    def on_resize(self) -> None:
        self.show_frame()

    def show_title(self, title: str) -> None:
        """Shows the title, and how old the readings are if there is room beside it."""
        self.query_one(Head).update_with(title, *self.application.reading_age())

    def action_quit(self) -> None:
        self.application.leave()


class MountList(WatchScreen):
    """The list of mounts; Enter shows the details of one."""

    NAME = "Mounts"
    DEFAULT_CSS = """
    MountList #list { height: 1fr; }
    MountList #heads { height: 1; }
    MountList RowList { height: 1fr; }
    MountList #note { height: auto; }
    """
    PLACE = "live-list"
    BINDINGS = bindings(PLACE)

    def __init__(self) -> None:
        super().__init__()
        self.by = next(iter(SORTS))
        self.mounts: list[WatchedMount] = []
        self.cursor = 0
        """Where the cursor was put last. A cursor that was moved since follows its mount; on top it stays on top."""
        self.followed: MountKey | None = None

    def compose(self) -> ComposeResult:
        yield Head()
        with Vertical(id="list", classes="pane") as pane:
            pane.border_title = "Mounts"
            yield Static(id="heads", markup=False)
            yield RowList()
        yield Static("Reading the counters of this host …", id="note", markup=False, classes="pane")
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        self.show_frame()

    def show_frame(self) -> None:
        frame = self.application.frame
        mounted = sum(mount.judged is not None for mount in frame.mounts) if frame else 0
        self.show_title(f"NFS mounts  {mounted}" if mounted else "NFS mounts")
        self.query_one("#list").display = bool(frame and frame.mounts)
        if frame is None:
            return
        row_list = self.query_one(RowList)
        if row_list.highlighted is not None and row_list.highlighted != self.cursor:
            self.followed = self._highlighted(row_list) if row_list.highlighted else None
        self.mounts = sort_mounts(frame, self.by)
        width = max(self.size.width - (3 if self.has_class("-tiny") or self.has_class("-low") else 5), 20)
        self.query_one("#heads", Static).update(head_row(width, self.by) if self.mounts else Content())
        row_list.draw(
            mount_row(("mount", str(number)), mount, width) for number, mount in enumerate(self.mounts)
        )
        names = [mount.name for mount in self.mounts]
        self.cursor = names.index(self.followed) if self.followed in names else 0
        row_list.highlighted = self.cursor if names else None
        self._show_note(frame.report.serves)

    def _show_note(self, serves: bool) -> None:
        """Shows a note below the list, or instead of it."""
        frame, document = self.application.frame, Document()
        if frame is None:
            return
        if not self.mounts:
            where = "in this recording" if frame.recorded else "here; it is listed as soon as there is one"
            document.para(f"No NFS file system is mounted {where}.")
        if serves and not any(mount.judged and mount.judged.window.local for mount in self.mounts):
            drawn = frame.report.server_conclusions
            limits = "; ".join(limit.conclusion.title for limit in drawn) or "nothing that was counted limits it"
            document.para(f"The NFS server on this host: {limits}.")
        note = self.query_one("#note", Static)
        note.display = bool(document.blocks)
        note.border_title = "The server" if self.mounts else ""
        note.update(screen(document.blocks, max(self.size.width - 4, 20)))

    def _highlighted(self, row_list: RowList) -> MountKey | None:
        place = row_list.highlighted
        return self.mounts[place].name if place is not None and place < len(self.mounts) else None

    def action_sort(self, by: str) -> None:
        self.by = by
        self.show_frame()

    def action_next_sort(self) -> None:
        words = list(SORTS)
        self.action_sort(words[(words.index(self.by) + 1) % len(words)])

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        name = self._highlighted(self.query_one(RowList))
        if name is not None:
            self.app.push_screen(MountPage(name))


class MountPage(PageScreen, WatchScreen):
    """The details of a mount, which may be unmounted meanwhile."""

    NAME = "Mount"
    PLACE = "live-mount"
    BINDINGS = bindings(PLACE)

    def __init__(self, name: MountKey) -> None:
        super().__init__()
        self.mount_name = name

    def on_mount(self) -> None:
        super().on_mount()
        self.show_frame()

    def show_frame(self) -> None:
        frame = self.application.frame
        names = {mount.name: mount for mount in frame.mounts} if frame else {}
        mount = names.get(self.mount_name, WatchedMount(self.mount_name, None))
        self.show_title(visible(self.mount_name[0]))
        self.query_one(Sections).show(mount_page(mount, max(self.size.width - 5, 20)))

    def action_other(self, by: int) -> None:
        frame = self.application.frame
        names = [mount.name for mount in frame.mounts] if frame else []
        if self.mount_name in names:
            self.mount_name = names[(names.index(self.mount_name) + by) % len(names)]
            self.query_one(Sections).scroll_home(animate=False)
        self.show_frame()


INTERVALS = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Seconds between two readings."""


class WatchedMount(NamedTuple):
    """A mount with its steps. `queued`: calls that waited in the client at each sample of its transports, for
    recordings without steps. `judged`: None after it was unmounted."""

    name: MountKey
    judged: JudgedMount | None
    steps: Sequence[MountStep] = ()
    queued: Sequence[float] = ()

    @property
    def latest(self) -> MountStep:
        return self.steps[-1] if self.steps else MountStep(0.0, None, 0.0)


class WatchFrame(NamedTuple):
    """`mounts`: the mounted ones, then those that were unmounted in the window of `seconds`. `recorded`: the folder of
    the recording, "" for this host."""

    report: ObserveReport
    mounts: Sequence[WatchedMount]
    seconds: float
    recorded: str = ""


def make_frame(
    report: ObserveReport, steps: Mapping[MountKey, Sequence[MountStep]], seconds: float,
    queued: Mapping[MountKey, Sequence[float]] | None = None, recorded: str = "",
) -> WatchFrame:
    """The frame of a report. `steps`, `queued`: by mount."""
    windows = [judged.window for judged in report.mounts]
    names = [name for name, _ in with_keys(windows)]
    mounts = [
        WatchedMount(name, judged, tuple(steps.get(name, ())), (queued or {}).get(name, ()))
        for name, judged in zip(names, report.mounts)
    ]
    mounts += [WatchedMount((target, "", number), None) for number, target in enumerate(report.gone)]
    return WatchFrame(report, mounts, seconds, recorded)


def recording_frame(base: RuleBase, read: Recording, wanted: Callable[[str], bool], folder: str) -> WatchFrame:
    """The frame of a recording, with the steps between its readings."""
    rolling = RollingWindow(base, float("inf"), wanted)
    if read.before is not None:
        readings = [read.before, *read.between, read.after]
        for number, reading in enumerate(readings):
            at = reading.uptime if reading.uptime is not None else float(number)
            rolling.add(at, reading, read.samples if reading is read.after else ())
    else:
        rolling.add(0.0, read.after)
    return make_frame(rolling.report(), rolling.steps, rolling.seconds, waiting_calls(read), folder)


_FIGURE = 8
"""Columns of a number with its unit."""
_LOOKS = {"trouble": (BAD, "✗"), "verdict": (GOOD, "✓"), "limit": (WARN, "!")}
"""Style and sign of the kinds of conclusions that the list names, in the order in which it does."""
SORTS: dict[str, Callable[[WatchedMount], object]] = {
    "calls/s": lambda mount: -mount.latest.rate,
    "time": lambda mount: -(mount.latest.time or 0.0),
    "waiting": lambda mount: -mount.latest.waiting,
    "mount": lambda mount: mount.name,
}
"""What the list can be sorted by, in the words of its heads."""


def sort_mounts(frame: WatchFrame, by: str) -> list[WatchedMount]:
    """The mounts by a key of SORTS; unmounted ones come last."""
    return sorted(frame.mounts, key=lambda mount: (mount.judged is None, SORTS[by](mount), mount.name))


def _columns(width: int) -> tuple[int, int]:
    """Columns of the name, and of a sparkline; 0 for none."""
    room = width - 3 * (_FIGURE + 2)
    name = max(min(room // 3, 40), 10)
    line = (room - name) // 3 - 1
    return (name, min(line, 24)) if line >= 4 else (max(room, 6), 0)


def head_row(width: int, by: str) -> Content:
    """The names of the columns; a click sorts by one."""
    name, line = _columns(width)
    wide = _FIGURE + (line + 1 if line else 0)
    parts: list[Content | str] = []
    for word in ("mount", "calls/s", "time", "waiting"):
        shown = f"{word}{'▾' if word == by else ''}"
        head = Content.styled(shown, HEAD if word == by else DIM)
        before = "" if word == "mount" else " " * (2 + _FIGURE - len(shown))
        after = " " * ((name if word == "mount" else wide - _FIGURE + len(shown)) - len(shown))
        parts += [before, head.stylize(Style.from_meta({"@click": f"screen.sort({word!r})"})), after]
    return Content.assemble(*parts)


def mount_row(key: tuple[str, str], mount: WatchedMount, width: int) -> ListRow:
    """Two lines: its numbers, and what limits it."""
    name, line = _columns(width)
    target = fit(visible(mount.name[0]), name, end=True)
    if mount.judged is None:
        return list_row(key, (target, DIM), "\n  ", ("was unmounted", WARN))
    parts: list[str | tuple[str, str]] = [(target, "strong")]
    for figure, values in _figures(mount):
        parts += ["  ", figure.rjust(_FIGURE)]
        if line:
            parts += [" ", (spark(values, line), GOOD)]
    words, look = limit_text(mount)
    return list_row(key, *parts, "\n  ", (fit(words, width - 2).rstrip(" "), look))


def _figures(mount: WatchedMount) -> list[tuple[str, Sequence[float | None]]]:
    latest = mount.latest
    steps = mount.steps
    if not steps:  # a single reading has no current numbers
        return [("-", ()), ("-", ()), ("-", mount.queued)]
    several = steps if len(steps) > 1 else ()
    queued = [step.waiting for step in several] or mount.queued
    time = "-" if latest.time is None else measure(round(latest.time * 1000), "microseconds")
    return [
        (measure(round(latest.rate * 1000), "thousandths"), [step.rate for step in several]),
        (time, [step.time for step in several]),
        (measure(round(latest.waiting * 1000), "thousandths"), queued),
    ]


def limit_text(mount: WatchedMount) -> tuple[str, str]:
    """(text, style): the troubles and limits of a mount, in one line."""
    if mount.judged is None:
        return "was unmounted", WARN
    drawn = (*mount.judged.conclusions, *mount.judged.notes)
    conclusions = [each.conclusion for each in drawn if each.conclusion.kind in _LOOKS]
    conclusions.sort(key=lambda what: list(_LOOKS).index(what.kind))
    window = mount.judged.window
    words = [f"mounted {window.seconds or 0:.0f} s ago"] if window.mounted else []
    words += [f"{_LOOKS[what.kind][1]} {what.title}" for what in conclusions]
    if words:
        return "  ".join(words), _LOOKS[conclusions[0].kind][0] if conclusions else DIM
    quiet = not window.quantities.get("observed.calls")
    return ("no calls" if quiet else "nothing that was counted limits it"), DIM


def fit(text: str, columns: int, *, end: bool = False) -> str:
    """Pads or truncates the text to `columns`. `end`: truncate at the start, because paths differ at their ends."""
    text_cells = cells(text)
    if len(text_cells) > columns:
        text_cells = ["…", *text_cells[len(text_cells) - columns + 1 :]] if end else [*text_cells[: columns - 1], "…"]
    return "".join(text_cells) + " " * (columns - len(text_cells))


def mount_page(mount: WatchedMount, columns: int) -> list[Block]:
    document, now = Document(), Document()
    if mount.judged is None:
        document.heading(mount.name[0], 1)
        document.para("This mount is gone. It will reappear here once it is mounted again.")
        return document.blocks
    line = max(min(columns - 34, 60), 4)
    if mount.steps or mount.queued:
        labels = ("calls per second", "time of a call", "wait in the client")
        now.pairs([
            (label, f"{figure.ljust(_FIGURE)} {spark(values, min(line, len(values)))}")
            for label, (figure, values) in zip(labels, _figures(mount))
        ])
    add_mount(document, mount.judged)
    return [*document.blocks[:1], *now.blocks, *document.blocks[1:]]
