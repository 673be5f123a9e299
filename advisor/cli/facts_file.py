"""The file of --facts: facts of all mounts, sections for some, and what of it was observed, which gets too old."""

from __future__ import annotations

import argparse
import sys
import time

from advisor.cli.common import CannotRun, facts_from
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values
    from advisor.sections import Section

OBSERVED = ("found", "until", "observed")
"""Keys beside the facts: see docs/observe.md."""


class GivenFacts(NamedTuple):
    """`facts`: of all mounts; `found`: when and how those of them were observed that nobody said; `sections`: for some
    mounts."""

    facts: dict[str, Values] = {}
    found: dict[str, str] = {}
    sections: tuple[Section, ...] = ()


def read(base: RuleBase, args: argparse.Namespace) -> GivenFacts:
    """What --facts names, without what is too old, of which standard error tells; --expired takes that too. CannotRun
    names what is wrong."""
    path: str | None = args.facts
    if path is None:
        return GivenFacts()
    tree = _tree(path)
    if not isinstance(tree, dict):
        return GivenFacts(facts_from(base, tree, path))
    sections = _sections(base, path) if "mounts" in tree else ()
    facts = facts_from(base, {key: one for key, one in tree.items() if key not in (*OBSERVED, "mounts")}, path)
    found = {fact: where for fact, where in _found(tree, path).items() if fact in facts}
    if found and not fresh(_until(tree, path), path, args.expired):
        facts = {fact: value for fact, value in facts.items() if fact not in found}
        found = {}
    return GivenFacts(facts, found, current(sections, args.expired))


def current(sections: Iterable[Section], expired: bool) -> tuple[Section, ...]:
    """The sections, without what was observed too long ago."""
    return tuple(one if fresh(one.until, one.place, expired) else _said(one) for one in sections)


def fresh(until: str, place: str, expired: bool) -> bool:
    """Whether what was observed may be used; standard error tells where it may not."""
    if not until or expired or time.strftime("%Y-%m-%d") <= until:
        return True
    from advisor.document.escape import visible

    print(f"advisor: {visible(place)}: observed too long ago (good until {until}), so not used; observe again, or give "
          "--expired", file=sys.stderr)
    return False


def _said(one: Section) -> Section:
    """What of a section somebody said."""
    facts = {fact: value for fact, value in one.facts.items() if fact not in one.found}
    return one._replace(facts=facts, found={}, observed={})


def _found(tree: dict[str, object], path: str) -> dict[str, str]:
    written = tree.get("found") or {}
    if not isinstance(written, dict):
        raise CannotRun(f"{path}: found is a mapping of facts to where they are from")
    return {str(fact): str(where) for fact, where in written.items()}


def _until(tree: dict[str, object], path: str) -> str:
    from advisor.advice.answers import AnswerError
    from advisor.advice.observed import day

    try:
        return day(tree["until"]) if "until" in tree else ""
    except AnswerError as error:
        raise CannotRun(f"{path}: {error}") from None


def _sections(base: RuleBase, path: str) -> tuple[Section, ...]:
    from advisor import given
    from advisor.advice.answers_file import sections_in
    from advisor.sections import SectionError

    try:
        return sections_in(base, given.yaml_data(given.text(path), path, places=True), path)
    except (SectionError, given.GivenError) as error:
        raise CannotRun(f"{error}") from None


def _tree(path: str) -> object:
    from advisor import given

    try:
        text = given.text(path)
        return given.json_data(text, path) if text.lstrip().startswith("{") else given.yaml_data(text, path)
    except given.GivenError as error:
        raise CannotRun(f"--facts {error}") from None
