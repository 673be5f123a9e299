"""Values as people and files write them, checked against what a fact, a tunable or an observed quantity can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import TypeVar

from advisor.advice.answers import AnswerError, Answers
from advisor.engine import FactError, consistent, decided
from advisor.rulebase.model import Fact, RuleBase, Tunable
from advisor.rulebase.problems import near
from advisor.rulebase.spelling import NoChoiceError, chosen
from advisor.rulebase.values import why_invalid

T = TypeVar("T")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Scalar, Values

_YES_NO = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_WORDS = ("omit", "keep")
_LONG = 20
"""Digits that no number of a setting has."""


def fact_value(base: RuleBase, name: str, value: object) -> Values:
    """A fact's value as the engine expects it; raises AnswerError for an unknown fact or a value of another type."""
    fact = base.facts.get(name)
    if fact is None:
        raise AnswerError((name,), f"unknown fact {name!r}; {_hint(name, base.facts)}")
    kind = fact.type
    if value == "n/a":
        return "n/a"
    if kind == "bool":
        word = str(value).lower()
        if word not in _YES_NO:
            raise AnswerError((name,), f"{name} is yes or no; {value!r} is neither")
        return _YES_NO[word]
    if kind == "version":
        if isinstance(value, str):
            return value.strip()
        raise AnswerError(
            (name,), f'{name}: quote the version ("{value}"): without quotes 5.10 is the number 5.1'
        )
    if kind == "int" and isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            if value.lstrip().startswith(("<", ">", "=", "!")):
                return value  # a range, which the engine reads
        unit = fact.unit
        what = f"a whole number{f' of {unit}' if unit else ''}, or a range such as >=8 <16"
        raise AnswerError((name,), f"{name} is {what}; {value!r} is neither")
    if kind == "enum":
        return _enum_value(name, fact, value)
    return value  # type: ignore[return-value]  # the engine refuses what is not an answer


def _enum_value(name: str, fact: Fact, value: object) -> Values:
    """The value, or values, that names stand for; n/a may be one of a list."""
    words = [str(word) for word in value] if isinstance(value, list) else [str(value)]
    if not words:
        raise AnswerError((name,), f"{name}: the list is empty: give at least one value")
    try:
        choices = [chosen(fact, word) if word != "n/a" else word for word in words]
    except NoChoiceError as error:
        raise AnswerError((name,), f"{name}: {error}") from None
    flat: list[Scalar] = [scalar for part in choices for scalar in (part if isinstance(part, list) else [part])]
    return flat if len(flat) > 1 else flat[0]


def pin_value(base: RuleBase, name: str, value: object) -> Scalar:
    """A pinned setting's value, typed as its tunable says; raises AnswerError if it cannot be that."""
    if name not in base.decisions or base.decisions[name].estimate:
        raise AnswerError((name,), f"unknown setting {name!r}; {_hint(name, base.decisions)}")
    tunable = base.tunables[name]
    text = str(value).strip()
    if text in _WORDS:
        return text
    typed = _to_type(tunable, text)
    wrong = "n/a is only for rules; pin omit or keep instead" if typed == "n/a" else why_invalid(tunable, typed)
    if wrong:
        raise AnswerError((name,), wrong)
    return typed


def _to_type(tunable: Tunable, text: str) -> Scalar:
    """The text converted to the type of the tunable; unchanged if it is no value of that type."""
    kind = tunable.type
    if kind == "flag":
        return _YES_NO.get(text.lower(), text)
    digits = text.removeprefix("-")
    whole = digits.isascii() and digits.isdigit() and len(digits) < _LONG
    return int(text) if whole and kind in ("uint", "int", "number", "size", "seconds") else text


def check_answers(base: RuleBase, answers: Answers) -> Answers:
    """The answers with every value typed. Raises AnswerError, also for answers that contradict each other."""
    facts = {name: _with_key("facts", fact_value, base, name, value) for name, value in answers.facts.items()}
    pins = {name: _with_key("pins", pin_value, base, name, value) for name, value in answers.pins.items()}
    for name in answers.unknown:
        if name not in base.facts:
            raise AnswerError(("unknown", name), f"unknown fact {name!r}; {_hint(name, base.facts)}")
    for name, value in pins.items():
        other = base.tunables[name].other_unit or ""
        if value not in _WORDS and pins.get(other, "omit") not in _WORDS:
            raise AnswerError(("pins", name), f"{name} and {other} are one limit in two units; pin only one of them")
    try:
        state = base.engine.state(facts)
    except FactError as error:
        raise AnswerError(("facts", str(error.fact)), str(error)) from None
    if not consistent(base.engine, state):
        clash = ", ".join(f"{name}: {value}" for name, value in _clashing(base, facts).items())
        raise AnswerError(("facts",), f"these answers contradict each other: {clash}")
    try:
        decided(base.engine, state, pins)
    except FactError as error:
        raise AnswerError(("pins", str(error.fact)), f"{error.fact}: {error}") from None
    observed = parse_quantities(base, answers.observed) if answers.observed else {}
    return answers._replace(facts=facts, pins=pins, observed=observed)


def _clashing(base: RuleBase, facts: dict[str, Values]) -> dict[str, Values]:
    """A minimal set of answers that contradict each other."""
    for name in facts:
        rest = {other: value for other, value in facts.items() if other != name}
        if not consistent(base.engine, base.engine.state(rest)):
            facts = rest
    return facts


def _with_key(
    key: str, check: Callable[[RuleBase, str, object], T], base: RuleBase, name: str, value: object
) -> T:
    try:
        return check(base, name, value)
    except AnswerError as error:
        raise AnswerError((key, *error.where), str(error)) from None


def _hint(name: str, known: Iterable[str]) -> str:
    return near(name, known, "`advisor rules list --facts` shows all of them")


def parse_quantity(base: RuleBase, name: str, value: object) -> tuple[str, Values]:
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


def parse_quantities(base: RuleBase, written: Mapping[str, object]) -> dict[str, Values]:
    """The quantities of a file. Raises AnswerError."""
    return dict(parse_quantity(base, name, value) for name, value in written.items())


def parse_day(text: object) -> str:
    """A day as 2026-12-31. Raises AnswerError."""
    try:
        return date.fromisoformat(str(text)).isoformat()
    except ValueError:
        raise AnswerError(("until",), f"until is {str(text)!r}; write a day such as 2026-12-31") from None
