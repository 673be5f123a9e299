"""Tunables: the grammar of options, and how settings are applied, checked and undone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.rulebase.audit import common, values
from advisor.rulebase.audit.facts import probe_problems
from advisor.rulebase.catalogue import Authored, Catalogue, Items
from advisor.rulebase.document import YamlMapping, YamlPath, as_list, as_mapping, mappings_in, texts_in
from advisor.rulebase.gates import reason
from advisor.rulebase.problems import Problem, shown

_TEXTS = ("sets", "verify", "shows", "lacks", "undo", "undo_to", "undo_unset", "undo_same")
_NAMED = re.compile(r"(?<!\w)\{([a-z]+)(?: - [0-9]{1,6})?\}")
_KNOWN = (
    "value", "text", "unset", "name", "before", "server", "export", "target", "section", "key", "module", "parameter",
)
_LINE = ("server", "export", "options")


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
    yield from _steps(catalogue)


def _value_type(item: Authored) -> Iterator[Problem]:
    data, kind = item.data, item.data.get("type")
    if kind in ("enum", "list") and not values.words_of(item):
        yield item.problem(
            (), f"a tunable of type {kind} without values", "no value would be right", "add values: [word, …]"
        )
    for index, word in enumerate(as_list(data.get("values"))):
        source = item.source(("values", index))
        if isinstance(word, float) and kind != "number" and source:
            yield common.unquoted_version(item, ("values", index), f"the value is {shown(word, source)}", source)
    if kind == "list" and not data.get("separator"):
        yield item.problem(
            (), "a list tunable without separator", "a list could not be split", 'add separator: ":" or ","'
        )
    if kind == "pattern":
        yield from common.pattern(item, ("pattern",), data.get("pattern"), "fullmatch")
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
    forms = mappings_in(item.data.get("forms"))
    if item.data.get("kind") == "mount-option" and not forms:
        why = "it could not be written"
        yield item.problem(
            (), f"the mount option {item.id} without spellings", why, "add forms: [{spelling: …, takes: value}]"
        )
    for index, form in forms:
        at: YamlPath = ("forms", index)
        if ("takes" in form) == ("means" in form):
            mistake = (
                "a spelling with both takes and means" if "takes" in form else "a spelling with neither takes nor means"
            )
            yield item.problem(at, mistake, "it either has a value or stands for one", "write one of the two")
        if "means" in form and not (item.data.get("type") in ("string", "pattern") and isinstance(form["means"], bool)):
            yield from values.literal(item, (*at, "means"), item, form["means"], by_type=True)
        if form.get("when") is not None:
            yield from common.condition(item, (*at, "when"), form["when"], facts)
        for part in ("implies", "presumes"):
            yield from values.setting_patterns(item, (*at, part), form.get(part), tunables, "value")


def _verdicts(item: Authored, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    for part in ("refused", "ignored", "overlooked", "tries"):
        for index, verdict in mappings_in(item.data.get(part)):
            at: YamlPath = (part, index)
            for number, value in enumerate(as_list(verdict.get("values"))):
                if not values.is_bound(value) and item.data.get("type") != "string":
                    yield from _any_value(item, (*at, "values", number), value)
            yield from values.setting_patterns(
                item, (*at, "together"), verdict.get("together"), catalogue.tunables, "present", "absent"
            )
            if verdict.get("when") is not None:
                yield from common.condition(item, (*at, "when"), verdict["when"], facts)
            if part != "tries":
                yield from common.citations(item, at, verdict.get("cites"), catalogue.claims)
            if verdict.get("written") is not None:
                yield from common.pattern(item, (*at, "written"), verdict["written"], "fullmatch")
    for index, change in mappings_in(item.data.get("becomes")):
        at = ("becomes", index)
        text = change.get("range")
        if isinstance(text, str) and common.comparisons(text) is None:
            yield item.problem((*at, "range"), f'the range "{text}"', "it is a bound", 'write one such as "<1024"')
        if "value" in change:
            yield from values.literal(item, (*at, "value"), item, change["value"])
        yield from common.citations(item, at, change.get("cites"), catalogue.claims)


def _any_value(item: Authored, at: YamlPath, value: object) -> Iterator[Problem]:
    """A value that is refused or ignored need not be in range, but it must be one that could be written."""
    if item.data.get("type") in values.NUMERIC and isinstance(value, int) and not isinstance(value, bool):
        return
    yield from values.literal(item, at, item, value)


def _others(item: Authored, catalogue: Catalogue, facts: Items) -> Iterator[Problem]:
    data = item.data
    for part in ("needs", "default_when"):
        if data.get(part) is not None:
            yield from common.condition(item, (part,), data[part], facts)
    without = as_mapping(data.get("without"))
    yield from common.citations(item, ("without",), without.get("cites"), catalogue.claims, needed=False)
    if data.get("needs") is not None and not all(reason(item, catalogue).values()):
        why = "people told to leave the setting out need the reason and the source"
        yield item.problem(("needs",), "needs without a reason", why, "add without: {why: …, cites: […]}", key=True)
    yield from common.citations(item, (), data.get("cites"), catalogue.claims, needed=False)
    for part in ("related", "places", "refined_by"):
        for index, name in texts_in(data.get(part)):
            yield from common.reference(item, (part, index), name, catalogue.tunables, "tunable")
    yield from values.setting_patterns(item, ("implies",), data.get("implies"), catalogue.tunables, "value")
    yield from values.setting_patterns(item, ("moot",), data.get("moot"), catalogue.tunables, "present", "absent")
    for word, value in as_mapping(data.get("synonyms")).items():
        yield from values.literal(item, ("synonyms", word), item, value)
    for word, others in as_mapping(data.get("meets")).items():
        for index, value in enumerate(as_list(others)):
            yield from values.literal(item, ("meets", word, index), item, value)
    for part in ("same_as", "twin"):
        other = data.get(part)
        if isinstance(other, str):
            yield from common.reference(item, (part,), other, catalogue.tunables, "tunable")


def _spellings(tunables: Items) -> Iterator[Problem]:
    """A spelling that two tunables claim, in the same shape (bare or with a value), for the same file system types."""
    owners: dict[tuple[str, str, str], tuple[Authored, int]] = {}
    for item in tunables.values():
        if item.data.get("kind") != "mount-option" or not item.sound:
            continue
        types = as_list(item.data.get("applies_to")) or ["nfs"]
        for index, form in mappings_in(item.data.get("forms")):
            takes = form.get("takes")
            shapes = ["bare"] if takes is None else ["value"] if takes == "value" else ["bare", "value"]
            claims = [(str(form.get("spelling")), shape, str(t)) for t in types for shape in shapes]
            # A form with a condition may widen what applies to all clients.
            taken = [owners.setdefault(claim, (item, index)) for claim in claims] if form.get("when") is None else []
            first, place = next(((other, at) for other, at in taken if other.id != item.id), (item, index))
            if first.id != item.id:
                line, column = first.document.place((*first.steps, "forms", place))
                why = f"{first.id} has it already ({first.document.path}:{line}:{column})"
                mistake = f'the spelling "{form.get("spelling")}" of {item.id}'
                yield item.problem(("forms", index), mistake, why, "one word means one thing: delete one of them")


def _steps(catalogue: Catalogue) -> Iterator[Problem]:
    """How settings are applied, checked and undone: names in braces stand for something, places can be read."""
    for kind in catalogue.kinds.values():
        for part, text in as_mapping(kind.data.get("file")).items() if kind.sound else ():
            if isinstance(text, dict) and "cites" in text:
                yield from common.citations(kind, ("file", part), text["cites"], catalogue.claims)
    for item in (*catalogue.kinds.values(), *catalogue.tunables.values()):
        if item.sound:
            yield from _braces(item, (), item.data)
            for value, text in as_mapping(item.data.get("by_value")).items():
                yield from _braces(item, ("by_value", value), as_mapping(text))
            yield from probe_problems(item, catalogue.known_facts())
            other = item.data.get("other_unit")
            if isinstance(other, str):
                yield from common.reference(item, ("other_unit",), other, catalogue.tunables, "tunable")


def _braces(item: Authored, at: YamlPath, templates: YamlMapping) -> Iterator[Problem]:
    for word, known in (*((text, _KNOWN) for text in _TEXTS), ("line", _LINE)):
        for match in _NAMED.finditer(str(templates.get(word) or "")):
            if match[1] not in known:
                yield item.problem(
                    (*at, word), f'"{match[0]}"', "nothing has that name", f"write one of {', '.join(known)}"
                )
