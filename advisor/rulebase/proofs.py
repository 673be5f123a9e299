"""Defects of a rule base that only the engine can find: gaps, conflicts, dead rules, conditions that never hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from typing import NamedTuple

from advisor.engine import Base, EngineError, holds, word_list
from advisor.engine.compiler import Fault, build, verify
from advisor.engine.conditions import boxes, parse
from advisor.rulebase.catalogue import Authored, Catalogue, Entry, Items, is_of_pack
from advisor.rulebase.compile import NamedCondition, engine_data, named_conditions
from advisor.rulebase.document import Problem, YamlPath
from advisor.rulebase.examples import to_flow
from advisor.rulebase.gates import gates
from advisor.rulebase.model import Decision, Record, facts_in

_FOUNDATION = ("facts", "constraints", "layers", "capabilities")


class ProofResult(NamedTuple):
    """The result of `prove`. `base`: None if the foundation is faulty; `decisions`: those that it contains.

    `contradictory`: decisions in which rules contradict each other, so that their examples mean nothing.
    `unused`: facts that no rule, check or erratum needs."""

    base: Base | None
    decisions: list[Authored[Decision]]
    problems: list[Problem]
    contradictory: set[str]
    unused: list[str]


def prove(catalogue: Catalogue, faulty: set[str], malformed: set[str], outranked: frozenset[str]) -> ProofResult:
    """Build the engine's base from all that is sound, and verify it.

    `faulty`: files with any problem; their decisions and conditions are left out. `malformed`: files whose shape is
    wrong; when one of them defines facts, nothing can be built. `outranked`: rules that others may leave without
    effect."""
    foundation = [item for name in _FOUNDATION for item in getattr(catalogue, name).values()]
    if not catalogue.layers or any(item.document.path in malformed for item in foundation):
        return ProofResult(None, [], [], set(), [])
    decisions = {item.id: item for item in catalogue.decisions.values() if item.document.path not in faulty}
    sound = _without(faulty, catalogue, "tunables", "checks", "errata")
    conditions = named_conditions(sound)
    base, problems = _built(sound, decisions, conditions, faulty)
    if base is None:
        return ProofResult(None, [], problems, set(), [])
    problems += _contradictions(catalogue, base)
    unused: list[str] = []
    faults = verify(base)
    contradictory = {fault.decision for fault in faults if fault.kind == "conflict"}
    for fault in faults:
        if fault.kind == "unused-fact":
            unused.append(fault.decision)
        elif fault.kind not in ("dead", "masked") or not outranked.intersection(fault.rules[:1]):
            problems.append(_fault_problem(catalogue, base, fault, conditions))
    return ProofResult(base, list(decisions.values()), problems, contradictory, unused)


def _without(faulty: set[str], catalogue: Catalogue, *tables: str) -> Catalogue:
    """A copy whose tables lack the entries of these files."""
    sound = copy(catalogue)
    for name in tables:
        items = getattr(catalogue, name)
        setattr(sound, name, {item.id: item for item in items.values() if item.document.path not in faulty})
    return sound


def _built(
    catalogue: Catalogue, decisions: Items[Decision], conditions: dict[str, NamedCondition], faulty: set[str]
) -> tuple[Base | None, list[Problem]]:
    """The engine's base, and what it refused, which is taken out of `decisions` and `conditions`; no base if it cannot
    do without. What it refuses of `faulty` files is told already."""
    problems: list[Problem] = []
    while True:
        data = engine_data(
            catalogue, list(decisions.values()), {name: condition.when for name, condition in conditions.items()}
        )
        try:
            return build(data), problems
        except EngineError as error:
            kind, name = (*map(str, error.path[:2]), "", "")[:2]
            item, steps = _locate(catalogue, conditions, error)
            if item is None or item.document.path not in faulty:
                problems.append(_engine_problem(item, steps, error))
            refused = decisions.pop(name, None) if kind == "decisions" else None
            if refused is None and (kind != "conditions" or conditions.pop(name, None) is None):
                return None, problems


def _contradictions(catalogue: Catalogue, base: Base) -> Iterator[Problem]:
    """Problems of capabilities whose `when` and `unless` overlap."""
    for item in catalogue.capabilities.values():
        ability = item.record
        if ability.unless is None:
            continue
        able, unable = (boxes(base.space, parse(when, base.facts)) for when in (ability.when, ability.unless))
        both = next((case for a in able for b in unable if (case := base.space.meet(a, b)) is not None), None)
        if both is not None:
            where = {fact: base.answer(fact, mask) for fact, mask in base.space.unpack(both).items()}
            why = f"both are true where {to_flow(where)}"
            mistake = f"{item.id} has when and unless that overlap"
            yield item.problem(("unless",), mistake, why, "make them exclusive", key=True)


def _locate(
    catalogue: Catalogue, conditions: Mapping[str, NamedCondition], error: EngineError
) -> tuple[Authored[Record] | None, YamlPath]:
    """The item that an engine error is about, and the position in it."""
    kind, name, *rest = (*error.path, "", "") if len(error.path) < 2 else error.path
    name = str(name)
    if kind == "decisions" and name in catalogue.decisions:
        if len(rest) > 1 and rest[0] == "rules":
            rules = {**catalogue.rules, **{gate.id: gate for gate in gates(catalogue, name)}}
            return rules[str(rest[1])], tuple(rest[2:])
        return catalogue.decisions[name], ()
    if kind == "conditions" and name in conditions:
        holder = conditions[name]
        return holder.item, (*holder.steps, *rest)
    known: dict[str, Entry] = {**catalogue.observable, **catalogue.constraints}
    item = known.get(name) if kind in ("facts", "constraints") else None
    if item is None:
        item = next(iter(catalogue.constraints.values()), None) or next(iter(catalogue.layers.values()), None)
    return item, tuple(rest)


def _engine_problem(item: Authored[Record] | None, steps: YamlPath, error: EngineError) -> Problem:
    why = "the engine cannot work with it"
    if item is None:
        return Problem("rules", 1, 1, error.message, why, "correct it")
    if error.witness:
        # The witness is one whole case; an author needs only what the item itself speaks of.
        own = {name for part in _conditions(item) for name in facts_in(part)}
        clauses = error.witness.split(" and ")
        why = f"it is so where {' and '.join(c for c in clauses if c.partition(' is ')[0] in own) or error.witness}"
    mistake = error.message if error.message.startswith(item.id) else f"{item.id}: {error.message}"
    return item.problem(steps, mistake, why, "correct the conditions")


def _conditions(item: Authored[Record]) -> list[object]:
    written = vars(item.record)
    return [written.get("when"), written.get("applies"), *(written.get("derive") or {}).values()]


def _fault_problem(catalogue: Catalogue, base: Base, fault: Fault, conditions: Mapping[str, NamedCondition]) -> Problem:
    """One of the engine's findings, at the rule that an author would look at first."""
    case = {fact: base.answer(fact, mask) for fact, mask in fault.witness.items()} if fault.witness else {}
    where = f"where {to_flow(case)}" if case else "whatever is known"
    decision = catalogue.decisions.get(fault.decision)
    known = {**catalogue.rules, **{gate.id: gate for gate in gates(catalogue, fault.decision)}}
    rules = [known[name] for name in fault.rules if name in known]
    if fault.kind == "gap" and decision is not None:
        why = "every case needs an answer, even if that is keep"
        mistake = f"a gap in {decision.id}: no rule matches {where}"
        return decision.problem(("decision",), mistake, why, "add a rule for that case")
    if fault.kind == "conflict" and len(rules) > 1:
        first, second = sorted(rules[:2], key=lambda rule: (is_of_pack(rule.file), rule.document.place(rule.steps)))
        at = first.problem(("id",), "", "", "")
        says, other = (to_flow(rule.record.value) for rule in (second, first))
        return second.problem(
            ("id",),
            f"{second.id} and {first.id} (line {at.line}, column {at.column}) both match {where}",
            f"they say {says} and {other}, and nothing says which one wins",
            f"make their conditions exclusive, give one a higher layer, or add overrides: [{first.id}]",
        )
    if rules and fault.kind in ("dead", "masked", "unsatisfiable"):
        above = word_list((rule.id for rule in rules[1:]), "and")
        never = fault.kind == "unsatisfiable"
        why = "its condition can never be true" if never else f"wherever it matches, {above} beats it"
        write = "correct its condition or layer, or delete it"
        return rules[0].problem(("id",), f"the rule {rules[0].id} is dead", why, write)
    if fault.kind == "unsatisfiable" and fault.decision in conditions:
        return _never_true(conditions[fault.decision])
    culprit = rules[0] if rules else decision or catalogue.constraints.get(fault.decision)
    if culprit is None:
        return Problem("rules", 1, 1, fault.message, f"it is so {where}", "correct it")
    return culprit.problem((), fault.message, f"it is so {where}", "correct it")


