"""Conclusions: names that exist, evidence that can be told, examples on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter

from advisor.rulebase.audit import conditions, names
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.rulebase.problems import Problem
from advisor.rulebase.yaml_values import entries, texts


def check(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of all conclusions."""
    for item in catalogue.conclusions.values():
        if item.sound:
            yield from _conclusion(item, catalogue)


def _conclusion(item: Authored, catalogue: Catalogue) -> Iterator[Problem]:
    facts = catalogue.observable()
    yield from conditions.check(item, ("when",), item.data.get("when"), facts)
    try:
        fields = [field for _, field, _, _ in Formatter().parse(str(item.data["says"])) if field is not None]
    except ValueError as error:
        yield item.problem(("says",), "a sentence with a broken field", str(error), "close it, or write {{ for a brace")
        fields = []
    for field in fields:
        yield from names.known(item, ("says",), field, facts, "fact")
    for part in ("helps", "useless"):
        for index, name in texts(item.data.get(part)):
            yield from names.known(item, (part, index), name, catalogue.tunables, "tunable")
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
