"""What two classes of hosts differ in, as far as the report knows: facts, mounts and findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from advisor.fleet.model import ClassDifference, HostClass

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values


def differences(here: HostClass, there: HostClass) -> tuple[ClassDifference, ...]:
    """Facts by their names ("client.kernel"), then mounts ("mount /data"; where only options differ, "options of /data"
    with those that the other side does not have), then findings ("finding nolock")."""
    return (
        *_between("", _facts(here.facts), _facts(there.facts)),
        *_mounted(_mounts(here.mounts), _mounts(there.mounts)),
        *_between("finding ", _findings(here), _findings(there)),
    )


def _between(prefix: str, here: Mapping[str, str], there: Mapping[str, str]) -> list[ClassDifference]:
    return [
        ClassDifference(prefix + name, here.get(name), there.get(name))
        for name in sorted(here.keys() | there.keys()) if here.get(name) != there.get(name)
    ]


def _facts(facts: Mapping[str, Values]) -> dict[str, str]:
    return {name: value_text(value) for name, value in facts.items()}


def value_text(value: object) -> str:
    """A value of a fact or setting, or several, for people."""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(value_text, value))
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _findings(one: HostClass) -> dict[str, str]:
    return {rule: "; ".join(texts) for rule, texts in _gathered((f.rule, f.message) for f in one.findings).items()}


def _gathered(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, dict[str, None]] = {}
    for name, text in pairs:
        found.setdefault(name, {})[text] = None
    return {name: list(texts) for name, texts in found.items()}


def _mounts(lines: Iterable[str]) -> dict[str, list[str]]:
    """Mount point → its lines; a line without one stands for itself."""
    parts = ((line.split(None, 2), line) for line in lines)
    return _gathered((words[1] if len(words) > 1 else line, line) for words, line in parts)


def _mounted(here: Mapping[str, list[str]], there: Mapping[str, list[str]]) -> list[ClassDifference]:
    found = []
    for point in sorted(here.keys() | there.keys()):
        ours, theirs = here.get(point, []), there.get(point, [])
        if ours == theirs:
            continue
        options = _options(ours, theirs)
        found.append(
            ClassDifference(f"mount {point}", "; ".join(ours) or None, "; ".join(theirs) or None) if options is None
            else ClassDifference(f"options of {point}", *options)
        )
    return found


def _options(ours: list[str], theirs: list[str]) -> tuple[str | None, str | None] | None:
    """The options that only one of them has, where nothing but options differs; else None."""
    if len(ours) != 1 or len(theirs) != 1:
        return None
    here, there = ours[0].split(), theirs[0].split()
    if len(here) < 4 or [*here[:3], *here[4:]] != [*there[:3], *there[4:]]:
        return None
    mine, other = here[3].split(","), there[3].split(",")
    only = [",".join(one for one in side if one not in set(beside)) or None for side, beside in
            ((mine, other), (other, mine))]
    return None if only == [None, None] else (only[0], only[1])  # the order alone: then the lines say more