def _never_true(holder: NamedCondition) -> Problem:
    why = "nothing would ever come of it"
    return holder.item.problem(holder.steps, "a condition that can never be true", why, "correct or delete it")


def diagnosis_conditions(catalogue: Catalogue) -> dict[str, NamedCondition]:
    """Name → what holds the condition, where in it, and the condition: `when:<cause>`, `proof:<cause>`,
    `likelier:<cause>:<index>`, `family:<family>`, `conclusion:<name>`."""
    conditions: dict[str, NamedCondition] = {}
    for name, item in catalogue.causes.items():
        for part, when in (("when", item.record.when), ("proof", item.record.proof)):
            if when:
                conditions[f"{part}:{name}"] = NamedCondition(item, (part,), when)
        for index, weight in enumerate(item.record.likelier):
            at: YamlPath = ("likelier", index, "when")
            conditions[f"likelier:{name}:{index}"] = NamedCondition(item, at, weight.when)
    for name, family in catalogue.families.items():
        if family.record.when:
            conditions[f"family:{name}"] = NamedCondition(family, ("when",), family.record.when)
    for name, conclusion in catalogue.conclusions.items():
        conditions[f"conclusion:{name}"] = NamedCondition(conclusion, ("when",), conclusion.record.when)
    return conditions


def build_diagnosis(catalogue: Catalogue, faulty: set[str]) -> tuple[Base | None, list[Problem]]:
    """The base, None if it cannot be built, and what is wrong with it. `faulty`: files with any problem; their
    conditions are left out."""
    if any(item.document.path in faulty for item in catalogue.observations.values()):
        return None, []
    sound = _without(faulty, catalogue, "causes", "families", "conclusions")
    sound.facts = {**catalogue.facts, **catalogue.observations}
    placed = diagnosis_conditions(sound)
    base, problems = _built(sound, {}, placed, faulty)
    if base is not None:
        problems += [_never_true(holder) for name, holder in placed.items() if holds(base, name, {}) is False]
    return base, problems
