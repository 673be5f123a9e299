"""Is every part of every condition shown to matter? Drop it, and some example must come out differently.

An example shows a part when it is settled and one of its cases lies where the rest of the rule holds and the part does
not, so that without the part the rule would win there with another value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from advisor.engine import Base, State, reach
from advisor.engine.conditions import boxes, leaves, parse
from advisor.engine.decide import relevant
from advisor.rulebase.catalogue import Catalogue, Item
from advisor.rulebase.compile import condition, rules
from advisor.rulebase.examples import Tried, proposal
from advisor.rulebase.problems import Problem


def near_misses(base: Base, decision: Item, tried: list[Tried], catalogue: Catalogue) -> Iterator[Problem]:
    """Parts of conditions that no example shows, each with an example to add; and parts that change nothing."""
    settled = [base.box(one.state) for one in tried if len(one.values) == 1]
    for rule in rules(decision.data):
        when = condition(decision.data, rule)
        for part in when:
            region = _without(base, when, part)
            if any(_differs(base, decision.id, rule["id"], region, box) is not None for box in settled):
                continue
            item = catalogue.rules[rule["id"]]
            place = ("when", part) if isinstance(rule.get("when"), dict) else ("when", decision.data["columns"].index(part))
            witness = _differs(base, decision.id, rule["id"], region, base.space.everything)
            if witness is None:
                why = "whatever is known, the outcome is the same without it"
                yield item.problem(place, f"{part} in {item.id} is redundant", why, "delete it", key=True)
                continue
            write = f"add to examples: {proposal(base, decision.id, _widened(base, decision.id, witness, when))}"
            yield item.problem(place, f"no example shows what {part} is for in {item.id}", "without it all examples hold too", write, key=True)


def _without(base: Base, when: dict[str, Any], part: str) -> list[int]:
    """Where the rest of the condition holds and the part does not."""
    rest = boxes(base.space, parse({key: value for key, value in when.items() if key != part}, base.facts))
    fails = boxes(base.space, parse({part: when[part]}, base.facts), negated=True)
    return [common for a in rest for b in fails if (common := base.space.meet(a, b)) is not None]


def _differs(base: Base, decision: str, rule: str, region: list[int], within: int) -> int | None:
    """Some cases in `within` where the rule, if it held in all of `region`, would change the decision's value."""
    found = base.decision(decision)
    own = found.rule(rule)
    key = (isinstance(own.value, bool), own.value)
    same = tuple(box for q in found.rules if (isinstance(q.value, bool), q.value) == key for box in q.boxes)
    for part in region:
        case = base.space.meet(part, within)
        if case is None:
            continue
        covers = relevant(base, found.reads, case) + found.covers_above(own)
        if found.hit == "collect":
            witness = base.space.uncovered(case, covers + same)
            if witness is not None:
                return witness
            continue
        for other in found.rules:
            if other is own or (isinstance(other.value, bool), other.value) == key:
                continue
            for box in other.boxes:
                both = base.space.meet(case, box)
                if both is not None:
                    witness = base.space.uncovered(both, covers + found.covers_above(other))
                    if witness is not None:
                        return witness
    return None


def _widened(base: Base, decision: str, witness: int, when: dict[str, Any]) -> State:
    """The witness without the facts that neither its outcome nor the condition needs: a short example."""
    state = base.space.unpack(witness)
    named = {leaf.fact for leaf in leaves(parse(when, base.facts))}
    wanted = {outcome.value for outcome in reach(base, decision, state)}
    for fact in [fact for fact in state if fact not in named]:
        shorter = {other: mask for other, mask in state.items() if other != fact}
        if {outcome.value for outcome in reach(base, decision, shorter)} == wanted:
            state = shorter
    return state
