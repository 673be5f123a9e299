"""Everything the rule base defines, by id, with its position in the files.

Filled from the plain data of files that may be faulty, so that one broken file does not make all that refer to it look
broken too. An item whose types are wrong is `sound=False`: known by name, not looked into."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from advisor.rulebase.document import (
    YamlDocument,
    YamlMapping,
    YamlPath,
    as_list,
    as_mapping,
    copy_of,
    mappings_in,
    texts_in,
)
from advisor.rulebase.model.record import Record
from advisor.rulebase.problems import Problem

R = TypeVar("R", bound=Record)


class Authored(NamedTuple):
    """An entry of the rule base as its author wrote it. `steps`: its position in the document; `sound`: its types are
    right."""

    id: str
    document: YamlDocument
    steps: YamlPath
    data: YamlMapping
    sound: bool

    @property
    def file(self) -> str:
        """The path of the entry's file; for a rule that a pack adds to a decision, of the pack's file."""
        return self.problem((), "", "", "").file

    def record(self, kind: type[R]) -> R:
        """The item as a record of this kind. Only for sound items."""
        return kind.from_data({key: copy_of(value) for key, value in self.data.items()})

    def problem(self, steps: YamlPath, found: str, why: str, write: str, key: bool = False) -> Problem:
        """A problem at `steps` below this item."""
        return self.document.problem(self.steps + steps, found, why, write, key)

    def source(self, steps: YamlPath) -> str | None:
        """How an unquoted value below this item is written."""
        return self.document.source(self.steps + steps)


Items = dict[str, Authored]


class Catalogue:
    """The items of a rule base by kind and id. `duplicates`: problems found while filling it."""

    def __init__(self) -> None:
        self.layers: Items = {}
        self.facts: Items = {}
        self.sections: dict[str, str] = {}
        self.capabilities: Items = {}
        self.constraints: Items = {}
        self.kinds: Items = {}
        self.layouts: Items = {}
        self.host_files: Items = {}
        self.tunables: Items = {}
        self.sources: Items = {}
        self.claims: Items = {}
        self.platforms: Items = {}
        self.recipes: Items = {}
        self.decisions: Items = {}
        self.rules: Items = {}
        self.checks: Items = {}
        self.errata: Items = {}
        self.messages: Items = {}
        self.causes: Items = {}
        self.observations: Items = {}
        self.conclusions: Items = {}
        self.phrases: Items = {}
        self.errno: Items = {}
        self.synonyms: list[list[str]] = []
        self.duplicates: list[Problem] = []

    def known_facts(self) -> Items:
        """Facts and capabilities: all that a condition may name."""
        return {**self.facts, **self.capabilities}

    def observable(self) -> Items:
        """All that a condition of a cause or a conclusion may name."""
        return {**self.known_facts(), **self.observations}


_LISTS = {
    "rules/layers.yaml": "layers",
    "rules/constraints.yaml": "constraints",
    "rules/causes/": "causes",
    "rules/conclusions/": "conclusions",
    "rules/facts/": "facts",
    "rules/observations/": "observations",
    "kb/capabilities.yaml": "capabilities",
    "kb/claims/": "claims",
    "kb/host-files.yaml": "host_files",
    "kb/kinds.yaml": "kinds",
    "kb/layouts.yaml": "layouts",
    "kb/messages/": "messages",
    "kb/phrases/": "phrases",
    "kb/errno.yaml": "errno",
    "kb/tunables/": "tunables",
}
"""Files that hold a list of items; the key of the list is also the catalogue's."""
_SINGLES = {
    "kb/sources/": ("sources", "source"),
    "kb/platforms/": ("platforms", "platform"),
    "kb/recipes/": ("recipes", "recipe"),
    "rules/checks/": ("checks", "check"),
    "rules/errata/": ("errata", "erratum"),
    "rules/": ("decisions", "decision"),
}
"""Files that are one item: the catalogue's name and the key that holds the id."""
_SHARED = {"capabilities": "facts", "observations": "facts", "errata": "checks"}
"""These share their names with others: a capability and an observation are facts, an erratum is found like a check."""


def build_catalogue(documents: list[tuple[YamlDocument, list[YamlPath]]]) -> Catalogue:
    """The catalogue of these files. `documents`: each with the places where its types are wrong."""
    filler = _Filler()
    for document, unsafe in documents:
        if isinstance(document.data, dict):
            filler.read(document, unsafe)
        else:
            filler.guess(document)
    _sort_sections(filler.catalogue, [document for document, _ in documents])
    return filler.catalogue


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

    def place(item: Authored) -> int:
        section = item.data.get("section") or as_mapping(item.document.data).get("section")
        return order.get(str(section), last)

    catalogue.facts = dict(sorted(catalogue.facts.items(), key=lambda entry: place(entry[1])))


class _Filler:
    """Puts what one file after the other defines into the catalogue."""

    def __init__(self) -> None:
        self.catalogue = Catalogue()
        self.spaces: dict[str, Items] = {}

    def read(self, document: YamlDocument, unsafe: list[YamlPath]) -> None:
        data = as_mapping(document.data)
        several = next((name for prefix, name in _LISTS.items() if document.path.startswith(prefix)), None)
        if several is not None:
            self.add_list(several, document, several, unsafe)
            if several == "facts":
                self.catalogue.sections[str(data.get("section"))] = str(data.get("title"))
            if several == "phrases" and not unsafe:
                groups = as_list(data.get("synonyms"))
                self.catalogue.synonyms += [[word for _, word in texts_in(group)] for group in groups]
            return
        single = next((names for prefix, names in _SINGLES.items() if document.path.startswith(prefix)), None)
        if single is not None:
            name, key = single
            self.add(name, Authored(str(data.get(key)), document, (), data, not unsafe), key)
            if name == "decisions":
                self.add_list("rules", document, "rules", unsafe)

    def guess(self, document: YamlDocument) -> None:
        """Add the entries that an unreadable file seems to define, none of them sound."""
        prefixes = {**_LISTS, **{prefix: name for prefix, (name, _) in _SINGLES.items()}}
        name = next((name for prefix, name in prefixes.items() if document.path.startswith(prefix)), None)
        for id_ in document.ids if name is not None else ():
            kind = "rules" if name == "decisions" and "/" in id_ else str(name)
            self.add(kind, Authored(id_, document, (), {"id": id_}, False), "id")

    def add_list(self, name: str, document: YamlDocument, part: str, unsafe: list[YamlPath]) -> None:
        for index, entry in mappings_in(as_mapping(document.data).get(part)):
            steps: YamlPath = (part, index)
            wrong = any(place[:2] == steps or place == steps[: len(place)] for place in unsafe)
            self.add(name, Authored(str(entry.get("id")), document, steps, entry, not wrong), "id")

    def add(self, name: str, item: Authored, key: str) -> None:
        if not isinstance(item.data.get(key), str):
            return
        space = self.spaces.setdefault(_SHARED.get(name, name), {})
        first = space.setdefault(item.id, item)
        if first is item:
            getattr(self.catalogue, name)[item.id] = item
            return
        line, column = first.document.place((*first.steps, key))
        mistake = f'the id "{item.id}" for the second time (first at {first.document.path}:{line}:{column})'
        self.catalogue.duplicates.append(
            item.problem((key,), mistake, "an id must stay unique forever", "give this one another id, or delete it")
        )
