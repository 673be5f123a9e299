"""What was observed, for people: what limits each mount first, then what goes wrong, what the work is like, and where
its time goes."""

from __future__ import annotations

from advisor.document.blocks import Block, Document, code, codes, dim, text
from advisor.document.stack import Stack, StackPart
from advisor.observe.conclusions import measure
from advisor.observe.quantities import time_spent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.observe.conclusions import DrawnConclusion
    from advisor.observe.report import JudgedMount, ObserveReport
    from advisor.observe.window import MountWindow

TITLE = "What the counters of NFS say"
NOTHING = "No NFS file system is mounted, and no NFS server runs here."
_WEIGHTS = {"limit": "should", "trouble": "must", "work": "may", "verdict": "should", "note": "may"}


def page(report: ObserveReport) -> list[Block]:
    """The report."""
    document = Document()
    for one in report.mounts:
        mount(document, one)
    for target in report.gone:
        document.heading(target, 1)
        document.para("It was unmounted in the window.")
    if report.empty:
        document.para(NOTHING)
    if report.serves and not any(one.window.local for one in report.mounts):
        document.heading("The NFS server on this host", 1)
        _conclusions(document, report.server_conclusions)
        _notes(document, report.server_notes)
        if not report.server_conclusions:
            document.para(_quiet_server(report))
    if report.kernel:
        document.heading("What the kernel said meanwhile", 1)
        for said in report.kernel:
            document.item(text(said.text, dim(f" ({measure(said.times, 'times')})") if said.times > 1 else ""))
        document.para(text("Give these lines to ", code("advisor diagnose"), " for their causes."))
    if report.unseen:
        document.heading("What could not be seen", 1)
        for sentence in report.unseen:
            document.item(sentence)
    return document.blocks


def _quiet_server(report: ObserveReport) -> str:
    messages = report.server.get("observed.server_messages", 0)
    if not messages:
        return "Nothing reached it."
    return f"{measure(messages, 'messages').capitalize()} reached it, and its threads kept up with them."


def line(one: JudgedMount) -> str:
    """One line about the mount, printed while it is watched."""
    quantities = one.window.quantities
    rate, execute = quantities.get("observed.call_rate", 0), quantities.get("observed.execute", 0)
    head = f"{one.window.target}  {measure(int(rate), 'thousandths')} calls/s, {measure(int(execute), 'microseconds')}"
    titles = [found.conclusion.title for found in one.conclusions if found.conclusion.kind != "work"]
    return f"{head}  {'; '.join(titles)}".rstrip()


def mount(document: Document, one: JudgedMount) -> None:
    """Everything about one mount, at the end of a document."""
    window = one.window
    document.heading(f"{window.target}  {window.source}", 1)
    calls = int(window.quantities.get("observed.calls", 0))
    document.para(dim(f"{span(window)}: {measure(calls, 'calls')}"))
    if not calls and not one.conclusions:
        document.para("Not enough traffic to say anything.")
        return
    verdict = [drawn for drawn in one.notes if drawn.conclusion.kind == "verdict"]
    _conclusions(document, verdict)
    time_of_a_call(document, window)
    if not verdict and all(drawn.conclusion.kind == "work" for drawn in one.conclusions):
        document.para("Nothing that was counted limits this mount for certain.")
    _conclusions(document, one.conclusions)
    _notes(document, [drawn for drawn in one.notes if drawn not in verdict])
    by_kind(document, window)


def span(window: MountWindow) -> str:
    if window.seconds is None:
        return "since it was mounted" if window.since_mount else "in the window"
    seconds = window.seconds
    long = next((f"{seconds / size:,.0f} {name}" for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes"))
                 if seconds >= 3 * size), f"{seconds:.0f} s")
    if window.mounted:
        return f"since it was mounted in the window, {long} ago"
    return f"since it was mounted, {long} ago" if window.since_mount else f"in {long}"


def _conclusions(document: Document, drawn: list[DrawnConclusion]) -> None:
    order = list(_WEIGHTS)
    for one in sorted(drawn, key=lambda found: order.index(found.conclusion.kind)):
        what = one.conclusion
        document.heading(what.title, 2, _WEIGHTS[what.kind])
        document.para(one.says)
        document.para(what.means)
        document.pairs([
            ("can help", codes(what.helps) if what.helps else None),
            ("can help, on the server", codes(what.helps_server) if what.helps_server else None),
            ("can save at most", ", ".join(f"{name} {most}" for name, most in one.at_most.items()) or None),
            ("changes nothing", codes(what.useless) if what.useless else None),
            ("sources", code(f"advisor explain {what.id}")),
        ])


def _notes(document: Document, notes: list[DrawnConclusion]) -> None:
    """What is certain besides: a line each, and what would change nothing."""
    if notes:
        document.heading("Also certain", 2)
    for one in notes:
        useless = codes(one.conclusion.useless)
        more = text(" Changes nothing: ", useless, ".") if useless else ()
        document.item(text(one.says, more))


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
