"""Tunables: the grammar of options must agree with itself and with the facts."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.rulebase.audit import conditions, names, patterns, values
from advisor.rulebase.catalogue import Authored, Catalogue, Items
from advisor.rulebase.document import Steps
from advisor.rulebase.gates import reason
from advisor.rulebase.problems import Problem, shown
from advisor.rulebase.yaml_values import entries, listed, mapping, texts


def check(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of all tunables."""
    facts = catalogue.known_facts()
    for item in catalogue.tunables.values():
        if item.sound:
            yield from _value_type(item)
            yield from _forms(item, catalogue.tunables, facts)
            yield from _verdicts(item, catalogue, facts)
            yield from _others(item, catalogue, facts)
    yield from _spellings(catalogue.tunables)


def _value_type(item: Authored) -> Iterator[Problem]:
    data, kind = item.data, item.data.get("type")
    if kind in ("enum", "list") and not values.words_of(item):
        yield item.problem(
            (), f"a tunable of type {kind} without values", "no value would be right", "add values: [word, …]"
        )
    for index, word in enumerate(listed(data.get("values"))):
        source = item.source(("values", index))
        if isinstance(word, float) and kind != "number" and source:
            yield conditions.unquoted(item, ("values", index), f"the value is {shown(word, source)}", source)
    if kind == "list" and not data.get("separator"):
        yield item.problem(
            (), "a list tunable without separator", "a list cannot be taken apart", 'add separator: ":" or ","'
        )
    if kind == "pattern":
        yield from patterns.check(item, ("pattern",), data.get("pattern"), "fullmatch")
        if not data.get("pattern"):
            yield item.problem(
                (), "a tunable of type pattern without a pattern", "anything would match", "add pattern: …"
            )
    low, high = data.get("minimum"), data.get("maximum")
    if isinstance(low, int) and isinstance(high, int) and low > high:
        yield item.problem(("minimum",), f"a minimum of {low}", f"the maximum is {high}", "swap them")
    if "default" in data:
        yield from values.literal(item, ("default",), item, data["default"])


def _forms(item: Authored, tunables: Items, facts: Items) -> Iterator[Problem]:
    forms = entries(item.data.get("forms"))
    if item.data.get("kind") == "mount-option" and not forms:
        why = "nobody could write it"
        yield item.problem(
            (), f"the mount option {item.id} without spellings", why, "add forms: [{spelling: …, takes: value}]"
        )
    for index, form in forms:
        at: Steps = ("forms", index)
        if ("takes" in form) == ("means" in form):
            found = (
                "a spelling with both takes and means" if "takes" in form else "a spelling with neither takes nor means"
            )
            yield item.problem(at, found, "it either takes a value or stands for one", "write one of the two")
        if "means" in form and not (item.data.get("type") in ("string", "pattern") and isinstance(form["means"], bool)):
            yield from values.literal(item, (*at, "means"), item, form["means"], by_type=True)
        if form.get("when") is not None:
            yield from conditions.check(item, (*at, "when"), form["when"], facts)
        for part in ("implies", "presumes"):
            yield from values.circumstance(item, (*at, part), form.get(part), tunables, "value")


def _verdicts(item: Authored, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    for part in ("refused", "ignored", "overlooked", "tries"):
        for index, verdict in entries(item.data.get(part)):
            at: Steps = (part, index)
            for number, value in enumerate(listed(verdict.get("values"))):
                if not values.is_bound(value) and item.data.get("type") != "string":
                    yield from _any_value(item, (*at, "values", number), value)
            yield from values.circumstance(
                item, (*at, "together"), verdict.get("together"), catalogue.tunables, "present", "absent"
            )
            if verdict.get("when") is not None:
                yield from conditions.check(item, (*at, "when"), verdict["when"], facts)
            if part != "tries":
                yield from names.cites(item, at, verdict.get("cites"), catalogue.claims)
            if verdict.get("written") is not None:
                yield from patterns.check(item, (*at, "written"), verdict["written"], "fullmatch")
    for index, change in entries(item.data.get("becomes")):
        at = ("becomes", index)
        text = change.get("range")
        if isinstance(text, str) and conditions.comparisons(text) is None:
            yield item.problem((*at, "range"), f'the range "{text}"', "it is a bound", 'write one such as "<1024"')
        if "value" in change:
            yield from values.literal(item, (*at, "value"), item, change["value"])
        yield from names.cites(item, at, change.get("cites"), catalogue.claims)


def _any_value(item: Authored, at: Steps, value: object) -> Iterator[Problem]:
    """A value that is refused or ignored need not be in range, but it must be one that could be written."""
    if item.data.get("type") in values.NUMERIC and isinstance(value, int) and not isinstance(value, bool):
        return
    yield from values.literal(item, at, item, value)


def _others(item: Authored, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    data = item.data
    for part in ("needs", "default_when"):
        if data.get(part) is not None:
            yield from conditions.check(item, (part,), data[part], facts)
    without = mapping(data.get("without"))
    yield from names.cites(item, ("without",), without.get("cites"), catalogue.claims, needed=False)
    if data.get("needs") is not None and not all(reason(item, catalogue).values()):
        why = "people told to leave the setting out need the reason and the source"
        yield item.problem(("needs",), "needs without a reason", why, "add without: {why: …, cites: […]}", key=True)
    yield from names.cites(item, (), data.get("cites"), catalogue.claims, needed=False)
    for part in ("related", "places", "refined_by"):
        for index, name in texts(data.get(part)):
            yield from names.known(item, (part, index), name, catalogue.tunables, "tunable")
    yield from values.circumstance(item, ("implies",), data.get("implies"), catalogue.tunables, "value")
    yield from values.circumstance(item, ("moot",), data.get("moot"), catalogue.tunables, "present", "absent")
    for word, value in mapping(data.get("synonyms")).items():
        yield from values.literal(item, ("synonyms", word), item, value)
    for word, others in mapping(data.get("meets")).items():
        for index, value in enumerate(listed(others)):
            yield from values.literal(item, ("meets", word, index), item, value)
    for part in ("same_as", "twin"):
        other = data.get(part)
        if isinstance(other, str):
            yield from names.known(item, (part,), other, catalogue.tunables, "tunable")


def _spellings(tunables: Items) -> Iterator[Problem]:
    """A spelling that two tunables claim, in the same shape (bare or with a value), for the same file system types."""
    owners: dict[tuple[str, str, str], tuple[Authored, int]] = {}
    for item in tunables.values():
        if item.data.get("kind") != "mount-option" or not item.sound:
            continue
        types = listed(item.data.get("applies_to")) or ["nfs"]
        for index, form in entries(item.data.get("forms")):
            takes = form.get("takes")
            shapes = ["bare"] if takes is None else ["value"] if takes == "value" else ["bare", "value"]
            claims = [(str(form.get("spelling")), shape, str(t)) for t in types for shape in shapes]
            # A form with a condition may widen what holds for everybody.
            taken = [owners.setdefault(claim, (item, index)) for claim in claims] if form.get("when") is None else []
            first, place = next(((other, at) for other, at in taken if other.id != item.id), (item, index))
            if first.id != item.id:
                line, column = first.document.place((*first.steps, "forms", place))
                why = f"{first.id} has it already ({first.document.path}:{line}:{column})"
                found = f'the spelling "{form.get("spelling")}" of {item.id}'
                yield item.problem(("forms", index), found, why, "one word means one thing: delete one of them")
