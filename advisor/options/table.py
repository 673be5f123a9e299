"""The spellings of mount options, sorted for quick reading: one table for each file system type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from advisor.named_tuple import NamedTuple
from advisor.options.reading import Reader, reader
from advisor.rulebase import values
from advisor.rulebase.model import Form, Overlooked, Tries, Tunable, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.options.items import ReadOption
    from advisor.rulebase.model.types import Pattern, Scalar, Value



COMMON = "nfs"
"""The type whose options every helper type takes too."""
Test = Callable[["Value"], bool]
Together = tuple[tuple[str, "Test | None"], ...]
"""Other settings of a line, each with the test of its value; None where the line must not write it."""


Written = Callable[[str], object]
"""Whether an option as written is meant (truth)."""


class OptionVerdict(NamedTuple):
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

    def __init__(self, data: Tunable) -> None:
        self.data = data
        self.id = data.id
        self.repeat = data.repeat
        self.implies = data.implies
        self.needs = f"needs:{self.id}" if data.needs else None
        # What only systemd or nobody reads cannot make the mount fail.
        self.harmless = data.read_by in ("systemd", "comment")
        self.lenient = self.harmless or data.lenient
        self.rules = (
            *_rules(data.refused, "refused", self.id, "mount-fails"),
            *_rules(data.ignored, "ignored", self.id, "ignored"),
        )
        self.overlooked = tuple(_minor(overlooked) for overlooked in data.overlooked)
        self.turns = frozenset(t for rule in self.rules for t, _ in rule.together).union(
            t for minor in self.overlooked for t, _ in minor.together
        )


class OptionForm(NamedTuple):
    """One form of an option. `read`: the reader of its value; None where the bare word means `means`. `stray`: what may
    stand behind the bare word: "any" value, "empty", or "" for nothing. `bare`: with another value behind it this is a
    name that nobody knows, as the kernel knows a negation (`nocto`) by itself alone."""

    spelling: str
    shared: Shared
    means: Value
    read: Reader | None
    optional: bool
    stray: str
    bare: bool
    condition: str | None
    implies: Mapping[str, Scalar]

    def takes(self, value: str | None) -> bool:
        """Whether this form may be written with this value (None: without an equals sign)."""
        if (self.read is not None) == (value is not None) or self.optional:
            return True
        return self.stray == "any" or (self.stray == "empty" and value == "")


class OptionTable:
    """The options of one file system type. `memo`: items that were read before, by their text; `guesses`: unknown names
    and what they may have been meant to be."""

    __slots__ = ("families", "guesses", "memo", "names")

    def __init__(self) -> None:
        self.names: dict[str, tuple[OptionForm, ...]] = {}
        self.families: list[tuple[str, tuple[OptionForm, ...]]] = []
        self.memo: dict[str, ReadOption] = {}
        self.guesses: dict[str, str | None] = {}

    def entries(self, name: str) -> tuple[OptionForm, ...]:
        """Every form of an option, () for an unknown name. A family (`x-systemd.*`) takes what begins with it."""
        found = self.names.get(name)
        if found is not None:
            return found
        return next((entries for prefix, entries in self.families if name.startswith(prefix)), ())


class OptionTables:
    """Every table, and where the names live that some types do not know."""

    def __init__(self, tunables: Mapping[str, Tunable]) -> None:
        self.by_type: dict[str, OptionTable] = {COMMON: OptionTable()}
        self.misspelt: dict[str, str] = {}
        self.elsewhere: dict[str, Tunable] = {}
        self.type_forms: dict[str, Form] = {}
        self.tries: list[tuple[str, Together, Sequence[Scalar]]] = []
        """(tunable, under which settings, the values that are tried in turn)"""
        options = [t for t in tunables.values() if t.kind == "mount-option"]
        helpers = {
            f: OptionTable() for t in options if t.vendor for f in t.applies_to if f != COMMON
        }
        self.by_type |= helpers
        for tunable in options:
            self._add(tunable, helpers)
        for table in self.by_type.values():
            table.families.sort(key=lambda one: -len(one[0]))
        for form in tunables["fstab.type"].forms if "fstab.type" in tunables else ():
            self.type_forms[str(form.means)] = form

    def _add(self, tunable: Tunable, helpers: Mapping[str, OptionTable]) -> None:
        types = tunable.applies_to or [COMMON]
        shared = Shared(tunable)
        entries = [_entry(shared, form) for form in tunable.forms]
        tables = [self.by_type[t] for t in types if t in self.by_type]
        if COMMON in types:
            tables += helpers.values()
        for entry in entries:
            for table in tables:
                _put(table, entry)
            if COMMON not in types:
                self.elsewhere.setdefault(entry.spelling, tunable)
        for one in tunable.tries:
            self.tries.append((shared.id, _together(one), tuple(one.values)))
        for wrong in tunable.misspellings:
            self.misspelt[wrong] = entries[0].spelling

    def of(self, fstype: str) -> OptionTable:
        """The table of a type; a type that is not known here reads as `nfs`."""
        return self.by_type.get(fstype) or self.by_type[COMMON]


def _put(table: OptionTable, entry: OptionForm) -> None:
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


def _entry(shared: Shared, form: Form) -> OptionForm:
    takes = form.takes
    spelling, stray = form.spelling, form.stray_value or ""
    negates = not takes and spelling.startswith("no") and shared.data.read_by in ("kernel", "mount.nfs")
    return OptionForm(
        spelling, shared, form.means, reader(shared.data, form) if takes else None, takes == "optional-value",
        stray, bool(stray) or negates, f"form:{shared.id}:{spelling}" if form.when else None,
        form.implies,
    )


def _rules(verdicts: Iterable[Verdict], field: str, tunable: str, consequence: str) -> Iterable[OptionVerdict]:
    for number, verdict in enumerate(verdicts):
        yield OptionVerdict(
            f"{field}-option", pattern(list(verdict.values)) if verdict.values is not None else None, _written(verdict),
            _together(verdict),
            f"{field}:{tunable}:{number}" if verdict.when else None, verdict.why,
            verdict.consequence or consequence, tuple(verdict.cites),
        )


def _together(verdict: Verdict | Overlooked | Tries) -> Together:
    return tuple((t, None if p == "absent" else pattern(p)) for t, p in verdict.together.items())


def _written(verdict: Verdict | Overlooked) -> Written:
    form = verdict.written  # compiled, by `re`, when the first such option is read
    return bool if form is None else lambda text: re.fullmatch(form, text)


def _minor(overlooked: Overlooked) -> Minor:
    return Minor(
        _written(overlooked), overlooked.followed, overlooked.fixed, _together(overlooked),
        overlooked.why, tuple(overlooked.cites),
    )


def pattern(wanted: Pattern) -> Test:
    """A test of a value: a scalar, a list of scalars and ranges, a range, or `present`."""
    if wanted == "present":
        return lambda _: True
    options = wanted if isinstance(wanted, list) else [wanted]
    return lambda value: any(
        values.inside(value, one) if values.is_bound(one) else values.same(value, one) for one in options
    )
