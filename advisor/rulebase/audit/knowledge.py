"""Sources, claims and the option lines that they quote, platforms, recipes, layouts of archives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Optional

from advisor.engine.errors import word_list
from advisor.rulebase.audit import common, values
from advisor.rulebase.catalogue import Authored, Catalogue, Items
from advisor.rulebase.citations import places, section_of
from advisor.rulebase.document import Scalar, as_mapping, as_scalar, mappings_in, texts_in
from advisor.rulebase.problems import Problem, near, shown
from advisor.rulebase.values import supports

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
RuleValues = Mapping[str, Mapping[str, list[Optional[Scalar]]]]
"""Claim → setting → the values that rules citing it give; None of a check, which judges what is written."""
_GRADES = ("vendor", "code")
"""Grades of the sources whose option lines count as advice."""
_UNITS = ("", "_bytes", "_ds", "_s")
"""What follows an option's name in the key of its figure."""
_GROUP = re.compile(r"\{([^}]{0,20})\}")


def check(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of sources, claims, platforms, recipes and layouts."""
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
            yield from common.answers(item, ("holds",), item.data.get("holds"), catalogue.known_facts())
    for item in catalogue.claims.values():
        if item.sound:
            yield from _claim(item, catalogue)
    for item in catalogue.platforms.values():
        if item.sound:
            yield from _platform(item, catalogue)
    for item in catalogue.recipes.values():
        if item.sound:
            yield from _recipe(item, catalogue)
    yield from _rows(catalogue)
    yield from _layouts(catalogue)


def _file_name(item: Authored, kind: str, key: str) -> Iterator[Problem]:
    where, _, name = item.document.path.rpartition("/")
    if name != f"{item.id}.yaml":
        why = f"one {kind}, one file of the same name: it is {item.document.path}"
        yield item.problem((key,), f'the {kind} "{item.id}"', why, f"rename the file to {where}/{item.id}.yaml")


def _sections(item: Authored) -> Iterator[Problem]:
    sections = texts_in(item.data.get("sections"))
    for index, section in sections:
        if any(section == earlier for _, earlier in sections[:index]):
            why = "a claim could not say which of the two it is from"
            yield item.problem(("sections", index), f'the section "{section}" again', why, "name it differently")
        if len(places(section)) > 1:
            why = "a semicolon separates the places of a claim"
            yield item.problem(("sections", index), f'the section "{section}"', why, "write a comma")


def _place(item: Authored, at: str, sections: list[str]) -> Iterator[Problem]:
    for place in places(at):
        if section_of(place, sections) is None:
            hint = near(place, sections, "begin with one of the sections in the source's file")
            yield item.problem(("at",), f'the place "{place}"', "the source has no such section", hint)


def _claim(item: Authored, catalogue: Catalogue) -> Iterator[Problem]:
    data = item.data
    source = data.get("source")
    if isinstance(source, str):
        if source in catalogue.sources and catalogue.sources[source].sound:
            sections = [section for _, section in texts_in(catalogue.sources[source].data.get("sections"))]
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
    yield from common.answers(item, ("holds",), data.get("holds"), catalogue.known_facts())
    if data.get("verdict") == "disputed" and not (data.get("disputed_by") or data.get("better")):
        why = "readers must learn who disagrees"
        yield item.problem(("verdict",), "a disputed claim that no claim disputes", why, "add disputed_by: [claim]")
    for part in ("disputed_by", "better"):
        for index, name in texts_in(data.get(part)):
            yield from common.reference(item, (part, index), name, catalogue.claims, "claim")
    for index, name in texts_in(data.get("about")):
        if name not in values.LINE_PARTS:
            yield from common.reference(item, ("about", index), name, catalogue.tunables, "tunable")


def _checked(item: Authored) -> Iterator[Problem]:
    checked = item.data.get("checked")
    if not isinstance(checked, dict):
        return
    needed, idle = ("because", "against") if checked.get("outcome") == "not-opened" else ("against", "because")
    shown_check = f'a check with the outcome "{checked.get("outcome")}"'
    if needed not in checked:
        why = "it says what was opened, or why nothing could be"
        yield item.problem(("checked",), f'{shown_check} without "{needed}"', why, f"add {needed}: …", key=True)
    if idle in checked:
        why = "what could not be opened was not compared with anything" if idle == "against" else "it was opened"
        yield item.problem(("checked", idle), f'{shown_check} with "{idle}"', why, "delete it", key=True)


def _platform(item: Authored, catalogue: Catalogue) -> Iterator[Problem]:
    fact = catalogue.facts.get("storage.platform")
    words = {} if fact is None or not fact.sound else as_mapping(fact.data.get("values"))
    if fact is not None and words and item.id not in words:
        _, hint = common.no_such_value(fact, words, item.id)
        yield item.problem(("platform",), f'unknown platform "{item.id}"', "storage.platform has no such value", hint)
    claims: Items = catalogue.claims
    yield from common.citations(item, (), item.data.get("cites"), claims, needed=False)
    for index, entry in mappings_in(item.data.get("server_names")):
        at = ("server_names", index)
        yield from common.citations(item, at, entry.get("cites"), claims)
        pattern = entry.get("pattern")
        if isinstance(pattern, str) and pattern != pattern.lower():
            why = "host names are compared in lower case"
            yield item.problem((*at, "pattern"), f'the pattern "{pattern}"', why, f'write "{pattern.lower()}"')
    for index, entry in mappings_in(item.data.get("exports_lines")):
        at = ("exports_lines", index)
        yield from common.citations(item, at, entry.get("cites"), claims)
        yield from common.pattern(item, (*at, "line"), entry.get("line"), "fullmatch")


def _recipe(item: Authored, catalogue: Catalogue) -> Iterator[Problem]:
    yield from common.citations(item, (), item.data.get("cites"), catalogue.claims)
    known = [str(parameter.get("name")) for _, parameter in mappings_in(item.data.get("parameters"))]
    for index, word in texts_in(item.data.get("command")):
        for name in _PLACEHOLDER.findall(word):
            if name not in known:
                hint = near(name, known, f"it is one of {word_list(known)}")
                yield item.problem(("command", index), f"{{{name}}} in the command", "no parameter has this name", hint)
    for index, run in mappings_in(item.data.get("runs")):
        for name in run:
            if name not in known:
                hint = near(name, known, f"it is one of {word_list(known)}")
                yield item.problem(
                    ("runs", index, name), f'the parameter "{name}"', "no parameter has this name", hint, key=True
                )


def _rows(catalogue: Catalogue) -> Iterator[Problem]:
    """A vendor's option line is taken whole: each option of it is what a rule says that cites the claim, or left out
    for a reason that the claim gives."""
    taken, unread, unclear = _values_by_claim(catalogue), _unsound_decisions(catalogue), _ambiguous_claims(catalogue)
    for item in catalogue.claims.values():
        if item.sound:
            yield from _row_names(item, catalogue)
            if item.id in taken and item.id not in unclear:
                yield from _row(item, taken[item.id], unread, catalogue)


def _values_by_claim(catalogue: Catalogue) -> RuleValues:
    by_claim: dict[str, dict[str, list[Scalar | None]]] = {}
    decision_of = {item.document.path: item.id for item in catalogue.decisions.values()}
    for rule in catalogue.rules.values():
        decision = decision_of.get(rule.document.path)
        if decision is not None and rule.sound and rule.data.get("value") != "keep":
            for _, claim in texts_in(rule.data.get("cites")):
                by_claim.setdefault(claim, {}).setdefault(decision, []).append(as_scalar(rule.data.get("value")))
    for item in catalogue.checks.values():
        for _, claim in texts_in(item.data.get("cites")) if item.sound else ():
            for setting in as_mapping(item.data.get("on")):
                by_claim.setdefault(claim, {}).setdefault(setting, []).append(None)
    return by_claim


def _unsound_decisions(catalogue: Catalogue) -> set[str]:
    """Decisions with a rule that cannot be read: it may be the one that uses the row."""
    decisions = catalogue.decisions.values()
    of_file = {item.document.path: item.id for item in decisions}
    faulty = [item.document.path for item in (*decisions, *catalogue.rules.values()) if not item.sound]
    return {of_file[path] for path in faulty if path in of_file}


def _ambiguous_claims(catalogue: Catalogue) -> set[str]:
    """The claims that rules on an unknown tunable cite: which option of a row they use is unknown."""
    decisions = (item for item in catalogue.decisions.values() if not item.data.get("estimate"))
    paths = {item.document.path for item in decisions if item.id not in catalogue.tunables}
    rules = (rule for rule in catalogue.rules.values() if rule.document.path in paths)
    return {claim for rule in rules for _, claim in texts_in(rule.data.get("cites"))}


def _row_names(item: Authored, catalogue: Catalogue) -> Iterator[Problem]:
    for part in ("row", "left"):
        for setting in as_mapping(item.data.get(part)):
            yield from common.reference(item, (part, setting), setting, catalogue.tunables, "tunable", key=True)
    for setting in as_mapping(item.data.get("left")).keys() - as_mapping(item.data.get("row")).keys():
        yield item.problem(("left", setting), f'"{setting}" is left', "the row does not have it", "delete it", key=True)


def _row(
    item: Authored, taken: Mapping[str, list[Scalar | None]], unread: set[str], catalogue: Catalogue
) -> Iterator[Problem]:
    row, left = item.data.get("row"), as_mapping(item.data.get("left"))
    if row is None:
        source = catalogue.sources.get(str(item.data.get("source")))
        options = _options_with_figures(item) if source is not None and source.data.get("grade") in _GRADES else []
        if len(options) > 1 and any(setting in catalogue.decisions for setting in taken):
            why = "each option of an option line becomes a rule, or the claim says why not"
            yield item.problem(("figures",), f"figures of {' and '.join(options)}, and no row", why, "add row: {…}")
        return
    for setting, written in as_mapping(row).items():
        tunable = catalogue.tunables.get(setting)
        default = None if tunable is None else as_scalar(tunable.data.get("default"))
        values = written if isinstance(written, list) else [written]
        given = taken.get(setting, [])
        fits = any(
            wanted is None or supports(as_scalar(value), wanted, default) for wanted in given for value in values
        )
        if fits and setting in left:
            mistake = f"{setting} is said to be left"
            yield item.problem(("left", setting), mistake, "a rule uses it", "delete it", key=True)
        elif not fits and setting not in left and setting not in unread:
            mistake = f"{setting} is {shown(written)} in the row"
            why = f"rules that cite it say {', '.join(map(str, given))}" if given else "no rule that cites it uses it"
            write = "write the rule, or say under left: why nothing rests on it"
            yield item.problem(("row", setting), mistake, why, write, key=True)


def _options_with_figures(item: Authored) -> list[str]:
    """The mount options of which the claim gives figures."""
    figures = as_mapping(item.data.get("figures"))
    listed = [name.partition(".") for _, name in texts_in(item.data.get("about"))]
    options = [option for kind, _, option in listed if kind == "mount"]
    return [option for option in options if any(f"{option}{unit}" in figures for unit in _UNITS)]


def _layouts(catalogue: Catalogue) -> Iterator[Problem]:
    """Where things lie in archives: expressions that compile, and groups that they have."""
    for item in catalogue.layouts.values():
        for index, place in mappings_in(item.data.get("places") if item.sound else None):
            at = ("places", index)
            line, gives, before = place.get("line"), place.get("gives"), place.get("before")
            if (line is None) != (gives is None) or (line is not None and before is not None):
                yield item.problem(at, "a place that is half said", "a line that fits gives something, and there is "
                                   "one way to read it", "write line and gives, or before, or neither")
                continue
            if not isinstance(line, str):
                continue
            wrong = list(common.pattern(item, (*at, "line"), line, "match"))
            yield from wrong
            groups = 0 if wrong else re.compile(line).groups
            for match in _GROUP.finditer(str(gives)):
                if not wrong and not (match[1].isdigit() and 1 <= int(match[1]) <= groups):
                    yield item.problem((*at, "gives"), f'"{match[0]}"', "no group of line has that number",
                                       f"write one of {{1}} to {{{groups}}}")
