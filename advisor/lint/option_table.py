"""The spellings of mount options, sorted for quick reading: one table for each file system type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Optional

from advisor import values
from advisor.lint.option_words import Reader, reader

COMMON = "nfs"
"""The type whose options every helper type takes too."""
Test = Callable[[Any], bool]
Together = tuple[tuple[str, Optional[Test]], ...]
"""Other settings of a line, each with the test of its value; None where the line must not write it."""


Written = Callable[[str], object]
"""Whether an option as written is meant (truth)."""


class Rule(NamedTuple):
    """One `refused` or `ignored` verdict. `kind`: "refused-option" or "ignored-option". `condition`: its name."""

    kind: str
    fits: Test | None
    written: Written
    together: Together
    condition: str | None
    why: str
    consequence: str
    cites: tuple[str, ...]


class Minor(NamedTuple):
    """An entry of `overlooked`."""

    written: Written
    followed: bool
    fixed: bool | None
    together: Together
    why: str
    cites: tuple[str, ...]


class Shared:
    """What all spellings of one tunable have in common. `turns`: the settings that its verdicts speak of."""

    __slots__ = (
        "data", "harmless", "id", "implies", "lenient", "needs", "overlooked", "repeat", "rules", "turns"
    )

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.id: str = data["id"]
        self.repeat: str = data.get("repeat", "last")
        self.implies: Mapping[str, Any] = data.get("implies") or {}
        self.needs = f"needs:{self.id}" if data.get("needs") else None
        # What only systemd or nobody reads cannot make the mount fail.
        self.harmless = data.get("read_by") in ("systemd", "comment")
        self.lenient = self.harmless or bool(data.get("lenient"))
        self.rules = (*_rules(data, "refused", "mount-fails"), *_rules(data, "ignored", "ignored"))
        self.overlooked = tuple(_minor(told) for told in data.get("overlooked") or ())
        self.turns = frozenset(t for rule in self.rules for t, _ in rule.together).union(
            t for minor in self.overlooked for t, _ in minor.together
        )


class Entry(NamedTuple):
    """One form of an option. `read`: the reader of its value; None where the bare word means `means`. `stray`: what may
    stand behind the bare word: "any" value, "empty", or "" for nothing. `bare`: with another value behind it this is a
    name that nobody knows, as the kernel knows a negation (`nocto`) by itself alone."""

    spelling: str
    shared: Shared
    means: Any
    read: Reader | None
    optional: bool
    stray: str
    bare: bool
    condition: str | None
    implies: Mapping[str, Any]

    def takes(self, value: str | None) -> bool:
        """Whether this form may be written with this value (None: without an equals sign)."""
        if (self.read is not None) == (value is not None) or self.optional:
            return True
        return self.stray == "any" or (self.stray == "empty" and value == "")


class Table:
    """The options of one file system type. `memo`: items that were read before, by their text; `guesses`: unknown names
    and what they may have been meant to be."""

    __slots__ = ("families", "guesses", "memo", "names")

    def __init__(self) -> None:
        self.names: dict[str, tuple[Entry, ...]] = {}
        self.families: list[tuple[str, tuple[Entry, ...]]] = []
        self.memo: dict[str, Any] = {}
        self.guesses: dict[str, str | None] = {}

    def entries(self, name: str) -> tuple[Entry, ...]:
        """Every form of an option, () for an unknown name. A family (`x-systemd.*`) takes what begins with it."""
        found = self.names.get(name)
        if found is not None:
            return found
        return next((entries for prefix, entries in self.families if name.startswith(prefix)), ())


class Tables:
    """Every table, and where the names live that some types do not know."""

    def __init__(self, tunables: Mapping[str, Mapping[str, Any]]) -> None:
        self.by_type: dict[str, Table] = {COMMON: Table()}
        self.misspelt: dict[str, str] = {}
        self.elsewhere: dict[str, Mapping[str, Any]] = {}
        self.type_forms: dict[str, Mapping[str, Any]] = {}
        self.tries: list[tuple[str, Together, tuple[Any, ...]]] = []
        """(tunable, under which settings, the values that are tried in turn)"""
        options = [t for t in tunables.values() if t.get("kind") == "mount-option"]
        helpers = {
            f: Table() for t in options if t.get("vendor") for f in t.get("applies_to") or () if f != COMMON
        }
        self.by_type |= helpers
        for tunable in options:
            self._add(tunable, helpers)
        for table in self.by_type.values():
            table.families.sort(key=lambda one: -len(one[0]))
        for form in (tunables.get("fstab.type") or {}).get("forms") or ():
            self.type_forms[str(form["means"])] = form

    def _add(self, tunable: Mapping[str, Any], helpers: Mapping[str, Table]) -> None:
        types = tunable.get("applies_to") or [COMMON]
        shared = Shared(tunable)
        entries = [_entry(shared, form) for form in tunable.get("forms") or ()]
        tables = [self.by_type[t] for t in types if t in self.by_type]
        if COMMON in types:
            tables += helpers.values()
        for entry in entries:
            for table in tables:
                _put(table, entry)
            if COMMON not in types:
                self.elsewhere.setdefault(entry.spelling, tunable)
        for one in tunable.get("tries") or ():
            self.tries.append((shared.id, _together(one), tuple(one["values"])))
        for wrong in tunable.get("misspellings") or ():
            self.misspelt[wrong] = entries[0].spelling

    def of(self, fstype: str) -> Table:
        """The table of a type; a type that is not known here reads as `nfs`."""
        return self.by_type.get(fstype) or self.by_type[COMMON]


def _put(table: Table, entry: Entry) -> None:
    name = entry.spelling
    if not name.endswith("*"):
        table.names[name] = (*table.names.get(name, ()), entry)
        return
    prefix = name[:-1]
    same = next((at for at, (known, _) in enumerate(table.families) if known == prefix), None)
    if same is None:
        table.families.append((prefix, (entry,)))
    else:
        table.families[same] = (prefix, (*table.families[same][1], entry))


def _entry(shared: Shared, form: Mapping[str, Any]) -> Entry:
    takes = form.get("takes")
    spelling, stray = form["spelling"], form.get("stray_value") or ""
    negates = not takes and spelling.startswith("no") and shared.data.get("read_by") in ("kernel", "mount.nfs")
    return Entry(
        spelling, shared, form.get("means"), reader(shared.data, form) if takes else None, takes == "optional-value",
        stray, bool(stray) or negates, f"form:{shared.id}:{spelling}" if form.get("when") else None,
        form.get("implies") or {},
    )


def _rules(data: Mapping[str, Any], field: str, consequence: str) -> Iterable[Rule]:
    for number, told in enumerate(data.get(field) or ()):
        yield Rule(
            f"{field}-option", pattern(told["values"]) if told.get("values") is not None else None, _written(told),
            _together(told),
            f"{field}:{data['id']}:{number}" if told.get("when") else None, told["why"],
            told.get("consequence") or consequence, tuple(told["cites"]),
        )


def _together(told: Mapping[str, Any]) -> Together:
    return tuple((t, None if p == "absent" else pattern(p)) for t, p in (told.get("together") or {}).items())


def _written(told: Mapping[str, Any]) -> Written:
    return re.compile(told["written"]).fullmatch if told.get("written") else bool


def _minor(told: Mapping[str, Any]) -> Minor:
    return Minor(
        _written(told), bool(told.get("followed")), told.get("fixed"), _together(told),
        told["why"], tuple(told["cites"]),
    )


def pattern(wanted: Any) -> Test:
    """A test of a value: a scalar, a list of scalars and ranges, a range, or `present`."""
    if wanted == "present":
        return lambda _: True
    options = wanted if isinstance(wanted, list) else [wanted]
    return lambda value: any(
        values.inside(value, one) if values.is_bound(one) else values.same(value, one) for one in options
    )
