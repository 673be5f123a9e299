"""Where the time of a mount goes: one bar for a mean call, and a table of the kinds of calls."""

from __future__ import annotations

from advisor.document.blocks import Document, code, dim
from advisor.document.stack import Stack, StackPart
from advisor.observe.time_spent import time_spent
from advisor.observe.units import measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.observe.window import MountWindow

_SHOWN = 8
"""Kinds of calls that have a row of their own."""
_HEADS = ("call", "number", "% of time", "ms", "ms queued", "ms answer", "KiB sent", "KiB back")
_NUMBERS = ("ops", "execute", "queue", "rtt", "sent", "received")


def time_of_a_call(document: Document, window: MountWindow) -> None:
    """The parts of the mean time of a call; nothing where it is not known."""
    spent = time_spent(window.quantities)
    if spent is None or not spent.whole:
        return
    document.heading(f"Where the time of a call goes ({measure(spent.whole, 'microseconds')} on average)")
    parts = [("waits in the client", spent.queued, 0), ("network", spent.network, 1), ("server", spent.server or 0, 2),
             ("client, after the answer", spent.after, 3)]
    if spent.server is None:
        parts[1:3] = [("network and server together", spent.network, 4)]
    document.add([Stack(tuple(
        StackPart(label, amount, f"({measure(amount, 'microseconds')})", mark) for label, amount, mark in parts
    ))])
    if spent.server is None:
        document.para(dim("The TCP connections were not seen, so network and server cannot be told apart."))


def by_kind(document: Document, window: MountWindow) -> None:
    """What each kind of call took, those that took most of the time first."""
    rows = sorted(window.operations.items(), key=lambda row: (-row[1]["execute"], -row[1]["ops"], row[0]))
    rows = [(name, row) for name, row in rows if row["ops"]]
    if not rows:
        return
    whole = sum(row["execute"] for _, row in rows)
    shown = [(name, {number: row[number] for number in _NUMBERS}) for name, row in rows]
    if len(shown) > _SHOWN + 1:
        rest = [row for _, row in shown[_SHOWN:]]
        shown[_SHOWN:] = [(f"{len(rest)} others", {name: sum(row[name] for row in rest) for name in _NUMBERS})]
    document.heading("Calls by kind")
    document.table(_HEADS, [
        (code(name), f"{row['ops']:,}", _digits(100 * row["execute"] / whole) if whole else "0",
         *(_digits(row[number] / row["ops"]) for number in ("execute", "queue", "rtt")),
         *(_digits(row[number] / row["ops"] / 1024) for number in ("sent", "received")))
        for name, row in shown
    ])
    document.para(dim("Times and sizes are those of a mean call; the kernel counts sums, so there is no histogram."))


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
