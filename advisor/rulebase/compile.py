"""Compiles checked files to the JSON that the commands read, and to the input of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor import __version__
from advisor.engine import Base
from advisor.rulebase.audit.decisions import facts_used
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.rulebase.document import Yaml, YamlMapping, YamlPath, as_mapping, copy_of, mappings_in, texts_in
from advisor.rulebase.gates import gates, rules_with_gates
from advisor.rulebase.lint_index import lint_index, outline
from advisor.rulebase.model import (
    SCHEMA,
    Capability,
    Check,
    Constraint,
    Decision,
    Erratum,
    Fact,
    KindSteps,
    Rule,
    Tunable,
)
from advisor.rulebase.values import LINE_KINDS

if TYPE_CHECKING:
    from advisor.engine.types import AuthoredBase, AuthoredConstraint, AuthoredDecision, AuthoredFact
    from advisor.rulebase.model.base import OutlineRow

_OF_KIND = ("takes_effect", "persists")
"""Keys of a kind that apply to all of its tunables."""


def engine_data(
    catalogue: Catalogue, decisions: list[Authored], conditions: Mapping[str, object]
) -> AuthoredBase:
    """The input of `advisor.engine.build`: facts, constraints, layers, these decisions and these named conditions."""
    nevers: list[AuthoredConstraint] = [
        {
            "id": constraint.id, "never": constraint.never, "presumed": constraint.presumed,
            "only_advice": constraint.only_advice,
        }
        for constraint in (item.record(Constraint) for item in catalogue.constraints.values())
    ]
    abilities = [item.record(Capability) for item in catalogue.capabilities.values()]
    return {
        "facts": [engine_fact(item.record(Fact)) for item in catalogue.facts.values()]
        + [_engine_capability(ability) for ability in abilities],
        "constraints": [*nevers, *(bound for ability in abilities for bound in _bounds(ability))],
        "layers": list(catalogue.layers),
        "decisions": [_engine_decision(item, gates(catalogue, item.id)) for item in decisions],
        "conditions": conditions,
    }


def engine_fact(fact: Fact) -> AuthoredFact:
    """A fact as the engine expects it."""
    derive: dict[object, object] = {
        word == "true" if fact.type == "bool" else word: when for word, when in (fact.derive or {}).items()
    }
    return {
        "id": fact.id, "type": fact.type, "values": list(fact.values or ()), "scheme": fact.scheme,
        "minimum": fact.minimum, "maximum": fact.maximum, "applies": fact.applies, "derive": derive,
        "otherwise": fact.otherwise,
        "infer": [{"match": inference.match, "sets": inference.sets} for inference in fact.infer],
    }


def _engine_capability(able: Capability) -> AuthoredFact:
    if able.unless is not None:
        return {"id": able.id, "type": "bool"}  # `_bounds` says when it is known
    return {"id": able.id, "type": "bool", "derive": {True: able.when}, "otherwise": False}


def _bounds(able: Capability) -> list[AuthoredConstraint]:
    """The constraints of a capability that is unknown where neither `when` nor `unless` holds."""
    if able.unless is None:
        return []
    return [
        {"id": f"{able.id} when", "never": {"all": [able.when, {able.id: False}]}},
        {"id": f"{able.id} unless", "never": {"all": [able.unless, {able.id: True}]}},
    ]


def _engine_decision(item: Authored, above: list[Authored]) -> AuthoredDecision:
    listed = [Rule.from_data(copy_without(rule)) for rule in (*rules(item.data), *(gate.data for gate in above))]
    return {
        "id": item.id,
        "hit": str(item.data.get("hit", "priority")),
        "rules": [
            {"id": rule.id, "layer": rule.layer, "when": rule.when, "value": rule.value, "overrides": rule.overrides}
            for rule in listed
        ],
    }


def rules(decision: YamlMapping) -> list[YamlMapping]:
    """The rules of a decision."""
    return [rule for _, rule in mappings_in(decision.get("rules"))]


class NamedCondition(NamedTuple):
    """A condition of an item, and where in it."""

    item: Authored
    steps: YamlPath
    when: YamlMapping


def named_conditions(catalogue: Catalogue) -> dict[str, NamedCondition]:
    """Each condition by its name. See docs/rule-language.md.

    needs:<tunable>, default:<tunable>, repeats:<tunable>, form:<tunable>:<spelling>, ignored:<tunable>:<index>,
    refused:<tunable>:<index>, usual:<fact>:<index>, check:<slug>, unless:<slug>,
    variant:<slug>:<index>, erratum:<slug>:<fact>."""
    conditions: dict[str, NamedCondition] = {}

    def add(name: str, item: Authored, steps: YamlPath, when: Yaml) -> None:
        if when:
            conditions[name] = NamedCondition(item, steps, as_mapping(when))

    for item in catalogue.tunables.values():
        for part, name in (("needs", "needs"), ("default_when", "default"), ("repeats_when", "repeats")):
            add(f"{name}:{item.id}", item, (part,), item.data.get(part))
        for index, form in mappings_in(item.data.get("forms")):
            add(f"form:{item.id}:{form['spelling']}", item, ("forms", index, "when"), form.get("when"))
        for part in ("ignored", "refused"):
            for index, verdict in mappings_in(item.data.get(part)):
                add(f"{part}:{item.id}:{index}", item, (part, index, "when"), verdict.get("when"))
    for item in catalogue.facts.values():
        for index, usual in mappings_in(item.data.get("usual")):
            add(f"usual:{item.id}:{index}", item, ("usual", index, "when"), usual.get("when"))
    for item in catalogue.checks.values():
        add(f"check:{item.id}", item, ("when",), item.data.get("when"))
        add(f"unless:{item.id}", item, ("unless",), item.data.get("unless"))
        for index, variant in mappings_in(item.data.get("variants")):
            conditions[f"variant:{item.id}:{index}"] = NamedCondition(
                item, ("variants", index, "when"), as_mapping(variant["when"])
            )
    for item in catalogue.errata.values():
        for _, fact in texts_in(item.data.get("facts")):
            add(f"erratum:{item.id}:{fact}", item, ("affected",), affected_condition(catalogue, item, fact))
    return conditions


def affected_condition(catalogue: Catalogue, erratum: Authored, fact: str) -> YamlMapping:
    """The condition under which an erratum affects the host whose version is `fact`.

    Versions of different streams cannot be compared, so each stream's range is joined with `<fact>_stream`. Where there
    is no such fact, the erratum has one stream only (the audit sees to that) and the range is used without it."""
    streams = f"{fact}_stream" in catalogue.facts
    cases: list[Yaml] = []
    for stream, spans in as_mapping(erratum.data["affected"]).items():
        ranges: list[Yaml] = [_range(span) for _, span in mappings_in(spans)]
        case: YamlMapping = {fact: ranges if len(ranges) > 1 else ranges[0]}
        cases.append({**case, f"{fact}_stream": stream} if streams else case)
    where: YamlMapping = as_mapping(cases[0]) if len(cases) == 1 else {"any": cases}
    when = as_mapping(erratum.data.get("when"))
    return {"all": [where, when]} if when else where


def _range(span: YamlMapping) -> str:
    signs = {"introduced": ">=", "fixed": "<", "last_affected": "<="}
    return " ".join(f"{signs[key]}{version}" for key, version in span.items())


def assemble(catalogue: Catalogue, engine: Base, diagnosis: Base, content_hash: str) -> dict[str, object]:
    """The whole compiled base, JSON-ready. `diagnosis`: the base for the conditions of causes and conclusions."""
    facts: dict[str, YamlMapping] = {
        item.id: {"section": _section_of(item), **copy_without(item.data)} for item in catalogue.facts.values()
    }
    for item in catalogue.capabilities.values():
        conditions: YamlMapping = {key: copy_of(item.data[key]) for key in ("when", "unless") if key in item.data}
        facts[item.id] = {
            "id": item.id, "type": "bool", "scope": "host", "says": item.data["says"], "capability": True, **conditions,
        }
    of_kind: dict[str, list[str]] = {}
    for item in catalogue.tunables.values():
        of_kind.setdefault(str(item.data["kind"]), []).append(item.id)
    outlines: dict[str, list[OutlineRow]] = {}
    for item in catalogue.checks.values():
        if kinds := _kinds(catalogue, item):
            of, row = outline(item.record(Check), kinds)
            outlines.setdefault(of, []).append(row)
    decisions = {item.id: _decision(item, gates(catalogue, item.id)) for item in dependency_order(catalogue)}
    return {
        "schema": SCHEMA,
        "hash": content_hash,
        "version": __version__,
        "engine": engine.to_json(),
        "facts": facts,
        "sections": catalogue.sections,
        "of_kind": of_kind,
        "outlines": outlines,
        "lint": lint_index(
            {item.id: item.record(Tunable) for item in catalogue.tunables.values()},
            {name: Decision.from_data(copy_without(decision)) for name, decision in decisions.items()},
            {item.id: item.record(Fact) for item in catalogue.facts.values()},
            {item.id: item.record(KindSteps) for item in catalogue.kinds.values()},
            {item.id: item.record(Erratum) for item in catalogue.errata.values()},
        ),
        "layers": [copy_without(item.data) for item in catalogue.layers.values()],
        "tunables": {item.id: _tunable(item, catalogue) for item in catalogue.tunables.values()},
        "checks": {item.id: _with_file(item) for item in catalogue.checks.values()},
        "decisions": decisions,
        "platforms": [copy_without(item.data) for item in catalogue.platforms.values()],
        "errata": {item.id: _with_file(item) for item in catalogue.errata.values()},
        "check_examples": {item.id: copy_of(item.data.get("examples", [])) for item in catalogue.checks.values()},
        "diagnosis": {"engine": diagnosis.to_json(), "synonyms": catalogue.synonyms},
        "messages": {item.id: {**_of_file(item), **copy_without(item.data)} for item in catalogue.messages.values()},
        "causes": {item.id: {**_with_file(item), "examples": []} for item in catalogue.causes.values()},
        **{
            name: {item.id: copy_without(item.data, "examples") for item in getattr(catalogue, name).values()}
            for name in (
                "claims", "sources", "capabilities", "recipes", "constraints", "layouts", "host_files", "kinds",
                "phrases", "errno", "observations", "conclusions",
            )
        },
    }


def _kinds(catalogue: Catalogue, check: Authored) -> list[str]:
    """The kinds of the settings that a check looks at, where it looks at settings of one file."""
    if "pair" in check.data or "total" in check.data:
        return list(LINE_KINDS)
    return sorted({str(catalogue.tunables[name].data["kind"]) for name in as_mapping(check.data.get("on"))})


def _of_file(item: Authored) -> YamlMapping:
    """The keys of a message's file that apply to all of its messages."""
    data = as_mapping(item.document.data)
    return {key: data[key] for key in ("program", "source", "side") if key in data}


