"""The gates of a setting, which follow from what it needs and from what its values meet: rules that go before all
others of its decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.engine import GATE
from advisor.rulebase import model
from advisor.rulebase.catalogue import Authored, Catalogue, Items
from advisor.rulebase.document import YamlMapping, YamlPath, as_mapping, texts_in
from advisor.rulebase.model import facts_in

_REFUSED: YamlMapping = {"value": "omit", "strength": "must", "consequence": "mount-fails"}
_IGNORED: YamlMapping = {"value": "n/a"}
_NOT_ADVISED: YamlMapping = {"value": "keep"}


def gates(catalogue: Catalogue, decision: str) -> list[Authored[model.Rule]]:
    """The rules of a decision that other files have: what platforms advise, and the requirements of the tunable that it
    is on, as rules that outrank all others.

    The latter are its `needs`, and the circumstances in which the setting as a whole is refused or ignored, as far as
    facts decide these. A capability may say that without it nothing is advised of whole kinds. The first gate that is
    met decides: an unknown setting is not refused, and a refused one is not ignored."""
    tunable = catalogue.tunables.get(decision)
    listed = [] if tunable is None or not tunable.sound else list(_gates(tunable, catalogue))
    for at, gate in enumerate(listed):
        gate.data["overrides"] = [other.id for other in listed[at + 1 :]]
    return [*listed, *catalogue.advised.get(decision, ())]


def reason(tunable: Authored[model.Tunable], catalogue: Catalogue) -> YamlMapping:
    """`why` and `cites` of what follows where the tunable's `needs` do not hold; empty where nothing says."""
    kind = catalogue.kinds.get(tunable.record.kind)
    stated: YamlMapping = {}
    for without in (kind.record.without if kind is not None and kind.sound else None, tunable.record.without):
        stated |= vars(without) if without is not None else {}
    able = [catalogue.capabilities[name] for name in facts_in(tunable.record.needs) if name in catalogue.capabilities]
    cites = stated.get("cites") or [claim for item in able if item.sound for claim in item.record.cites]
    return {"why": stated.get("why"), "cites": list(dict.fromkeys(texts_in(cites))) or list(tunable.record.cites)}


def _gates(tunable: Authored[model.Tunable], catalogue: Catalogue) -> Iterator[Authored[model.Rule]]:
    about = tunable.record
    for ability in catalogue.capabilities.values():
        if ability.sound and about.kind in ability.record.kinds:
            without = ability.record.without
            why, cites = (without.why, without.cites) if without else (None, ())
            gate = {"why": why, "cites": [*(cites or ability.record.cites)], "when": {ability.id: False}}
            yield _gate(ability, ("without",), f"{tunable.id}/{ability.id}", {**_NOT_ADVISED, **gate})
    if about.needs:
        outcome = _REFUSED if about.kind == "mount-option" else _IGNORED
        name = (about.without and about.without.id) or f"{tunable.id}/needs"
        when = _negated(about.needs, catalogue)
        yield _gate(tunable, ("needs",), name, {**outcome, **reason(tunable, catalogue), "when": when})
    for part, verdicts, outcome in (("refused", about.refused, _REFUSED), ("ignored", about.ignored, _IGNORED)):
        for index, verdict in enumerate(verdicts):
            circumstance = _circumstance(verdict, catalogue.facts)
            if circumstance:
                gate = {key: vars(verdict)[key] for key in ("consequence", "why", "cites") if vars(verdict).get(key)}
                name = verdict.id or f"{tunable.id}/{part}-{index + 1}"
                yield _gate(tunable, (part, index), name, {**outcome, **gate, "when": circumstance})


def _gate(
    owner: Authored[model.Record], steps: YamlPath, name: str, outcome: Mapping[str, object]
) -> Authored[model.Rule]:
    data = as_mapping({"id": name, "layer": GATE, **outcome})
    shared: dict[str, object] = {"file": owner.document.path}
    return Authored(model.Rule, name, owner.document, owner.steps + steps, data, shared=shared)


def _negated(needs: model.Condition, catalogue: Catalogue) -> model.Condition:
    """The condition under which `needs` does not hold: without `not` for a single yes/no fact that always applies."""
    if len(needs) == 1:
        ((fact, wanted),) = needs.items()
        known = catalogue.known_facts.get(fact)
        if isinstance(wanted, bool) and known is not None and "applies" not in known.data:
            return {fact: not wanted}
    return {"not": needs}


def _circumstance(verdict: model.Verdict, facts: Items[model.Fact]) -> model.Condition | None:
    """The condition over facts under which the whole setting meets this verdict; None if facts cannot tell: it is
    about some values, or spellings, or about settings of the line that are not facts."""
    if verdict.values is not None or verdict.written is not None:
        return None
    parts: list[model.Condition] = [verdict.when] if verdict.when else []
    for name, pattern in verdict.together.items():
        answer = _answer(facts[name], pattern) if name in facts else None
        if answer is None:
            return None
        parts.append({name: answer})
    return parts[0] if len(parts) == 1 else {"all": parts} if parts else None


def _answer(fact: Authored[model.Fact], pattern: model.Pattern) -> model.Values | None:
    """What a pattern of a setting asks of the fact that has its value; None if no case of the fact is meant. Of the
    words that a line may write, the fact knows those that one case has (`vers=4` is one of several)."""
    if pattern in ("present", "absent"):
        return None
    if "values" not in fact.data:
        return pattern
    values = as_mapping(fact.data["values"])
    return [word for word in (pattern if isinstance(pattern, list) else [pattern]) if word in values] or None
