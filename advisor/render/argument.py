"""The whole argument for one setting, for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from advisor.advice.citing import opponents
from advisor.render import figures
from advisor.render.conditions import outcome
from advisor.render.explain import Page

if TYPE_CHECKING:
    from advisor.advice.model import Argument, Because, Citation, Cost, Loser, Recommendation

_ROWS = 8
"""A longer table of figures is folded."""


def setting(page: Page, one: Recommendation, argument: Argument) -> None:
    """A settled tunable: value, reason, facts, losers, sources, disagreement, how to apply, verify and undo."""
    page.heading(f"{one.tunable}: {one.title}")
    page.pairs([
        ("value", shown(one)), ("write", one.text if one.text not in shown(one) else None),
        ("strength", "given by you" if one.pinned else one.strength), ("otherwise", one.consequence),
        ("rule", rule_of(one)),
    ])
    page.para(one.why)
    page.para(one.rule.note if one.rule else None)
    because(page, argument.because)
    costs(page, argument.costs)
    losers(page, argument.losers)
    page.heading("Sources")
    cites(page, argument.cites, one.tunable)
    if argument.measured:
        page.heading("What was measured, by others on systems of theirs")
        cites(page, argument.measured, one.tunable)
    if argument.disagree:
        page.heading("Where sources disagree, are out of date or slip")
        cites(page, argument.disagree, one.tunable)
    if argument.elsewhere:
        told = ", ".join(f"{what} ({number})" for what, number in argument.elsewhere.items())
        page.heading("Left out, since it is about other systems")
        page.para(f"{told}. advisor explain {one.tunable} has all of it.")
    page.heading("Apply, check, undo")
    page.pairs([
        ("before", one.steps.before), ("apply", one.steps.apply), ("verify", one.steps.check), ("undo", one.steps.undo),
        ("takes effect", one.told.takes_effect), ("persists", one.told.persists),
        ("risk", (one.rule and one.rule.risk) or one.told.risk),
    ])


def shown(one: Recommendation) -> str:
    """The value for people, with a word on a default that is in effect anyway."""
    if one.text and one.text == str(one.written) and one.value != one.written:
        text = f"{one.text} ({outcome(one.value, one.told.unit)})"
    else:
        text = one.text or outcome(one.value, one.told.unit)
    return f"{text}, which is the default" if one.already else text


def rule_of(one: Recommendation) -> str | None:
    return f"{one.rule.id}, layer {one.rule.layer}" if one.rule else None


def because(page: Page, facts: Iterable[Because]) -> None:
    told = list(facts)
    if told:
        page.heading("Because")
    for fact in told:
        need = "" if fact.need == fact.value or fact.need in ("true", "false") else f"; enough: {fact.need}"
        page.para(f"{fact.fact} is {fact.value} ({fact.origin}{need})", 2, "- ")


def costs(page: Page, told: Iterable[Cost]) -> None:
    for one in told:
        page.heading("What holding it costs")
        page.para(price(one))
        cites(page, one.cites)


def price(one: Cost) -> str:
    """What is advised instead of a value that is held, in a sentence."""
    strength = ", ".join(word for word in (one.strength, one.consequence) if word)
    return f"The rule base says {outcome(one.value)}{f' ({strength})' if strength else ''}: {one.why}"


def losers(page: Page, told: Iterable[Loser]) -> None:
    rules = list(told)
    if rules:
        page.heading("Rules that apply and lose")
    for one in rules:
        page.para(f"{outcome(one.value)} by {one.rule} ({one.layer}), beaten by {', '.join(one.beaten_by)}: {one.why}",
                  2, "- ")


def cites(page: Page, told: Iterable[Citation], tunable: str | None = None) -> None:
    """`tunable`: what the page is about; what stands against a claim is told as far as it is on that."""
    addresses: set[str] = set()
    for one in told:
        date = f", {one.date}" if one.date else ""
        verdict = "" if one.verdict == "accepted" else f" [{one.verdict}]"
        page.para(f"{one.title}, {one.publisher}{date}, {one.at} ({one.grade}): {one.says}{verdict}", 2, "- ")
        page.para(one.scope and f"Holds for: {one.scope}", 4)
        page.para(figures.words(figures.unsaid(one.figures, one.says)), 4)
        page.lines += figures.tables(one.figures, page.columns, _ROWS)
        page.para(figures.folded(one.figures, one.claim, _ROWS), 4)
        for words, other in opponents(page.base, one, tunable):
            page.para(f"{words}: {other.says} ({other.title}, {other.at})", 4)
        if one.address and one.address not in addresses:
            page.lines.append(f"    {page.style.link(one.address, one.address)}")
            addresses.add(one.address)
