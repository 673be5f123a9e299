"""Why a settled value is what it is: the facts that force it, the rules that lost, the sources, the price of a pin."""

from __future__ import annotations

from collections import Counter

from advisor.advice.build import all_pins, without_pin
from advisor.advice.citing import citations, measured, weak
from advisor.advice.concern import concerns, elsewhere
from advisor.advice.model import Advice, Argument, Because, Cost, Loser, Recommendation
from advisor.engine import State, proof, reason
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import supports


def argue(base: RuleBase, advice: Advice, one: Recommendation) -> Argument:
    """The argument for one settled tunable of the advice."""
    name = one.tunable
    engine = base.engine
    known = advice.supposed if one.rests_on else advice.state
    state = {fact: mask for fact, mask in known.items() if fact != name}
    rules = base.decisions[name].rules
    because = () if one.pinned else tuple(
        Because(fact, _said(base, advice, known, fact), engine.describe(fact, mask), _origin(base, advice, fact))
        for fact, mask in reason(engine, name, state).items()
    )
    losers = tuple(
        Loser(told.rule, told.layer, told.value, rules[told.rule].why, tuple(rules[told.rule].cites),
              told.beaten_by)
        for told in proof(engine, name, state)
        if told.verdict is not False and told.wins is False and told.value not in ("keep", one.value)
    )
    cited = list(one.rule.cites if one.rule else one.told.cites)
    told = {claim: concerns(base, advice.supposed, claim) for claim in (*measured(base, name), *weak(base, name))}
    ours = [claim for claim, verdict in told.items() if verdict is not False and claim not in cited]
    figures = [claim for claim in ours if base.claims[claim].verdict == "measured"]
    others = Counter(elsewhere(base, claim) for claim, verdict in told.items() if verdict is False)
    return Argument(
        because, citations(base, cited), losers,
        citations(base, (claim for claim in ours if claim not in figures)), citations(base, figures),
        costs(base, advice, one), dict(others),
    )


def costs(base: RuleBase, advice: Advice, one: Recommendation) -> tuple[Cost, ...]:
    """What the rule base would advise instead of a pinned value; () where it allows the value."""
    if not one.pinned:
        return ()
    found = without_pin(base, advice.answers, one.tunable)
    default = one.told.default
    if any(supports(one.value, value, default) for value, _ in found):
        return ()
    return tuple(
        Cost(rule.id, value, rule.strength, rule.consequence, rule.why, citations(base, rule.cites))
        if rule else Cost(None, value, None, None, "", ())
        for value, rule in found
    )


def _said(base: RuleBase, advice: Advice, known: State, fact: str) -> str:
    """The fact as it was answered or decided."""
    answer = advice.answers.facts.get(fact)
    if answer is None:
        return str(base.engine.describe(fact, known[fact]))
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return " or ".join(map(str, answer)) if isinstance(answer, list) else str(answer)


def _origin(base: RuleBase, advice: Advice, fact: str) -> str:
    if fact in advice.answers.origin:
        return advice.answers.origin[fact]
    if fact in advice.answers.facts or fact in all_pins(base, advice.answers):
        return "given"
    if advice.state.get(fact) != advice.supposed.get(fact):
        return "assumed"
    return "decided" if fact in base.decisions else "follows"
