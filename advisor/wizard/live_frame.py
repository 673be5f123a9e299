"""What `observe --live` shows at one time, of this host, which is read repeatedly, or of a recording; the row of a
mount in the list, and the page on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from textual.content import Content
from textual.style import Style

from advisor.observe.quantities import measure
from advisor.observe.snapshot import Recording
from advisor.observe.window import (
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
from advisor.wizard.rows import ListRow, list_row
from advisor.wizard.widgets import BAD, DIM, GOOD, HEAD, WARN

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


def frame_of(rolling: RollingWindow) -> WatchFrame:
    """The frame of a window that moves."""
    return make_frame(rolling.report(), rolling.steps, rolling.seconds)


_FIGURE = 8
"""Columns of a number with its unit."""
_LOOKS = {"trouble": BAD, "verdict": GOOD, "limit": WARN}
"""Of the kinds of conclusions that the list names, in the order in which it does."""
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
    words += [what.title for what in conclusions]
    if words:
        return "; ".join(words), _LOOKS[conclusions[0].kind] if conclusions else DIM
    quiet = not window.quantities.get("observed.calls")
    return ("no calls" if quiet else "nothing that was counted limits it"), DIM


def fit(text: str, columns: int, *, end: bool = False) -> str:
    """The text, padded or cut to `columns`; `end`: keeps the end of a longer one, by which paths differ."""
    text_cells = cells(text)
    if len(text_cells) > columns:
        text_cells = ["…", *text_cells[len(text_cells) - columns + 1 :]] if end else [*text_cells[: columns - 1], "…"]
    return "".join(text_cells) + " " * (columns - len(text_cells))


def mount_page(mount: WatchedMount, columns: int) -> list[Block]:
    """The page on one mount."""
    document = Document()
    if mount.judged is None:
        document.heading(mount.name[0], 1)
        document.para("It was unmounted. It is shown again as soon as it is mounted.")
        return document.blocks
    line = max(min(columns - 34, 60), 4)
    if mount.steps or mount.queued:
        labels = ("calls per second", "time of a call", "wait in the client")
        document.pairs([
            (label, f"{figure.ljust(_FIGURE)} {spark(values, min(line, len(values)))}")
            for label, (figure, values) in zip(labels, _figures(mount))
        ])
    add_mount(document, mount.judged)
    return document.blocks
