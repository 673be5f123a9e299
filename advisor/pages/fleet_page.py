"""A report on a fleet as one HTML page: the treemap first, then the findings, then each class.

Long lists are cut, so that a page on 100 000 hosts opens at once; the JSON Lines output has all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TypeVar

from advisor.fleet.model import ClassDifference, ClassFinding, FleetDrift, FleetReport, HostClass, usage
from advisor.lint.finding import SEVERITIES
from advisor.pages.blocks import Block, Document, TextRun, code, codes, dim, strong, text
from advisor.pages.fleet_treemap import CSS, NOT_JUDGED, anchor, picture, worst
from advisor.pages.html import SORTING, html_blocks, page
from advisor.pages.phrases import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.pages.blocks import Text, TextLike

NAMES = 40
"""How many host names are listed in one place."""
_LINKS = 5
CLASSES = 1000
"""How many classes are described."""
ROWS = 500
"""How many rows a table has."""
_LOOKS = {"error": "bad", "warning": "warn"}
_FULL = "the JSON Lines output has all of them"
_CSS = """\
body { max-width: 76rem; }
table { display: block; overflow-x: auto; border-spacing: 0; }
th, td { padding: .3em 1em .3em 0; border-bottom: 1px solid var(--line); min-width: 4.5em; overflow-wrap: break-word; }
td { max-width: 24em; }
th { white-space: nowrap; }
th button { font: inherit; text-align: left; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
th button:hover { text-decoration: underline; }
th button::after { content: " \\2195"; color: var(--soft); }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
details { border-bottom: 1px solid var(--line); padding: .35em 0; }
details > div { scroll-margin-top: 3em; padding-left: 1em; }
summary { cursor: pointer; overflow-wrap: anywhere; }
dd { overflow-wrap: anywhere; }
.bad { color: #b3420a; font-weight: 600; }
.warn { color: #8a5a00; font-weight: 600; }
@media (prefers-color-scheme: dark) { .bad { color: #ff9351; } .warn { color: #f0b73c; } }
@media print {
  body { max-width: none; margin: 0; font-size: 12px; }
  .map, .legend, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  table { display: table; } tr, summary { break-inside: avoid; } th button::after { content: ""; }
}
"""

R = TypeVar("R")


def fleet_page(report: FleetReport, generator: str) -> str:
    """The page. `generator`: what made it."""
    title = f"NFS configuration of {counted(report.hosts, 'host')}"
    built = _FleetPage(report)
    body = (html_blocks(built.beginning(title)), picture(report, frozenset(built.described)), html_blocks(built.rest()))
    return page("\n".join(body), title, generator, CSS + _CSS, SORTING)


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
        self._unread(section)
        return section.blocks

    def _shares(self, section: Document) -> None:
        section.heading("Findings")
        if not self.report.shares:
            section.para(
                "No host has a finding." if all(host_class.failed is None for host_class in self.report.classes)
                else "No host that could be judged has a finding."
            )
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
        counts = [
            (severity, sum(finding.severity == severity for finding in host_class.findings))
            for severity in reversed(SEVERITIES)
        ]
        totals = ", ".join(counted(number, severity) for severity, number in counts if number)
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
        _add_findings(section, host_class.findings)
        section.pairs([("Hosts", _host_names(host_class.hosts))])
        if host_class.mounts:
            section.code("\n".join(host_class.mounts[:ROWS]), "fstab")
        section.fold("Facts", _fact_blocks(host_class), 4)
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

    def _unread(self, section: Document) -> None:
        if self.report.unread:
            section.heading("Bundles that could not be read")
        _add_table(section, ("Bundle", "Why"), self.report.unread, lambda bundle: (code(bundle.place), bundle.why))

    def _links(self, names: Sequence[str]) -> Text:
        links: list[TextRun] = []
        for name in names[:_LINKS]:
            address = f"#{anchor(name)}" if name in self.described else None
            links += [*([TextRun(", ")] if links else []), TextRun(name, "code", address)]
        return text(links, f" and {len(names) - _LINKS:,} more" if len(names) > _LINKS else "")


def _add_findings(section: Document, findings: Sequence[ClassFinding]) -> None:
    _add_table(section, ("Severity", "Finding", "Setting", "Value", "Advised", "Remedy", "Place", "Sources"), findings,
           lambda finding: (
        _severity(finding.severity), finding.message, code(finding.setting), _value_cell(finding.value),
        _value_cell(finding.advised), finding.remedy, code(finding.place), codes(finding.cites),
    ))


def _fact_blocks(host_class: HostClass) -> list[Block]:
    section = Document()
    section.pairs(
        (name, code(", ".join(map(str, value)) if isinstance(value, list) else value))
        for name, value in islice(sorted(host_class.facts.items()), ROWS)
    )
    return section.blocks


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


