"""A treemap of a fleet as SVG: each class is a tile whose area is its share of the hosts.

The tiles of one severity are side by side. Severity is a colour and a word; the colours also differ in brightness, for
print and for colour-blind readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from advisor.fleet.model import FleetReport, HostClass
from advisor.lint.finding import SEVERITIES
from advisor.pages.html import escape_html
from advisor.pages.phrases import clipped

NOT_JUDGED, NOTHING = "not judged", "no finding"
_WORST_FIRST = (*reversed(SEVERITIES), NOT_JUDGED, NOTHING)
_WIDE, _HIGH = 1000, 440
"""Pixels: the height, and the width for which labels are chosen; a browser scales the width to the window."""
_LETTER, _LINE = 7, 18
"""Pixels of a letter and of a line of a label."""
_TILES = 150
"""The largest classes of one severity that have their own tiles; the others share one."""

CSS = """\
.map { display: block; width: 100%; margin: 1em 0 .3em; }
.map text { font: 13px system-ui, sans-serif; fill: #000; }
.map .hosts { font-weight: 700; }
.map rect, .legend rect { stroke: var(--paper); stroke-width: 1.5px; }
.map defs rect { stroke: none; }
.map a:hover rect, .map a:focus rect { stroke: var(--ink); stroke-width: 4px; }
.error { fill: #d55e00; }
.warning { fill: #e69f00; }
.note { fill: #9fd0f5; }
.no-finding { fill: #dde3e8; }
.not-judged { fill: url(#hatch); }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2em 1.6em; margin: 0 0 1.5em; }
.legend svg { width: 1em; height: 1em; vertical-align: -.15em; }
@media (max-width: 50rem) { .map .narrow { display: none; } }
"""


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
    groups: dict[str, list[HostClass]] = {}
    for host_class in (host_class for host_class in report.classes if host_class.hosts):
        groups.setdefault(worst(host_class), []).append(host_class)
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


_HATCH = (
    '<pattern id="hatch" width="10" height="10" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="10" height="10" fill="#fff"/><rect width="3" height="10" fill="#b3bcc4"/></pattern>'
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
    hosts = f"{tile.hosts:,} {'host' if tile.hosts == 1 else 'hosts'}"
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
