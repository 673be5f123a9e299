"""The value of a rule: a literal, `omit`, `keep`, `n/a`, a bound, or a formula over facts."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine import formula
from advisor.rulebase.audit import values
from advisor.rulebase.catalogue import Authored, Items
from advisor.rulebase.problems import Problem, near, shown


def check_value(rule: Authored, decision: Authored, tunable: Authored | None, facts: Items) -> Iterator[Problem]:
    """Problems of a rule's value. `tunable` is None for a figure that is not a setting, or an unknown one."""
    value = rule.data.get("value")
    at = ("value",)
    if value is None or value in values.KEYWORDS:
        return
    numeric = bool(decision.data.get("estimate")) if tunable is None else tunable.data.get("type") in values.NUMERIC
    if values.is_bound(value):
        yield from values.bound(rule, at, tunable, value)
    elif isinstance(value, str) and (computed(value, facts) or (numeric and any(sign in value for sign in "+*/()"))):
        yield from _formula(rule, value, numeric, tunable, facts)
    elif tunable is not None:
        wrong = list(values.literal(rule, at, tunable, value))
        yield from wrong or values.writable(rule, at, tunable, value)
    elif numeric and (isinstance(value, bool) or not isinstance(value, (int, float))):
        yield rule.problem(
            at, f"the value is {shown(value)}", "an estimate is a figure", "write a number, a bound or a formula"
        )


def computed(value: object, facts: Items) -> frozenset[str]:
    """The facts that a formula computes with; empty for any other value. `mq-deadline` is a word, not a difference."""
    if not isinstance(value, str) or not formula.is_formula(value):
        return frozenset()
    names = formula.parse(value).names
    return names if any(name in facts for name in names) else frozenset()


def _positive(term: formula.Term, facts: Items) -> bool:
    """Whether a part of a formula is more than 0 whatever is known. A fact that nobody defines is told elsewhere."""
    if term.sign == "number":
        return term.number > 0
    if term.sign == "fact":
        least = facts[term.name].data.get("minimum", 0) if term.name in facts else 1
        return isinstance(least, int) and least > 0
    return term.sign != "-" and all(_positive(part, facts) for part in term.parts)


def _formula(rule: Authored, text: str, numeric: bool, tunable: Authored | None, facts: Items) -> Iterator[Problem]:
    at = ("value",)
    found = f'the formula "{text}"'
    if not numeric:
        if tunable is not None:
            yield rule.problem(at, found, f"{tunable.id} is not a number", "write one of its values")
        return
    try:
        parsed = formula.parse(text)
    except formula.FormulaError as error:
        write = 'write numbers, facts, + - * / min( , ) max( , ) and parentheses, such as "2 * client.count"'
        yield rule.problem(at, found, error.message.partition(" of ")[0], write)
        return
    if not all(_positive(one, facts) for one in parsed.divisors()):
        write = "divide by numbers, and by facts that have a minimum of 1 or more"
        yield rule.problem(at, found, "what it divides by may be 0", write)
    for name in sorted(parsed.names):
        fact = facts.get(name)
        if fact is None:
            hint = near(name, facts, "see rules/facts/ for the facts there are")
            yield rule.problem(at, f'unknown fact "{name}" in {found}', "no file of rules/facts/ defines it", hint)
        elif fact.data.get("type") != "int":
            yield rule.problem(
                at, f"{name} in {found}", "only whole numbers can be computed with", "name a fact of type int"
            )
