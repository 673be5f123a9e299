"""A vendor's option line is taken whole: each option of it is what a rule says that cites the claim, or left out for a
reason that the claim gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Optional

from advisor.rulebase.audit import names
from advisor.rulebase.catalogue import Authored, Catalogue
from advisor.rulebase.problems import Problem, shown
from advisor.rulebase.values import supports
from advisor.rulebase.yaml_values import Scalar, mapping, scalar, texts

Taken = Mapping[str, Mapping[str, list[Optional[Scalar]]]]
"""Claim → setting → the values that rules citing it give; None of a check, which judges what is written."""
_GRADES = ("vendor", "code")
"""Of the sources whose option lines are advice."""
_UNITS = ("", "_bytes", "_ds", "_s")
"""What stands behind an option's name in the key of its figure."""


def check(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of the rows of claims on which rules rest."""
    taken, unread = _taken(catalogue), _unread(catalogue)
    for item in catalogue.claims.values():
        if item.sound:
            yield from _named(item, catalogue)
            if item.id in taken:
                yield from _row(item, taken[item.id], unread, catalogue)


def _taken(catalogue: Catalogue) -> Taken:
    found: dict[str, dict[str, list[Scalar | None]]] = {}
    decision_of = {item.document.path: item.id for item in catalogue.decisions.values()}
    for rule in catalogue.rules.values():
        decision = decision_of.get(rule.document.path)
        if decision is not None and rule.sound and rule.data.get("value") != "keep":
            for _, claim in texts(rule.data.get("cites")):
                found.setdefault(claim, {}).setdefault(decision, []).append(scalar(rule.data.get("value")))
    for item in catalogue.checks.values():
        for _, claim in texts(item.data.get("cites")) if item.sound else ():
            for setting in mapping(item.data.get("on")):
                found.setdefault(claim, {}).setdefault(setting, []).append(None)
    return found


def _unread(catalogue: Catalogue) -> set[str]:
    """Decisions with a rule that cannot be read: it may be the one that takes the row."""
    decisions = catalogue.decisions.values()
    of_file = {item.document.path: item.id for item in decisions}
    faulty = [item.document.path for item in (*decisions, *catalogue.rules.values()) if not item.sound]
    return {of_file[path] for path in faulty if path in of_file}


def _named(item: Authored, catalogue: Catalogue) -> Iterator[Problem]:
    for part in ("row", "left"):
        for setting in mapping(item.data.get(part)):
            yield from names.known(item, (part, setting), setting, catalogue.tunables, "tunable", key=True)
    for setting in mapping(item.data.get("left")).keys() - mapping(item.data.get("row")).keys():
        yield item.problem(("left", setting), f'"{setting}" is left', "the row does not have it", "delete it", key=True)


def _row(
    item: Authored, taken: Mapping[str, list[Scalar | None]], unread: set[str], catalogue: Catalogue
) -> Iterator[Problem]:
    row, left = item.data.get("row"), mapping(item.data.get("left"))
    if row is None:
        source = catalogue.sources.get(str(item.data.get("source")))
        options = _figured(item) if source is not None and source.data.get("grade") in _GRADES else []
        if len(options) > 1 and any(setting in catalogue.decisions for setting in taken):
            why = "an option line is taken whole: each option of it becomes a rule, or the claim says why not"
            yield item.problem(("figures",), f"figures of {' and '.join(options)}, and no row", why, "add row: {…}")
        return
    for setting, written in mapping(row).items():
        tunable = catalogue.tunables.get(setting)
        default = None if tunable is None else scalar(tunable.data.get("default"))
        values = written if isinstance(written, list) else [written]
        given = taken.get(setting, [])
        fits = any(one is None or supports(scalar(value), one, default) for one in given for value in values)
        if fits and setting in left:
            found = f"{setting} is said to be left"
            yield item.problem(("left", setting), found, "a rule takes it", "delete it", key=True)
        elif not fits and setting not in left and setting not in unread:
            found = f"{setting} is {shown(written)} in the row"
            why = f"rules that cite it say {', '.join(map(str, given))}" if given else "no rule that cites it takes it"
            write = "write the rule, or say under left: why nothing rests on it"
            yield item.problem(("row", setting), found, why, write, key=True)


def _figured(item: Authored) -> list[str]:
    """The mount options of which the claim gives figures."""
    figures = mapping(item.data.get("figures"))
    listed = [name.partition(".") for _, name in texts(item.data.get("about"))]
    options = [option for kind, _, option in listed if kind == "mount"]
    return [option for option in options if any(f"{option}{unit}" in figures for unit in _UNITS)]
