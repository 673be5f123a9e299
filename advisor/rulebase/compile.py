"""From checked files to the one JSON that the commands read, and to the data from which the engine is built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from advisor import __version__
from advisor.engine import Base
from advisor.rulebase.audit.decisions import uses
from advisor.rulebase.audit.names import entries
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.rulebase.gates import gates
from advisor.rulebase.model import SCHEMA, Capability, Constraint, Fact, Rule

if TYPE_CHECKING:
    from advisor.engine.types import AuthoredBase, AuthoredConstraint, AuthoredDecision, AuthoredFact

Data = dict[str, Any]


def engine_data(
    catalogue: Catalogue, decisions: list[Authored], conditions: Mapping[str, object]
) -> AuthoredBase:
    """What `advisor.engine.build` takes: facts, constraints, layers, these decisions and these named conditions."""
    nevers: list[AuthoredConstraint] = [
        {"id": one.id, "never": one.never, "presumed": one.presumed}
        for one in (item.record(Constraint) for item in catalogue.constraints.values())
    ]
    abilities = [item.record(Capability) for item in catalogue.capabilities.values()]
    return {
        "facts": [engine_fact(item.record(Fact)) for item in catalogue.facts.values()]
        + [_engine_capability(one) for one in abilities],
        "constraints": [*nevers, *(bound for one in abilities for bound in _bounds(one))],
        "layers": list(catalogue.layers),
        "decisions": [_engine_decision(item, gates(catalogue, item.id)) for item in decisions],
        "conditions": conditions,
    }


def engine_fact(fact: Fact) -> AuthoredFact:
    """A fact as the engine takes it."""
    derive: dict[object, object] = {
        word == "true" if fact.type == "bool" else word: when for word, when in (fact.derive or {}).items()
    }
    return {
        "id": fact.id, "type": fact.type, "values": list(fact.values or ()), "scheme": fact.scheme,
        "minimum": fact.minimum, "maximum": fact.maximum, "applies": fact.applies, "derive": derive,
        "otherwise": fact.otherwise, "infer": [{"match": one.match, "sets": one.sets} for one in fact.infer],
    }


def _engine_capability(able: Capability) -> AuthoredFact:
    if able.unless is not None:
        return {"id": able.id, "type": "bool"}  # `_bounds` says where it is known
    return {"id": able.id, "type": "bool", "derive": {True: able.when}, "otherwise": False}


def _bounds(able: Capability) -> list[AuthoredConstraint]:
    """What cannot be, for a capability that is unknown where neither `when` nor `unless` holds."""
    if able.unless is None:
        return []
    return [
        {"id": f"{able.id} when", "never": {"all": [able.when, {able.id: False}]}},
        {"id": f"{able.id} unless", "never": {"all": [able.unless, {able.id: True}]}},
    ]


def _engine_decision(item: Authored, above: list[Authored]) -> AuthoredDecision:
    listed = [Rule.from_data(copied(rule)) for rule in (*rules(item.data), *(gate.data for gate in above))]
    return {
        "id": item.id,
        "hit": item.data.get("hit", "priority"),
        "rules": [
            {"id": rule.id, "layer": rule.layer, "when": rule.when, "value": rule.value, "overrides": rule.overrides}
            for rule in listed
        ],
    }


def rules(decision: Data) -> list[Data]:
    """The rules of a decision."""
    listed: list[Data] = decision.get("rules") or []
    return listed


def named_conditions(catalogue: Catalogue) -> dict[str, tuple[Authored, tuple[str | int, ...], Data]]:
    """Name → the item that holds the condition, where in it, and the condition itself. See docs/rule-language.md.

    needs:<tunable>, default:<tunable>, repeats:<tunable>, form:<tunable>:<spelling>, ignored:<tunable>:<index>,
    refused:<tunable>:<index>, usual:<fact>:<index>, check:<slug>, unless:<slug>,
    variant:<slug>:<index>, erratum:<slug>:<fact>."""
    found: dict[str, tuple[Authored, tuple[str | int, ...], Data]] = {}
    for item in catalogue.tunables.values():
        for part, name in (("needs", "needs"), ("default_when", "default"), ("repeats_when", "repeats")):
            if item.data.get(part):
                found[f"{name}:{item.id}"] = (item, (part,), item.data[part])
        for index, form in entries(item.data.get("forms")):
            if form.get("when"):
                found[f"form:{item.id}:{form['spelling']}"] = (item, ("forms", index, "when"), form["when"])
        for part in ("ignored", "refused"):
            for index, verdict in entries(item.data.get(part)):
                if verdict.get("when"):
                    found[f"{part}:{item.id}:{index}"] = (item, (part, index, "when"), verdict["when"])
    for item in catalogue.facts.values():
        for index, usual in entries(item.data.get("usual")):
            if usual.get("when"):
                found[f"usual:{item.id}:{index}"] = (item, ("usual", index, "when"), usual["when"])
    for item in catalogue.checks.values():
        if item.data.get("when"):
            found[f"check:{item.id}"] = (item, ("when",), item.data["when"])
        if item.data.get("unless"):
            found[f"unless:{item.id}"] = (item, ("unless",), item.data["unless"])
        for index, variant in entries(item.data.get("variants")):
            found[f"variant:{item.id}:{index}"] = (item, ("variants", index, "when"), variant["when"])
    for item in catalogue.errata.values():
        for fact in item.data.get("facts", ()):
            found[f"erratum:{item.id}:{fact}"] = (item, ("affected",), affected(catalogue, item, fact))
    return found


def affected(catalogue: Catalogue, erratum: Authored, fact: str) -> Data:
    """The condition under which an erratum strikes the host whose version `fact` tells.

    Versions of different streams cannot be compared, so each stream's range stands beside `<fact>_stream`. Where there
    is no such fact, the erratum has one stream only (the audit sees to that) and the range stands alone."""
    streams = f"{fact}_stream" in catalogue.facts
    cases: list[Data] = []
    for stream, spans in erratum.data["affected"].items():
        ranges = [_range(span) for span in spans]
        cases.append(
            {fact: ranges if len(ranges) > 1 else ranges[0], **({f"{fact}_stream": stream} if streams else {})}
        )
    where = cases[0] if len(cases) == 1 else {"any": cases}
    when = erratum.data.get("when") or {}
    return {"all": [where, when]} if when else where


def _range(span: Data) -> str:
    signs = {"introduced": ">=", "fixed": "<", "last_affected": "<="}
    return " ".join(f"{signs[key]}{version}" for key, version in span.items())


def assemble(catalogue: Catalogue, engine: Base, diagnosis: Base, content_hash: str) -> Data:
    """The whole compiled base, JSON-ready. `diagnosis`: the base for the conditions of causes."""
    facts = {item.id: copied(item.data) for item in catalogue.facts.values()}
    for fact in facts.values():
        fact.setdefault("section", _section_of(catalogue, fact["id"]))
    for item in catalogue.capabilities.values():
        conditions = {key: copied(item.data[key]) for key in ("when", "unless") if key in item.data}
        says = copied(item.data["says"])
        facts[item.id] = {
            "id": item.id, "type": "bool", "scope": "host", "says": says, "capability": True, **conditions,
        }
    of_kind: dict[str, list[str]] = {}
    for item in catalogue.tunables.values():
        of_kind.setdefault(item.data["kind"], []).append(item.id)
    return {
        "schema": SCHEMA,
        "hash": content_hash,
        "version": __version__,
        "engine": engine.to_json(),
        "facts": facts,
        "sections": catalogue.sections,
        "of_kind": of_kind,
        "layers": [copied(item.data) for item in catalogue.layers.values()],
        "tunables": {item.id: copied(item.data) for item in catalogue.tunables.values()},
        "checks": {item.id: _filed(item) for item in catalogue.checks.values()},
        "decisions": {item.id: _decision(item, gates(catalogue, item.id)) for item in in_order(catalogue)},
        "platforms": [copied(item.data) for item in catalogue.platforms.values()],
        "errata": {item.id: _filed(item) for item in catalogue.errata.values()},
        "check_examples": {item.id: copied(item.data.get("examples", [])) for item in catalogue.checks.values()},
        "diagnosis": {"engine": diagnosis.to_json(), "synonyms": catalogue.synonyms},
        "messages": {item.id: {**_of_file(item), **copied(item.data)} for item in catalogue.messages.values()},
        "causes": {item.id: {**_filed(item), "examples": []} for item in catalogue.causes.values()},
        **{
            name: {item.id: copied(item.data, "examples") for item in getattr(catalogue, name).values()}
            for name in (
                "claims", "sources", "capabilities", "recipes", "constraints", "layouts", "host_files", "kinds",
                "phrases", "errno", "observations",
            )
        },
    }


def _of_file(item: Authored) -> Data:
    """What the file of a message says for all of its messages."""
    return {key: item.document.data[key] for key in ("program", "source", "side") if key in item.document.data}


def in_order(catalogue: Catalogue) -> list[Authored]:
    """The decisions, each after those that it rests on, otherwise by id. The audit has refused circles."""
    facts = catalogue.known_facts()
    ordered: dict[str, Authored] = {}

    def visit(name: str) -> None:
        decision = catalogue.decisions[name]
        path = decision.document.path
        own = {rule.id: rule for rule in catalogue.rules.values() if rule.document.path == path}
        own |= {gate.id: gate for gate in gates(catalogue, name)}
        for other in sorted(uses(own, facts)):
            if other in catalogue.decisions and other not in ordered:
                visit(other)
        ordered[name] = decision

    for name in sorted(catalogue.decisions):
        if name not in ordered:
            visit(name)
    return list(ordered.values())


def _decision(item: Authored, above: list[Authored]) -> Data:
    told: Data = copied(item.data, "rules", "examples")
    told.setdefault("hit", "priority")
    told["file"] = item.document.path
    told["rules"] = {
        rule["id"]: {"layer": "default", **copied(rule, "examples"), "when": copied(rule.get("when", {}))}
        for rule in (*rules(item.data), *({**gate.data, "file": gate.document.path} for gate in above))
    }
    return told


def _filed(item: Authored) -> Data:
    told: Data = copied(item.data, "examples")
    return {**told, "file": item.document.path}


def copied(value: object, *without: str) -> Any:
    """A copy of what a model returned, without the keys `without` at its top."""
    if isinstance(value, list):
        return [copied(entry) for entry in value]
    if isinstance(value, dict):
        return {key: copied(entry) for key, entry in value.items() if key not in without}
    return value


def _section_of(catalogue: Catalogue, fact: str) -> str:
    return str(catalogue.facts[fact].document.data["section"])
