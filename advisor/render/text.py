"""Findings for people: place, line, caret, reason, remedy, source. Colours only where they are wanted."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from advisor.render.escape import line_with_caret, visible

_COLOUR = {"error": "1;31", "warning": "1;33", "note": "1;36", "bold": "1", "dim": "2"}


class Style:
    """ANSI colours, or nothing at all."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, kind: str, text: str) -> str:
        return f"\x1b[{_COLOUR[kind]}m{text}\x1b[0m" if self.colour else text


SOURCES = 3
"""How many sources a finding names; `advisor explain RULE` has them all."""


def finding(f: Any, source_line: str, citation: Callable[[str], dict[str, str]], style: Style, columns: int) -> str:
    """One finding as a block of lines. `citation` turns a claim id into {title, at}."""
    place = f"{visible(f.file)}:{f.line}:{f.column}:"
    lines = [f"{style('bold', place)} {style(f.severity, f.severity)}[{f.rule}] {visible(f.message)} ({f.consequence})"]
    gutter = f"{f.line:>5} | "
    shown, carets = line_with_caret(source_line, f.column, f.end_column, columns - len(gutter))
    lines.append(style("dim", gutter) + shown)
    lines.append(style("dim", " " * 5 + " | ") + style(f.severity, carets))
    lines += _note("why", f.why, columns)
    if f.remedy:
        lines += _note("do", f.remedy, columns)
    if f.cites:
        lines += _note("source", _sources([citation(c) for c in f.cites]), columns)
    if f.confidence != "high":
        lines += _note("note", _CONFIDENCE[f.confidence], columns)
    return "\n".join(lines)


def _sources(cited: Sequence[Mapping[str, str]]) -> str:
    """Each source once, with the first place that is cited in it."""
    places: dict[str, str] = {}
    for one in cited:
        places.setdefault(one["title"], one["at"])
    told = [f"{title}, {at if len(at) < 60 else at[:59] + '…'}" for title, at in places.items()]
    more = len(told) - SOURCES
    return "; ".join(told[:SOURCES]) + (f"; and {more} more" if more > 0 else "")


_CONFIDENCE = {
    "medium": "rests on a platform inferred from the server's name, or on facts that are only partly known",
    "low": "likely, not certain",
}


def _note(label: str, text: str, columns: int) -> list[str]:
    head = f"      {label}: "
    return textwrap.wrap(
        visible(text), max(columns, 40), initial_indent=head, subsequent_indent=" " * len(head),
        break_long_words=False, break_on_hyphens=False,
    )


def summary(counts: Mapping[str, int], entries: int, files: int, suppressed: int, style: Style) -> str:
    """The last line: how many findings of each severity, in how many NFS lines."""
    found = [f"{n} {severity}{'' if n == 1 else 's'}" for severity, n in counts.items() if n]
    what = ", ".join(found) if found else "no findings"
    where = f"{entries} NFS line{'' if entries == 1 else 's'}"
    if files != 1:
        where += f" of {files} files"
    kind = next((s for s in ("error", "warning", "note") if counts.get(s)), "bold")
    tail = f"; {suppressed} suppressed" if suppressed else ""
    return f"{style(kind, what)} in {where}{tail}"


def open_question(open_settings: int, fact: str, question: str, concerns: int, example: str) -> str:
    """The one line on what was not judged because facts are not known."""
    plural, verb = ("", "depends") if open_settings == 1 else ("s", "depend")
    return (
        f"{open_settings} setting{plural} {verb} on facts that are not known; {concerns} on this: {question} "
        f"Answer with --set {fact}={example}."
    )


def concise(findings: Iterable[Any]) -> Iterable[str]:
    """One line a finding: `file:line:column: severity[rule] message`."""
    for f in findings:
        yield f"{visible(f.file)}:{f.line}:{f.column}: {f.severity}[{f.rule}] {visible(f.message)}"


def blocks(
    findings: Sequence[Any], source_line: Callable[[str, int], str], citation: Callable[[str], dict[str, str]],
    style: Style, columns: int,
) -> Iterable[str]:
    """Every finding as a block, an empty line after each."""
    for f in findings:
        yield finding(f, source_line(f.file, f.line), citation, style, columns) + "\n"
