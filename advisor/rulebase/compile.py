"""Compiles the entries of a checked rule base: to what the commands read, and to the input of the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar, cast

from advisor import __version__
from advisor.engine import Base, holds
from advisor.engine.decisions import support
from advisor.named_tuple import grouped
from advisor.rulebase import lives, model
from advisor.rulebase.catalogue import TABLES, Authored, Catalogue, Items
from advisor.rulebase.clauses import Vocabulary, group_tables
from advisor.rulebase.document import YamlPath
from advisor.rulebase.gates import gates
from advisor.rulebase.values import COMMON, LINE_KINDS, demands
from advisor.rulebase.words import index_messages, message_pieces, term_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.engine.declare import AuthoredBase, AuthoredConstraint, AuthoredDecision, AuthoredFact
    from advisor.rulebase.words import MessageWords

R = TypeVar("R", bound=model.Record)

_OF_KIND = ("takes_effect", "persists")
"""Keys of a kind that apply to all of its tunables."""
_WEIGHED = ("id", "family", "explains", "proved_by", "findings", "likelier")
"""What a diagnosis asks of every cause; it reads the texts of those that it names."""
_NAMED_FIRST = ("first", "confirmed")
"""What examples expect in which a cause is what they are about."""


def engine_data(
    catalogue: Catalogue, decisions: Iterable[Authored[model.Decision]], conditions: Mapping[str, object]
) -> AuthoredBase:
    """The input of `engine.compiler.build`: facts, constraints, layers, these decisions and these named conditions."""
    abilities = [item.record for item in catalogue.capabilities.values()]
    facts, nevers = ([item.record.as_dict() for item in of.values()] for of in (catalogue.facts, catalogue.constraints))
    return cast("AuthoredBase", {
        "facts": [*facts, *map(_engine_capability, abilities)],
        "constraints": [*nevers, *(bound for ability in abilities for bound in _bounds(ability))],
        "layers": list(catalogue.layers),
        "decisions": [_engine_decision(item, rules_of(catalogue, item)) for item in decisions],
        "conditions": conditions,
    })


def rules_of(catalogue: Catalogue, decision: Authored[model.Decision]) -> list[model.Rule]:
    """The rules of a decision, and then its gates."""
    return [*decision.record.rules.values(), *(gate.record for gate in gates(catalogue, decision.id))]


def _engine_capability(able: model.Capability) -> AuthoredFact:
    if able.unless is not None:
        return {"id": able.id, "type": "bool"}  # `_bounds` says when it is known
    return {"id": able.id, "type": "bool", "derive": {True: able.when}, "otherwise": False}


def _bounds(able: model.Capability) -> list[AuthoredConstraint]:
    """The constraints of a capability that is unknown where neither `when` nor `unless` holds."""
    if able.unless is None:
        return []
    return [
        {"id": f"{able.id} when", "never": {"all": [able.when, {able.id: False}]}},
        {"id": f"{able.id} unless", "never": {"all": [able.unless, {able.id: True}]}},
    ]


def _engine_decision(item: Authored[model.Decision], rules: Iterable[model.Rule]) -> AuthoredDecision:
    return {
        "id": item.id,
        "hit": item.record.hit,
        "rules": [
            {"id": rule.id, "layer": rule.layer, "when": rule.when, "value": rule.value, "overrides": rule.overrides}
            for rule in rules
        ],
    }


class NamedCondition(NamedTuple):
    """A condition of an item, and where in it."""

    item: Authored[model.Record]
    steps: YamlPath
    when: model.Condition


def named_conditions(catalogue: Catalogue) -> dict[str, NamedCondition]:
    """Each condition by its name. See docs/rule-language.md.

    needs:<tunable>, default:<tunable>, repeats:<tunable>, form:<tunable>:<spelling>, ignored:<tunable>:<index>,
    refused:<tunable>:<index>, life:<tunable>:<index>:<what>:<fact> (once for those that are alike), newest:<fact>,
    usual:<fact>:<index>, check:<slug>, unless:<slug>, quiet:<slug>,
    variant:<slug>:<index>, erratum:<slug>:<fact>."""
    conditions: dict[str, NamedCondition] = {}

    def add(name: str, item: Authored[model.Record], steps: YamlPath, when: model.Condition | None) -> None:
        if when is not None and (when or steps[0] == "variants"):
            conditions[name] = NamedCondition(item, steps, when)

    facts = {name: item.record for name, item in catalogue.facts.items()}
    asked: list[model.Condition] = []
    lived: list[Authored[model.Tunable] | Authored[model.KindSteps]] = [*catalogue.tunables.values()]
    for owner in [*lived, *catalogue.kinds.values()]:
        for index, life in enumerate(owner.record.lives):
            for what, when in lives.conditions(life, facts):
                if when not in asked:
                    asked.append(when)
                    add(f"life:{owner.id}:{index}:{what}", owner, ("lives", index), when)
    for name, item in catalogue.tunables.items():
        tunable = item.record
        add(f"needs:{name}", item, ("needs",), tunable.needs)
        add(f"default:{name}", item, ("default_when",), tunable.default_when)
        add(f"repeats:{name}", item, ("repeats_when",), tunable.repeats_when)
        for index, form in enumerate(tunable.forms):
            add(f"form:{name}:{form.spelling}", item, ("forms", index, "when"), form.when)
        for part, verdicts in (("ignored", tunable.ignored), ("refused", tunable.refused)):
            for index, verdict in enumerate(verdicts):
                add(f"{part}:{name}:{index}", item, (part, index, "when"), verdict.when)
    for name, kind in catalogue.kinds.items():
        if kind.record.file and kind.record.file.folder:
            add(f"folder:{name}", kind, ("file", "folder", "unless"), kind.record.file.folder.unless)
    for name, fact in catalogue.facts.items():
        if fact.record.upstream is not None:
            add(f"newest:{name}", fact, ("upstream", "newest"), lives.known_to_be_known(fact.record))
        for index, usual in enumerate(fact.record.usual):
            add(f"usual:{name}:{index}", fact, ("usual", index, "when"), usual.when)
    for name, check in catalogue.checks.items():
        add(f"check:{name}", check, ("when",), check.record.when)
        add(f"unless:{name}", check, ("unless",), check.record.unless)
        add(f"quiet:{name}", check, ("quiet_if",), check.record.quiet_if)
        for index, variant in enumerate(check.record.variants):
            add(f"variant:{name}:{index}", check, ("variants", index, "when"), variant.when)
    for name, erratum in catalogue.errata.items():
        add(f"unless:{name}", erratum, ("unless",), erratum.record.unless)
        for of in erratum.record.facts:
            add(f"erratum:{name}:{of}", erratum, ("affected",), affected_condition(catalogue, erratum.record, of))
    return conditions


def affected_condition(catalogue: Catalogue, erratum: model.Erratum, fact: str) -> model.Condition:
    """The condition under which an erratum affects the host whose version is `fact`.

    Versions of different streams cannot be compared, so each stream's range is joined with `<fact>_stream`. Where there
    is no such fact, the erratum has one stream only (the audit sees to that) and the range is used without it."""
    streams = f"{fact}_stream" in catalogue.facts
    cases: list[model.Condition] = []
    for stream, spans in erratum.affected.items():
        ranges: list[model.Scalar] = [span.text for span in spans]
        within: model.Condition = {fact: ranges if len(ranges) > 1 else ranges[0]}
        cases.append({**within, f"{fact}_stream": stream} if streams else within)
    where: model.Condition = cases[0] if len(cases) == 1 else {"any": cases}
    return {"all": [where, erratum.when]} if erratum.when else where


def assemble(catalogue: Catalogue, engine: Base, diagnosis: Base, content_hash: str) -> dict[str, object]:
    """The whole compiled base, JSON-ready, but for `nothing_known`. `diagnosis`: the base for the conditions of causes
    and conclusions."""
    tunables = _records(catalogue.tunables)
    items = map(catalogue.decisions.__getitem__, engine.decisions)
    decisions = {item.id: _decision(item, rules_of(catalogue, item)) for item in items}
    outlines = (
        outline(check, kinds) for check in _records(catalogue.checks).values()
        if (kinds := _kinds_looked_at(check, tunables))
    )
    kinds_of_settings = _records(catalogue.kinds)
    patterns, message_words = index_messages(_records(catalogue.messages).values(), _records(catalogue.errno).values())
    claims_on: dict[str, dict[str, str]] = {}
    for name, claim in _records(catalogue.claims).items():
        for about in claim.about:
            claims_on.setdefault(about, {})[name] = claim.verdict
    made: dict[str, object] = {
        "schema": model.SCHEMA,
        "hash": content_hash,
        "version": __version__,
        "engine": engine.to_json(),
        "facts": {name: item.record.as_dict() for name, item in catalogue.known_facts.items()},
        "sections": catalogue.sections,
        "of_kind": grouped((tunable.kind, name) for name, tunable in tunables.items()),
        "outlines": grouped(outlines),
        "lint": lint_index(
            tunables, decisions, _records(catalogue.facts), kinds_of_settings, _records(catalogue.errata)
        ),
        "called": called(tunables),
        "decision_of": {rule: name for name, decision in decisions.items() for rule in decision.rules},
        "used_by": grouped((fact, name) for name in engine.decisions for fact in sorted(support(engine, name))),
        "claims_on": claims_on,
        "layers": [*_table(catalogue.layers).values()],
        "tunables": {
            name: {**_of_its_kind(tunable, kinds_of_settings), **tunable.as_dict()}
            for name, tunable in tunables.items()
        },
        "decisions": {name: decision.as_dict() for name, decision in decisions.items()},
        "platforms": [item.record.as_dict("rules", "sources", "claims") for item in catalogue.platforms.values()],
        "check_examples": {
            name: [example.as_dict() for example in check.examples]
            for name, check in _records(catalogue.checks).items()
        },
        "causes": {name: {**cause, "examples": []} for name, cause in _table(catalogue.causes).items()},
        "diagnosis": _of_diagnosis(catalogue, diagnosis, message_words),
        "foreign": message_words["foreign"],
        "patterns": {str(number): row for number, row in enumerate(patterns)},
        "terms": term_index(dict(texts_of_causes(catalogue))),
        "weights": {
            **_by_feature(_records(catalogue.weights).values()), model.SCALES: catalogue.scales,
            model.SHARES: {str(share): right for share, right in catalogue.shares},
        },
        "nothing_known": {},
    }
    # The others are tables of the catalogue as they are, but for the examples.
    rest = [table.name for table in TABLES if table.name not in made]
    return {**made, **{name: _table(getattr(catalogue, name)) for name in rest}}


def _of_diagnosis(catalogue: Catalogue, diagnosis: Base, words: MessageWords) -> dict[str, object]:
    """With what a text is read and causes are judged. `words`: of the messages."""
    vocabulary = Vocabulary(catalogue.synonyms, _records(catalogue.concepts).values())
    group, phrases = vocabulary.group, _records(catalogue.phrases).values()
    return {
        **{key: part for key, part in words.items() if key != "foreign"},
        "engine": diagnosis.to_json(), "synonyms": catalogue.synonyms,
        "vocabulary": vocabulary.tables(),
        "symptoms": group_tables(
            (at, group(listed)) for at, name in enumerate(words["described"])
            for listed in catalogue.messages[name].record.words
        ),
        "phrases": group_tables((at, group(told)) for at, phrase in enumerate(phrases) for told in phrase.words),
        "unless": [[*map(group, phrase.unless)] for phrase in phrases],
        "causes": [{key: one[key] for key in _WEIGHED if key in one} for one in _table(catalogue.causes).values()],
        "bearing": _bearing(diagnosis),
    }


def called(tunables: Mapping[str, model.Tunable]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, tunable in tunables.items():
        short = name.partition(".")[2]
        spellings = {form.spelling for form in tunable.forms}
        files = {way.file for way in (tunable.probe.ways if tunable.probe else ()) if way.file}
        for word in sorted({name, short, short.rpartition(".")[2], *spellings, *tunable.misspellings, *files}):
            found.setdefault(word, []).append(name)
    return found


def texts_of_causes(catalogue: Catalogue, said: bool = True) -> Iterator[tuple[str, list[str]]]:
    """The texts of each cause and family in which words of reports are looked up: its own, those of its messages, and
    if `said` how people put it."""
    for of in (catalogue.families, catalogue.causes):
        for name, item in of.items():
            cause = item.record
            texts = [cause.title, cause.title, cause.why, cause.check.do, cause.check.tells, cause.remedy.do]
            texts += cause.words if said else ()
            if isinstance(cause, model.Cause):
                texts += [example.text for example in cause.examples if said and example.expect in _NAMED_FIRST]
                for message in (catalogue.messages[of].record for of in cause.explains):
                    texts += ["".join(f" {literal}" for literal, _ in message_pieces(message.text or ""))]
                    texts += [message.means, *(" ".join(words) for words in message.words)]
            yield name, texts


def _by_feature(families: Iterable[model.FamilyWeights]) -> dict[str, dict[str, int]]:
    """What is said or seen → family → how much it speaks for it."""
    weights: dict[str, dict[str, int]] = {model.PRIOR: {}}
    for family in families:
        weights[model.PRIOR].update({family.id: family.prior, **family.causes})
        for feature, weight in family.weighs.items():
            weights.setdefault(feature, {})[family.id] = weight
    return weights


def _bearing(diagnosis: Base) -> list[tuple[tuple[str, ...], list[str]]]:
    """Facts, and the conditions of causes and families that can change with what is known of these. Without facts:
    those that hold whatever is known."""
    conditions = (name for name in diagnosis.conditions if not name.startswith("conclusion:"))
    return [*grouped(
        (() if holds(diagnosis, name, {}) else tuple(sorted(support(diagnosis, name))), name) for name in conditions
    ).items()]


def _records(items: Items[R]) -> dict[str, R]:
    return {item.id: item.record for item in items.values()}


def _table(items: Mapping[str, Authored[model.Record]]) -> dict[str, dict[str, object]]:
    return {item.id: item.record.as_dict("examples") for item in items.values()}


def _kinds_looked_at(check: model.Check, tunables: Mapping[str, model.Tunable]) -> list[str]:
    """The kinds of the settings that a check looks at, where it looks at settings of one file."""
    if check.pair or check.total:
        return list(LINE_KINDS)
    return sorted({tunables[name].kind for name in check.on or ()})


def _decision(item: Authored[model.Decision], rules: Iterable[model.Rule]) -> model.Decision:
    """A decision with its gates, and without examples."""
    listed = {
        rule.id: model.Rule(**{"layer": rule.layer, "when": rule.when, **_without_examples(rule)}) for rule in rules
    }
    return model.Decision(**{"hit": item.record.hit, **_without_examples(item.record), "rules": listed})


def _without_examples(record: model.Record) -> dict[str, Any]:
    return {key: part for key, part in vars(record).items() if key != "examples"}


def _of_its_kind(tunable: model.Tunable, kinds: Mapping[str, model.KindSteps]) -> dict[str, object]:
    """What its kind says for all of its tunables that say nothing else."""
    kind = kinds.get(tunable.kind)
    return {} if kind is None else {key: vars(kind)[key] for key in _OF_KIND if key in vars(kind)}


def lint_index(
    tunables: Mapping[str, model.Tunable], decisions: Mapping[str, model.Decision], facts: Mapping[str, model.Fact],
    kinds: Mapping[str, model.KindSteps], errata: Mapping[str, model.Erratum],
) -> model.LintIndex:
    return {
        **option_index(tunables),
        "held": grouped((kind, name) for name, steps in kinds.items() if steps.file for kind in steps.file.kinds),
        "missable": {
            name: [rule.id for rule in decision.rules.values() if not demands(rule, tunables[name].default)]
            for name, decision in decisions.items()
            if name in tunables and absence_matters(tunables[name], decision)
        },
        "forced": {
            name: [rule.id for rule in decision.rules.values() if rule.consequence != "mount-fails"]
            for name, decision in decisions.items()
            if any(rule.consequence == "mount-fails" for rule in decision.rules.values())
        },
        "errata": grouped((fact, name) for name, erratum in errata.items() for fact in erratum.facts),
        "spoils": [name for name, erratum in errata.items() if erratum.spoils],
        "idle": grouped((kind, name) for name, tunable in tunables.items() for kind in _kinds_ignoring(tunable)),
        "moot": {name: tunable.moot for name, tunable in tunables.items() if tunable.moot},
        "twins": {name: tunable.twin for name, tunable in tunables.items() if tunable.twin},
        "setting_facts": [name for name, fact in facts.items() if fact.setting],
    }


def option_index(tunables: Mapping[str, model.Tunable]) -> model.OptionIndex:
    """The index of mount options among these tunables: their spellings, types and negotiation."""
    spellings: dict[str, list[str]] = {}
    misspellings: dict[str, str] = {}
    helpers: dict[str, None] = {}
    options = [tunable for tunable in tunables.values() if tunable.kind == "mount-option"]
    for tunable in options:
        for form in tunable.forms:
            names = spellings.setdefault(form.spelling, [])
            if tunable.id not in names:
                names.append(tunable.id)
        misspellings.update((word, _meant(tunable, word)) for word in tunable.misspellings)
        if tunable.vendor:
            helpers.update(dict.fromkeys(tunable.applies_to))
    return {
        "spellings": spellings,
        "misspellings": misspellings,
        "helper_types": [helper for helper in helpers if helper != COMMON],
        "negotiated": [tunable.id for tunable in options if tunable.tries],
    }


def _meant(tunable: model.Tunable, word: str) -> str:
    """The spelling that a misspelled one stands for: the first, unless another one says what the word does."""
    names, lower = [form.spelling for form in tunable.forms], word.lower()
    if lower.startswith("no"):
        others = [name for name in names if name != lower[2:]] if lower[2:] in names else names
        return next((name for name in names if name.startswith("no")), [*others, ""][0])
    letters = Counter(lower)
    by_letters = names if tunable.type == "flag" else names[:1]
    return max(
        by_letters, key=lambda name: sum((letters & Counter(name)).values()) / (len(word) + len(name)), default=""
    )


def absence_matters(tunable: model.Tunable, decision: model.Decision) -> bool:
    """Whether leaving the setting out can be a finding."""
    return any(demands(rule, tunable.default) for rule in decision.rules.values())


def _kinds_ignoring(tunable: model.Tunable) -> list[str]:
    kinds: list[str] = []
    for verdict in tunable.ignored:
        if verdict.together.keys() == {"file.kind"} and not verdict.values:
            of = verdict.together["file.kind"]
            kinds += [str(kind) for kind in (of if isinstance(of, list) else [of])]
    return kinds


def outline(check: model.Check, kinds: list[str]) -> tuple[str, model.OutlineRow]:
    """The key under which a check of settings of these kinds is in the table `outlines`, and its row there."""
    on = check.on or {}
    looks_at = "pair" if check.pair else "total" if check.total else "on"
    return " ".join(LINE_KINDS if set(kinds) & {*LINE_KINDS} else kinds), (
        check.check, looks_at, list(check.profiles), check.signs is not None,
        [name for name, pattern in on.items() if "absent" not in (pattern if isinstance(pattern, list) else [pattern])],
        [tunable for tunable, pattern in on.items() if pattern == "absent"],
        {tunable: pattern for tunable, pattern in on.items() if pattern not in ("present", "absent")},
    )
