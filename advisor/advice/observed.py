"""What the counters of a mount showed, as files keep it: quantities, and the day until which they hold."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from advisor.advice.answers import AnswerError
from advisor.engine import FactError
from advisor.rulebase.model import RuleBase
from advisor.rulebase.problems import near

OBSERVED = "observed"
"""With this word begins when and how a fact was seen; other facts have the file in which they were found."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


def quantity(base: RuleBase, name: str, value: object) -> tuple[str, Values]:
    """A quantity's whole name and its value; `name` may do without "observed.". Raises AnswerError."""
    where = ("observed", name)
    whole = name if name in base.observations or name in base.facts else f"observed.{name}"
    if whole not in base.observations and whole not in base.facts:
        raise AnswerError(where, f"unknown quantity {name!r}; {near(whole, base.observations, 'observe writes them')}")
    if type(value) not in (int, str):
        raise AnswerError(where, f"{name} is {value!r}; observe writes a number or a word")
    try:
        base.diagnosis.fact(whole).mask(value)
    except FactError as error:
        raise AnswerError(where, str(error)) from None
    return whole, value  # type: ignore[return-value]  # the engine took it


def quantities(base: RuleBase, written: Mapping[str, object]) -> dict[str, Values]:
    """All that a file holds. Raises AnswerError."""
    return dict(quantity(base, name, value) for name, value in written.items())


def day(text: object) -> str:
    """A day as 2026-12-31. Raises AnswerError."""
    try:
        return date.fromisoformat(str(text)).isoformat()
    except ValueError:
        raise AnswerError(("until",), f"until is {str(text)!r}; write a day such as 2026-12-31") from None
