"""Conclusions: names that exist, evidence that can be told, examples on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter

from advisor.rulebase.audit import conditions, names
from advisor.rulebase.catalogue import Authored, Catalogue, Items
from advisor.rulebase.document import Steps
from advisor.rulebase.problems import Problem
from advisor.rulebase.yaml_values import entries, mapping, texts


def check(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of all conclusions."""
    for item in catalogue.conclusions.values():
        if item.sound:
            yield from _conclusion(item, catalogue)


def _conclusion(item: Authored, catalogue: Catalogue) -> Iterator[Problem]:
    facts = catalogue.observable()
    yield from conditions.check(item, ("when",), item.data.get("when"), facts)
    yield from _sentence(item, ("says",), item.data.get("says", ""), facts)
    for part in ("helps", "helps_server", "useless"):
        for index, name in texts(item.data.get(part)):
            yield from names.known(item, (part, index), name, catalogue.tunables, "tunable")
    for name, quantity in mapping(item.data.get("at_most")).items():
        yield from names.known(item, ("at_most", name), name, catalogue.tunables, "tunable")
        yield from names.known(item, ("at_most", name), str(quantity), facts, "fact")
    for name, value in mapping(item.data.get("measures")).items():
        yield from names.known(item, ("measures", name), name, catalogue.known_facts(), "fact")
        yield from _sentence(item, ("measures", name), value, facts)
    yield from conditions.answers(item, ("holds",), item.data.get("holds"), catalogue.known_facts())
    yield from names.cites(item, (), item.data.get("cites"), catalogue.claims)
    examples = entries(item.data.get("examples"))
    for index, example in examples:
        yield from conditions.answers(item, ("examples", index, "given"), example.get("given"), facts)
    for side, words in ((True, "in which it is concluded"), (False, "in which it is not")):
        if all(example.get("expect") is not side for _, example in examples):
            why = "both sides need an example"
            yield item.problem(("examples",), f"no example {words}", why,
                               f"add one: {{given: {{…}}, expect: {str(side).lower()}}}")


def _sentence(item: Authored, at: Steps, sentence: object, facts: Items) -> Iterator[Problem]:
    """Problems of a text with quantities in it."""
    try:
        fields = [field for _, field, _, _ in Formatter().parse(str(sentence)) if field is not None]
    except ValueError as error:
        yield item.problem(at, "a sentence with a broken field", str(error), "close it, or write {{ for a brace")
        fields = []
    for field in fields:
        yield from names.known(item, at, field, facts, "fact")
