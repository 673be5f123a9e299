"""The argument for a setting, at the numbered prompts."""

from __future__ import annotations

from advisor.advice.model import Advice
from advisor.rulebase.model import RuleBase
from advisor.wizard import words
from advisor.wizard.plain_talk import Talk


def why(talk: Talk, base: RuleBase, advice: Advice, name: str) -> None:
    """The whole argument for a setting."""
    from advisor.advice.argue import argue  # noqa: PLC0415  only for those who ask
    from advisor.render.argument import setting  # noqa: PLC0415
    from advisor.render.explain import Page  # noqa: PLC0415
    from advisor.render.style import Style  # noqa: PLC0415

    page = Page(base, talk.columns, Style(False))
    for one in advice.advised:
        if one.tunable == name:
            setting(page, one, argue(base, advice, one))
            for taken in one.rests_on:
                page.para(f"It assumes {words.taken(base, taken)}: {taken.why} a {taken.fact} answers it.")
    for waiting in advice.open:
        if waiting.tunable == name:
            page.heading(f"{waiting.tunable}: {waiting.title}")
            page.para("Open: what is known leaves several values.")
            for maybe in waiting.possible:
                when = f", for instance where {maybe.when}" if maybe.when else ""
                value = words.value_said(base.tunables[name], maybe.value)
                page.para(f"{value} by {maybe.rule}{when}: {maybe.why}", 2, "- ")
            for fact in waiting.asks:
                page.para(f"What settles it: {words.question(base, fact)}")
    for figure in advice.estimates:
        if figure.tunable == name:
            page.heading(f"{figure.tunable}: {figure.title}")
            known = figure.value is not None
            page.para(f"{figure.value} {figure.unit}" if known else f"It needs {', '.join(figure.missing)}.")
            page.para(figure.why)
    talk.say()
    for line in page.lines or [f"{name}: nothing is said on it for these answers."]:
        talk.line(line)
