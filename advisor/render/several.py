"""What `advisor recommend` says of several mounts: a line for each, the host's settings once, and what disagrees."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from advisor.advice.groups import ACCESS, GROUPS
from advisor.advice.impact import in_order
from advisor.advice.line import to_set
from advisor.advice.model import Supposition
from advisor.render.advice_json import SCHEMA, asked, figures, open_setting, recommendation
from advisor.render.advice_text import (
    assumed,
    bugs,
    effects,
    facts,
    left,
    no_guidance,
    rows,
    taken_for_granted,
    unsettled,
)
from advisor.render.conditions import operand, outcome
from advisor.render.escape import visible
from advisor.render.explain import Page

if TYPE_CHECKING:
    from advisor.advice.model import Advice, Argument, Recommendation
    from advisor.advice.several import Conflict, Question, Several

_QUESTIONS = 3
"""How many questions are shown: the first may be for one mount only."""


def summary(page: Page, told: Several, lines: Iterable[tuple[str, list[str]]], every: bool) -> None:
    """`told`: an advisor.advice.several.Several; `lines`: for each mount its line, and what it still has to get."""
    facts(page, told.answers)
    page.heading("Lines for /etc/fstab")
    for advice, (line, wanting) in zip(told.mounts, lines):
        page.lines.append(f"  {visible(line or '# none for ' + advice.answers.name('target'))}")
        known, host = advice.answers, told.answers.facts
        names = [f"{fact}={operand(known.facts[fact])} ({where})" for fact, where in known.origin.items()
                 if host.get(fact) != known.facts[fact]]
        if names:
            page.para(f"taken from names: {', '.join(names)}", 4)
        for one in advice.advised:
            if one.kind == ACCESS and one.opinion:
                page.para(f"{one.steps.apply} {one.why}", 4)
        if wanting:
            page.para(f"Not complete: {', '.join(wanting)} must be written and is still open.", 4)
    no_guidance(page, [advice.answers for advice in told.mounts if told.answers.facts != advice.answers.facts])
    for title, kinds in GROUPS:
        group = in_order(one for one in told.host if one.kind in kinds)
        mine = group if every else [one for one in group if to_set(one, told.mounts[0])]
        if mine:
            page.heading(f"{title}, for all mounts")
            rows(page, mine, also=lambda one: _for(told, one.tunable))
    conflicts(page, told.conflicts)
    assumed(page, [one for advice in told.mounts for one in advice.assumed])
    taken_for_granted(page, told.mounts)
    for advice in told.mounts:
        effects(page, advice)
    unsettled(page, told.open, every)
    questions(page, told.questions)
    bugs(page, {bug.erratum: bug for advice in told.mounts for bug in advice.bugs}.values())


def _for(told: Several, tunable: str) -> str:
    """For which mounts a setting of the host is, where it is not for all."""
    targets = sorted(told.wanted.get(tunable, ()))
    return f"(For {', '.join(targets)}.)" if targets and len(targets) < len(told.mounts) else ""


def conflicts(page: Page, told: Iterable[Conflict]) -> None:
    """Settings of the host of which mounts want different things."""
    for conflict in told:
        page.heading(f"{conflict.title}: no value suits all mounts, so none is advised")
        by_value: dict[tuple[Any, ...], list[Any]] = {}
        for side in conflict.sides:
            by_value.setdefault((side.tunable, str(side.value), side.rule), []).append(side)
        for sides in by_value.values():
            first = sides[0]
            targets = ", ".join(sorted({side.target for side in sides}))
            rule = f" ({', '.join(word for word in (first.strength, first.rule) if word)})"
            page.para(f"{first.tunable}: {outcome(first.value)} for {targets}{rule}: {first.why}", 2, "- ")
        page.para(f"Choose one with --pin {conflict.tunable}=VALUE.")


def questions(page: Page, told: Iterable[Question]) -> None:
    """The first questions, each with the mounts that it is about."""
    told = list(told)
    if not told:
        return
    page.heading(left([one.ask for one in told]))
    for one in told[:_QUESTIONS]:
        about = "" if page.base.facts[one.ask.fact].scope == "host" else f" for {', '.join(one.targets)}"
        page.para(f"{one.ask.ask}  ({one.ask.fact}{about})", 2, "- ")


def document(
    told: Several, lines: Iterable[tuple[str, list[str]]], argument: Callable[[Advice, Recommendation], Argument],
    answers: dict[str, Any], *, presumed: Iterable[Supposition], unguided: Iterable[str],
) -> dict[str, Any]:
    """As JSON-ready data. `argument`: of (advice, setting); `answers`: as their file holds them."""
    spoken = {advice.answers.name("target"): advice for advice in told.mounts}

    def host(one: Recommendation) -> dict[str, Any]:
        first = next(iter(told.wanted.get(one.tunable, ())), "")
        said = recommendation(one, argument(spoken.get(first, told.mounts[0]), one))
        return {**said, "mounts": sorted(told.wanted.get(one.tunable, ()))}

    mine = in_order(told.host)
    settled = [host(one) for one in mine if not one.rests_on]
    assumed_ = [host(one) for one in mine if one.rests_on]
    return {
        "schema": SCHEMA, "version": told.mounts[0].version, "rule_base": told.mounts[0].base_hash, "answers": answers,
        "unguided": list(unguided), "presumed": [one._asdict() for one in presumed],
        "settled": settled, "assumed": assumed_, "open": [open_setting(one) for one in in_order(told.open)],
        "questions": [{**asked(one.ask), "mounts": list(one.targets)} for one in told.questions],
        "estimates": [],
        "bugs": figures({bug.erratum: bug for advice in told.mounts for bug in advice.bugs}.values()),
        "effects": [],
        "summary": {
            "settled": len(settled), "assumed": len(assumed_), "open": len(told.open),
            "to_set": sum(one.opinion for one in told.host),
        },
        "mounts": [_mount(told, advice, line, argument) for advice, line in zip(told.mounts, lines)],
        "conflicts": [
            {"tunable": one.tunable, "title": one.title, "sides": [side._asdict() for side in one.sides]}
            for one in told.conflicts
        ],
    }


def _mount(
    told: Several, advice: Advice, line: tuple[str, list[str]], argument: Callable[[Advice, Recommendation], Argument]
) -> dict[str, Any]:
    """What is said of one mount, without what is said of the host."""
    shared = {one.tunable for one in told.host} | {one.tunable for one in told.open}
    own = in_order(one for one in advice.advised if one.tunable not in shared)
    return {
        **{name: advice.answers.name(name) for name in ("server", "export", "target")},
        "facts": advice.answers.facts, "found": advice.answers.origin, "line": line[0], "lacking": line[1],
        "settled": [recommendation(one, argument(advice, one)) for one in own if not one.rests_on],
        "assumed": [recommendation(one, argument(advice, one)) for one in own if one.rests_on],
        "open": [open_setting(one) for one in in_order(advice.open) if one.tunable not in shared],
        "estimates": figures(advice.estimates), "effects": [one._asdict() for one in advice.effects],
    }
