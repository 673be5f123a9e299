"""Why a setting should not have a value, and what would give it another one."""

from __future__ import annotations

from advisor.document.blocks import Block, Document, dim, strong, text
from advisor.render.argument import question_text
from advisor.render.wording import label, mask_said, question, value_said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.arguments import Against, Otherwise
    from advisor.advice.model import Advice
    from advisor.engine import FactChange
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Value

_ELSEWHERE = 4
"""How many changes are told that nobody would make for a setting's sake."""


def against(base: RuleBase, name: str, value: Value, counterpoint: Against) -> list[Block]:
    """What stands against a value."""
    page = Document()
    words = value_said(base.tunables[name], value)
    if counterpoint.fits and not counterpoint.wanted:
        page.heading(f"Nothing stands against {name}: {words}", 1)
    elif counterpoint.fits:
        page.heading(f"{name}: {words} is possible; it depends on what is not known", 1)
    else:
        page.heading(f"{name}: not {words}", 1)
    for head, rows in (("allowed", counterpoint.fits), ("instead", counterpoint.wanted)):
        for wanted, rule, why in rows:
            page.item(text(f"{head}: {value_said(base.tunables[name], wanted)} by {rule}: {why}"))
    if counterpoint.obstacles:
        page.heading("Rules that would give it, and what is in the way")
    for one, why in counterpoint.obstacles:
        if one.beaten_by:
            way = f"{one.rule} is beaten by {one.beaten_by}"
        elif one.fact:
            way = f"{one.rule} needs {one.fact} to be {one.need}; it is {one.have}"
        else:
            way = f"{one.rule} needs {one.need}; there is {one.have}"
        page.item(f"{way}. {why}", mark="✗")
    if not counterpoint.fits and not counterpoint.obstacles:
        page.para("No rule gives this value.")
    return page.blocks


def otherwise(base: RuleBase, advice: Advice, name: str, found: Otherwise) -> list[Block]:
    """The smallest changes of what is known that lead to another value."""
    page = Document()
    now = [value_said(one.definition, one.value) for one in advice.advised if one.tunable == name]
    page.heading(f"What if: {label(base.tunables[name])} is {' and '.join(now) or 'open'}", 1)
    page.para(dim("The smallest changes of what is known that lead to another value."))
    if found.asks:
        page.heading("Find out first")
    for fact in found.asks:
        page.item(question_text(base, fact), mark="?")
    if found.changes:
        page.heading("What would change it")
    for change in found.changes:
        _changed(page, base, name, change)
    if found.elsewhere:
        page.heading("On another platform or system, or for other work")
    for change in found.elsewhere[:_ELSEWHERE]:
        _changed(page, base, name, change)
    if len(found.elsewhere) > _ELSEWHERE:
        page.item(f"{len(found.elsewhere) - _ELSEWHERE} more")
    if not any(found):
        page.para("No change of one or two of the facts that are known makes another value possible.")
    return page.blocks


def _changed(page: Document, base: RuleBase, name: str, change: FactChange) -> None:
    facts = [
        f"{question(base, fact)} {mask_said(base, fact, change.state[fact])} ({fact})"
        for fact in change.facts
    ]
    case = [f"{question(base, fact).rstrip('.')}: {mask_said(base, fact, mask)}".replace("?:", "?")
            for fact, mask in change.where.items()]
    sure = "then:" if change.settled else "then perhaps:"
    value = value_said(base.tunables[name], change.value)
    why = base.decisions[name].rules[change.rule].why
    below = Document()
    below.para(f"{sure} ", strong(value), dim(f" ({change.rule})"), f". {why}")
    if case and not change.settled:
        below.para(dim(f"For example if: {'; '.join(case)}."))
    page.item("\n".join(facts), *below.blocks, mark="≠")
