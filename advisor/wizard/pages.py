"""Pages of the rule base, findings, why-not and what-if: what the commands print, in the wizard's own lines."""

from __future__ import annotations

from typing import Any

from textual.content import Content

from advisor.advice.answers import AnswerError, Answers
from advisor.advice.citing import citations
from advisor.advice.model import Advice
from advisor.advice.otherwise import otherwise
from advisor.render.explain import Page
from advisor.rulebase.model import RuleBase
from advisor.wizard import words
from advisor.wizard.explained import CONSEQUENCES, _cite
from advisor.wizard.paper import BAD, DIM, GOOD, WARN, Marks, Paper, of_page


def page(base: RuleBase, name: str, width: int) -> Content:
    """Everything that the rule base has by that name."""
    from advisor.cli.explain import _names  # noqa: PLC0415

    made = Page(base, width, Marks())
    for show in _names(base).get(name, ()):
        show(made)
    return of_page(made.lines, width)


def finding(base: RuleBase, found: tuple[Any, str], width: int) -> Content:
    """A finding of the linter, with its line."""
    one, line = found
    paper = Paper(width)
    style = {"error": BAD, "warning": WARN}.get(one.severity, DIM)
    paper.add((one.severity, style), f"  line {one.line}  ", (one.rule, DIM))
    paper.para(one.message, 0, style="bold")
    paper.add("")
    start = max(one.column - 1 - max(width - 20, 20), 0)
    shown = line[start : start + width - 4].replace("\t", " ")
    paper.add("  ", shown)
    first = one.column - 1 - start
    paper.add("  ", " " * first, ("^" * max(min(one.end_column - one.column, len(shown) - first), 1), style))
    paper.heading("What to do")
    paper.para(one.remedy)
    paper.heading("Why")
    paper.para(one.why)
    otherwise = CONSEQUENCES.get(one.consequence)
    paper.para(f"Otherwise {otherwise}." if otherwise else "")
    if one.depends_on:
        paper.para(f"It depends on {', '.join(one.depends_on)}.", style=DIM)
    _cite(paper, base, "Sources", citations(base, one.cites))
    return paper.content()


def why_not(base: RuleBase, answers: Answers, tunable: str, text: str, width: int) -> Content:
    """What stands against a value."""
    from advisor.advice.against import against  # noqa: PLC0415
    from advisor.advice.typed import pin_value  # noqa: PLC0415
    from advisor.render.against import show  # noqa: PLC0415

    try:
        value = pin_value(base, tunable, text)
    except AnswerError as error:
        paper = Paper(width)
        paper.title(f"{words.label(base.tunables[tunable])} = {text}")
        paper.para(str(error), style=BAD)
        return paper.content()
    made = Page(base, width, Marks())
    show(made, tunable, value, against(base, answers, tunable, value))
    return of_page(made.lines, width)


def what_if(base: RuleBase, advice: Advice, tunable: str, width: int) -> Content:
    """What would have to be otherwise for another value."""
    now = advice.find(tunable)
    paper = Paper(width)
    paper.title(f"What if: {words.short(now) if now else words.label(base.tunables[tunable])}",
                "The smallest changes of what is known that lead to another value")
    found = otherwise(base, advice, tunable)
    for fact in found.asks:
        paper.para(words.question(base, fact), 2, "? ")
    for change in (*found.changes, *found.elsewhere):
        paper.add("")
        for fact in change.facts:
            value = words.mask_said(base, fact, change.state[fact])
            paper.para(f"{words.question(base, fact)} {value}", 2, "≠ ")
        sure = "then it is" if change.settled else "then it may be"
        value = words.value_said(base.tunables[tunable], change.value)
        paper.add("    ", (sure, DIM), " ", (value, GOOD), (f"  by {change.rule}", DIM))
        case = ", ".join(f"{fact} is {said}" for fact, said in change.where.items())
        paper.para(f"for instance where {case}" if case and not change.settled else "", 4, style=DIM)
        paper.para(base.decisions[tunable].rules[change.rule].why, 4)
    if not any(found):
        paper.para("No change of one or two of the facts that are known makes another value possible.")
    return paper.content()
