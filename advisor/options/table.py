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
    from collections.abc import Iterator

    from advisor.options.items import ReadOption
    from advisor.rulebase.model.base import OptionIndex
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


class OptionTables:
    """The options of every type of file system. Those of a name are looked at when a line has it: few are needed."""

    def __init__(self, tunables: Mapping[str, Tunable], index: OptionIndex | None = None) -> None:
        """`index`: of these tunables, where it is known already."""
        if index is None:
            from advisor.rulebase.lint_index import option_index  # noqa: PLC0415  a compiled base has it

            index = option_index(tunables)
        self._tunables = tunables
        self._forms: dict[str, list[OptionForm]] = {}
        self.spellings = index["spellings"]
        self.misspellings = index["misspellings"]
        self.families = sorted((one for one in self.spellings if one.endswith("*")), key=lambda one: -len(one))
        """Spellings of which anything may be the end, the longest first."""
        self.helper_types = index["helper_types"]
        self._by_type = {fstype: OptionTable(self, fstype) for fstype in (COMMON, *self.helper_types)}
        types = tunables["fstab.type"].forms if "fstab.type" in tunables else ()
        self.type_forms: dict[str, Form] = {str(form.means): form for form in types}
        self.tries: list[tuple[str, Together, Sequence[Scalar]]] = [
            (name, _together(one), tuple(one.values)) for name in index["negotiated"] for one in tunables[name].tries
        ]
        """(tunable, under which settings, the values that are tried in turn)"""

    def of(self, fstype: str) -> OptionTable:
        """The table of a type; a type that is not known here reads as `nfs`."""
        return self._by_type.get(fstype) or self._by_type[COMMON]

    def forms(self, spelling: str) -> Iterator[OptionForm]:
        """Every form with this spelling, whatever type knows it."""
        for name in self.spellings.get(spelling, ()):
            if name not in self._forms:
                shared = Shared(self._tunables[name])
                self._forms[name] = [_entry(shared, form) for form in shared.data.forms]
            yield from (form for form in self._forms[name] if form.spelling == spelling)

    def elsewhere(self, spelling: str) -> Tunable | None:
        """The option of this name that only other types know."""
        known = (form.shared.data for form in self.forms(spelling))
        return next((one for one in known if COMMON not in (one.applies_to or [COMMON])), None)


class OptionTable:
    """The options of one file system type. `memo`: items that were read before, by their text; `guesses`: unknown names
    and what they may have been meant to be."""

    __slots__ = ("_entries", "_tables", "fstype", "guesses", "memo")

    def __init__(self, tables: OptionTables, fstype: str) -> None:
        self._tables = tables
        self._entries: dict[str, tuple[OptionForm, ...]] = {}
        self.fstype = fstype
        self.memo: dict[str, ReadOption] = {}
        self.guesses: dict[str, str | None] = {}

    def entries(self, name: str) -> tuple[OptionForm, ...]:
        """Every form of an option, () for an unknown name. A family (`x-systemd.*`) takes what begins with it."""
        found = self.spelled(name)
        if found:
            return found
        families = (self.spelled(one) for one in self._tables.families if name.startswith(one[:-1]))
        return next((entries for entries in families if entries), ())

    def names(self) -> list[str]:
        """Every name that this type knows, without families."""
        return [one for one in self._tables.spellings if not one.endswith("*") and self.spelled(one)]

    def spelled(self, spelling: str) -> tuple[OptionForm, ...]:
        """Every form with exactly this spelling."""
        found = self._entries.get(spelling)
        if found is None and spelling in self._tables.spellings:
            found = self._entries[spelling] = tuple(
                form for form in self._tables.forms(spelling) if self._known(form.shared.data.applies_to or [COMMON])
            )
        return found or ()

    def _known(self, types: Sequence[str]) -> bool:
        """Whether options of these types are known here: a helper takes those of nfs too."""
        return self.fstype in types or COMMON in types


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
