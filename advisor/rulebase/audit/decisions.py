"""Decisions: rules, citations, what overrides what, examples, and how decisions feed others."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.decisions import GATE
from advisor.engine.errors import word_list
from advisor.rulebase.audit import common, values
from advisor.rulebase.audit.facts import cycles, defining_conditions
from advisor.rulebase.catalogue import Authored, Catalogue, Items
from advisor.rulebase.document import as_list, as_mapping, mappings_in, texts_in
from advisor.rulebase.gates import gates, rules_with_gates
from advisor.rulebase.model.facts import facts_in
from advisor.rulebase.problems import Problem, near, shown


def check(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of all decisions and their rules."""
    facts = catalogue.known_facts()
    last = list(catalogue.layers.values())[-1:]
    if last and last[0].id != GATE:
        why = "nothing outranks what cannot be used at all"
        yield last[0].problem(("id",), f"{last[0].id} as the last layer", why, f"put the layer {GATE} behind it")
    decision_of = {item.document.path: item for item in catalogue.decisions.values()}
    rules_of: dict[str, Items] = {path: {} for path in decision_of}
    for rule in catalogue.rules.values():
        rules_of.setdefault(rule.document.path, {})[rule.id] = rule
    for path, decision in decision_of.items():
        if decision.sound:
            yield from _decision(decision, rules_of[path], catalogue, facts)
        for rule in rules_of[path].values():
            if rule.sound:
                yield from _rule(rule, decision, rules_of[path], catalogue, facts)
    yield from _gates(catalogue)
    yield from _decision_cycles(catalogue, facts)


def _gates(catalogue: Catalogue) -> Iterator[Problem]:
    """Gates whose names are those of rules, or of other gates."""
    taken = dict(catalogue.rules)
    for decision in catalogue.decisions:
        for gate in gates(catalogue, decision):
            first = taken.setdefault(gate.id, gate)
            if first is not gate:
                line, column = first.document.place((*first.steps, "id"))
                clash = f'the gate "{gate.id}", which is the name of a rule (at {first.document.path}:{line}:{column})'
                yield gate.problem(("id",), clash, "an id must stay unique forever", "give it another id")


def _decision(item: Authored, rules: Items, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    data = item.data
    if not data.get("estimate"):
        yield from common.reference(item, ("decision",), item.id, catalogue.tunables, "tunable")
    if not data.get("rules"):
        yield item.problem((), "a decision without rules", "a decision is a list of rules", "add rules: […]")
    computes = any(values.formula_facts(rule.data.get("value"), facts) for rule in rules.values())
    all_rules = [*rules.values(), *gates(catalogue, item.id)]
    for owner in (item, *rules.values()):
        for index, example in mappings_in(owner.data.get("examples")):
            yield from common.answers(owner, ("examples", index, "given"), example.get("given"), facts)
            yield from _example_values(owner, index, example.get("expect"), all_rules, computes)


def _example_values(
    item: Authored, index: int, expected: object, rules: list[Authored], computes: bool
) -> Iterator[Problem]:
    """Problems of an expected value that no rule says. `computes`: a formula may give any whole number."""
    known = [rule.data.get("value") for rule in rules]
    # A rule's own unquoted version is reported at the rule.
    written = [rule.source(("value",)) for rule in rules if isinstance(rule.data.get("value"), float)]
    at: tuple[str | int, ...] = ("examples", index, "expect")
    several = expected if isinstance(expected, list) else None
    for number, value in enumerate([expected] if several is None else several):
        place = at if several is None else (*at, number)
        source = item.source(place)
        if value is None or value in written or any(type(other) is type(value) and other == value for other in known):
            continue
        if source is not None and source in known:
            yield common.unquoted_version(item, place, f"{shown(value, source)} is expected", source)
        elif not (computes and type(value) is int):
            why = f"the rules say {word_list(dict.fromkeys(shown(other) for other in known))}"
            yield item.problem(place, f"{shown(value, source)} is expected", why, "expect one of these")


def _rule(item: Authored, decision: Authored, rules: Items, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    data = item.data
    yield from common.condition(item, ("when",), as_mapping(data.get("when")), facts)
    layer = data.get("layer", "default")
    if layer not in catalogue.layers:
        hint = near(layer, catalogue.layers, f"it is one of {word_list(catalogue.layers)}")
        yield item.problem(("layer",), f'unknown layer "{layer}"', "rules/layers.yaml does not define it", hint)
    if layer == GATE:
        why = "a gate is what a tunable needs, or where it is refused or ignored"
        write = f"write it beside {decision.id} in kb/tunables, or another layer"
        yield item.problem(("layer",), f"a rule of the layer {GATE}", why, write)
    value = data.get("value")
    if "strength" not in data and value not in ("keep", "n/a"):
        why = "the strength decides how severe it is to do otherwise"
        yield item.problem((), f"the rule {item.id} without strength", why, "add strength: must, should or may")
    yield from common.citations(item, (), data.get("cites"), catalogue.claims)
    for index, name in texts_in(data.get("overrides")):
        yield from common.reference(item, ("overrides", index), name, rules, "rule")
        if name == item.id:
            yield item.problem(
                ("overrides", index), f"{name} overrides itself", "a rule beats others only", "delete it"
            )
    tunable = catalogue.tunables.get(decision.id)
    yield from values.rule_value(item, decision, tunable, facts)
    for index, other in enumerate(as_list(data.get("as_good"))):
        if isinstance(other, str) and other.startswith("~ "):
            yield from common.pattern(item, ("as_good", index), other.partition(" ")[2], "fullmatch")
        elif tunable is not None:
            at = ("as_good", index)
            if values.is_bound(other):
                yield from values.bound(item, at, tunable, other)
            else:
                yield from values.literal(item, at, tunable, other)


def facts_used(rules: Items, facts: Items) -> dict[str, tuple[Authored, tuple[str | int, ...]]]:
    """The facts that a decision rests on, also through derived facts → the rule and place that first names each."""
    places: dict[str, tuple[Authored, tuple[str | int, ...]]] = {}
    for rule in (rule for rule in rules.values() if rule.sound):
        mentioned: list[tuple[str, tuple[str | int, ...]]] = []
        mentioned += [(name, ("when",)) for name in facts_in(rule.data.get("when"))]
        mentioned += [(name, ("value",)) for name in values.formula_facts(rule.data.get("value"), facts)]
        while mentioned:
            name, place = mentioned.pop()
            if name in places or name not in facts:
                continue
            places[name] = (rule, place)
            mentioned += [(deeper, place) for part in defining_conditions(facts[name]) for deeper in facts_in(part)]
    return places


def _decision_cycles(catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    """Decisions that need each other's outcome."""
    graph: dict[str, list[str]] = {}
    places: dict[tuple[str, str], tuple[Authored, tuple[str | int, ...]]] = {}
    for decision in catalogue.decisions.values():
        used = facts_used(rules_with_gates(catalogue, decision), facts) if decision.sound else {}
        graph[decision.id] = [name for name in used if name in catalogue.decisions]
        places.update({(decision.id, name): used[name] for name in graph[decision.id]})
    for circle in cycles(graph):
        rule, place = places[circle[0], circle[1 % len(circle)]]
        way = " → ".join((*circle, circle[0]))
        yield rule.problem(
            place,
            f"{circle[0]} is decided by itself",
            f"the cycle is {way}, so neither can be decided first",
            "let one of these rules rest on other facts",
        )
