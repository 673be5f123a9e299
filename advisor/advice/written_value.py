"""From a rule's value to the value that is written: "<=128" becomes 128, a formula its number."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence

from advisor.engine import formula
from advisor.rulebase.model import Tunable
from advisor.rulebase.values import inside, is_bound, nearest, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value


NOT_WRITTEN = ("omit", "keep", "n/a", None)


def formula_facts(value: object, facts: Container[str]) -> frozenset[str]:
    """The facts of a formula; none for a value that is no formula ("latency-performance")."""
    if not formula.is_formula(value):
        return frozenset()
    names = formula.parse(value).names
    return names if all(name in facts for name in names) else frozenset()


def evaluate(value: Value, facts: Container[str], lookup: Callable[[str], int | None]) -> Value:
    """The number of a formula, None while one of its facts is unknown; any other value unchanged."""
    return formula.evaluate(str(value), lookup) if formula_facts(value, facts) else value


def to_write(tunable: Tunable, value: Value) -> Value:
    """The value to write; None if there is nothing to write.

    For a bound, the number nearest to the default or the usual value: the smallest change that does what the rule asks.
    If neither is known, the lower end, or the upper if there is no lower one."""
    if value in NOT_WRITTEN and not isinstance(value, (bool, int)):
        return None
    if tunable.fields and isinstance(value, str):
        return _fields(value, tunable.default)
    if not is_bound(value):
        return value
    if _all_inside(tunable.usual, value):
        return None
    return nearest(value, tunable.usual[-1] if tunable.usual else tunable.default)


def is_in_effect(tunable: Tunable, value: Value, written: Value) -> bool:
    """Whether a rule's value is in effect anyway: it is the default, or the usual value."""
    default = tunable.default
    if written is None:
        return is_bound(value) and _all_inside(tunable.usual, value)
    return default is not None and same(written, default)


def _all_inside(numbers: Sequence[int], bound: str) -> bool:
    return bool(numbers) and all(inside(number, bound) for number in numbers)


def _fields(value: str, default: Value) -> str | None:
    """Each part of a value with several fields; `*` keeps the default's."""
    parts = re.findall(r"\*|(?:(?:>=|<=|==|!=|>|<)\s*-?\d+)|-?\d+", value)
    defaults = str(default).split() if default is not None else [None] * len(parts)
    written = []
    for part, usual in zip(parts, defaults):
        chosen = usual if part == "*" else part
        if is_bound(part):
            chosen = nearest(part, int(usual) if usual is not None else None)
        if chosen is None:
            return None
        written.append(str(chosen))
    return " ".join(written)
