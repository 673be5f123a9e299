"""What is open in a recommendation, and what to ask next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.advice.ranking import in_order
from advisor.document.blocks import Document
from advisor.render.plain import counted, remaining
from advisor.render.wording import either

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.model import FactQuestion, OpenSetting
    from advisor.advice.several import SharedQuestion
    from advisor.rulebase.model import RuleBase

_OPEN = 12
"""How many open settings are listed; the next question says more than a longer list."""
_QUESTIONS = 3
"""How many questions are shown where there are several mounts: the first may be for one of them only."""


def unsettled(page: Document, open_: Iterable[OpenSetting], every: bool) -> None:
    """What is open, the weightiest first."""
    settings = in_order(one for one in open_ if every or one.strength is not None)
    if settings:
        page.heading(f"Open: {counted(len(settings), 'setting')}")
    for one in settings if every else settings[:_OPEN]:
        values = either(possible.value for possible in one.possible)
        asks = f"; depends on {', '.join(one.asks)}" if one.asks else ""
        page.item(f"{one.tunable}: {values}{asks}")
    if len(settings) > _OPEN and not every:
        page.item(f"{len(settings) - _OPEN} more (--all shows them)")


def for_several(page: Document, base: RuleBase, questions: Sequence[SharedQuestion]) -> None:
    """The first questions, each with the mounts that it is about."""
    if questions:
        page.heading(left([one.ask for one in questions]))
    for one in questions[:_QUESTIONS]:
        about = "" if base.facts[one.ask.fact].scope == "host" else f" for {', '.join(one.targets)}"
        page.item(f"{one.ask.ask}  ({one.ask.fact}{about})")


def left(questions: Sequence[FactQuestion]) -> str:
    """How many questions still matter, as the heading of the first."""
    matter = sum(one.matters for one in questions)
    said = remaining(matter, len(questions) - matter)
    return f"{said}. First" if matter else said


def listed(names: Sequence[str]) -> str:
    more = len(names) - 6
    return ", ".join(names[:6]) + (f" and {more} more" if more > 0 else "")
