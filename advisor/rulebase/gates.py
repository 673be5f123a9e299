"""Gates: the requirements of a tunable, as rules that outrank all other rules of its decision.

They stand beside the tunable (kb/tunables): `needs`, and the circumstances in which the setting as a whole is refused
or ignored, as far as facts decide these. A capability may say that without it nothing is advised of whole kinds."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.engine.decisions import GATE
from advisor.rulebase.catalogue import Authored, Catalogue, Items
from advisor.rulebase.document import Yaml, YamlMapping, as_mapping, mappings_in, texts_in
from advisor.rulebase.model.facts import facts_in

_REFUSED: YamlMapping = {"value": "omit", "strength": "must", "consequence": "mount-fails"}
_IGNORED: YamlMapping = {"value": "n/a"}
_NOT_ADVISED: YamlMapping = {"value": "keep"}


def gates(catalogue: Catalogue, decision: str) -> list[Authored]:
    """The gates of the tunable that this decision is on, as rules; their places are in the tunable's file.

    The first that is met decides: an unknown setting is not refused, and a refused one is not ignored."""
    tunable = catalogue.tunables.get(decision)
    own_gates = [] if tunable is None or not tunable.sound else list(_gates(tunable, catalogue))
    names: list[Yaml] = [gate.id for gate in own_gates]
    return [gate._replace(data={**gate.data, "overrides": names[at + 1 :]}) for at, gate in enumerate(own_gates)]


def rules_with_gates(catalogue: Catalogue, decision: Authored) -> Items:
    """The rules of a decision's file and the gates of its tunable, by id."""
    path = decision.document.path
    rules = {rule.id: rule for rule in catalogue.rules.values() if rule.document.path == path}
    return {**rules, **{gate.id: gate for gate in gates(catalogue, decision.id)}}


def reason(tunable: Authored, catalogue: Catalogue) -> YamlMapping:
    """`why` and `cites` of what follows where the tunable's `needs` do not hold; empty where nothing says."""
    kind = catalogue.kinds.get(str(tunable.data.get("kind")))
    stated: YamlMapping = {}
    for item in (kind, tunable):
        stated |= as_mapping(item.data.get("without")) if item is not None and item.sound else {}
    able = [catalogue.capabilities[name] for name in facts_in(tunable.data["needs"]) if name in catalogue.capabilities]
    cites = texts_in(stated.get("cites")) or [entry for item in able for entry in texts_in(item.data.get("cites"))]
    claims: list[Yaml] = list(dict.fromkeys(claim for _, claim in cites))
    return {"why": stated.get("why"), "cites": claims or tunable.data.get("cites")}


def _gates(tunable: Authored, catalogue: Catalogue) -> Iterator[Authored]:
    for ability in catalogue.capabilities.values():
        if tunable.data.get("kind") in [kind for _, kind in texts_in(ability.data.get("kinds"))]:
            without = as_mapping(ability.data.get("without"))
            gate: YamlMapping = {"why": without.get("why"), "cites": without.get("cites") or ability.data.get("cites")}
            gate |= {**_NOT_ADVISED, "when": {ability.id: False}}
            yield _gate(ability, ("without",), f"{tunable.id}/{ability.id}", gate)
    needs = as_mapping(tunable.data.get("needs"))
    if needs:
        outcome = _REFUSED if tunable.data.get("kind") == "mount-option" else _IGNORED
        gate = {**outcome, **reason(tunable, catalogue), "when": _negated(needs, catalogue)}
        name = str(as_mapping(tunable.data.get("without")).get("id") or f"{tunable.id}/needs")
        yield _gate(tunable, ("needs",), name, gate)
    for part, outcome in (("refused", _REFUSED), ("ignored", _IGNORED)):
        for index, verdict in mappings_in(tunable.data.get(part)):
            when = _circumstance(verdict, catalogue.facts)
            if when:
                gate = {key: verdict[key] for key in ("consequence", "why", "cites") if verdict.get(key)}
                name = str(verdict.get("id") or f"{tunable.id}/{part}-{index + 1}")
                yield _gate(tunable, (part, index), name, {**outcome, **gate, "when": when})


def _gate(owner: Authored, steps: tuple[str | int, ...], name: str, outcome: YamlMapping) -> Authored:
    return Authored(name, owner.document, owner.steps + steps, {"id": name, "layer": GATE, **outcome}, True)


def _negated(needs: YamlMapping, catalogue: Catalogue) -> YamlMapping:
    """The condition under which `needs` does not hold: without `not` for a single yes/no fact that always applies."""
    if len(needs) == 1:
        ((fact, wanted),) = needs.items()
        known = catalogue.known_facts().get(fact)
        if isinstance(wanted, bool) and known is not None and "applies" not in known.data:
            return {fact: not wanted}
    return {"not": needs}


def _circumstance(verdict: YamlMapping, facts: Items) -> YamlMapping | None:
    """The condition over facts under which the whole setting meets this verdict; None if facts cannot tell: it is
    about some values, or spellings, or about settings of the line that are not facts."""
    if verdict.get("values") is not None or verdict.get("written") is not None:
        return None
    parts: list[Yaml] = [verdict["when"]] if verdict.get("when") else []
    for name, pattern in as_mapping(verdict.get("together")).items():
        answer = _answer(facts[name], pattern) if name in facts else None
        if answer is None:
            return None
        parts.append({name: answer})
    return as_mapping(parts[0]) if len(parts) == 1 else {"all": parts} if parts else None


def _answer(fact: Authored, pattern: Yaml) -> Yaml:
    """What a pattern of a setting asks of the fact that has its value; None if no case of the fact is meant. Of the
    words that a line may write, the fact knows those that one case has (`vers=4` is one of several)."""
    if pattern in ("present", "absent"):
        return None
    if "values" not in fact.data:
        return pattern
    values = as_mapping(fact.data["values"])
    return [word for word in (pattern if isinstance(pattern, list) else [pattern]) if word in values] or None
