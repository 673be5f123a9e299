"""Observations as a page: for each mount its limits first, then troubles, the kind of work, and where its time goes;
and as data (docs/schema/advisor-observe-1.json). Likewise what changed between two windows
(docs/schema/advisor-observe-comparison-1.json). As a file of facts: each value with its evidence and origin, the
quantities that conclusions rest on, and the last day on which they may be used. And a probe: what decides first, then
what was learnt (docs/schema/advisor-probe-1.json)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.advice.answers import OBSERVED
from advisor.engine import word_list
from advisor.named_tuple import as_data
from advisor.observe import compare
from advisor.observe.quantities import DrawnConclusion, measure, time_spent
from advisor.observe.window import JudgedMount, MountKey, MountWindow, ObserveReport, with_keys
from advisor.pages.blocks import Block, Document, Stack, StackPart, Text, TextLike, code, codes, dim, strong, text
from advisor.pages.formats.machine_readable import Gauge, exposition
from advisor.pages.phrases import yaml_value
from advisor.pages.style import visible
from advisor.probe.evidence import answered, answers, few, flavours_of, observations, program, seen, shortened, words
from advisor.probe.result import Probed, probed_data
from advisor.probe.rpc import WORDS
from advisor.rulebase.model import RuleBase, Values

Data = dict[str, object]
TITLE = "What the counters of NFS say"
NOTHING = "No NFS file system is mounted, and no NFS server runs here."
_WEIGHTS = {"limit": "should", "trouble": "must", "work": "may", "verdict": "should", "note": "may"}
COMPARISON_TITLE = "What changed between two windows"
COMPARISON_SCHEMA = "advisor-observe-comparison/1"
_SHOWN = 8
"""Kinds of calls that have their own row."""
_HEADS = ("call", "number", "% of time", "ms", "ms queued", "ms answer", "KiB sent", "KiB back")
_NUMBERS = ("ops", "execute", "queue", "rtt", "sent", "received")


def page(report: ObserveReport) -> list[Block]:
    document = Document()
    for mount in report.mounts:
        add_mount(document, mount)
    for target in report.gone:
        document.heading(target, 1)
        document.para("It was unmounted in the window.")
    if report.empty:
        document.para(NOTHING)
    if report.serves and not any(mount.window.local for mount in report.mounts):
        document.heading("The NFS server on this host", 1)
        _add_conclusions(document, report.server_conclusions)
        document.listed("Also certain", map(_note_text, report.server_notes))
        if not report.server_conclusions:
            reached = report.server.get("observed.server_messages", 0)
            document.para(f"{measure(reached, 'messages').capitalize()} reached it, and its threads kept up with them."
                          if reached else "Nothing reached it.")
    if report.kernel:
        document.heading("Messages of the kernel in the window", 1)
        for message in report.kernel:
            times = dim(f" ({measure(message.times, 'times')})") if message.times > 1 else ""
            document.item(text(message.text, times))
        document.para(text("Give these lines to ", code("advisor diagnose"), " for their causes."))
    document.listed("What could not be seen", report.unseen, level=1)
    return document.blocks


def one_line(mount: JudgedMount) -> str:
    """The line of a mount in the output of `advisor observe --every`."""
    quantities = mount.window.quantities
    rate, execute = quantities.get("observed.call_rate", 0), quantities.get("observed.execute", 0)
    head = (f"{mount.window.target}  {measure(int(rate), 'thousandths')} calls/s, "
            f"{measure(int(execute), 'microseconds')}")
    titles = [drawn.conclusion.title for drawn in mount.conclusions if drawn.conclusion.kind != "work"]
    return f"{head}  {'; '.join(titles)}".rstrip()


def add_mount(document: Document, mount: JudgedMount) -> None:
    window = mount.window
    document.heading(f"{window.target}  {window.source}", 1)
    calls = int(window.quantities.get("observed.calls", 0))
    document.para(dim(f"{span_text(window)}: {measure(calls, 'calls')}"))
    if not calls and not mount.conclusions:
        document.para("Not enough traffic to say anything.")
        return
    verdict = [drawn for drawn in mount.notes if drawn.conclusion.kind == "verdict"]
    _add_conclusions(document, verdict)
    _add_call_time(document, window)
    if not verdict and all(drawn.conclusion.kind == "work" for drawn in mount.conclusions):
        document.para("Nothing that was counted limits this mount for certain.")
    _add_conclusions(document, mount.conclusions)
    document.listed("Also certain", (_note_text(drawn) for drawn in mount.notes if drawn not in verdict))
    _add_calls_by_kind(document, window)


def span_text(window: MountWindow) -> str:
    if window.seconds is None:
        return "since it was mounted" if window.since_mount else "in the window"
    seconds = window.seconds
    long = next((f"{seconds / size:,.0f} {name}" for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes"))
                 if seconds >= 3 * size), f"{seconds:.0f} s")
    if window.mounted:
        return f"since it was mounted in the window, {long} ago"
    return f"since it was mounted, {long} ago" if window.since_mount else f"in {long}"


def _add_conclusions(document: Document, conclusions: list[DrawnConclusion]) -> None:
    order = list(_WEIGHTS)
    for drawn in sorted(conclusions, key=lambda drawn: order.index(drawn.conclusion.kind)):
        what = drawn.conclusion
        document.heading(what.title, 2, _WEIGHTS[what.kind])
        document.para(drawn.says)
        document.para(what.means)
        document.pairs([
            ("can help", codes(what.helps)), ("can help, on the server", codes(what.helps_server)),
            ("can save at most", ", ".join(f"{name} {most}" for name, most in drawn.at_most.items())),
            ("changes nothing", codes(what.useless)),
            ("sources", code(f"advisor explain {what.id}")),
        ])


def _note_text(note: DrawnConclusion) -> Text:
    useless = codes(note.conclusion.useless)
    return text(note.says, text(" Changes nothing: ", useless, ".") if useless else ())


def _add_call_time(document: Document, window: MountWindow) -> None:
    """Adds the parts of the mean time of a call; nothing if they are not known."""
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


def _add_calls_by_kind(document: Document, window: MountWindow) -> None:
    """Adds the time of each kind of call, the most expensive first."""
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
    document.para(dim("Times and sizes are means per call; the kernel counts sums, so there is no histogram."))


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def data(report: ObserveReport, parts: Mapping[MountKey, Sequence[Mapping[str, int]]]) -> Data:
    """The whole report, ready for JSON. `parts`: of the window, as parts_of() returns them."""
    return as_data({
        "schema": compare.SCHEMA,
        "mounts": [
            {**_mount_data(mount), "parts": [dict(part) for part in parts.get(key, ())]}
            for key, mount in _with_keys(report)
        ],
        "server": {
            "conclusions": [*map(_conclusion_data, report.server_conclusions)],
            "notes": [*map(_conclusion_data, report.server_notes)], "facts": report.server,
        },
        "unmounted": report.gone,
        "unseen": report.unseen,
        "kernel": report.kernel,
    })


def _with_keys(report: ObserveReport) -> Iterator[tuple[MountKey, JudgedMount]]:
    return zip((key for key, _ in with_keys(mount.window for mount in report.mounts)), report.mounts)


def _mount_data(mount: JudgedMount) -> Data:
    window = mount.window
    return {
        "target": window.target, "source": window.source, "seconds": window.seconds,
        "since_mount": window.since_mount, "conclusions": [*map(_conclusion_data, mount.conclusions)],
        "notes": [*map(_conclusion_data, mount.notes)], "facts": window.quantities, "options": window.options,
        "mounted": window.mounted, "calls": window.calls,
        "operations": {name: row for name, row in window.operations.items() if row["ops"]},
        "time": time_spent(window.quantities),
    }


def _conclusion_data(drawn: DrawnConclusion) -> Data:
    what = drawn.conclusion
    return {
        "id": what.id, "kind": what.kind, "title": what.title, "says": drawn.says, "means": what.means,
        "evidence": sorted(drawn.evidence), "helps": list(what.helps), "helps_server": list(what.helps_server),
        "useless": list(what.useless), "at_most": dict(drawn.at_most), "holds": dict(drawn.holds),
        "cites": list(what.cites),
    }


def metrics(report: ObserveReport, seconds: float) -> str:
    """The quantities and conclusions of each mount as Prometheus reads them, of a window of so many seconds."""
    mounts = [
        ({"mount": visible(target), "source": visible(source), "number": str(number)}, mount)
        for (target, source, number), mount in _with_keys(report)
    ]
    return exposition([
        Gauge("advisor_observe_window_seconds", "The time that the other metrics are about.", [({}, round(seconds))]),
        Gauge("advisor_observe_quantity", "A quantity of a mount in the window.", [
            ({**labels, "quantity": name.partition(".")[2]}, value) for labels, mount in mounts
            for name, value in sorted(mount.window.quantities.items()) if isinstance(value, int)
        ]),
        Gauge("advisor_observe_conclusion", "What limits a mount or goes wrong there; a series where it holds.", [
            ({**labels, "conclusion": drawn.conclusion.id, "kind": drawn.conclusion.kind}, 1)
            for labels, mount in mounts for drawn in (*mount.conclusions, *mount.notes)
        ]),
        Gauge("advisor_observe_server_quantity", "A quantity of this host's NFS server in the window.", [
            ({"quantity": name.partition(".")[2]}, value) for name, value in sorted(report.server.items())
        ]),
        Gauge("advisor_observe_server_conclusion", "What limits this host's NFS server.", [
            ({"conclusion": drawn.conclusion.id, "kind": drawn.conclusion.kind}, 1)
            for drawn in (*report.server_conclusions, *report.server_notes)
        ]),
    ])


def comparison_page(mounts: list[compare.ComparedMount]) -> list[Block]:
    document = Document()
    if not mounts:
        document.para("No NFS file system was mounted then, and none is now.")
    for mount in mounts:
        _add_compared_mount(document, mount)
    document.listed("How noise and change were distinguished", _method(mounts))
    return document.blocks


def _add_compared_mount(document: Document, mount: compare.ComparedMount) -> None:
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
            (compare.COMPARED[each.quantity].title, _figure(each.quantity, each.before),
             _figure(each.quantity, each.after), strong(_change_amount(each))) for each in mount.changed
        ])
    else:
        document.para(strong("No change that these windows can tell."))
    same = [f"{compare.COMPARED[each.quantity].title} ({_figure(each.quantity, each.before)}, now "
            f"{_figure(each.quantity, each.after)})" for each in mount.numbers if not each.changed]
    if same and mount.changed:
        document.heading("No change that these windows can tell")
    document.para("; ".join(same) + "." if same else None)
    still = [text(f"as before: {'; '.join(mount.still)}")] if mount.still else []
    document.listed("What follows from the counters", [
        *(text(strong("no longer: "), _change_text(each)) for each in mount.gone),
        *(text(strong("new: "), _change_text(each)) for each in mount.new), *still,
    ])


def _change_text(change: compare.ConclusionChange) -> str:
    near = "" if change.beyond else " No number that it rests on changed beyond the noise, so this may be chance."
    return f"{change.title}. {change.says}{near}"


def _window_text(mount: compare.ReportedMount) -> str:
    calls = measure(mount.facts.get("observed.calls", 0), "calls")
    return calls if mount.seconds is None else f"{calls} in {mount.seconds:.0f} s"


def _value(value: str | None) -> Text:
    return text(dim("not set")) if value is None else text(code(value or "set"))


def _figure(quantity: str, value: int) -> str:
    return f"{measure(value, compare.COMPARED[quantity].unit)}{'/s' if quantity == 'observed.throughput' else ''}"


def _change_amount(number: compare.ComparedNumber) -> str:
    if not number.before or not number.after:
        return "from nothing" if not number.before else "to nothing"
    if number.after >= 2 * number.before:
        return f"{number.after / number.before:.1f} times"
    return f"{100 * (number.after - number.before) / number.before:+.0f} %"


def _method(mounts: Iterable[compare.ComparedMount]) -> list[str]:
    numbers = [each for mount in mounts for each in mount.numbers]
    lines = []
    if any(each.parts for each in numbers):
        lines.append(f"Both windows were cut into parts, and the parts ranked: of {1 / compare.LEVEL:.0f} comparisons "
                     "in which nothing changed at most one names a change. Work that changes by itself, as from night "
                     "to day, is a change too.")
    if not all(each.parts for each in numbers):
        lines.append("If a window has no parts, or too few, or of another length, its variance is assumed: calls come "
                     f"in bunches of {compare.BUNCH}, and times and sizes deviate by {compare.SPREAD:g} times their "
                     "mean. That was not measured for this work. Windows that are watched, or recorded with --record, "
                     "have parts.")
    return lines


def comparison_data(mounts: list[compare.ComparedMount]) -> Data:
    return as_data({"schema": COMPARISON_SCHEMA, "level": compare.LEVEL, "mounts": [_data(mount) for mount in mounts]})


def _data(mount: compare.ComparedMount) -> Data:
    return {
        "target": mount.target,
        "mounted": "both" if mount.before and mount.after else "now" if mount.after else "before",
        "why_not": mount.why_not or None,
        "settings": [{"name": name, "before": old, "after": new} for name, old, new in mount.settings],
        "numbers": mount.numbers,
        "conclusions": {"gone": mount.gone, "new": mount.new, "still": mount.still},
    }


Measured = dict[str, tuple["Values", str]]
"""Fact → its value, and the sentence that shows it."""


def facts_file(base: RuleBase, report: ObserveReport, day: str, until: str) -> str:
    """YAML for `--facts`. `day`: when it was observed, "" if not known; `until`: the last day on which it may be used;
    both as 2026-12-31."""
    lines = ["# Observed by advisor; true of the work in that time, and of no other."]
    origin = f"{OBSERVED} {day}".rstrip()
    of_server = _measured(report.server_conclusions + report.server_notes)
    if of_server:
        lines += _fact_section({}, of_server, origin, until, margin="")
    servers: dict[str, tuple[Measured, str]] = {}
    sections: dict[str, list[str]] = {}
    for mount in report.mounts:
        window = mount.window
        calls = window.quantities.get("observed.calls")
        if not calls:
            continue
        measured = _measured([drawn for drawn in mount.conclusions + mount.notes if drawn.conclusion.of == "mount"])
        seen = f"{origin} {span_text(window)}: {measure(int(calls), 'calls')}"
        server, export = _source(window.source)
        wide = {fact: value for fact, value in measured.items() if base.facts[fact].scope == "server"}
        if server:
            known = servers.setdefault(server, ({}, seen))[0]
            known.update({fact: value for fact, value in wide.items() if fact not in known})
        own = {fact: value for fact, value in measured.items() if fact not in wide}
        names = {"target": window.target, **({"server": server, "export": export} if server else {})}
        sections[window.target] = [*_fact_section(names, own, seen, until), "    observed:", *(
            f"      {name.removeprefix('observed.')}: {yaml_value(value)}"
            for name, value in sorted(window.quantities.items())
        )]
    of_servers = [
        _fact_section({"server": server}, measured, seen, until)
        for server, (measured, seen) in servers.items() if measured
    ]
    parts = [line for section in (*of_servers, *sections.values()) for line in section]
    lines += ["mounts:", *parts] if parts else ["mounts: []  # no mount had calls"]
    return "\n".join(lines) + "\n"


def _fact_section(
    names: Mapping[str, str], measured: Measured, seen: str, until: str, margin: str = "    "
) -> list[str]:
    """The lines of facts, each with what shows it. `names`: what they are about; `seen`: when and where they were."""
    lines = [f"{name}: {yaml_value(text)}" for name, text in names.items()]
    lines += [f"{fact}: {yaml_value(value)}  # {visible(says)}" for fact, (value, says) in measured.items()]
    lines += ["found:", *(f"  {fact}: {yaml_value(seen)}" for fact in measured)] if measured else []
    lines.append(f"until: {yaml_value(until)}")
    return [f"{'  - ' if names and not number else margin}{line}" for number, line in enumerate(lines)]


def _measured(conclusions: list[DrawnConclusion]) -> Measured:
    return {fact: (value, drawn.says) for drawn in conclusions for fact, value in drawn.holds.items()}


def _source(source: str) -> tuple[str, str]:
    """Server and path of what is mounted; "" for both if they cannot be distinguished."""
    server, colon, path = source.partition(":/")
    return (server, f"/{path}") if colon and server and not server.endswith(":") else ("", "")


_BESIDE = {
    "mountd": "mount service", "nlm": "lock manager", "statd": "status monitor", "acl": "ACLs", "rquotad": "quotas",
}


def probe_page(base: RuleBase, probed: Probed) -> list[Block]:
    document = Document()
    document.heading(f"{probed.server}:{probed.export}" if probed.export else probed.server, 1)
    drawn = answers(base, probed)
    for each in drawn:
        if each.conclusion.kind != "note":
            document.item(text(strong(f"{each.conclusion.title}."), f" {each.says} {each.conclusion.means}"))
    if not any(each.conclusion.kind != "note" for each in drawn):
        document.para("Nothing that was asked shows a fault." if probed.export else
                      "The server answers; ask of an export, SERVER:/PATH, to hear whether this host may mount it.")
    if probed.addresses:
        document.heading("What it answered")
    document.pairs((label, value) for label, value in _rows(base, probed) if value)
    document.listed("Also", (
        f"{each.conclusion.title}. {each.says} {each.conclusion.means}" for each in drawn
        if each.conclusion.kind == "note"
    ))
    document.listed("Without an answer", (
        text(code(each.question), f": {WORDS[each.outcome]}{f' ({each.detail})' if each.detail else ''}")
        for each in probed.asked if each.outcome != "ok"
    ))
    port = "a port below 1024" if probed.low_port else "a port above 1023"
    mount = "" if not probed.export or any(each.question == "mount" for each in probed.asked) else " MNT (--mnt),"
    kerberos = "" if observations(probed).get("probe.kerberos") else " whether Kerberos works,"
    asked = f"Asked in {probed.seconds:.2f} s as UID {probed.uid} from {port}."
    document.para(dim(f"{asked} Not asked:{mount}{kerberos} RDMA, UDP."))
    return document.blocks


def probe_data(base: RuleBase, probed: Probed) -> Data:
    """For JSON: the result, with what follows."""
    shown = seen(base.platforms, probed)
    drawn = [
        {
            "id": each.conclusion.id, "kind": each.conclusion.kind, "title": each.conclusion.title, "says": each.says,
            "means": each.conclusion.means, "rests_on": sorted(each.evidence & shown.keys()),
        }
        for each in answers(base, probed)
    ]
    return {**probed_data(probed), "answers": drawn}


def _rows(base: RuleBase, probed: Probed) -> Iterator[tuple[str, TextLike | None]]:
    yield "address", ", ".join(f"{each.ip} ({each.name})" if each.name not in ("", probed.server) else each.ip
                               for each in probed.addresses)
    yield "answered by", _who(base, probed) if probed.answering else None
    if probed.rtt_us:
        yield "network", f"{measure(probed.rtt_us, 'microseconds')} there and back, MTU {probed.mtu}"
    yield "versions", words(probed)["versions"] if probed.minors or probed.answering else None
    said = {label: program(probed, name) for name, label in _BESIDE.items()}
    yield "beside it", ", ".join(f"{label}: {word}" for label, word in said.items() if word not in (None, "unlisted"))
    yield "exports", _exports(probed)
    yield "flavours", few([*(["TLS offered"] if probed.tls == "offered" else []), *flavours_of(probed)])
    yield "session", _session(probed)
    yield "NFSv4 root", few(probed.root_names)
    found, v3 = probed.attributes, probed.mounted
    if found:
        owners = f"owner {shortened(found.owner)}, group {shortened(found.group)}"
        yield "directory", f"mode {found.mode}, {owners}; may {_may(probed.granted)}"
    if v3:
        yield "MNT", v3.status if v3.status != "OK" else (
            f"mode {v3.mode}, owner {v3.owner}; may {_may(v3.granted)}; READ up to {measure(v3.rtmax, 'bytes')}, "
            f"WRITE up to {measure(v3.wtmax, 'bytes')}")


def _who(base: RuleBase, probed: Probed) -> Text:
    who = answered(base.platforms, probed)
    if who is None:
        return text("not known; its replies have the form of no product that is known here")
    titles = {platform.platform: platform.title for platform in base.platforms}
    products = strong(word_list(titles[name] for name in who.platforms))
    return text(products, f"{'' if who.sure else ', most likely'}: {who.shown_by}")


def _exports(probed: Probed) -> str:
    if probed.exports is None:
        return ""
    near = sorted(probed.exports, key=lambda each: not probed.export.startswith(each.path))
    return few([f"{each.path} ({few(each.clients) or 'clients not told'})" for each in near]) or "none for this host"


def _session(probed: Probed) -> str:
    said = [f"{probed.grant.slots} slots" if probed.grant else ""]
    if probed.attributes:
        said += [f"READ up to {measure(probed.attributes.maxread, 'bytes')}",
                 f"WRITE up to {measure(probed.attributes.maxwrite, 'bytes')}", f"lease {probed.attributes.lease} s"]
    return ", ".join(filter(None, said))


def _may(granted: tuple[str, ...] | None) -> str:
    return ", ".join(granted or ()) or "nothing"
