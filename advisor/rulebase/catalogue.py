"""Everything the rule base defines, by id, with its position in the files.

Filled from files that may be faulty, so that one broken file does not make all that refer to it look broken too. An
item whose types are wrong is `sound=False`: known by name, not looked into."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from advisor.named_tuple import grouped
from advisor.rulebase import lives, model
from advisor.rulebase.document import (
    Problem,
    Yaml,
    YamlDocument,
    YamlMapping,
    YamlPath,
    as_list,
    as_mapping,
    mappings_in,
    texts_in,
)
from advisor.rulebase.values import NFS_VERSIONS

R = TypeVar("R", bound=model.Record)
PLATFORM = "storage.platform"
PLATFORM_LAYER = "platform"
R_co = TypeVar("R_co", bound=model.Record, covariant=True)


@dataclass(eq=False)
class Authored(Generic[R_co]):
    """An entry of the rule base as its author wrote it: `data`, at `steps` of the document. `sound`: its types are
    right, so that there is a `record` of it. `shared`: what its file, or a default, says of it besides."""

    kind: type[R_co]
    id: str
    document: YamlDocument
    steps: YamlPath
    data: YamlMapping
    sound: bool = True
    shared: dict[str, object] = field(default_factory=dict)

    @cached_property
    def record(self) -> R_co:
        """The entry, read. Only of sound ones."""
        return self.kind.from_data({**self.shared, **as_mapping(_written(self.data))})

    @property
    def file(self) -> str:
        return self.document.path

    def problem(self, steps: YamlPath, found: str, why: str, write: str, key: bool = False) -> Problem:
        return self.document.problem(self.steps + steps, found, why, write, key)

    def source(self, steps: YamlPath) -> str | None:
        """How an unquoted value below this item is written."""
        return self.document.source(self.steps + steps)


def _written(value: Yaml) -> Yaml:
    """A copy without the keys that have no value, which YAML's own problems name."""
    if isinstance(value, dict):
        return {key: _written(part) for key, part in value.items() if part is not None}
    return [_written(part) for part in value] if isinstance(value, list) else value


Entry = Authored[Any]
"""An entry of whatever kind."""
Items = dict[str, Authored[R]]


class Catalogue:
    """The items of a rule base by kind and id. `problems`: those found while filling it."""

    def __init__(self) -> None:
        self.layers: Items[model.Layer] = {}
        self.facts: Items[model.Fact] = {}
        self.sections: dict[str, str] = {}
        self.capabilities: Items[model.Capability] = {}
        self.constraints: Items[model.Constraint] = {}
        self.kinds: Items[model.KindSteps] = {}
        self.layouts: Items[model.Layout] = {}
        self.host_files: Items[model.HostFile] = {}
        self.tunables: Items[model.Tunable] = {}
        self.sources: Items[model.Source] = {}
        self.claims: Items[model.Claim] = {}
        self.platforms: Items[model.Platform] = {}
        self.recipes: Items[model.Recipe] = {}
        self.decisions: Items[model.Decision] = {}
        self.rules: Items[model.Rule] = {}
        """Of all decisions, and of platforms."""
        self.checks: Items[model.Check] = {}
        self.errata: Items[model.Erratum] = {}
        self.messages: Items[model.Message] = {}
        self.families: Items[model.Family] = {}
        self.causes: Items[model.Cause] = {}
        self.observations: Items[model.Fact] = {}
        self.conclusions: Items[model.Conclusion] = {}
        self.phrases: Items[model.Phrase] = {}
        self.concepts: Items[model.Concept] = {}
        self.errno: Items[model.ErrorTexts] = {}
        self.synonyms: list[list[str]] = []
        self.weights: Items[model.FamilyWeights] = {}
        self.scales: dict[str, int] = {}
        self.shares: list[tuple[int, int]] = []
        self.additions: list[Authored[model.Decision]] = []
        """What packs add to decisions that are there already."""
        self.problems: list[Problem] = []

    @cached_property
    def advised(self) -> dict[str, list[Authored[model.Rule]]]:
        """Decision → the rules on it in the files of platforms, and those that packs add."""
        made: dict[str, list[Authored[model.Rule]]] = {}
        for added in self.additions:
            own = (rule for rule in self.rules.values() if rule.document is added.document)
            made.setdefault(added.id, []).extend(own)
        for item in self.platforms.values():
            for index, entry in mappings_in(item.data.get("rules")) if item.sound else ():
                more = as_mapping(entry.get("when") or {})
                data = as_mapping({"layer": PLATFORM_LAYER, **entry, "when": {PLATFORM: item.id, **more}})
                rule = Authored(model.Rule, str(data["id"]), item.document, ("rules", index), data)
                rule.shared = {"file": item.document.path}
                made.setdefault(str(data.pop("decision")), []).append(rule)
        return made

    @cached_property
    def rules_on(self) -> dict[str, list[Authored[model.Rule]]]:
        """Decision → all rules on it but its gates: those of its file, and what is `advised`."""
        decision_of = {item.file: name for name, item in self.decisions.items()}
        own = grouped((decision_of[rule.file], rule) for rule in self.rules.values() if rule.file in decision_of)
        return {name: [*own.get(name, ()), *self.advised.get(name, ())] for name in self.decisions}

    @cached_property
    def known_facts(self) -> Items[model.Fact]:
        """Facts and capabilities: all that a condition may name."""
        return {**self.facts, **{name: _as_fact(item) for name, item in self.capabilities.items()}}

    @cached_property
    def observable(self) -> Items[model.Fact]:
        """All that a condition of a cause or a conclusion may name."""
        return {**self.known_facts, **self.observations}


