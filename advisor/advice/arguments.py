"""Arguments for a settled value: the facts that force it, the rules that lost, the cost of a pin, and the claims of
sources, as far as they are about the environment at hand: a figure of one service says little about another. Arguments
against another value, and the facts that would have to change for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from advisor.advice.advise import all_pins, without_pin
from advisor.advice.answers import Answers
from advisor.advice.model import Advice, Argument, Because, Cost, Loser, Possible, Row
from advisor.advice.rows import consequence_of, possible_value
from advisor.advice.supposed import whole
from advisor.engine import State, consistent, operand, reach, winners
from advisor.engine.decisions import possible
from advisor.engine.explain import FactChange, Obstacle, proof, reason, what_if, why_not
from advisor.engine.usual import decided
from advisor.files.patterns import value_test
from advisor.named_tuple import NamedTuple
from advisor.rulebase.citations import DOUBTFUL, citations
from advisor.rulebase.counsel import evaluate, speaking_rule
from advisor.rulebase.model import Rule, RuleBase, Scalar, Value
from advisor.rulebase.values import is_bound, supports
from advisor.sections import with_bearing


def claims_about(base: RuleBase, tunable: str, *verdicts: str) -> list[str]:
    """Claims on the tunable with one of these verdicts, in the order of the verdicts."""
    given = base.claims_on.get(tunable, {})
    return sorted((name for name in given if given[name] in verdicts), key=lambda name: verdicts.index(given[name]))


def concerns(base: RuleBase, state: State, claim: str) -> bool | None:
    """True if the claim applies to this state, False if it does not, None if too little is known."""
    verdict: bool | None = True
    for fact, value in base.scope(claim).items():
        have, need = possible(base.engine, fact, state), base.engine.fact(fact).mask(value)
        if not have & need:
            return False
        if have & ~need:
            verdict = None
    return verdict


def scope_text(base: RuleBase, claim: str) -> str:
    """The scope of a claim in words: "Azure Files", "EDA on Azure NetApp Files"."""
    cited = base.claims[claim]
    platform = base.scope(claim).get("storage.platform")
    if isinstance(platform, str) and cited.holds is None:
        return str(next((known.title for known in base.platforms if known.platform == platform), platform))
    return str(cited.scope or base.sources[cited.source].title)


def argue(base: RuleBase, advice: Advice, recommendation: Row) -> Argument:
    """The argument for a recommendation of the advice."""
    name = recommendation.tunable
    engine = base.engine
    known = advice.supposed if recommendation.rests_on else advice.state
    state = {fact: mask for fact, mask in known.items() if fact != name}
    because = () if recommendation.pinned else tuple(
        Because(fact, _answer_text(base, advice, known, fact), engine.describe(fact, mask), _origin(base, advice, fact))
        for fact, mask in reason(engine, name, state).items()
    )
    whole = list(recommendation.rule.cites if recommendation.rule else recommendation.definition.cites)
    cited = [claim for claim in whole if concerns(base, advice.supposed, claim) is not False] or whole
    claims = claims_about(base, name, "measured", *DOUBTFUL)
    concerned = {claim: concerns(base, advice.supposed, claim) for claim in claims}
    ours = [claim for claim, verdict in concerned.items() if verdict is not False and claim not in cited]
    figures = [claim for claim in ours if base.claims[claim].verdict == "measured"]
    others = Counter(scope_text(base, claim) for claim, verdict in concerned.items() if verdict is False)
    return Argument(
        because, citations(base, cited),
        citations(base, (claim for claim in ours if claim not in figures)), citations(base, figures),
        pin_costs(base, advice, recommendation), dict(others),
    )


def losers(base: RuleBase, advice: Advice, recommendation: Row) -> tuple[Loser, ...]:
    """The rules that apply and lose to a recommendation."""
    name, known = recommendation.tunable, advice.supposed if recommendation.rests_on else advice.state
    state, rules = {fact: mask for fact, mask in known.items() if fact != name}, base.decisions[name].rules
    return tuple(
        Loser(step.rule, step.layer, step.value, rules[step.rule].why, tuple(rules[step.rule].cites), step.beaten_by)
        for step in proof(base.engine, name, state)
        if step.verdict is not False and step.wins is False and step.value not in ("keep", recommendation.value)
    )


def pin_costs(base: RuleBase, advice: Advice, recommendation: Row) -> tuple[Cost, ...]:
    """The recommendations that a pinned value replaces; () if the rules allow the value."""
    if not recommendation.pinned:
        return ()
    _, replaced = without_pin(base, advice, recommendation.tunable)
    if any(_allows(recommendation, value, rule) for value, rule in replaced):
        return ()
    return tuple(
        Cost(rule.id, value, rule.strength, rule.consequence, rule.why, citations(base, rule.cites))
        if rule else Cost(None, value, None, None, "", ())
        for value, rule in replaced
    )


def least_assuming(base: RuleBase, advice: Advice, setting: Row) -> Row:
    """An open setting, with the rule that assumes least for each possible value, and a case in which that rule applies.
    (The advice has the strongest rule, which is found faster.)"""
    others = {fact: mask for fact, mask in advice.state.items() if fact != setting.tunable}
    won, rules = winners(base.engine, setting.tunable, others), base.decisions[setting.tunable].rules

    def reworded(value: Possible) -> Possible:
        if value.rule is None or value.rule not in won:
            return value
        rule = speaking_rule(base, setting.tunable, rules[value.rule].value, others)
        return possible_value(base, rule, value.value, won[rule.id])

    worded = tuple(map(reworded, setting.possible))
    return setting._replace(possible=worded, consequence=consequence_of(worded, setting.strength))


def is_forbidden(base: RuleBase, advice: Advice, recommendation: Row) -> bool:
    """Whether a rule of strength "must" forbids a pinned value in every possible case."""
    outcomes = without_pin(base, advice, recommendation.tunable)[0] if recommendation.pinned else ()
    return bool(outcomes) and all(
        rule and rule.strength == "must" and not _allows(recommendation, value, rule) for value, rule in outcomes
    )


def _allows(pinned: Row, value: Value, rule: Rule | None) -> bool:
    """Whether a pinned value does what a rule asks for with this value, or is as good."""
    as_good = rule is not None and value_test([*rule.as_good])(pinned.value)
    return as_good or supports(pinned.value, value, pinned.definition.default)


def _answer_text(base: RuleBase, advice: Advice, known: State, fact: str) -> str:
    """The answered or decided value of a fact, in words."""
    answer = advice.answers.facts.get(fact)
    if answer is None:
        return str(base.engine.describe(fact, known[fact]))
    return operand(answer)


def _origin(base: RuleBase, advice: Advice, fact: str) -> str:
    if fact in advice.answers.origin:
        return advice.answers.origin[fact]
    if fact in advice.answers.facts or fact in all_pins(base, advice.answers):
        return "given"
    if advice.state.get(fact) != advice.supposed.get(fact):
        return "assumed"
    return "decided" if fact in base.decisions else "follows"


class Counterarguments(NamedTuple):
    """The arguments against a value. `fits`: (value, rule, why) of possible values that allow it; `wanted`: the same of
    the other possible values. `obstacles`: for each rule that gives the value, what prevents it from winning, and its
    reason; () if no rule gives it."""

    fits: tuple[tuple[Value, str, str], ...]
    wanted: tuple[tuple[Value, str, str], ...]
    obstacles: tuple[tuple[Obstacle, str], ...]


def counterarguments(base: RuleBase, answers: Answers, name: str, value: Scalar) -> Counterarguments:
    """The arguments against a value of a setting. `value`: as `pin_value` returns it. The pin and the fact of the
    setting itself are ignored."""
    engine = base.engine
    facts = with_bearing(base, {fact: answer for fact, answer in answers.facts.items() if fact != name})[0]
    pins = {setting: pinned for setting, pinned in answers.pins.items() if setting != name}
    state = {fact: mask for fact, mask in decided(engine, engine.state(facts), pins).items() if fact != name}
    rules = base.decisions[name].rules
    default = base.tunables[name].default
    fits: list[tuple[Value, str, str]] = []
    wanted: list[tuple[Value, str, str]] = []
    for outcome in reach(engine, name, state):
        why = rules[outcome.rule].why if outcome.rule else ""
        row = (_in_numbers(base, answers, outcome.value), str(outcome.rule), why)
        (fits if supports(value, outcome.value, default) else wanted).append(row)
    obstacles = []
    giving = {rule.value for rule in rules.values() if _gives(rule.value, value)} if not fits else set()
    for candidate in sorted(giving, key=str):
        obstacles += [(obstacle, rules[obstacle.rule].why) for obstacle in why_not(engine, name, candidate, state)]
    return Counterarguments(tuple(fits), tuple(wanted), tuple(obstacles))


def _in_numbers(base: RuleBase, answers: Answers, value: Value) -> Value:
    """A bound with a number for each formula in it."""
    return evaluate(value, base.facts, lambda fact: whole(answers.facts.get(fact))) if is_bound(value) else value


def _gives(rule_value: Scalar, value: Scalar) -> bool:
    return (is_bound(rule_value) or rule_value not in ("keep", "omit", "n/a")) and supports(value, rule_value, None)


class WaysToChange(NamedTuple):
    """The ways to another value. `asks`: unknown facts that settle the setting. `changes`: changes of known or assumed
    facts, the easiest first; `elsewhere`: changes that need another platform, workload or the like."""

    asks: tuple[str, ...]
    changes: tuple[FactChange, ...]
    elsewhere: tuple[FactChange, ...]


def change_effort(base: RuleBase, fact: str, doubtful: Collection[str]) -> tuple[bool, bool, bool]:
    """A sort key for how hard it is to change a fact: options are easiest, then assumptions (`doubtful`), then facts of
    the host, then those of servers and mounts."""
    definition = base.facts[fact]
    return definition.setting is None, fact not in doubtful, definition.scope != "host"


def ways_to_change(base: RuleBase, advice: Advice, tunable: str) -> WaysToChange:
    """The smallest possible changes of facts that lead to another value of a setting."""
    now = advice.find(tunable)
    assumed = {supposition.fact for supposition in now.rests_on} if now is not None else set()
    doubtful = assumed | {supposition.fact for supposition in now.presumes} if now is not None else set()
    state = {fact: mask for fact, mask in advice.state.items() if fact != tunable}
    state |= {fact: advice.supposed[fact] for fact in assumed if fact in advice.supposed and fact != tunable}
    lasting = {name for name, fact in base.facts.items() if fact.lasting}
    asks = next((row.asks for row in advice.open if row.tunable == tunable), ())
    engine = base.engine
    changes = what_if(engine, tunable, state, fixed=lasting)
    elsewhere = [change for change in what_if(engine, tunable, state) if lasting & change.facts.keys()]
    changes, elsewhere = (
        [change._replace(value=_in_numbers(base, advice.answers, change.value)) for change in found]
        for found in (changes, elsewhere))
    return WaysToChange(
        tuple(fact for fact in asks if base.facts[fact].ask),
        tuple(sorted(
            (change for change in changes if consistent(engine, change.state)),
            key=lambda change: (len(change.facts), max(change_effort(base, fact, doubtful) for fact in change.facts)),
        )),
        tuple(change for change in elsewhere if consistent(engine, change.state)),
    )
