"""A report on a fleet as one HTML page: the treemap first, then the findings, then each class.

In the treemap each class is a tile whose area is its share of the hosts. The tiles of one severity are side by side.
Severity is a colour and a word; the colours also differ in brightness, for print and for colour-blind readers.

Long lists are cut, so that a page on 100 000 hosts opens at once; the JSON Lines output has all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from advisor.fleet.model import ClassDifference, FleetDrift, FleetReport, HostClass, known_faults, usage
from advisor.lint.finding import SEVERITIES
from advisor.named_tuple import grouped
from advisor.pages.blocks import Block, Document, Text, TextLike, TextRun, code, codes, dim, strong, text
from advisor.pages.markup import beside, escape_html, html_blocks, page
from advisor.pages.phrases import clipped, counted

NAMES = 40
"""How many host names are listed in one place."""
_LINKS = 5
CLASSES = 1000
"""How many classes are described."""
ROWS = 500
"""How many rows a table has."""
_LOOKS = {"error": "bad", "warning": "warn"}
_FULL = "the JSON Lines output has all of them"

R = TypeVar("R")
NOT_JUDGED, NOTHING = "not judged", "no finding"
_WORST_FIRST = (*reversed(SEVERITIES), NOT_JUDGED, NOTHING)
_WIDE, _HIGH = 1000, 440
"""Pixels: the height, and the width for which labels are chosen; a browser scales the width to the window."""
_LETTER, _LINE = 7, 18
"""Pixels of a letter and of a line of a label."""
_TILES = 150
"""The largest classes of one severity that have their own tiles; the others share one."""

_HATCH = (
    '<pattern id="hatch" width="10" height="10" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="10" height="10" fill="#fff"/><rect width="3" height="10" fill="#b3bcc4"/></pattern>'
)


def fleet_page(report: FleetReport, generator: str) -> str:
    """The page. `generator`: what made it."""
    title = f"NFS configuration of {counted(report.hosts, 'host')}"
    built = _FleetPage(report)
    body = (html_blocks(built.beginning(title)), picture(report, frozenset(built.described)), html_blocks(built.rest()))
    return page("\n".join(body), title, generator, beside("fleet.css"), "\n" + beside("sorting.js"))


class _FleetPage:
    def __init__(self, report: FleetReport) -> None:
        self.report = report
        self.hosts = {host_class.name: host_class.hosts for host_class in report.classes}
        self.described = {host_class.name for host_class in report.classes[:CLASSES]}

    def beginning(self, title: str) -> list[Block]:
        report, start = self.report, Document()
        start.heading(title, 1)
        classes = len(report.classes)
        unread = f" {counted(len(report.unread), 'bundle')} could not be read." if report.unread else ""
        start.para(
            f"{counted(report.hosts, 'host')} in {classes:,} {'class' if classes == 1 else 'classes'} of identical "
            f"configuration, at {report.made}.{unread}"
        )
        if report.hosts:
            start.para(dim("Each tile is a class; its area is its share of the hosts. A click leads to the class."))
        return start.blocks

    def rest(self) -> list[Block]:
        section = Document()
        self._shares(section)
        self._classes(section)
        self._usage(section)
        self._outliers(section)
        self._across(section)
        if self.report.drift is not None:
            self._drift(section, self.report.drift)
        if self.report.unread:
            section.heading("Bundles that could not be read")
        _add_table(section, ("Bundle", "Why"), self.report.unread, lambda bundle: (code(bundle.place), bundle.why))
        return section.blocks

    def _shares(self, section: Document) -> None:
        section.heading("Findings")
        if not self.report.shares:
            section.para(
                "No host has a finding." if all(host_class.failed is None for host_class in self.report.classes)
                else "No host that could be judged has a finding."
            )
        faults = known_faults(self.report.classes)
        if faults:
            section.heading("Known faults of the versions that run", 3)
        _add_table(section, ("Severity", "Hosts", "Fault", "On", "Fixed in", "Rule"), faults, lambda fault: (
            _severity(fault.severity), f"{fault.hosts:,}", fault.title, codes(fault.runs), ", ".join(fault.fixed),
            code(fault.rule),
        ))
        heads = ("Severity", "Hosts", "Finding", "Setting", "Remedy", "Classes")
        _add_table(section, heads, self.report.shares, lambda share: (
            _severity(share.severity), f"{share.hosts:,} of {self.report.hosts:,}", share.message, code(share.setting),
            share.remedy, self._links(share.classes),
        ))

    def _classes(self, section: Document) -> None:
        section.heading("Classes")
        for host_class in self.report.classes[:CLASSES]:
            section.fold(self._summary(host_class), self._class(host_class), 3, anchor(host_class.name))
        _add_more(section, self.report.classes, CLASSES, "classes")

    def _usage(self, section: Document) -> None:
        used = usage(self.report.classes)
        if used:
            section.heading("Mounted with")
            _add_table(section, ("Option", "Value", "Hosts", "Classes"), used, lambda use: (
                code(use.option), code(use.value) if use.value else "not known", f"{use.hosts:,}",
                self._links(use.classes),
            ))

    def _summary(self, host_class: HostClass) -> Text:
        counts = Counter(finding.severity for finding in host_class.findings)
        totals = ", ".join(counted(counts[severity], severity) for severity in reversed(SEVERITIES) if counts[severity])
        summary = worst(host_class) if host_class.failed is not None else totals or "no finding"
        first = ", ".join(islice(host_class.hosts, 3)) + (", …" if len(host_class.hosts) > 3 else "")
        return text(
            strong(counted(len(host_class.hosts), "host")), ": ", TextRun(summary, _LOOKS.get(worst(host_class), "")),
            "; class ", code(host_class.name), " ", dim(f"({first})"),
        )

    def _class(self, host_class: HostClass) -> list[Block]:
        section = Document()
        if host_class.failed is not None:
            section.para(f"This class was {NOT_JUDGED}: {host_class.failed}")
        heads = ("Severity", "Finding", "Setting", "Value", "Advised", "Remedy", "Place", "Sources")
        _add_table(section, heads, host_class.findings, lambda finding: (
            _severity(finding.severity), finding.message, code(finding.setting), _value_cell(finding.value),
            _value_cell(finding.advised), finding.remedy, code(finding.place), codes(finding.cites),
        ))
        section.pairs([("Hosts", _host_names(host_class.hosts))])
        if host_class.mounts:
            section.code("\n".join(host_class.mounts[:ROWS]), "fstab")
        facts = Document()
        facts.pairs(
            (name, code(", ".join(map(str, value)) if isinstance(value, list) else value))
            for name, value in islice(sorted(host_class.facts.items()), ROWS)
        )
        section.fold("Facts", facts.blocks, 4)
        return section.blocks

    def _outliers(self, section: Document) -> None:
        rows = [(outlier, difference) for outlier in self.report.outliers for difference in outlier.differences]
        if not rows:
            return
        section.heading("Outliers")
        section.para("Small classes that differ little from a large one, and their differences.")
        _add_table(section, ("Class", "Hosts", "Similar to", "What", "Here", "There"), rows, lambda row: (
            self._links([row[0].name]), _host_names(self.hosts.get(row[0].name, ()), 3), self._links([row[0].near]),
            *_difference_cells(row[1]),
        ))

    def _across(self, section: Document) -> None:
        if not self.report.across:
            return
        section.heading("Between hosts")
        for finding in self.report.across[:ROWS]:
            inner = Document()
            inner.pairs([
                ("About", code(finding.about)), ("Why", finding.why), ("Remedy", finding.remedy),
                ("Hosts", _host_names(finding.hosts)), ("Sources", codes(finding.cites)),
            ])
            section.fold(
                [
                    _severity(finding.severity), TextRun(f": {finding.message} "),
                    dim(f"({counted(len(finding.hosts), 'host')})"),
                ],
                inner.blocks, 3,
            )
        _add_more(section, self.report.across, ROWS, "findings")

    def _drift(self, section: Document, drift: FleetDrift) -> None:
        moved = sum(len(move.hosts) for move in drift.moved)
        section.heading(f"Since {drift.since}")
        section.para(
            f"New: {counted(len(drift.new), 'host')}. Gone: {counted(len(drift.gone), 'host')}. "
            f"In another class: {counted(moved, 'host')}."
        )
        section.pairs([("New", _host_names(drift.new)), ("Gone", _host_names(drift.gone))])
        for title, shares in (("New finding", drift.found), ("Fixed finding", drift.mended)):
            _add_table(section, ("Severity", "Hosts", title, "Setting"), shares, lambda share: (
                _severity(share.severity), f"{share.hosts:,}", share.message, code(share.setting)
            ))
        rows = [(move, difference) for move in drift.moved for difference in move.differences or (None,)]
        _add_table(section, ("Moved", "From", "To", "What", "Before", "After"), rows, lambda row: (
            text(f"{len(row[0].hosts):,}: ", _host_names(row[0].hosts, 3)), code(row[0].before),
            self._links([row[0].after]), *(_difference_cells(row[1]) if row[1] else ("", "", "")),
        ))

    def _links(self, names: Sequence[str]) -> Text:
        links: list[TextRun] = []
        for name in names[:_LINKS]:
            address = f"#{anchor(name)}" if name in self.described else None
            links += [*([TextRun(", ")] if links else []), TextRun(name, "code", address)]
        return text(links, f" and {len(names) - _LINKS:,} more" if len(names) > _LINKS else "")


def _add_table(
    section: Document, heads: Sequence[TextLike], rows: Sequence[R], cells: Callable[[R], Sequence[TextLike]]
) -> None:
    section.table(heads, [cells(row) for row in rows[:ROWS]])
    _add_more(section, rows, ROWS, "rows")


def _add_more(section: Document, rows: Sequence[R], most: int, what: str) -> None:
    if len(rows) > most:
        section.para(dim(f"{len(rows) - most:,} more {what}: {_FULL}."))


def _host_names(hosts: Sequence[str], most: int = NAMES) -> Text:
    rest = len(hosts) - most
    return text(", ".join(hosts[:most]), dim(f" and {rest:,} more" if rest > 0 else ""))


def _severity(severity: str) -> TextRun:
    return TextRun(severity, _LOOKS.get(severity, ""))


def _value_cell(value: str | None) -> TextLike:
    return "" if value is None else code(value)


def _difference_cells(difference: ClassDifference) -> tuple[TextLike, TextLike, TextLike]:
    return code(difference.what), _side_cell(difference.here), _side_cell(difference.there)


def _side_cell(value: str | None) -> TextLike:
    return dim("absent") if value is None else code(value)


class Rectangle(NamedTuple):
    """A rectangle in a picture of size 1 by 1."""

    x: float
    y: float
    wide: float
    high: float


class _Tile(NamedTuple):
    hosts: int
    what: str
    title: str
    address: str


def worst(host_class: HostClass) -> str:
    """The severity of its worst finding, or NOTHING or NOT_JUDGED."""
    return NOT_JUDGED if host_class.failed is not None else host_class.worst or NOTHING


def anchor(name: str) -> str:
    """The id of the element that describes the class of this name."""
    return "class-" + "".join(char for char in name if char.isascii() and char.isalnum())


def picture(report: FleetReport, leads_to: frozenset[str]) -> str:
    """The picture with its legend, "" without hosts. `leads_to`: names of classes that tiles link to."""
    groups = grouped((worst(host_class), host_class) for host_class in report.classes if host_class.hosts)
    kinds = [kind for kind in _WORST_FIRST if kind in groups]
    sizes = [sum(len(host_class.hosts) for host_class in groups[kind]) for kind in kinds]
    if not sizes:
        return ""
    tiles = [
        shape for kind, place in zip(kinds, _squarify(sizes, _WIDE / _HIGH))
        for shape in _group(kind, groups[kind], place, leads_to)
    ]
    legend = "".join(
        f'<li><svg aria-hidden="true"><rect class="{kind.replace(" ", "-")}" width="100%" height="100%"/></svg> '
        f"{'' if kind in (NOT_JUDGED, NOTHING) else 'worst finding: '}{kind}: <strong>{size:,}</strong> "
        f"{'host' if size == 1 else 'hosts'}</li>"
        for kind, size in zip(kinds, sizes)
    )
    return (
        f'<svg class="map" height="{_HIGH}" role="group" '
        f'aria-label="Classes of hosts by size and worst finding"><defs>{_HATCH}</defs>\n' + "\n".join(tiles)
        + f'\n</svg>\n<ul class="legend">{legend}</ul>'
    )


def _group(kind: str, classes: Sequence[HostClass], within: Rectangle, leads_to: frozenset[str]) -> Iterable[str]:
    tiles = [
        _tile(host_class, kind, leads_to)
        for host_class in sorted(classes, key=lambda host_class: -len(host_class.hosts))
    ]
    rest = tiles[_TILES:]
    if rest:
        hosts = sum(tile.hosts for tile in rest)
        tiles = [*tiles[:_TILES], _Tile(hosts, f"{len(rest)} classes", f"{len(rest)} smaller classes: {kind}", "")]
    shape = within.wide * _WIDE / (within.high * _HIGH)
    for tile, part in zip(tiles, _squarify([tile.hosts for tile in tiles], shape)):
        yield _tile_svg(tile, kind, Rectangle(
            within.x + part.x * within.wide, within.y + part.y * within.high,
            part.wide * within.wide, part.high * within.high,
        ))


def _tile(host_class: HostClass, kind: str, leads_to: frozenset[str]) -> _Tile:
    rules = dict.fromkeys(finding.rule for finding in host_class.findings if finding.severity == kind)
    what = f"{kind}: {', '.join(rules)}" if rules else kind
    return _Tile(
        len(host_class.hosts), what, f"class {host_class.name}: {what}",
        f"#{anchor(host_class.name)}" if host_class.name in leads_to else "",
    )


def _tile_svg(tile: _Tile, kind: str, place: Rectangle) -> str:
    wide, high = place.wide * _WIDE, place.high * _HIGH
    hosts = counted(tile.hosts, "host")
    letters = int((wide - 10) / _LETTER)
    lines = [f"{tile.hosts:,}" if len(hosts) > letters else hosts, tile.what]
    if letters < len(lines[0]):
        lines = []
    elif letters < min(len(tile.what), 16):  # the beginning of a rule's name says little
        lines = lines[:1]
    narrow = " narrow" if place.wide < 0.3 else ""
    labels = "".join(
        f'<text class="{"what" if at else "hosts"}{narrow}" x="6" y="{(at + 1) * _LINE}">'
        f"{escape_html(clipped(text, letters))}</text>"
        for at, text in enumerate(lines[:int((high - 6) / _LINE)])
    )
    drawn = (
        f'<svg x="{place.x:.3%}" y="{place.y:.3%}" width="{place.wide:.3%}" height="{place.high:.3%}">'
        f"<title>{escape_html(f'{hosts}, {tile.title}')}</title>"
        f'<rect class="{kind.replace(" ", "-")}" width="100%" height="100%"/>{labels}</svg>'
    )
    return f'<a href="{escape_html(tile.address)}">{drawn}</a>' if tile.address else drawn


def _squarify(sizes: Sequence[int], shape: float) -> list[Rectangle]:
    """A rectangle for each size, in the same order, as square as possible: the squarified treemap of Bruls, Huizing and
    van Wijk. `shape`: width of the whole divided by its height, as drawn."""
    rectangles = [Rectangle(0, 0, 0, 0)] * len(sizes)
    queue = sorted((at for at in range(len(sizes)) if sizes[at] > 0), key=lambda at: -sizes[at])
    total = sum(sizes)
    x, y, wide, high = 0.0, 0.0, shape, 1.0
    while queue:
        across = min(wide, high)
        row = [queue[0]]
        area = sizes[queue[0]] * shape / total
        while len(row) < len(queue):
            more = sizes[queue[len(row)]] * shape / total
            if _worst_ratio(sizes, [*row[:1], queue[len(row)]], area + more, across, shape / total) > _worst_ratio(
                    sizes, [row[0], row[-1]], area, across, shape / total):
                break
            row.append(queue[len(row)])
            area += more
        thick = area / across
        at = y if wide >= high else x
        for index in row:
            along = sizes[index] * shape / total / thick
            rectangles[index] = (
                Rectangle(x / shape, at, thick / shape, along) if wide >= high
                else Rectangle(at / shape, y, along / shape, thick)
            )
            at += along
        if wide >= high:
            x, wide = x + thick, wide - thick
        else:
            y, high = y + thick, high - thick
        queue = queue[len(row):]
    return rectangles


def _worst_ratio(sizes: Sequence[int], ends: Sequence[int], area: float, across: float, scale: float) -> float:
    """The largest aspect ratio of the first and last tile of a row, which are its largest and smallest."""
    thick = area / across
    return max(max(thick / (sizes[at] * scale / thick), sizes[at] * scale / thick / thick) for at in ends)
