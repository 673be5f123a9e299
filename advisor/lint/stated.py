"""What a file says of its entries: `# advisor: facts {…}` and `# advisor: pins {…}`, as written files have them: above
an entry of fstab, and anywhere in other files. Facts that are given otherwise take precedence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from advisor.engine import EngineError
from advisor.files.fstab import Entry
from advisor.files.source import parse_source
from advisor.lint.rule_index import RuleIndex
from advisor.rulebase.model import RuleBase, Values
from advisor.sections import Mount, Section, facts_of_mount

SIGN = "# advisor: "
STATEMENTS = ("facts", "pins")
_LONGEST = 20_000


def is_statement(line: str) -> bool:
    return bool(_statement(line)[0])


def _statement(line: str) -> tuple[str, Mapping[str, Values]]:
    """What a comment states, facts or pins, and their values; "" for another line."""
    what, _, data = line.rstrip().partition(SIGN)[2].partition(" ")
    if line.startswith(SIGN) and what in STATEMENTS and data.startswith("{") and len(data) <= _LONGEST:
        try:
            return what, json.loads(data)
        except (ValueError, RecursionError):
            pass
    return "", {}


def stated(text: str, what: str) -> dict[int, Mapping[str, Values]]:
    """Number of the line of an entry → the facts or pins that are said above it."""
    above: dict[str, Values] = {}
    found: dict[int, Mapping[str, Values]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        kind, said = _statement(line)
        if kind == what:
            above |= said
        elif line.strip() and not line.startswith("#"):
            found[number], above = above, {}
    return {number: said for number, said in found.items() if said}


def stated_of_all(text: str, what: str) -> Mapping[str, Values]:
    """The facts or pins on which all that is said in a file agrees."""
    first, *others = [*stated(text, what).values()] or [{}]
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def with_stated(index: RuleIndex, text: str, name: str) -> RuleIndex:
    """The index with the facts that are said in a file of another kind than fstab."""
    base, said = index.rulebase, stated_of_all(text, "facts")
    facts = {fact: value for fact, value in said.items() if _fits(base, fact, value)}
    section = Section(f"{name}:1:1", {}, facts, {}, found=dict.fromkeys(facts, f"said in {name}"))
    more = index.with_sections([section])
    if index.matcher.sections:  # which may say something else of a mount
        return more
    return more.knowing(facts_of_mount(base, index.given, [section], Mount("", "", "")))


def sections(rulebase: RuleBase, text: str, name: str, entries: Iterable[Entry]) -> tuple[Section, ...]:
    """A section for each entry of which facts are said. What the rule base does not know is left out."""
    above, made = stated(text, "facts"), []
    for entry in entries:
        facts = {fact: value for fact, value in above.get(entry.line_no, {}).items() if _fits(rulebase, fact, value)}
        source = parse_source(entry.source.value)
        names = {"server": source.host, "export": source.export, "target": entry.target.value}
        where = dict.fromkeys(facts, f"said above line {entry.line_no}")
        made.append(Section(f"{name}:{entry.line_no}:1", names, facts, {}, found=where))
    return tuple(section for section in made if section.facts)


def unfit(rulebase: RuleBase, text: str) -> Iterator[tuple[int, str]]:
    """Number of the line of an entry, and the facts said above it that count for nothing."""
    for number, facts in stated(text, "facts").items():
        if names := [fact for fact, value in facts.items() if not _fits(rulebase, fact, value)]:
            yield number, ", ".join(names)


def _fits(rulebase: RuleBase, fact: str, value: Values) -> bool:
    try:
        return fact in rulebase.facts and bool(rulebase.engine.fact(fact).mask(value))
    except (EngineError, TypeError):
        return False
