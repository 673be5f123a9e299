"""What a file says of its entries: `# advisor: facts {…}` and `# advisor: pins {…}` above one, as written files have
them. Facts that are given otherwise take precedence."""

from __future__ import annotations

import json
import re

from advisor.engine import EngineError
from advisor.files.source import parse_source
from advisor.named_tuple import NamedTuple
from advisor.sections import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from advisor.files.fstab import Entry
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values

SIGN = "# advisor: "
_STATED = re.compile(r"# advisor: (facts|pins) (\{.{0,20000}\})[ \t]*", re.DOTALL)


class Stated(NamedTuple):
    """What is said above one entry."""

    facts: Mapping[str, Values]
    pins: Mapping[str, Values]


def is_statement(line: str) -> bool:
    """Whether a line is such a comment."""
    return _STATED.fullmatch(line.rstrip("\r")) is not None


def stated(text: str) -> dict[int, Stated]:
    """Number of the line of an entry → what the comments above it say; entries without any are left out."""
    above: dict[str, dict[str, Values]] = {"facts": {}, "pins": {}}
    found: dict[int, Stated] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("#"):
            comment = _STATED.fullmatch(line.rstrip("\r"))
            if comment is not None:
                above[comment[1]] |= _read(comment[2])
        elif line.strip():
            if any(above.values()):
                found[number] = Stated(above["facts"], above["pins"])
            above = {"facts": {}, "pins": {}}
    return found


def _read(text: str) -> dict[str, Values]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return {name: value for name, value in data.items() if isinstance(value, (str, int, list))}


def sections(rulebase: RuleBase, text: str, name: str, entries: Iterable[Entry]) -> tuple[Section, ...]:
    """A section for each entry of which something is said. What the rule base does not know is left out."""
    above = stated(text)
    made = []
    for entry in entries:
        said = above.get(entry.line_no)
        if said is not None:
            facts = {fact: value for fact, value in said.facts.items() if _is_known(rulebase, fact, value)}
            source = parse_source(entry.source.value)
            names = {"server": source.host, "export": source.export, "target": entry.target.value}
            where = dict.fromkeys(facts, f"said above line {entry.line_no}")
            made.append(Section(f"{name}:{entry.line_no}:1", names, facts, {}, found=where))
    return tuple(made)


def _is_known(rulebase: RuleBase, fact: str, value: Values) -> bool:
    try:
        return fact in rulebase.facts and bool(rulebase.engine.fact(fact).mask(value))
    except EngineError:
        return False
