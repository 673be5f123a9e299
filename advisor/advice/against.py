"""What stands against a value of a setting."""

from __future__ import annotations

from typing import NamedTuple

from advisor.advice.answers import Answers
from advisor.engine import Obstacle, decided, reach, why_not
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import is_bound, supports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Scalar, Value


class Against(NamedTuple):
    """`fits`: the values still possible that allow it, with their rules. `wanted`: those that are possible instead.
    `obstacles`: the rules that would give it, and what keeps each from winning; empty where no rule gives it at all."""

    fits: tuple[tuple[Value, str, str], ...]
    wanted: tuple[tuple[Value, str, str], ...]
    obstacles: tuple[tuple[Obstacle, str], ...]


def against(base: RuleBase, answers: Answers, name: str, value: Scalar) -> Against:
    """`value` as `typed.pin_value` makes it. Of the decision's own pin and fact nothing is taken into account."""
    engine = base.engine
    facts = {fact: answer for fact, answer in answers.facts.items() if fact != name}
    pins = {setting: pinned for setting, pinned in answers.pins.items() if setting != name}
    state = {fact: mask for fact, mask in decided(engine, engine.state(facts), pins).items() if fact != name}
    rules = base.decisions[name].rules
    default = base.tunables[name].default
    fits: list[tuple[Value, str, str]] = []
    wanted: list[tuple[Value, str, str]] = []
    for outcome in reach(engine, name, state):
        why = rules[outcome.rule].why if outcome.rule else ""
        row = (outcome.value, str(outcome.rule), why)
        (fits if supports(value, outcome.value, default) else wanted).append(row)
    obstacles = []
    giving = {rule.value for rule in rules.values() if _gives(rule.value, value)} if not fits else set()
    for candidate in sorted(giving, key=str):
        obstacles += [(one, rules[one.rule].why) for one in why_not(engine, name, candidate, state)]
    return Against(tuple(fits), tuple(wanted), tuple(obstacles))


def _gives(rule_value: Scalar, value: Scalar) -> bool:
    return (is_bound(rule_value) or rule_value not in ("keep", "omit", "n/a")) and supports(value, rule_value, None)
