"""Values as people write them, checked against what a fact or a tunable can be."""

from __future__ import annotations

from typing import Any

from advisor.advice.answers import AnswerError, Answers
from advisor.engine import FactError, consistent, decided, reason

_YES_NO = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_WORDS = ("omit", "keep")


def fact_value(base: Any, name: str, value: Any) -> Any:
    """A fact's value as the engine takes it; raises AnswerError for an unknown fact or a value of another type."""
    fact = base.facts.get(name)
    if fact is None:
        raise AnswerError((name,), f"there is no fact {name!r}; {_hint(name, base.facts)}")
    kind = fact["type"]
    if value == "n/a":
        return value
    if kind == "bool":
        word = str(value).lower()
        if word not in _YES_NO:
            raise AnswerError((name,), f"{name} is yes or no; {value!r} is neither")
        return _YES_NO[word]
    if kind == "version" and not isinstance(value, str):
        raise AnswerError(
            (name,), f'{name}: quote the version ("{value}"): without quotes 5.10 is the number 5.1'
        )
    if kind == "int" and isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            if value.lstrip().startswith(("<", ">", "=", "!")):
                return value  # a range, which the engine reads
        unit = fact.get("unit")
        what = f"a whole number{f' of {unit}' if unit else ''}, or a range such as >=8 <16"
        raise AnswerError((name,), f"{name} is {what}; {value!r} is neither")
    if kind == "enum":
        words = value if isinstance(value, list) else str(value).split(",")
        given = [str(word).strip() for word in words]
        return given if len(given) > 1 else given[0]
    return value


def pin_value(base: Any, name: str, value: Any) -> Any:
    """A pinned setting's value, typed as its tunable says; raises AnswerError where it cannot be that."""
    if name not in base.decisions or base.decisions[name].get("estimate"):
        raise AnswerError((name,), f"there is no setting {name!r} to hold; {_hint(name, base.decisions)}")
    told = base.tunables[name]
    text = str(value).strip()
    if text in _WORDS:
        return text
    kind = told["type"]
    if kind == "flag":
        if text.lower() not in _YES_NO:
            raise AnswerError((name,), f"{name} is on, off, or omit; {text!r} is none of these")
        return _YES_NO[text.lower()]
    if kind == "uint":
        return _number(told, name, text)
    words = [str(word) for word in told.get("values") or ()]
    if words and kind == "enum" and text not in words:
        raise AnswerError((name,), f"{text!r} is no value of {name}; its values are {', '.join(words)}")
    if not text or any(ord(char) < 32 for char in text):
        raise AnswerError((name,), f"{name}: {text!r} is no value")
    return text


def checked(base: Any, answers: Answers) -> Answers:
    """The answers with every value typed; raises AnswerError, whose `where` leads to the fault, also for answers that
    contradict one another."""
    facts = {name: _at("facts", fact_value, base, name, value) for name, value in answers.facts.items()}
    pins = {name: _at("pins", pin_value, base, name, value) for name, value in answers.pins.items()}
    for name in answers.unknown:
        if name not in base.facts:
            raise AnswerError(("unknown", name), f"there is no fact {name!r}; {_hint(name, base.facts)}")
    try:
        state = base.engine.state(facts)
    except FactError as error:
        raise AnswerError(("facts", str(error.fact)), str(error)) from None
    if not consistent(base.engine, state):
        clash = ", ".join(f"{name}: {facts[name]}" for name in reason(base.engine, next(iter(base.decisions)), state))
        raise AnswerError(("facts",), f"these answers contradict one another: {clash}")
    try:
        decided(base.engine, state, pins)
    except FactError as error:
        raise AnswerError(("pins", str(error.fact)), f"{error.fact}: {error}") from None
    return answers._replace(facts=facts, pins=pins)


def _at(key: str, check: Any, base: Any, name: str, value: Any) -> Any:
    try:
        return check(base, name, value)
    except AnswerError as error:
        raise AnswerError((key, *error.where), str(error)) from None


def _number(told: dict[str, Any], name: str, text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise AnswerError((name,), f"{name} is a whole number; {text!r} is none") from None
    low, high = told.get("minimum"), told.get("maximum")
    if (low is not None and number < low) or (high is not None and number > high) or number < 0:
        limits = f"{0 if low is None else low} to {'any' if high is None else high}"
        raise AnswerError((name,), f"{name} is {number}; it can be {limits} {told.get('unit', '')}".rstrip())
    return number


def _hint(name: str, known: Any) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  only for a mistake

    near = get_close_matches(name, known, 3)
    return f"did you mean {' or '.join(near)}?" if near else "`advisor rules list --facts` shows all of them"
