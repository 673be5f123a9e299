"""Sources, claims and platforms, and that their files are named after them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.rulebase import coverage
from advisor.rulebase.audit import conditions, names, patterns
from advisor.rulebase.audit.values import LINE_PARTS
from advisor.rulebase.catalogue import Authored, Catalogue, Items
from advisor.rulebase.problems import Problem, either, near
from advisor.rulebase.yaml_values import entries, mapping, texts

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def check(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of what is known and where it is written."""
    for kind, items, key in (
        ("source", catalogue.sources, "source"),
        ("platform", catalogue.platforms, "platform"),
        ("check", catalogue.checks, "check"),
        ("erratum", catalogue.errata, "erratum"),
        ("recipe", catalogue.recipes, "recipe"),
    ):
        for item in items.values():
            yield from _file_name(item, kind, key)
    for item in catalogue.sources.values():
        if item.sound:
            yield from _sections(item)
            yield from conditions.answers(item, ("holds",), item.data.get("holds"), catalogue.known_facts())
    for item in catalogue.claims.values():
        if item.sound:
            yield from _claim(item, catalogue)
    for item in catalogue.platforms.values():
        if item.sound:
            yield from _platform(item, catalogue)
    for item in catalogue.recipes.values():
        if item.sound:
            yield from _recipe(item, catalogue)


def _file_name(item: Authored, kind: str, key: str) -> Iterator[Problem]:
    where, _, name = item.document.path.rpartition("/")
    if name != f"{item.id}.yaml":
        why = f"one {kind}, one file of the same name: it is {item.document.path}"
        yield item.problem((key,), f'the {kind} "{item.id}"', why, f"rename the file to {where}/{item.id}.yaml")


def _sections(item: Authored) -> Iterator[Problem]:
    sections = texts(item.data.get("sections"))
    for index, section in sections:
        if any(section == earlier for _, earlier in sections[:index]):
            why = "a claim could not say which of the two it is from"
            yield item.problem(("sections", index), f'the section "{section}" again', why, "name it differently")
        if len(coverage.places(section)) > 1:
            why = "a semicolon separates the places of a claim"
            yield item.problem(("sections", index), f'the section "{section}"', why, "write a comma")


def _place(item: Authored, at: str, sections: list[str]) -> Iterator[Problem]:
    for place in coverage.places(at):
        if coverage.section_of(place, sections) is None:
            hint = near(place, sections, "begin with one of the sections in the source's file")
            yield item.problem(("at",), f'the place "{place}"', "the source has no such section", hint)


def _claim(item: Authored, catalogue: Catalogue) -> Iterator[Problem]:
    data = item.data
    source = data.get("source")
    if isinstance(source, str):
        if source in catalogue.sources and catalogue.sources[source].sound:
            sections = [section for _, section in texts(catalogue.sources[source].data.get("sections"))]
            if sections and "at" in data:
                yield from _place(item, str(data["at"]), sections)
        if source not in catalogue.sources:
            why = f"kb/sources/{source}.yaml does not exist"
            hint = near(source, catalogue.sources, f"write kb/sources/{source}.yaml")
            yield item.problem(("source",), f'unknown source "{source}"', why, hint)
        if not item.id.startswith(f"{source}."):
            yield item.problem(
                ("id",), f'the claim "{item.id}"', "a claim's id begins with its source", f'write "{source}.…"'
            )
    yield from _checked(item)
    yield from conditions.answers(item, ("holds",), data.get("holds"), catalogue.known_facts())
    if data.get("verdict") == "disputed" and not (data.get("disputed_by") or data.get("better")):
        why = "readers must learn who disagrees"
        yield item.problem(("verdict",), "a disputed claim that nobody disputes", why, "add disputed_by: [claim]")
    for part in ("disputed_by", "better"):
        for index, name in texts(data.get(part)):
            yield from names.known(item, (part, index), name, catalogue.claims, "claim")
    for index, name in texts(data.get("about")):
        if name not in LINE_PARTS:
            yield from names.known(item, ("about", index), name, catalogue.tunables, "tunable")


def _checked(item: Authored) -> Iterator[Problem]:
    checked = item.data.get("checked")
    if not isinstance(checked, dict):
        return
    needed, idle = ("because", "against") if checked.get("outcome") == "not-opened" else ("against", "because")
    found = f'a check with the outcome "{checked.get("outcome")}"'
    if needed not in checked:
        why = "it says what was opened, or why nothing could be"
        yield item.problem(("checked",), f'{found} without "{needed}"', why, f"add {needed}: …", key=True)
    if idle in checked:
        why = "what could not be opened was held against nothing" if idle == "against" else "it was opened"
        yield item.problem(("checked", idle), f'{found} with "{idle}"', why, "delete it", key=True)


def _platform(item: Authored, catalogue: Catalogue) -> Iterator[Problem]:
    fact = catalogue.facts.get("storage.platform")
    words = {} if fact is None or not fact.sound else mapping(fact.data.get("values"))
    if fact is not None and words and item.id not in words:
        _, hint = conditions.no_such_value(fact, words, item.id)
        yield item.problem(("platform",), f'unknown platform "{item.id}"', "storage.platform has no such value", hint)
    claims: Items = catalogue.claims
    yield from names.cites(item, (), item.data.get("cites"), claims, needed=False)
    for index, entry in entries(item.data.get("server_names")):
        at = ("server_names", index)
        yield from names.cites(item, at, entry.get("cites"), claims)
        pattern = entry.get("pattern")
        if isinstance(pattern, str) and pattern != pattern.lower():
            why = "host names are compared in lower case"
            yield item.problem((*at, "pattern"), f'the pattern "{pattern}"', why, f'write "{pattern.lower()}"')
    for index, entry in entries(item.data.get("exports_lines")):
        at = ("exports_lines", index)
        yield from names.cites(item, at, entry.get("cites"), claims)
        yield from patterns.check(item, (*at, "line"), entry.get("line"), "fullmatch")


def _recipe(item: Authored, catalogue: Catalogue) -> Iterator[Problem]:
    yield from names.cites(item, (), item.data.get("cites"), catalogue.claims)
    known = [str(parameter.get("name")) for _, parameter in entries(item.data.get("parameters"))]
    for index, word in texts(item.data.get("command")):
        for name in _PLACEHOLDER.findall(word):
            if name not in known:
                hint = near(name, known, f"it is one of {either(known)}")
                yield item.problem(("command", index), f"{{{name}}} in the command", "no parameter has this name", hint)
    for index, run in entries(item.data.get("runs")):
        for name in run:
            if name not in known:
                hint = near(name, known, f"it is one of {either(known)}")
                yield item.problem(
                    ("runs", index, name), f'the parameter "{name}"', "no parameter has this name", hint, key=True
                )
