"""The explanation of a part of the advice, as text."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content

from advisor.advice.argue import argue
from advisor.advice.citing import citations, measured, opponents
from advisor.advice.concern import concerns
from advisor.advice.model import Advice, Bug, Citation, Estimate, Open, Recommendation
from advisor.advice.steps import Steps, general
from advisor.render import figures
from advisor.render.argument import price
from advisor.rulebase.model import RuleBase, Tunable
from advisor.wizard import bars, words
from advisor.wizard.paper import BAD, DIM, GOOD, WARN, Paper
from advisor.wizard.proof import proof_tree

CONSEQUENCES = {
    "mount-fails": "the mount fails", "data-loss": "data can be lost", "stale-data": "old data can be read",
    "hang": "programs can hang", "boot": "the host may not boot", "security": "it is less secure",
    "ignored": "it does not do what it says", "performance": "it is slower than it could be",
    "unsupported": "the vendor does not support it", "portability": "it does not work everywhere",
}
GRADES = {
    "vendor": "vendor's documentation", "manual": "manual page", "code": "source code", "report": "report",
    "community": "community", "observed": "tried out", "measurement": "measurement", "standard": "standard",
}


def explained(base: RuleBase, advice: Advice, kind: str, name: str, width: int) -> Content:
    """A setting, figure or bug of the advice."""
    paper = Paper(width)
    if kind == "bug":
        for bug in advice.bugs:
            if bug.erratum == name:
                _bug(paper, base, bug)
    elif kind == "figure":
        for figure in advice.estimates:
            if figure.tunable == name:
                _figure(paper, base, figure)
    else:
        for one in advice.advised:
            if one.tunable == name:
                _settled(paper, base, advice, one)
        for waiting in advice.open:
            if waiting.tunable == name:
                _open(paper, base, advice, waiting)
    if not paper.lines:
        paper.title(words.title(base, name))
        paper.para("The rule base has nothing on it for these answers; m shows what it says for others.")
    return paper.content()


def _settled(paper: Paper, base: RuleBase, advice: Advice, one: Recommendation) -> None:
    if paper.lines:
        paper.add("")
    paper.title(words.short(one), f"{one.title} ({one.tunable})")
    paper.add("")
    strength, style = {
        "must": ("must be so", BAD), "should": ("should be so", GOOD), "may": ("optional", DIM),
    }.get(one.strength or "", ("", ""))
    if one.pinned:
        strength, style = "held by you", WARN
    otherwise = CONSEQUENCES.get(one.consequence or "")
    if strength:
        already = ", and is so by default" if one.already else ""
        paper.add("  ", (strength, style), (f"; otherwise {otherwise}" if otherwise else "", ""), (already, DIM))
    paper.para(one.why)
    paper.para(one.rule.note if one.rule else "", style=DIM)
    argument = argue(base, advice, one)
    taken_for = {taken.fact for taken in one.rests_on}
    because = [fact for fact in argument.because if fact.fact not in taken_for]
    if because:
        paper.heading("Because")
    for fact in because:
        asked = words.question(base, fact.fact)
        value = words.said(base, fact.fact, advice.answers.facts.get(fact.fact, fact.value))
        enough = "" if fact.need in (fact.value, value, "true", "false") else f"; {fact.need} is enough"
        origin = {"given": "you said so", "decided": "follows from the rules", "follows": "follows"}.get(
            fact.origin, f"found in {fact.origin}")
        paper.para(f"{asked} {value} ({origin}{enough})", 2, "✓ ")
    if one.rests_on:
        paper.heading("It assumes (a answers it)")
    for taken in one.rests_on:
        paper.para(f"{words.taken(base, taken)} ({taken.fact}). {taken.why}", 2, "≈ ")
    for cost in argument.costs:
        paper.heading("What holding it costs")
        paper.para(price(cost))
    proof_tree(paper, base, advice, one)
    if argument.losers:
        paper.heading("Rules that apply and lose")
    for loser in argument.losers:
        paper.para(f"{words.value_said(one.told, loser.value)}: {loser.why}", 2, "✗ ")
        paper.para(f"{loser.rule}, {loser.layer}; beaten by {', '.join(loser.beaten_by)}", 4, style=DIM)
    drawn(paper, base, [cite.claim for cite in (*argument.cites, *argument.measured)])
    _cite(paper, base, "Sources", argument.cites)
    _cite(paper, base, "Where sources disagree, are out of date or slip", argument.disagree)
    _apply(paper, one.told, one.steps, one.rule.risk if one.rule else None)


def _apply(paper: Paper, told: Tunable, steps: Steps, risk: str | None = None) -> None:
    paper.heading("Risk, apply, check, undo")
    paper.pairs([
        ("risk", risk or told.risk), ("before", steps.before), ("apply", steps.apply),
        ("takes effect", told.takes_effect), ("persists", told.persists), ("check", steps.check),
        ("undo", steps.undo),
    ])


def _open(paper: Paper, base: RuleBase, advice: Advice, one: Open) -> None:
    if paper.lines:
        paper.add("")
    told = base.tunables[one.tunable]
    paper.title(f"{words.label(told)}: open", f"{one.title} ({one.tunable})")
    paper.para(told.about, 0)
    paper.heading("What it may be")
    for possible in one.possible:
        paper.para(f"{words.value_said(told, possible.value)}: {possible.why}", 2, "• ")
        paper.para(f"for instance where {possible.when}" if possible.when else "", 4, style=DIM)
    if one.asks:
        paper.heading("What settles it (a goes to the first question)")
    for fact in one.asks:
        paper.para(words.question(base, fact), 2, "? ")
    figures_of = [claim for claim in measured(base, one.tunable) if concerns(base, advice.supposed, claim) is not False]
    drawn(paper, base, figures_of)
    _apply(paper, told, general(base, told))


def _figure(paper: Paper, base: RuleBase, one: Estimate) -> None:
    value = f"{one.value:,} {one.unit}" if one.value is not None else "not known yet"
    paper.title(f"{one.title}: {value}", one.tunable)
    paper.para(one.about)
    paper.para(one.why)
    paper.pairs([("formula", one.formula), ("filled in", one.filled), ("missing", ", ".join(one.missing))])
    _cite(paper, base, "Sources", citations(base, one.cites))


def _bug(paper: Paper, base: RuleBase, one: Bug) -> None:
    certain = "affects what you describe" if one.certain else f"may affect you: it depends on {', '.join(one.asks)}"
    paper.title(one.title, f"{one.erratum}, package {one.package}; {certain}")
    paper.heading("What is seen")
    paper.para(one.symptom)
    paper.heading("Why")
    paper.para(one.why)
    paper.heading("What to do")
    paper.para(one.workaround or "Use a fixed version.")
    _cite(paper, base, "Sources", citations(base, one.cites))


def drawn(paper: Paper, base: RuleBase, claims: Iterable[str]) -> None:
    """Figures of claims that can be compared, as bars."""
    shown = 0
    for claim in dict.fromkeys(claims):
        told = base.claims[claim]
        found = bars.charts(told.figures or {})
        if not found or shown == 4:
            continue
        if not shown:
            paper.heading("Measured")
        shown += 1
        paper.para(told.says)
        for chart in found:
            lines = bars.drawn(chart, max(min(paper.width - 50, 40), 10))
            wide = min(max(len(label) for label, _, _ in lines), 30)
            for label, bar, number in lines:
                paper.add("    ", f"{words.clipped(label, wide):<{wide}}  ", (bar, GOOD), f" {number}")
        source = base.sources[told.source]
        paper.para(f"{source.title}, {told.at}" + ("" if told.verdict == "accepted" else
                                                         f" [{told.verdict}]"), 4, style=DIM)


def _cite(paper: Paper, base: RuleBase, heading: str, cites: Iterable[Citation]) -> None:
    told = list(cites)
    if told:
        paper.heading(heading)
    for one in told:
        verdict = "" if one.verdict == "accepted" else f" [{one.verdict}]"
        paper.para(f"{one.says}{verdict}", 2, "• ")
        date = f", {one.date}" if one.date else ""
        paper.para(f"{one.title}, {one.publisher}{date}; {one.at}; {GRADES.get(one.grade, one.grade)}", 4, style=DIM)
        paper.para(figures.words(figures.unsaid(one.figures, one.says)), 4, style=DIM)
        for how, other in opponents(base, one):
            paper.para(f"{how}: {other.says} ({other.title}, {other.at})", 4)
        paper.para(one.address, 4, style=DIM)
