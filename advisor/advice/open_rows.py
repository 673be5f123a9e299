"""Rows of settings that are open: the values that each may get, and the default that some keep meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from advisor.advice.model import FactQuestion, Possible, Row
from advisor.engine import Outcome, State, word_list
from advisor.engine.declare import in_words
from advisor.rulebase.counsel import STRENGTHS, Lookup, evaluate
from advisor.rulebase.model import Rule, RuleBase, Tunable, Value
from advisor.rulebase.values import absence_supports, describe, told_name


def open_setting(
    base: RuleBase, name: str, outcomes: tuple[Outcome, ...], missing: tuple[str, ...], lookup: Lookup
) -> Row:
    rules = base.decisions[name].rules
    possible = tuple(
        possible_value(
            base, rules.get(one.rule or ""), evaluate(one.value, base.facts, lookup) or one.value, one
        ) for one in outcomes
    )
    return open_row(base.tunables[name], possible, missing)


def at_default(row: Row) -> Row:
    """An open setting that keeps its default, which is in effect anyway, until something else is known."""
    values = in_hand(row)[0]
    return row._replace(
        value="keep", already=True, possible=(), otherwise=row.possible,
        why=f"The default stays; {values} only if one of these says so: {word_list(row.asks)}.",
    )


def in_hand(row: Row) -> tuple[str, Sequence[Possible]]:
    """What an open setting may have to be other than its default, in words, and the cases, the strongest first."""
    cases = [maybe for maybe in row.possible if absence_supports(maybe.value, row.definition.default) is not True]
    cases.sort(key=lambda maybe: (*STRENGTHS, None).index(maybe.strength))
    by_hand = told_name(row.definition) == row.definition.title
    told = (str(maybe.value) if by_hand else describe(row.definition, maybe.value) for maybe in cases)
    return word_list(dict.fromkeys(told)), cases


def open_row(tunable: Tunable, possible: tuple[Possible, ...], asks: tuple[str, ...]) -> Row:
    """A row that is open, with the strength of the strongest rule that may still win, and what that is about."""
    strength = min((maybe.strength for maybe in possible if maybe.strength), key=STRENGTHS.index, default=None)
    consequence = consequence_of(possible, strength)
    why = next((maybe.why for maybe in possible if maybe.strength == strength), "")
    return Row(
        tunable.id, tunable.kind, tunable.title, tunable, strength, consequence, why, possible=possible, asks=asks,
    )


def consequence_of(possible: Iterable[Possible], strength: str | None) -> str | None:
    """What the rule of this strength is about."""
    return next((maybe.consequence for maybe in possible if maybe.strength == strength), None)


def possible_value(base: RuleBase, rule: Rule | None, value: Value | None, case: Outcome | State) -> Possible:
    """A value that a setting may get from a rule (None: no rule), for example in a case, or in that of an outcome."""
    def when() -> str:
        return in_words(base.engine.space, case.witness if isinstance(case, Outcome) else case)

    if rule is None:
        return Possible(value, None, None, None, "No rule covers this case.", when=when)
    return Possible(value, rule.id, rule.strength, rule.consequence, rule.why, when=when)


def with_questions(setting: Row, asked: Iterable[FactQuestion]) -> Row:
    return setting._replace(asks=tuple(dict.fromkeys(
        (*setting.asks, *(question.fact for question in asked if setting.tunable in question.decisions))
    )))
