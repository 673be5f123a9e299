"""Counsel under usual values: what is assumed breaks no severe rule in any completion, and rests on what it says."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from hypothesis import assume, event, given
from hypothesis import strategies as st

from advisor.engine import Base, EngineError, State
from advisor.engine.usual import Counsel, Covers, Usual, counsel
from tests.laws.reference import GAP, Point, World, key
from tests.laws.test_chains import chains, derived_again, order
from tests.laws.worlds import LAW, Draw, answers, built, chance, condition, pick, rule_bases, samples

NOTHING = ("omit", "keep", "n/a")


def does(_: str, value: object) -> Hashable:
    return "nothing" if value in NOTHING else key(value)


class Case:
    """A rule base, what is known of it, usual values, and the rules that must not be broken. `points`: what may be so,
    also where it is presumed not to be."""

    def __init__(self, data: dict[str, Any], draw: Draw) -> None:
        self.data = data
        self.world = World({**data, "constraints": [one for one in data["constraints"] if not one.get("presumed")]})
        self.base: Base = built(data)
        self.known = draw(answers(data["facts"]))
        self.usual = {
            fact["id"]: pick(draw, samples(fact)) for fact in data["facts"] if "derive" not in fact and chance(draw, 60)
        }
        self.severe = {
            (one["id"], rule["id"]) for one in data["decisions"] for rule in one["rules"] if chance(draw, 30)
        }
        self.points = self.world.completions(self.known)
        assume(self.points)

    def value_of(self, name: str, rule: str) -> Any:
        return next(one["value"] for one in self.world.decisions[name]["rules"] if one["id"] == rule)

    def harmless(self, name: str, value: object, rule: str) -> bool:
        return (name, rule) not in self.severe or does(name, value) == does(name, self.value_of(name, rule))

    def counsel(self, covers: Covers = lambda *_: False) -> Counsel:
        usual = [Usual(fact, answer) for fact, answer in self.usual.items()]
        return counsel(
            self.base, self.base.state(self.known), usual, does=does, harmless=self.harmless,
            covers=covers, certain=self.base.certain(self.known),
        )

    def broken(self, name: str, value: object, point: Point) -> bool:
        """Whether some rule that wins at the point is harmed by the value."""
        return any(not self.harmless(name, value, rule["id"]) for rule in self.world.winners(name, point))

    def within(self, state: State) -> list[Point]:
        """The completions that also lie in a state of the engine."""
        said = {fact: self.base.answer(fact, mask) for fact, mask in state.items()}
        return [point for point in self.points if point in self.world.completions(said)]


@st.composite
def cases(draw: Draw, chained: bool = False, presuming: bool = False) -> Case:
    data = draw(chains() if chained else rule_bases(2))
    for number in range(pick(draw, [1, 2, 3]) if presuming else 0):
        never = condition(draw, data["facts"], 2)
        data["constraints"].append({"id": f"presumed-{number}", "never": never, "presumed": True})
    return Case(data, draw)


@LAW
@given(cases())
def test_what_is_assumed_breaks_no_severe_rule_in_any_completion(case: Case) -> None:
    for name, assumption in case.counsel().assumed.items():
        event("assumed")
        assert not any(case.broken(name, assumption.outcome.value, point) for point in case.points)


@LAW
@given(cases())
def test_what_is_open_though_usual_values_answer_it_could_do_harm(case: Case) -> None:
    """Nothing that an expert would answer is left open: each refusal has a completion that shows why."""
    found = case.counsel()
    for name, rules in found.harmful.items():
        event("harmful")
        values = case.world.reach(name, case.within(found.supposed))
        assert len({does(name, one[1]) for one in values}) == 1
        won = {rule["id"] for point in case.points for rule in case.world.winners(name, point)}
        assert set(rules) <= won
        assert all((name, rule) in case.severe for rule in rules)
    for name in case.world.decisions:
        outcomes = found.outcomes[name]
        if name in found.assumed or name in found.harmful or (len(outcomes) == 1 and outcomes[0].rule):
            continue
        values = case.world.reach(name, case.within(found.supposed))
        assert (
            case.world.decisions[name]["hit"] == "collect" or GAP in values
            or len({does(name, one[1]) for one in values}) != 1
        )


@LAW
@given(cases())
def test_an_assumption_rests_on_a_smallest_set_of_usual_values(case: Case) -> None:
    for name, assumption in case.counsel().assumed.items():
        wanted = does(name, assumption.outcome.value)
        for fact, mask in assumption.rests_on.items():
            told = case.base.fact(fact)
            assert (told.mask(case.usual[fact]) | told.not_applicable) & mask == mask

        def answers_alike(state: State, name: str = name, wanted: Hashable = wanted) -> bool:
            found = case.world.reach(name, case.within(state))
            return GAP not in found and {does(name, one[1]) for one in found} == {wanted}

        assert answers_alike(assumption.rests_on)
        for fact in assumption.rests_on:
            event("rests on something")
            assert not answers_alike({other: m for other, m in assumption.rests_on.items() if other != fact})


@LAW
@given(cases())
def test_a_value_is_assumed_that_does_what_any_rule_asks_that_may_win(case: Case) -> None:
    def covers(name: str, value: object, other: object) -> bool:
        return str(does(name, value)) > str(does(name, other))

    for name, assumption in case.counsel(covers).assumed.items():
        value = assumption.outcome.value
        found = case.world.reach(name, case.within(assumption.rests_on))
        assert GAP not in found
        others = {other for _, other in found if does(name, other) != does(name, value)}
        event("one of several" if others else "one")
        assert all(covers(name, value, other) for other in others)
        assert not any(case.broken(name, value, point) for point in case.points)


@LAW
@given(cases(chained=True))
def test_what_is_assumed_holds_for_the_decisions_that_read_it(case: Case) -> None:
    """Whatever is not known: where all that was decided and assumed is done, no severe rule is broken."""
    names = order(case.world)
    try:
        found = case.counsel()
    except EngineError:
        assert names is None
        return
    if names is None:
        return
    for start in case.points:
        point = start
        for name in names:
            outcomes = case.world.outcomes(name, point)
            value: Any = next((one[1] for one in outcomes if one != GAP), None)
            if name in found.assumed:
                value = found.assumed[name].outcome.value
                assert not case.broken(name, value, point)
            if name in case.world.facts and value not in (None, "keep", "omit"):
                done = derived_again(case.world, {**point, name: value})
                if done not in case.points:
                    break  # it cannot be done here
                point = done


def as_presumed(case: Case, found: Counsel, name: str, without: str | None = None) -> list[Point]:
    """The completions in which all is so that is presumed for a decision, but for one fact."""
    return case.within({fact: mask for fact, mask in found.presumed.get(name, {}).items() if fact != without})


def stands(case: Case, found: Counsel, name: str, points: list[Point]) -> bool:
    """Whether the answer is the same in all these completions, and breaks nothing there."""
    if name in found.assumed:
        value = found.assumed[name].outcome.value
        narrowed = {fact: mask for fact, mask in found.assumed[name].rests_on.items() if fact in case.usual}
        usual = [point for point in case.within(narrowed) if point in points]
        said = {GAP if one == GAP else does(name, one[1]) for one in case.world.reach(name, usual)}
        return said == {does(name, value)} and not any(case.broken(name, value, point) for point in points)
    if case.world.decisions[name]["hit"] == "collect":
        certain = {does(name, one.value) for one in found.outcomes[name] if one.certain}
        return certain <= {does(name, one[1]) for one in case.world.certain(name, points)}
    said = {GAP if one == GAP else does(name, one[1]) for one in case.world.reach(name, points)}
    return said == {does(name, found.outcomes[name][0].value)}


def answered(case: Case, found: Counsel) -> list[str]:
    return [
        name for name in case.world.decisions
        if name in found.assumed or case.world.decisions[name]["hit"] == "collect"
        or (len(found.outcomes[name]) == 1 and found.outcomes[name][0].rule is not None)
    ]


@LAW
@given(cases(presuming=True))
def test_nothing_rests_on_a_presumption_that_is_not_told(case: Case) -> None:
    """Whatever else turns out not to be as presumed, the answer is the same and breaks no severe rule."""
    found = case.counsel()
    for name in answered(case, found):
        event(f"{'assumed' if name in found.assumed else 'settled'}, {len(found.presumed.get(name, {}))} presumed")
        assert stands(case, found, name, as_presumed(case, found, name))


@LAW
@given(cases(presuming=True))
def test_no_more_presumptions_are_told_than_are_needed(case: Case) -> None:
    found = case.counsel()
    for name in found.presumed:
        if case.world.decisions[name]["hit"] == "collect":
            continue
        for fact in found.presumed[name]:
            event("needed")
            assert not stands(case, found, name, as_presumed(case, found, name, without=fact))
