"""Citations of claims, in one form everywhere: the claim, its source, claims against it, and its figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from advisor.named_tuple import grouped
from advisor.pages.blocks import Bar, Block, Chart, Document, Items, ListItem, TextRun, dim, text
from advisor.pages.wording import GRADES
from advisor.rulebase.citations import Citation, opponents
from advisor.rulebase.model import Claim, RuleBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeGuard

    Rows = list[dict[str, object]]


def cite(
    page: Document, base: RuleBase, cites: Iterable[Citation], heading: str = "", tunable: str | None = None,
    *, every: bool = True,
) -> None:
    """Adds the claims as a list below a heading; adds nothing without claims. `tunable`: the subject of the page, to
    which claims against these are limited. Unless `every`: the first two, each with the name of its source."""
    addresses: set[str] = set()
    if every:
        cited = tuple(_citation_item(base, citation, tunable, addresses) for citation in cites)
    else:
        claims = list(cites)
        cited = tuple(ListItem(text(citation.says, dim(f" ({citation.title})"))) for citation in claims[:_FEW])
        more = f"{len(claims) - _FEW} more, and all addresses and figures: --all"
        cited += (ListItem(text(dim(more))),) if len(claims) > _FEW else ()
    if cited and heading:
        page.heading(heading)
    page.add([Items(cited)] if cited else [])


def _citation_item(base: RuleBase, citation: Citation, tunable: str | None, addresses: set[str]) -> ListItem:
    """The list item of a claim. `addresses`: those that are listed already; its own are added."""
    verdict = "" if citation.verdict == "accepted" else f" [{citation.verdict}]"
    below = Document()
    date = f", {citation.date}" if citation.date else ""
    check = base.claims[citation.claim].checked
    checked = check and ("source not opened" if check.outcome == "not-opened" else f"checked {check.date}")
    name = f"{citation.claim}, {checked}" if checked else citation.claim
    place = f"{citation.title}, {citation.publisher}{date}; {citation.at}; {GRADES[citation.grade]} ({name})"
    below.para(dim(place))
    if citation.address and citation.address not in addresses:
        below.para(TextRun(citation.address, "dim", citation.address))
        addresses.add(citation.address)
    below.para(citation.scope and f"Holds for: {citation.scope}")
    below.add(figure_blocks(citation.figures, citation.says, citation.claim))
    if citation.verdict not in ("accepted", "measured"):
        below.para(base.claims[citation.claim].note)
    for how, other in opponents(base, citation, tunable):
        below.para(f"{how}: {other.says} ({other.title}, {other.at}; {other.claim})")
        if other.address and other.address not in addresses:
            below.para(TextRun(other.address, "dim", other.address))
            addresses.add(other.address)
    return ListItem(text(f"{citation.says}{verdict}"), blocks=tuple(below.blocks))


_FEW = 2
"""How many claims the short form has."""


def check_text(claim: Claim) -> str | None:
    """ "2026-11-21, corrected: fs/nfs/super.c of Linux 6.12"; None for an unchecked claim."""
    check = claim.checked
    if check is None:
        return None
    if check.outcome == "not-opened":
        return f"{check.date}, its source could not be opened: {check.because}"
    return f"{check.date}, {check.outcome}: {check.against}"


_UNITS = {
    "mib_s": "MiB/s", "gib_s": "GiB/s", "mb_s": "MB/s", "mb_per_s": "MB/s", "gb_s": "GB/s", "gb_per_s": "GB/s",
    "gbit_s": "Gbit/s", "iops": "IOPS", "iops_about": "IOPS", "hours": "hours", "minutes": "minutes",
    "seconds": "seconds", "ms": "ms", "clients": "clients", "calls": "calls", "messages": "messages",
    "percent": "%", "factor": "times",
}
"""The prefix or suffix of a figure's name → its unit. Sizes that are set (bytes, KiB) are not measured."""
_LONG = 8
"""A table with more rows is summarized."""
_BARS = 12
"""A chart with more bars is not drawn."""


def figure_blocks(figures: Mapping[str, object], says: str = "", folded: str = "") -> list[Block]:
    """Comparable figures as bars, tables as tables, and other figures in words, without those in the sentence `says`.
    `folded`: the claim that is referred to instead of a long table; "" to show the table."""
    page = Document()
    charts, drawn = _charts(figures)
    sentence = says.replace(",", "").lower()
    page.para(figures_in_words({
        name: value for name, value in figures.items()
        if not (_is_table(value) or name in drawn or all(part in sentence for part in _parts(value)))
    }))
    for name, value in figures.items():
        if not _is_table(value) or name in drawn:
            continue
        if folded and len(value) > _LONG:
            page.para(f"{_ranges(value)} (advisor explain {folded} prints them)")
            continue
        page.para("" if name == "rows" else f"{name}:")
        heads = list(dict.fromkeys(head for row in value for head in row))
        page.table(heads, [[_text(row.get(head, "")) for head in heads] for row in value])
    return [*page.blocks, *charts]