def _as_fact(able: Authored[model.Capability]) -> Authored[model.Fact]:
    kept = {key: value for key, value in able.data.items() if key in ("id", "says", "when", "unless")}
    of_all: dict[str, object] = {"type": "bool", "scope": "host", "capability": True}
    return Authored(model.Fact, able.id, able.document, able.steps, kept, sound=able.sound, shared=of_all)


class EntryTable(NamedTuple):
    """Where the entries of one kind are. `name`: the catalogue's for them. `path`: of the file, or of the folder with
    the files. `key`: of the id, where a file is one entry; "" where it has a list of them under the table's name."""

    name: str
    path: str
    kind: type[model.Record]
    key: str = ""
    says: str = ""

    @property
    def pattern(self) -> str:
        """Of the paths of the files, relative to the root that holds `rules/` and `kb/`."""
        return f"{self.path}**/*.yaml" if self.path.endswith("/") else self.path


TABLES = (
    EntryTable("layers", "rules/layers.yaml", model.Layer, says="weakest first"),
    EntryTable("constraints", "rules/constraints.yaml", model.Constraint),
    EntryTable("facts", "rules/facts/", model.Fact),
    EntryTable("checks", "rules/checks/", model.Check, "check"),
    EntryTable("errata", "rules/errata/", model.Erratum, "erratum"),
    EntryTable("families", "rules/families.yaml", model.Family),
    EntryTable("causes", "rules/causes/", model.Cause),
    EntryTable("weights", "rules/weights.yaml", model.FamilyWeights),
    EntryTable("observations", "rules/observations/", model.Fact, says="facts that only a diagnosis needs"),
    EntryTable("conclusions", "rules/conclusions/", model.Conclusion),
    EntryTable("decisions", "rules/", model.Decision, "decision"),
    EntryTable("capabilities", "kb/capabilities.yaml", model.Capability),
    EntryTable("sources", "kb/sources/", model.Source, "source"),
    EntryTable("claims", "kb/claims/", model.Claim),
    EntryTable("platforms", "kb/platforms/", model.Platform, "platform"),
    EntryTable("recipes", "kb/recipes/", model.Recipe, "recipe"),
    EntryTable("kinds", "kb/kinds.yaml", model.KindSteps),
    EntryTable("layouts", "kb/layouts.yaml", model.Layout, says="the first whose mark is there counts"),
    EntryTable("host_files", "kb/host-files.yaml", model.HostFile),
    EntryTable("tunables", "kb/tunables/", model.Tunable),
    EntryTable("messages", "kb/messages/", model.Message),
    EntryTable("phrases", "kb/phrases/", model.Phrase),
    EntryTable("concepts", "kb/concepts.yaml", model.Concept),
    EntryTable("errno", "kb/errno.yaml", model.ErrorTexts),
)
"""Every kind of file; the first whose path fits counts."""
_OF_ITS_FILE = {"facts": ("section",), "messages": ("program", "source", "side")}
"""Keys of a file that apply to each of its items."""
_NAMES_FILE = ("checks", "errata", "decisions", "causes")
"""Items that know the path of their file."""
_SHARED = {"capabilities": "facts", "observations": "facts", "errata": "checks"}
"""These share their names with others: a capability and an observation are facts, an erratum is found like a check."""


def build_catalogue(documents: list[tuple[YamlDocument, list[YamlPath]]]) -> Catalogue:
    """The catalogue of these files. `documents`: each with the places where its types are wrong."""
    filler = _Filler(_traits(documents))
    for document, unsafe in documents:
        if isinstance(document.data, dict):
            filler.read(document, unsafe)
        else:
            filler.guess(document)
    _sort_sections(filler.catalogue, [document for document, _ in documents])
    _fill_in_lives(filler.catalogue)
    _fill_in_platforms(filler.catalogue)
    for rule in (rule for rules in filler.catalogue.advised.values() for rule in rules):
        filler.catalogue.rules.setdefault(rule.id, rule)
    return filler.catalogue