def dependency_order(catalogue: Catalogue) -> list[Authored]:
    """The decisions, each after those that it depends on, otherwise by id. The audit has refused cycles."""
    facts = catalogue.known_facts()
    ordered: dict[str, Authored] = {}

    def visit(name: str) -> None:
        decision = catalogue.decisions[name]
        for other in sorted(facts_used(rules_with_gates(catalogue, decision), facts)):
            if other in catalogue.decisions and other not in ordered:
                visit(other)
        ordered[name] = decision

    for name in sorted(catalogue.decisions):
        if name not in ordered:
            visit(name)
    return list(ordered.values())


def _decision(item: Authored, above: list[Authored]) -> YamlMapping:
    listed: list[YamlMapping] = [
        *rules(item.data), *({**gate.data, "file": gate.document.path} for gate in above)
    ]
    return {
        "hit": "priority",
        **copy_without(item.data, "rules", "examples"),
        "file": item.document.path,
        "rules": {
            str(rule["id"]): {"layer": "default", "when": {}, **copy_without(rule, "examples")} for rule in listed
        },
    }


def _with_file(item: Authored) -> YamlMapping:
    return {**copy_without(item.data, "examples"), "file": item.document.path}


def _tunable(item: Authored, catalogue: Catalogue) -> dict[str, Yaml]:
    """A tunable, with what its kind says for all that say nothing else."""
    kind = catalogue.kinds.get(str(item.data["kind"]))
    shared = {} if kind is None else {key: copy_of(kind.data[key]) for key in _OF_KIND if key in kind.data}
    return {**shared, **copy_without(item.data)}


def copy_without(data: YamlMapping, *keys: str) -> YamlMapping:
    """A deep copy of a mapping, without these top-level keys."""
    return {key: copy_of(value) for key, value in data.items() if key not in keys}


def _section_of(fact: Authored) -> Yaml:
    return as_mapping(fact.document.data)["section"]
