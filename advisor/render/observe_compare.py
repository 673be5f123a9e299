"""A comparison of two windows as a page, and as data (docs/schema/advisor-observe-comparison-1.json)."""

from __future__ import annotations

from advisor.document.blocks import Block, Document, Text, code, dim, strong, text
from advisor.observe.compare import COMPARED
from advisor.observe.conclusions import measure
from advisor.observe.noise import BUNCH, LEVEL, SPREAD

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
    for one in mounts:
        _add_mount(document, one)
    if any(one.numbers for one in mounts):
        document.heading("How noise and change were distinguished")
        for said in _method(mounts):
            document.item(said)
    return document.blocks


def _add_mount(document: Document, one: ComparedMount) -> None:
    shown = one.after or one.before
    document.heading(f"{one.target}  {shown.source if shown else ''}".rstrip(), 1)
    if one.before and one.after:
        document.para(dim(f"before: {_window_text(one.before)}; now: {_window_text(one.after)}"))
    if one.settings:
        document.heading("Set differently")
        document.pairs((name, text(_value(old), " → ", _value(new))) for name, old, new in one.settings)
    document.para(one.why_not)
    if not one.numbers:
        return
    if one.changed:
        document.heading("Changed beyond the noise")
        document.table(("", "before", "now", "change"), [
            (COMPARED[each.quantity].title, _figure(each.quantity, each.before), _figure(each.quantity, each.after),
             strong(_change_amount(each))) for each in one.changed
        ])
    else:
        document.para(strong("No change that these windows can tell."))
    same = [f"{COMPARED[each.quantity].title} ({_figure(each.quantity, each.before)}, now "
            f"{_figure(each.quantity, each.after)})" for each in one.numbers if not each.changed]
    if same and one.changed:
        document.heading("No change that these windows can tell")
    document.para("; ".join(same) + "." if same else None)
    _add_conclusions(document, one)


def _add_conclusions(document: Document, one: ComparedMount) -> None:
    changes = [
        *(text(strong("no longer: "), _change_text(each)) for each in one.gone),
        *(text(strong("new: "), _change_text(each)) for each in one.new),
    ]
    if changes or one.still:
        document.heading("What follows from the counters")
    for said in changes:
        document.item(said)
    if one.still:
        document.item(f"as before: {'; '.join(one.still)}")


def _change_text(one: ConclusionChange) -> str:
    near = "" if one.beyond else " No number that it rests on changed beyond the noise, so this may be chance."
    return f"{one.title}. {one.says}{near}"


def _window_text(one: ReportedMount) -> str:
    calls = measure(one.facts.get("observed.calls", 0), "calls")
    return calls if one.seconds is None else f"{calls} in {one.seconds:.0f} s"


def _value(value: str | None) -> Text:
    return text(dim("not set")) if value is None else text(code(value or "set"))


def _figure(quantity: str, value: int) -> str:
    return f"{measure(value, _UNITS[quantity])}{'/s' if quantity == 'observed.throughput' else ''}"


def _change_amount(one: ComparedNumber) -> str:
    if not one.before or not one.after:
        return "from nothing" if not one.before else "to nothing"
    if one.after >= 2 * one.before:
        return f"{one.after / one.before:.1f} times"
    return f"{100 * (one.after - one.before) / one.before:+.0f} %"


def _method(mounts: Iterable[ComparedMount]) -> list[str]:
    numbers = [each for one in mounts for each in one.numbers]
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
    return {"schema": SCHEMA, "level": LEVEL, "mounts": [_data(one) for one in mounts]}


def _data(one: ComparedMount) -> Data:
    return {
        "target": one.target,
        "mounted": "both" if one.before and one.after else "now" if one.after else "before",
        "why_not": one.why_not or None,
        "settings": [{"name": name, "before": old, "after": new} for name, old, new in one.settings],
        "numbers": [each._asdict() for each in one.numbers],
        "conclusions": {
            "gone": [each._asdict() for each in one.gone], "new": [each._asdict() for each in one.new],
            "still": list(one.still),
        },
    }