def figures_in_words(figures: Mapping[str, object]) -> str:
    """ "threads = 256, sizes_mib = 1024/2048". Tables are left out."""
    return ", ".join(f"{name} = {_text(value)}" for name, value in figures.items() if not _is_table(value))


def _parts(value: object) -> list[str]:
    """The single numbers and words of a figure."""
    if isinstance(value, Mapping):
        return [part for inner in value.values() for part in _parts(inner)]
    if isinstance(value, list):
        return [part for inner in value for part in _parts(inner)]
    return [_text(value).lower()]


def _ranges(table: Rows) -> str:
    """ "30 rows: seconds 9.1 to 36.6, mb_per_s 117 to 118"."""
    numbers = grouped(
        (name, value) for row in table for name, value in row.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    )
    spans = (f"{name} {min(column)}" if min(column) == max(column) else f"{name} {min(column)} to {max(column)}"
             for name, column in numbers.items())
    return f"{len(table)} rows: {', '.join(spans)}"


def _is_table(value: object) -> TypeGuard[Rows]:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "/".join(map(_text, value))
    if isinstance(value, dict):
        return f"({figures_in_words(value)})"
    return str(value)


def _charts(figures: Mapping[str, object]) -> tuple[list[Block], set[str]]:
    """Charts of figures of the same unit, and the names of the figures that they show completely."""
    groups: dict[str, list[tuple[str, Bar]]] = {}
    blocks: list[Block] = []
    drawn: set[str] = set()
    for name, value in figures.items():
        if _is_table(value):
            charts = _table_charts(value)
            blocks += charts
            drawn |= {name} if charts else set()
            continue
        for inner, number in value.items() if isinstance(value, dict) else [(name, value)]:
            unit, label = _unit(str(inner))
            bar = _bar(f"{name} {label}" if isinstance(value, dict) else label, number)
            if unit and bar and "printed" not in label:
                groups.setdefault(unit, []).append((name, bar))
    for unit, named in groups.items():
        bars = [bar for _, bar in named]
        if unit == "times" and len(bars) == 1:
            bars = [Bar("without", 1, 1), bars[0]._replace(label="with")]
        if _comparable(bars):
            blocks.append(Chart(unit, tuple(bars)))
            names = [name for name, _ in named]
            drawn |= {name for name in names if names.count(name) == len(_bar_values(figures[name]))}
    return blocks, drawn


def _table_charts(rows: Rows) -> list[Chart]:
    """A chart for each measured column; the other columns are its labels."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    measured = [name for name in columns if _unit(name)[0] and all(_bar("", row.get(name)) for row in rows)]
    labels = [name for name in columns if name not in measured]
    charts = []
    for name in measured:
        row_labels = (" ".join(f"{_spaced(key)} {_text(row[key])}," for key in labels if key in row) for row in rows)
        bars = [_bar(label.rstrip(","), row[name]) for label, row in zip(row_labels, rows)]
        drawn = [bar for bar in bars if bar is not None]
        charts.append(Chart(_unit(name)[0], tuple(drawn)))
    return charts if all(_comparable(list(chart.bars)) for chart in charts) else []


def _comparable(bars: list[Bar]) -> bool:
    return len(bars) <= _BARS and len({bar.label for bar in bars}) == len(bars) > 1 and any(bar.high for bar in bars)


def _bar_values(value: object) -> list[object]:
    """The parts of a figure if a bar can show each of them: a number or a pair; [] if one is a longer list."""
    inner = list(value.values()) if isinstance(value, dict) else [value]
    return inner if all(not isinstance(part, list) or len(part) < 3 for part in inner) else []


def _bar(label: str, value: object) -> Bar | None:
    numbers = value if isinstance(value, list) else [value]
    known = [float(number) for number in numbers
             if isinstance(number, (int, float)) and not isinstance(number, bool) and number >= 0]
    return Bar(_spaced(label).strip(), min(known), max(known)) if known and len(known) == len(numbers) else None


def _unit(name: str) -> tuple[str, str]:
    """The unit in a figure's name, and the rest of the name; ("", "") without a unit."""
    for word in sorted(_UNITS, key=len, reverse=True):
        if name == word:
            return _UNITS[word], ""
        if name.endswith(f"_{word}"):
            return _UNITS[word], name.removesuffix(f"_{word}")
        if name.startswith(f"{word}_"):
            return _UNITS[word], name.removeprefix(f"{word}_")
    return "", ""


def _spaced(name: str) -> str:
    return name.replace("_", " ")
