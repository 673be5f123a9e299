"""Conditions and rule values in words."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.rulebase.model.conditions import parts as joined
from advisor.rulebase.values import in_words, is_bound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.model import Supposition
    from advisor.rulebase.model.types import Condition


def condition(when: Condition | None) -> str:
    """A condition as a phrase: "storage.platform is anf or ontap, and client.kernel is >=5.4"."""
    if not when:
        return "always"
    parts = []
    for key, value in when.items():
        if key == "all":
            parts += [condition(one) for one in joined(value)]
        elif key == "any":
            choices = [condition(one) if len(one) == 1 else f"({condition(one)})" for one in joined(value)]
            parts.append(f"({'; or '.join(choices)})" if len(when) > 1 else "; or ".join(choices))
        elif key == "not":
            parts.append(f"not ({condition(joined(value)[0])})")
        else:
            parts.append(f"{key} is {operand(value)}")
    return (", and " if any(" or " in part for part in parts) else " and ").join(parts)


def operand(value: object) -> str:
    if isinstance(value, list):
        words = [operand(one) for one in value]
        return " or ".join(words) if len(words) < 3 else ", ".join(words[:-1]) + " or " + words[-1]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def supposed(one: Supposition) -> str:
    """What is taken of a fact that nobody told: "mount.sec=sys"."""
    return f"{one.fact}={either(one.value) if isinstance(one.value, list) else operand(one.value)}"


def either(values: Iterable[object]) -> str:
    """What an open setting may become: "8 or left out"; of many values the first three."""
    words = {"omit": "left out", "keep": "unchanged", "n/a": "no effect"}
    told = list(dict.fromkeys(words.get(str(value), outcome(value)) for value in values))
    return " or ".join(told) if len(told) < 5 else f"{', '.join(told[:3])} or {len(told) - 3} others"


def outcome(value: object, unit: str | None = None) -> str:
    """A rule's value for people."""
    words = {"omit": "leave it out", "keep": "leave it as it is", "n/a": "has no effect here"}
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str) and value in words:
        return words[value]
    bound = is_bound(value)
    text = in_words(str(value)) if bound else str(value)
    return f"{text} {unit}" if unit and (bound or not isinstance(value, str)) else text
