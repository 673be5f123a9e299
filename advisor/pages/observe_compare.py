"""A comparison of two windows as a page, and as data (docs/schema/advisor-observe-comparison-1.json)."""

from __future__ import annotations

from advisor.observe.compare import BUNCH, COMPARED, LEVEL, SPREAD
from advisor.observe.conclusions import measure
from advisor.pages.blocks import Block, Document, Text, code, dim, strong, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from advisor.observe.compare import ComparedMount, ComparedNumber, ConclusionChange, ReportedMount

TITLE = "What changed between two windows"
SCHEMA = "advisor-observe-comparison/1"
Data = dict[str, object]
_UNITS = {
    "observed.call_rate": "thousandths", "observed.concurrency": "thousandths", "observed.execute": "microseconds",
    "observed.queue": "microseconds", "observed.rtt": "microseconds", "observed.backlog": "thousandths",
    "observed.send_queue": "thousandths", "observed.read_payload": "bytes", "observed.write_payload": "bytes",
    "observed.metadata_share": "per mille", "observed.throughput": "MiB",
}


def page(mounts: list[ComparedMount]) -> list[Block]:
    document = Document()
    if not mounts:
        document.para("No NFS file system was mounted then, and none is now.")
    for mount in mounts:
        _add_mount(document, mount)
    if any(mount.numbers for mount in mounts):
        document.heading("How noise and change were distinguished")
        for sentence in _method(mounts):
            document.item(sentence)
    return document.blocks


def _add_mount(document: Document, mount: ComparedMount) -> None:
    shown = mount.after or mount.before
    document.heading(f"{mount.target}  {shown.source if shown else ''}".rstrip(), 1)
    if mount.before and mount.after:
        document.para(dim(f"before: {_window_text(mount.before)}; now: {_window_text(mount.after)}"))
    if mount.settings:
        document.heading("Set differently")
        document.pairs((name, text(_value(old), " → ", _value(new))) for name, old, new in mount.settings)
    document.para(mount.why_not)
    if not mount.numbers:
        return
    if mount.changed:
        document.heading("Changed beyond the noise")
        document.table(("", "before", "now", "change"), [
            (COMPARED[each.quantity].title, _figure(each.quantity, each.before), _figure(each.quantity, each.after),
             strong(_change_amount(each))) for each in mount.changed
        ])
    else:
        document.para(strong("No change that these windows can tell."))
    same = [f"{COMPARED[each.quantity].title} ({_figure(each.quantity, each.before)}, now "
            f"{_figure(each.quantity, each.after)})" for each in mount.numbers if not each.changed]
    if same and mount.changed:
        document.heading("No change that these windows can tell")
    document.para("; ".join(same) + "." if same else None)
    _add_conclusions(document, mount)


def _add_conclusions(document: Document, mount: ComparedMount) -> None:
    changes = [
        *(text(strong("no longer: "), _change_text(each)) for each in mount.gone),
        *(text(strong("new: "), _change_text(each)) for each in mount.new),
    ]
    if changes or mount.still:
        document.heading("What follows from the counters")
    for change in changes:
        document.item(change)
    if mount.still:
        document.item(f"as before: {'; '.join(mount.still)}")


def _change_text(change: ConclusionChange) -> str:
    near = "" if change.beyond else " No number that it rests on changed beyond the noise, so this may be chance."
    return f"{change.title}. {change.says}{near}"


def _window_text(mount: ReportedMount) -> str:
    calls = measure(mount.facts.get("observed.calls", 0), "calls")
    return calls if mount.seconds is None else f"{calls} in {mount.seconds:.0f} s"


def _value(value: str | None) -> Text:
    return text(dim("not set")) if value is None else text(code(value or "set"))


def _figure(quantity: str, value: int) -> str:
    return f"{measure(value, _UNITS[quantity])}{'/s' if quantity == 'observed.throughput' else ''}"


def _change_amount(number: ComparedNumber) -> str:
    if not number.before or not number.after:
        return "from nothing" if not number.before else "to nothing"
    if number.after >= 2 * number.before:
        return f"{number.after / number.before:.1f} times"
    return f"{100 * (number.after - number.before) / number.before:+.0f} %"


def _method(mounts: Iterable[ComparedMount]) -> list[str]:
    numbers = [each for mount in mounts for each in mount.numbers]
    lines = []
    if any(each.parts for each in numbers):
        lines.append(f"Both windows were cut into parts, and the parts ranked: of {1 / LEVEL:.0f} comparisons in which "
                     "nothing changed at most one names a change. Work that changes by itself, as from night to day, "
                     "is a change too.")
    if not all(each.parts for each in numbers):
        lines.append("If a window has no parts, or too few, or of another length, its variance is assumed: "
                     f"calls come in bunches of {BUNCH}, and times and sizes deviate by {SPREAD:g} times their mean. "
                     "That was not measured for this work. Windows that are watched, or recorded with --record, have "
                     "parts.")
    return lines


def data(mounts: list[ComparedMount]) -> Data:
    """The comparison, ready for JSON."""
    return {"schema": SCHEMA, "level": LEVEL, "mounts": [_data(mount) for mount in mounts]}


def _data(mount: ComparedMount) -> Data:
    return {
        "target": mount.target,
        "mounted": "both" if mount.before and mount.after else "now" if mount.after else "before",
        "why_not": mount.why_not or None,
        "settings": [{"name": name, "before": old, "after": new} for name, old, new in mount.settings],
        "numbers": [each._asdict() for each in mount.numbers],
        "conclusions": {
            "gone": [each._asdict() for each in mount.gone], "new": [each._asdict() for each in mount.new],
            "still": list(mount.still),
        },
    }
