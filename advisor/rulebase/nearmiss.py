"""Is every part of every condition shown to matter? Drop it, and some example must come out differently.

An example shows a part when it is settled and one of its cases lies where the rest of the rule holds and the part does
not, so that without the part the rule would win there with another value. Where the other rules say the same value, it
is enough that the rule would win there too: it may be stronger, or have other reasons."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine import Base, State
from advisor.engine.conditions import boxes, leaves, parse
from advisor.engine.decisions import value_key
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.rulebase.compile import rules
from advisor.rulebase.examples import Tried, example_outcomes, proposal
from advisor.rulebase.problems import Problem
from advisor.rulebase.yaml_values import YamlMapping, mapping


def near_misses(base: Base, decision: Authored, tried: list[Tried], catalogue: Catalogue) -> Iterator[Problem]:
    """Parts of conditions that no example shows, each with an example to add; and parts that change nothing."""
    settled = [base.space.pack(one.state) for one in tried if len(one.values) == 1]
    for rule in rules(decision.data):
        when = mapping(rule.get("when"))
        if not when:
            continue
        item = catalogue.rules[str(rule["id"])]
        search = _Search(base, decision.id, item.id)
        for part in when:
            region = search.without(when, part)
            way, witness = search.other_value, search.other_value(region, base.space.everything)
            if witness is None:
                way, witness = search.newly_won, search.newly_won(region, base.space.everything)
            if witness is not None and any(way(region, box) is not None for box in settled):
                continue
            place = ("when", part)
            if witness is not None:
                why = "without it every example comes out the same"
                write = f"add to examples: {proposal(base, decision.id, _widened(base, decision.id, witness, when))}"
                yield item.problem(place, f"no example shows what {part} is for in {item.id}", why, write, key=True)
            else:
                why = "without it the rule wins in the same cases, whatever is known"
                yield item.problem(place, f"{part} in {item.id} is redundant", why, "delete it", key=True)


class _Search:
    """Looks for cases that a rule would win if its condition held in more of them."""

    def __init__(self, base: Base, decision: str, rule: str) -> None:
        self.base = base
        self.decision = base.decision(decision)
        self.rule = self.decision.rule(rule)

    def without(self, when: YamlMapping, part: str) -> list[int]:
        """Where the rest of the condition holds and the part does not."""
        space, facts = self.base.space, self.base.facts
        rest = boxes(space, parse({key: value for key, value in when.items() if key != part}, facts))
        fails = boxes(space, parse({part: when[part]}, facts), negated=True)
        return [common for a in rest for b in fails if (common := space.meet(a, b)) is not None]

    def newly_won(self, region: list[int], within: int, covers: tuple[int, ...] = ()) -> int | None:
        """Some cases in `within` that the rule would win if it held in all of `region`, and that no cover touches."""
        space = self.base.space
        covers += self.decision.covers_above(self.rule)
        for part in region:
            case = space.meet(part, within)
            if case is not None:
                impossible = self.base.constraints.relevant(self.decision.reads, space.facts_of(case))
                witness = space.uncovered(case, impossible + covers)
                if witness is not None:
                    return witness
        return None

    def other_value(self, region: list[int], within: int) -> int | None:
        """As `newly_won`, where the decision does not have the rule's value already."""
        own = value_key(self.rule.value)
        if self.decision.hit == "collect":
            same = [rule for rule in self.decision.rules if value_key(rule.value) == own]
            return self.newly_won(region, within, tuple(box for rule in same for box in rule.boxes))
        for other in self.decision.rules:
            if value_key(other.value) != own:
                pairs = ((part, box) for part in region for box in other.boxes)
                cases = [both for part, box in pairs if (both := self.base.space.meet(part, box)) is not None]
                witness = self.newly_won(cases, within, self.decision.covers_above(other))
                if witness is not None:
                    return witness
        return None


def _widened(base: Base, decision: str, witness: int, when: YamlMapping) -> State:
    """The witness without the facts that neither its outcome nor the condition needs: a short example."""
    state = base.space.unpack(witness)
    named = {leaf.fact for leaf in leaves(parse(when, base.facts))}
    wanted = {value for value, _ in example_outcomes(base, decision, state)}
    for fact in [fact for fact in state if fact not in named]:
        shorter = {other: mask for other, mask in state.items() if other != fact}
        if {value for value, _ in example_outcomes(base, decision, shorter)} == wanted:
            state = shorter
    return state