def _fill_in_platforms(catalogue: Catalogue) -> None:
    """Make answers of the platforms that have `aliases`."""
    fact = catalogue.facts.get(PLATFORM)
    for item in catalogue.platforms.values():
        platform = item.record if item.sound else None
        if platform is not None and fact is not None and platform.aliases is not None:
            values, aliases = {**as_mapping(fact.data["values"])}, as_mapping(fact.data.get("aliases") or {})
            last = as_mapping({"other": values.pop("other")} if "other" in values else {})
            fact.data = {**fact.data, "values": {**values, item.id: platform.title, **last},
                         "aliases": {**aliases, item.id: [*platform.aliases]}}
            fact.__dict__.pop("record", None)  # it is read again


_Traits = dict[str, dict[str, list[str]]]
"""Trait → the platforms that have it → the claims that say so."""


def _traits(documents: list[tuple[YamlDocument, list[YamlPath]]]) -> _Traits:
    traits: _Traits = {f"{what}-nfs{version}": {} for version in NFS_VERSIONS for what in ("without", "only")}
    for document, unsafe in documents:
        table = _table_of(document)
        if table is None or table.name != "platforms" or unsafe:
            continue
        written = as_mapping(document.data)
        serves, cites = texts_in(written.get("serves")), texts_in(written.get("cites"))
        has = {name: texts_in(claims) for name, claims in as_mapping(written.get("traits")).items()}
        has |= {f"without-nfs{version}": cites for version in NFS_VERSIONS if serves and version not in serves}
        has |= {f"only-nfs{serves[0]}": cites} if len(serves) == 1 else {}
        for name, claims in has.items():
            traits.setdefault(name, {})[str(written.get("platform"))] = claims
    return traits


def _spelled_out(part: Yaml, traits: _Traits, cited: list[str]) -> Yaml:
    """The part with the platforms in place of each trait that a condition names, and in its `cites` the claims that say
    so of them; `cited` gets these claims."""
    if isinstance(part, list):
        return [_spelled_out(entry, traits, cited) for entry in part]
    if not isinstance(part, dict):
        return part
    mine: list[str] = []
    made: YamlMapping = {}
    for key, value in part.items():
        if key == PLATFORM and value is not None:
            named = [*map(str, value if isinstance(value, list) else [value])]
            mine += [claim for name in named for claims in traits.get(name, {}).values() for claim in claims]
            members: list[Yaml] = list(dict.fromkeys(each for name in named for each in traits.get(name, [name])))
            made[key] = value if traits.keys().isdisjoint(named) else members
        else:
            made[key] = _spelled_out(value, traits, [] if key == "examples" else mine)
    if mine and isinstance(made.get("cites"), list):
        made["cites"] = list(dict.fromkeys([*mine, *as_list(made["cites"])]))
    cited += mine
    return made


def _fill_in_lives(catalogue: Catalogue) -> None:
    """Write the conditions that follow from the lifetime of a capability."""
    for item in catalogue.capabilities.values():
        life = item.record.life if item.sound and "when" not in item.data else None
        fact = catalogue.facts.get(life.of[0]) if life is not None else None
        if life is not None and fact is not None and fact.sound and fact.record.upstream:
            unless = lives.older(fact.record, {**life.since, **life.not_before})
            item.data = as_mapping({**item.data, "when": lives.newer(fact.record, life.since), "unless": unless})
            del item.record  # it is read again


def _sort_sections(catalogue: Catalogue, documents: list[YamlDocument]) -> None:
    """Sort sections and facts into the order in which they are asked. A section without an order comes last."""
    order: dict[str, int] = {}
    for document in documents:
        data = as_mapping(document.data)
        position = data.get("order")
        if type(position) is int and str(data.get("section")) in catalogue.sections:
            order[str(data["section"])] = position
    last = max(order.values(), default=0) + 1
    catalogue.sections = dict(sorted(catalogue.sections.items(), key=lambda entry: order.get(entry[0], last)))

    def place(item: Authored[model.Fact]) -> int:
        section = item.data.get("section") or as_mapping(item.document.data).get("section")
        return order.get(str(section), last)

    catalogue.facts = dict(sorted(catalogue.facts.items(), key=lambda entry: place(entry[1])))


def _table_of(document: YamlDocument) -> EntryTable | None:
    return next((table for table in TABLES if document.path.startswith(table.path)), None)


