"""The engine's base for the conditions of causes and conclusions: facts and observations, and no decisions."""

from __future__ import annotations

from advisor.engine import Base, EngineError, build, holds
from advisor.rulebase.catalogue import Catalogue
from advisor.rulebase.compile import NamedCondition, engine_data, engine_fact
from advisor.rulebase.document import Steps
from advisor.rulebase.model import Fact
from advisor.rulebase.problems import Problem
from advisor.rulebase.yaml_values import entries, mapping


def conditions(catalogue: Catalogue) -> dict[str, NamedCondition]:
    """Name → what holds the condition, where in it, and the condition: `when:<cause>`, `proof:<cause>`,
    `likelier:<cause>:<index>`, `conclusion:<name>`."""
    found: dict[str, NamedCondition] = {}
    for item in catalogue.causes.values():
        for part in ("when", "proof"):
            if item.data.get(part):
                found[f"{part}:{item.id}"] = NamedCondition(item, (part,), mapping(item.data[part]))
        for index, weight in entries(item.data.get("likelier")):
            found[f"likelier:{item.id}:{index}"] = NamedCondition(
                item, ("likelier", index, "when"), mapping(weight.get("when"))
            )
    for item in catalogue.conclusions.values():
        found[f"conclusion:{item.id}"] = NamedCondition(item, ("when",), mapping(item.data.get("when")))
    return found


def build_base(catalogue: Catalogue, faulty: set[str]) -> tuple[Base | None, list[Problem]]:
    """The base, None where it cannot be built, and what is wrong with it. `faulty`: files with any problem; their
    conditions are left out."""
    problems: list[Problem] = []
    if any(item.document.path in faulty for item in catalogue.observations.values()):
        return None, problems
    placed = {name: one for name, one in conditions(catalogue).items() if one.item.document.path not in faulty}
    while True:
        data = engine_data(catalogue, [], {name: one.when for name, one in placed.items()})
        data["facts"] = [*data["facts"], *(engine_fact(one.record(Fact)) for one in catalogue.observations.values())]
        try:
            base = build(data)
            break
        except EngineError as error:
            kind, name = (*map(str, error.path[:2]), "", "")[:2]
            bad = placed.pop(name, None) if kind == "conditions" else None
            item = bad.item if bad else catalogue.observations.get(name)
            if item is None:
                return None, [*problems, Problem("rules/observations", 1, 1, error.message, "nothing fits", "mend it")]
            at: Steps = (*bad.steps, *error.path[2:]) if bad else tuple(error.path[2:])
            problems.append(item.problem(at, error.message, "the engine cannot work with it", "correct it"))
            if bad is None:
                return None, problems
    for name, (item, at, _) in placed.items():
        if holds(base, name, {}) is False:
            why = "nothing would ever come of it"
            problems.append(item.problem(at, "a condition that can never be true", why, "correct or delete it"))
    return base, problems
