"""What is decided by all rules: with usual values, and where nothing is known, which is decided once, at compilation.

What is done for a value says whether two values are one answer: from a rule's value follows the one that is written,
"<=128" becomes 128, a formula its number."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from functools import lru_cache, partial

from advisor.engine import GATE, Outcome, State, formula
from advisor.engine.ask import effects_of, recall_effects
from advisor.engine.decisions import contenders, value_key
from advisor.engine.explain import open_facts
from advisor.engine.usual import Assumption, Counsel, Usual, counsel
from advisor.named_tuple import grouped
from advisor.rulebase.model import Rule, RuleBase, Scalar, Tunable, Value
from advisor.rulebase.values import absence_supports, implies, inside, is_bound, nearest, same, supports

Lookup = Callable[[str], "int | None"]
"""Returns the number of a fact, None if it is not known."""
NOT_WRITTEN = ("omit", "keep", "n/a", None)
CONSEQUENCES = (
    "data-loss", "security", "mount-fails", "boot", "hang", "stale-data", "errors", "unsupported", "performance",
    "ignored", "portability", None,
)
"""Worst first: losing data, failing to mount and hanging come before speed."""
STRENGTHS = ("must", "should", "may")
SEVERE = CONSEQUENCES[: CONSEQUENCES.index("performance")]
"""Those that a wrong assumption must not have; it may only cost speed."""


def formula_facts(value: object, facts: Container[str]) -> frozenset[str]:
    """The facts that a formula uses; empty for a plain value such as "latency-performance"."""
    if not formula.is_formula(value):
        return frozenset()
    names = formula.parse(value).names
    return names if all(name in facts for name in names) else frozenset()


def evaluate(value: Value, facts: Container[str], lookup: Lookup) -> Value:
    """The number of a formula, None while one of its facts is unknown; a bound with a number for each formula in it;
    any other value unchanged."""
    names = formula.names_in(value)
    return formula.in_numbers(str(value), lookup) if names and all(name in facts for name in names) else value


def missing_facts(value: object, facts: Container[str], lookup: Lookup) -> tuple[str, ...]:
    """The facts that a formula still needs."""
    return tuple(sorted(name for name in formula_facts(value, facts) if lookup(name) is None))


def to_write(tunable: Tunable, value: Value) -> Value:
    """The value to write; None if there is nothing to write.

    For a bound, the number nearest to the default or the usual value: the smallest change that does what the rule asks.
    If neither is known, the lower bound; without one, the upper bound."""
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


_OUTCOME = ("value", "rule", "witness", "certain")
NO_EFFECT = "nothing"
"""The effect of a value for which nothing is written."""


def usual_values(base: RuleBase, unknown: Container[str]) -> list[Usual]:
    """The usual values of all facts, in the order of the rule base. `unknown`: facts that were answered with "I don't
    know"."""
    return [
        Usual(fact, usual_value.value, f"usual:{fact}:{index}" if usual_value.when else None)
        for fact, definition in base.facts.items() for index, usual_value in enumerate(definition.usual)
        if fact in unknown or not usual_value.once_unknown
    ]


def decide_all(
    base: RuleBase, certain: State, given: State, pins: dict[str, Scalar], lookup: Lookup, *, strict: bool,
    unless: Container[str] = (), unknown: Container[str], only: str = "", about: str = "",
) -> Counsel:
    """Runs every decision, exactly and, unless `strict`, with usual values except those of the facts in `unless`.
    `unknown`: as in `usual_values`. `only`, `about`: as for `counsel`.

    `certain`, `given`: the known state, without and with presumptions; `lookup`: returns the number of a fact, or
    None."""

    @lru_cache(maxsize=None, typed=True)
    def done(name: str, value: Value) -> Hashable:
        tunable = base.tunables[name]
        evaluated = evaluate(value, base.facts, lookup)
        if value in ("keep", "omit", "n/a"):
            return NO_EFFECT
        written = to_write(tunable, evaluated)
        if written is None and is_in_effect(tunable, evaluated, written):
            return NO_EFFECT
        if tunable.default is not None and same(written, tunable.default) and _may_be_left_out(base, name):
            return NO_EFFECT
        return repr(value if written is None else written)

    def harmless(name: str, value: Value, rule: str) -> bool:
        tunable, other = base.tunables[name], base.decisions[name].rules[rule]
        wanted, default = other.value, tunable.default
        satisfied = done(name, value) == done(name, wanted) or value in other.as_good
        if satisfied or (other.strength != "must" and other.consequence not in SEVERE):
            return True
        if done(name, value) == NO_EFFECT:
            return absence_supports(wanted, default) is True
        return supports(to_write(tunable, evaluate(value, base.facts, lookup)), wanted, default)

    def covers(name: str, value: Value, other: Value) -> bool:
        one, bound = evaluate(value, base.facts, lookup), evaluate(other, base.facts, lookup)
        tunable = base.tunables[name]
        if other == "n/a" and once and not tunable.needs and tunable.kind in ("sysctl", "mount-option"):  # does nothing
            return absence_supports(one, tunable.default) is not True
        return value == other or (not strict and is_bound(bound) and implies(one, bound, tunable.default))

    once = not strict and all(fact in unknown for fact in base.facts)  # nobody is asked what would tell
    usual = [] if strict else [
        usual_value for usual_value in usual_values(base, unknown) if usual_value.fact not in unless
    ]
    return counsel(
        base.engine, given, usual, does=done, harmless=harmless, covers=covers, certain=certain, pins=pins, only=only,
        about=about,
    )