class _Filler:
    """Puts what one file after the other defines into the catalogue."""

    def __init__(self, traits: _Traits) -> None:
        self.catalogue = Catalogue()
        self.traits = traits
        self.spaces: dict[str, Items[model.Record]] = {}

    def read(self, document: YamlDocument, unsafe: list[YamlPath]) -> None:
        data = as_mapping(_spelled_out(as_mapping(document.data), self.traits, []))
        table = _table_of(document)
        if table is None:
            return
        if table.key:
            item = Authored(table.kind, str(data.get(table.key)), document, (), data, sound=not unsafe)
            if not (table.kind is model.Decision and self.joins(item)):
                self.add(table.name, item, table.key)
        else:
            self.add_list(table.name, table.kind, document, data, unsafe)
        if table.kind is model.Decision:
            self.add_list("rules", model.Rule, document, data, unsafe)
        if table.kind is model.Platform:
            self.add_list("sources", model.Source, document, data, unsafe)
            self.add_list("claims", model.Claim, document, data, unsafe)
        if table.name == "facts":
            self.catalogue.sections[str(data.get("section"))] = str(data.get("title"))
        if table.name == "weights" and not unsafe:
            self.catalogue.scales = {str(name): int(str(scale)) for name, scale in as_mapping(data["scales"]).items()}
            pairs = map(as_list, as_list(data["shares"]))
            self.catalogue.shares = [(int(str(share)), int(str(right))) for share, right in pairs]
        if table.name == "phrases" and not unsafe:
            groups = as_list(data.get("synonyms"))
            self.catalogue.synonyms += [texts_in(group) for group in groups]

    def joins(self, item: Entry) -> bool:
        """Whether a file of a pack adds to a shipped decision; if so, it is noted."""
        shipped = self.catalogue.decisions.get(item.id)
        if shipped is None or is_of_pack(shipped.file) or not is_of_pack(item.file):
            return False
        self.catalogue.additions.append(item)
        self.catalogue.problems += _not_allowed(item, shipped.data)
        return True

    def guess(self, document: YamlDocument) -> None:
        """Add the entries that an unreadable file seems to define, none of them sound."""
        table = _table_of(document)
        if table is None:
            return
        for name in document.ids:
            of = ("rules", model.Rule) if table.kind is model.Decision and "/" in name else (table.name, table.kind)
            self.add(of[0], Authored(of[1], name, document, (), {"id": name}, sound=False), "id")

    def add_list(
        self, name: str, kind: type[model.Record], document: YamlDocument, data: YamlMapping, unsafe: list[YamlPath]
    ) -> None:
        key = "source" if name == "sources" else "id"
        for index, entry in mappings_in(data.get(name)):
            steps: YamlPath = (name, index)
            wrong = any(place[:2] == steps or place == steps[: len(place)] for place in unsafe)
            self.add(name, Authored(kind, str(entry.get(key)), document, steps, entry, sound=not wrong), key)

    def add(self, name: str, item: Authored[model.Record], key: str) -> None:
        """`key`: of the entry, with its id."""
        if not isinstance(item.data.get(key), str):
            return
        whole = as_mapping(item.document.data)
        item.shared = {part: whole[part] for part in _OF_ITS_FILE.get(name, ()) if part in whole}
        if name in _NAMES_FILE:
            item.shared["file"] = item.document.path
        first = self.spaces.setdefault(_SHARED.get(name, name), {}).setdefault(item.id, item)
        if first is item:
            getattr(self.catalogue, name)[item.id] = item
            return
        line, column = first.document.place((*first.steps, key))
        mistake = f'the id "{item.id}" for the second time (first at {first.document.path}:{line}:{column})'
        self.catalogue.problems.append(
            item.problem((key,), mistake, "an id must stay unique forever", "give this one another id, or delete it")
        )


def is_of_pack(path: str) -> bool:
    return "/@" in path


LAYERS = ("site", "measured")
"""Layers in which a pack may speak of what is decided already."""


def _not_allowed(pack: Authored[model.Decision], shipped: YamlMapping) -> Iterator[Problem]:
    """Problems of keys and layers that a pack must not use for an existing decision."""
    for key, value in pack.data.items():
        if key not in ("decision", "rules", "examples") and shipped.get(key) != value:
            why = "the decision is there already, and a pack adds rules to it"
            yield pack.problem((key,), f'the key "{key}"', why, "write decision, rules and examples only", key=True)
    if not isinstance(pack.data.get("rules"), list):
        yield pack.problem((), "no rules", "a pack adds rules to a decision", "add rules: […]")
    for index, rule in mappings_in(pack.data.get("rules")):
        layer = rule.get("layer", "default")
        if layer is not None and layer not in LAYERS:
            why = "a pack's rules are for its site"
            yield pack.problem(("rules", index, "layer"), f"the layer {layer}", why, f"write layer: {LAYERS[0]}")
