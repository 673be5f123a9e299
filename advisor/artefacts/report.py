"""REPORT.md and REPORT.html: the whole argument, what to do by hand, and how to install, check and undo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from advisor.advice.answers import NAMES
from advisor.advice.argue import argue
from advisor.advice.citing import citations, opponents
from advisor.advice.model import Argument, Citation, Open, Recommendation
from advisor.artefacts.bars import Chart, charts
from advisor.artefacts.context import Context
from advisor.artefacts.model import Artefact
from advisor.artefacts.templating import render
from advisor.lint.run import lint_text
from advisor.render import figures
from advisor.render.conditions import outcome


class Row(NamedTuple):
    """A setting of the report. `write`: as it is written; `steps`: (word, text) of how to apply it, and so on."""

    one: Recommendation
    write: str
    argument: Argument
    steps: tuple[tuple[str, str], ...]
    by_hand: bool


def report(context: Context, made: Iterable[Artefact]) -> Iterator[Artefact]:
    """Both reports, with the same content."""
    files = list(made)
    rows = [_row(context, one, files) for one in context.advice.advised if _tells(one)]
    values: dict[str, Any] = {
        "c": context, "advice": context.advice, "head": context.provenance(NAMES), "made": files,
        "written": [row for row in rows if not row.by_hand], "by_hand": [row for row in rows if row.by_hand],
        "charts": _charts(context, rows), "bugs": [(bug, citations(context.base, bug.cites)) for bug in
                                                  context.advice.bugs],
        "open": [(one, _values(one), _questions(context, one.asks)) for one in _open(context)],
        "lacking": [one.tunable for one in context.lacking if not context.is_server],
        "said": _said(context, files), "outcome": outcome,
        "against": partial(opponents, context.base), "words": _figures, "names": _names(context),
    }
    for suffix in ("md", "html"):
        path = f"REPORT.{suffix}"
        yield Artefact(path, render(path, **values), "Report")


def _tells(one: Recommendation) -> bool:
    """Whether a setting says something to do. A default that is in effect, and that nothing but taste asks for, does
    not."""
    if one.kind == "benchmark":
        return False
    return one.pinned or (one.opinion and not (one.strength == "may" and (one.already or one.value == "omit")))


def _row(context: Context, one: Recommendation, files: Iterable[Artefact]) -> Row:
    told = one.told
    steps = (
        ("written in", ", ".join(file.path for file in files if f"\n# {one.tunable}: " in file.text)),
        ("before", one.steps.before), ("apply", one.steps.apply), ("verify", one.steps.check),
        ("undo", one.steps.undo),
        ("takes effect", told.takes_effect), ("lasts", told.persists),
        ("risk", (one.rule and one.rule.risk) or told.risk),
    )
    value = outcome(one.value, told.unit)
    write = one.text or value
    return Row(
        one, f"{write} (the default)" if one.already else write, argue(context.base, context.advice, one),
        tuple((word, str(text).strip()) for word, text in steps if text), one.kind in context.data["by_hand"],
    )


def _charts(context: Context, rows: list[Row]) -> list[Chart]:
    """Of every claim that the report cites, and of what stands beside them in a benchmark."""
    claims: dict[str, Citation] = {}
    for row in rows:
        for cite in (*row.argument.cites, *row.argument.disagree):
            claims[cite.claim] = cite
    for one in context.advice.advised:
        recipe = context.base.recipes.get(str(one.value)) if one.kind == "benchmark" else None
        for cite in citations(context.base, recipe.cites if recipe else ()):
            claims[cite.claim] = cite
    for cite in (cite for row in rows for cite in row.argument.measured):
        claims.setdefault(cite.claim, cite)
    return charts(claims.values(), context.data["measures"])


def _said(context: Context, files: Iterable[Artefact]) -> list[tuple[Any, tuple[Citation, ...]]]:
    """What the linter says of the line for fstab under the same facts: what no setting can mend, such as work that does
    not belong on NFS, or a way that is not encrypted."""
    line = next((file.text for file in files if file.path == context.data["files"]["fstab"]["path"]), None)
    if line is None:
        return []
    told = lint_text(line, "fstab", context.base, context.advice.answers.facts).findings
    bugs = {bug.erratum for bug in context.advice.bugs}
    return [(one, citations(context.base, one.cites)) for one in told if not one.policy and one.rule not in bugs]


def _figures(cite: Citation) -> str:
    return figures.words(figures.unsaid(cite.figures, cite.says))


def _open(context: Context) -> list[Open]:
    return [one for one in context.advice.open if one.strength is not None]


def _values(one: Open) -> str:
    return " or ".join(dict.fromkeys(outcome(possible.value) for possible in one.possible))


def _questions(context: Context, asks: Iterable[str]) -> list[tuple[str, str]]:
    return [(fact, str(context.base.facts[fact].ask or fact)) for fact in asks]


def _names(context: Context) -> list[tuple[str, str]]:
    answers = context.advice.answers
    return [(name, answers.name(name)) for name in NAMES]