def _may_be_left_out(base: RuleBase, name: str) -> bool:
    """Whether a rule leaves the setting out, so that writing the default counts as the same."""
    return any(rule.value == "omit" and rule.layer != GATE for rule in base.decisions[name].rules.values())


def nothing_known(base: RuleBase) -> dict[str, object]:
    """What `of_nothing` recalls, JSON-ready."""
    made: dict[str, object] = {}
    for name, unknown in (("asking", ()), ("once", base.facts)):
        given = base.engine.presume({}, once=name == "once")
        told = decide_all(base, {}, given, {}, lambda _: None, strict=False, unknown=unknown)
        made[name] = {
            **{field: getattr(told, field) for field in ("state", "harmful", "supposed", "presumed")},
            "outcomes": {name: [*map(_plain, outcomes)] for name, outcomes in told.outcomes.items()},
            "assumed": {name: [_plain(taken.outcome), taken.rests_on] for name, taken in told.assumed.items()},
            "effects": effects_of(base.engine, told.state, _never_asked(base)),
            "speaking": [*_spoken(base, told)],
        }
    return made


def _spoken(base: RuleBase, told: Counsel) -> Iterator[list[object]]:
    """What `speaking_rule` finds for each outcome, and whether that is with usual values, if there is a choice."""
    for name, outcomes in told.outcomes.items():
        taken = told.assumed.get(name)
        supposed = taken is not None and bool(taken.rests_on)
        for outcome in outcomes if taken is None else [taken.outcome]:
            if outcome.rule is not None and len(_giving(base, name, outcome.value)) > 1:
                rule = speaking_rule(base, name, outcome.value, told.supposed if supposed else told.state)
                yield [name, outcome.value, supposed, rule.id, rule.strength]


def _plain(outcome: Outcome) -> list[object]:
    return [getattr(outcome, name) for name in _OUTCOME]


def of_nothing(base: RuleBase, asking: bool) -> Counsel:
    """`decide_all` where nothing is known, as it was compiled; what questions would settle then is recalled, too.
    `asking`: as for `advise`."""
    told = dict(base.nothing_known["asking" if asking else "once"])
    recall_effects(base.engine, told.pop("effects"), told["state"], _never_asked(base))
    told["outcomes"] = {name: tuple(Outcome(*row) for row in rows) for name, rows in told["outcomes"].items()}
    told["assumed"] = {name: Assumption(Outcome(*row), on) for name, (row, on) in told["assumed"].items()}
    told["harmful"] = {name: tuple(rules) for name, rules in told["harmful"].items()}
    presumed, speaking = told.pop("presumed"), told.pop("speaking")
    known = Counsel(**told, rest=lambda: presumed)
    boxes = [base.engine.situation(state).box for state in (known.state, known.supposed)]
    for name, value, supposed, rule, strength in speaking:
        question = ("speaking", name, value_key(value), boxes[supposed])
        base.engine.remembered(question, partial(_spoken_by, base.decisions[name].rules[rule], strength))
    return known


def speaking_rule(base: RuleBase, decision: str, value: Value, state: State) -> Rule:
    """The rule to cite for a value that may be right: the strongest that applies for certain, else the one that assumes
    least: of the lowest layer, with the fewest open facts, without the consequence "mount-fails", the weakest. It gets
    the lowest strength of all rules that may win instead, since no more is certain. What the decision itself says is
    not read."""
    mine = _giving(base, decision, value)
    if len(mine) == 1:
        return mine[0]
    question = ("speaking", decision, value_key(value), base.engine.situation(state).box)
    return base.engine.remembered(question, lambda: _speaking(base, decision, mine, state))


def _speaking(base: RuleBase, decision: str, mine: Sequence[Rule], state: State) -> Rule:
    if decision in state:
        state = {fact: mask for fact, mask in state.items() if fact != decision}
    won = contenders(base.engine, decision, state)
    mine = [rule for rule in mine if rule.id in won]
    if len(mine) == 1:
        return mine[0]
    layers = [layer.id for layer in base.layers]
    depends = open_facts(base.engine, decision, {rule.id for rule in mine}, state)

    certain = [rule for rule in mine if not depends[rule.id]]
    if certain:
        ranked = {rule.id: rule for rule in base.engine.decision(decision).rules}
        spoken = min(certain, key=lambda rule: (_strength(rule), rule.id))
        mine = [rule for rule in mine if rule is spoken or ranked[rule.id].beats(ranked[spoken.id])]
    else:
        spoken = min(mine, key=lambda rule: (
            layers.index(rule.layer), len(depends[rule.id]), rule.consequence == "mount-fails", -_strength(rule),
            rule.id,
        ))
    return _spoken_by(spoken, STRENGTHS[max(map(_strength, mine))])


def _spoken_by(rule: Rule, strength: str) -> Rule:
    return rule if rule.strength == strength else rule.replace(strength=strength)


def _strength(rule: Rule) -> int:
    return STRENGTHS.index(rule.strength or "may")


def _giving(base: RuleBase, decision: str, value: Value) -> Sequence[Rule]:
    """The rules of a decision that give this value."""
    return base.ready(_by_value, decision)[value_key(value)]


def _by_value(base: RuleBase, decision: str) -> dict[tuple[bool, object], list[Rule]]:
    return grouped((value_key(rule.value), rule) for rule in base.decisions[decision].rules.values())


def _never_asked(base: RuleBase) -> set[str]:
    return {name for name, fact in base.facts.items() if not fact.ask}
