"""From a rule's value to the one that is written: "<=128" becomes 128, a formula its number; and figures that rules
compute."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence

from advisor.advice.model import Estimate
from advisor.engine import Outcome, formula
from advisor.rulebase.model import RuleBase, Tunable
from advisor.rulebase.values import inside, is_bound, nearest, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value



NOTHING = ("omit", "keep", "n/a", None)


def needs(value: object, facts: Container[str]) -> frozenset[str]:
    """The facts that a value is computed from; none for a value that is not a formula ("latency-performance")."""
    if not formula.is_formula(value):
        return frozenset()
    names = formula.parse(value).names
    return names if all(name in facts for name in names) else frozenset()


def number(value: Value, facts: Container[str], lookup: Callable[[str], int | None]) -> Value:
    """A formula's number, None while a fact in it is unknown; any other value as it is."""
    return formula.evaluate(str(value), lookup) if needs(value, facts) else value


def to_write(tunable: Tunable, value: Value) -> Value:
    """The value to write; None where there is nothing to write.

    Of a bound it is the number nearest to the default, or to what is usual: the smallest change that does what the rule
    asks. Where neither is known it is the lower end, or the upper where there is no lower one."""
    if value in NOTHING and not isinstance(value, (bool, int)):
        return None
    if tunable.fields and isinstance(value, str):
        return _fields(value, tunable.default)
    if not is_bound(value):
        return value
    if _all_inside(tunable.usual, value):
        return None
    return nearest(value, tunable.usual[-1] if tunable.usual else tunable.default)


def in_effect(tunable: Tunable, value: Value, written: Value) -> bool:
    """Whether a rule's value holds anyway: what would be written is the default, or is usual."""
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


_FACT = re.compile(r"[a-z_]+(?:\.[a-z0-9_]+)*")


def estimate(
    base: RuleBase, name: str, found: tuple[Outcome, ...], lookup: Callable[[str], int | None]
) -> list[Estimate]:
    """The figure of each outcome that says one; only settled ones get a number."""
    tunable = base.tunables[name]
    decision = base.decisions[name]
    made = []
    for outcome in found:
        if outcome.value in ("keep", "n/a", "omit", None):
            continue
        rule = decision.rules[outcome.rule or ""]
        text = str(outcome.value)
        names = needs(outcome.value, base.facts)
        missing = tuple(sorted(fact for fact in names if lookup(fact) is None))
        value = None
        if len(found) == 1 and not missing:
            value = formula.evaluate(text, lookup) if names else _whole(outcome.value)
        filled = _FACT.sub(lambda match: _number(match[0], lookup) if "." in match[0] else match[0], text)
        unit = decision.unit or tunable.unit or ""
        made.append(Estimate(
            name, tunable.title, tunable.about or "", unit, text, filled, value, missing, rule.id, rule.why,
            tuple(rule.cites),
        ))
    return made


def _number(fact: str, lookup: Callable[[str], int | None]) -> str:
    number = lookup(fact)
    return fact if number is None else str(number)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
