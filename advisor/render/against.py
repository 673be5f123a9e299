"""What stands against a value, for people."""

from __future__ import annotations

from advisor.render.conditions import outcome
from advisor.render.explain import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.against import Against


def show(page: Page, name: str, value: object, told: Against) -> None:
    """`told`: an advisor.advice.against.Against."""
    said = outcome(value)
    if told.fits and not told.wanted:
        page.heading(f"Nothing stands against {name}: {said}")
    elif told.fits:
        page.heading(f"{name}: {said} is possible; it depends on what is not known")
    else:
        page.heading(f"{name}: not {said}")
    for wanted, rule, why in told.fits:
        page.para(f"allowed: {outcome(wanted)} by {rule}: {why}", 2, "- ")
    for wanted, rule, why in told.wanted:
        page.para(f"instead: {outcome(wanted)} by {rule}: {why}", 2, "- ")
    if told.obstacles:
        page.heading("Rules that would give it, and what is in the way")
    for one, why in told.obstacles:
        if one.beaten_by:
            page.para(f"{one.rule} is beaten by {one.beaten_by}", 2, "- ")
        elif one.fact:
            page.para(f"{one.rule} needs {one.fact} to be {one.need}; it is {one.have}", 2, "- ")
        else:
            page.para(f"{one.rule} needs {one.need}; there is {one.have}", 2, "- ")
        page.para(why, 4)
    if not told.fits and not told.obstacles:
        page.para("No rule gives this value.")
