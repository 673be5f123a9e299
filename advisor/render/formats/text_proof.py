"""The whole proof of a finding, for `--verbose`: why, which facts, which rule won and which it beat, every source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from advisor.render.conditions import condition, outcome
from advisor.render.escape import visible
from advisor.render.plain import lines_of
from advisor.render.wrap import wrap, wrap_parts
from advisor.rulebase.model import Check

if TYPE_CHECKING:
    from advisor.lint.evidence import Side
    from advisor.lint.finding import Finding, Fix
    from advisor.render.context import Context

_LABEL = 11
_CONFIDENCE = {"medium": "medium, since it rests on a platform that was inferred", "low": "likely, not certain"}


def proof(f: Finding, context: Context) -> list[str]:
    """Everything behind one finding, as wrapped lines."""
    told = _Told(context)
    told("why", f.why)
    told("do", f.remedy)
    if f.fix is not None:
        told("fix", f"{f.fix.safety}; " + "; ".join(_fixed(f.file, f.fix, context.line)))
    told("confidence", _CONFIDENCE.get(f.confidence, ""))
    assert context.evidence is not None  # only `verbose` proves anything, and brings it
    behind = context.evidence(f)
    told("found where", _found_where(behind.check))
    for number, side in enumerate(behind.wins):
        told("and" if number else "rule", _side(side))
    for known in behind.known:
        cites = f"; {', '.join(known.cites)}" if known.cites else ""
        told("fact", f"{known.fact} is {known.value} ({known.origin}{cites})")
    for side in behind.beaten:
        told("beats", _side(side))
    sources: dict[str, list[Mapping[str, Any]]] = {}
    for claim in f.cites:
        cite = context.citation(claim)
        sources.setdefault(cite["source"], []).append(cite)
    for cited in sources.values():
        told.source(cited)
    return told.lines


def _found_where(check: Check | None) -> str:
    """What a check looks for, in words; "" where only its reader knows."""
    if check is None:
        return ""
    parts = [condition(part) for part in (check.on, check.when) if part]
    pair = check.pair
    if pair:
        differ = f" and differ in {', '.join(pair.differ)}" if pair.differ else ""
        parts.insert(0, f"two lines are alike in {', '.join(pair.same)}{differ}")
    return "; ".join(parts)


def _side(side: Side) -> str:
    return f"{side.rule} ({side.layer}): {outcome(side.value)}{f', if {side.needs}' if side.needs else ''}"


class _Told:
    """Labelled, wrapped lines; a label that says the same as the one before is not repeated."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.lines: list[str] = []
        self.last = ""
        self.indent = min(_LABEL + 6, context.columns // 3)

    def __call__(self, label: str, text: str, address: str | None = None, bullet: str = "") -> None:
        if not text:
            return
        head = "" if label == self.last else f"{label}:"
        self.last = label
        first = f"    {head}".ljust(self.indent) + bullet
        rest = " " * (self.indent + len(bullet))
        if len(first) > len(rest):  # a narrow terminal: the label has a line of its own
            self.lines.append(first.rstrip(" -"))
            first = " " * self.indent + bullet
        link = partial(self.context.style.link, address=address)
        self.lines += wrap_parts([(visible(text), link)], self.context.columns, first, rest)

    def source(self, cited: Sequence[Mapping[str, Any]]) -> None:
        """One source: title, grade, date, its address where no click leads there, and each place in it."""
        one = cited[0]
        date = f", {one['date']}" if one["date"] else ""
        self("source", f"{one['title']} ({one['grade']}; {one['publisher']}{date})", one["address"])
        if one["address"] and not self.context.style.links:
            self("source", one["address"])
        for cite in cited:
            self("source", f"{cite['at']} ({cite['claim']})", bullet="- ")


def _fixed(file: str, fix: Fix, line: Callable[[str, int], str]) -> Iterable[str]:
    """What the lines that a fix changes are afterwards, with single blanks between their fields."""
    for number in dict.fromkeys(edit.line for edit in fix.edits):
        text = line(file, number)
        for edit in sorted((e for e in fix.edits if e.line == number), key=lambda e: -e.column):
            text = text[: edit.column - 1] + edit.text + text[edit.end_column - 1 :]
        yield f"line {number} becomes {' '.join(text.split())}"


def left_open(items: Sequence[Mapping[str, Any]], several: bool, columns: int) -> list[str]:
    """What was not judged, and the facts that could settle it; lines that are alike are told together."""
    groups: dict[tuple[str, tuple[str, ...]], list[Mapping[str, Any]]] = {}
    for item in items:
        groups.setdefault((item["tunable"], tuple(item["depends_on"])), []).append(item)
    lines = []
    for (tunable, facts), places in groups.items():
        on = f" depends on {', '.join(facts)}" if facts else " cannot be judged"
        lines += wrap(visible(f"open: {tunable}{on} ({lines_of(places, several)})"), columns, "", "  ")
    return lines
