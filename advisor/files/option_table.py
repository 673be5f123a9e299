"""The mount options that each file system type knows, and the reading of a single option: the tunable that it sets, the
value, and mistakes in its form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from advisor.files import option_reading
from advisor.files.option_reading import OptionProblem, Reader, reader
from advisor.named_tuple import NamedTuple
from advisor.rulebase import values
from advisor.rulebase.model import Form, Overlooked, Tries, Tunable, Verdict
from advisor.rulebase.values import COMMON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from advisor.files.fstab.libmount import Item
    from advisor.rulebase.model import Becomes
    from advisor.rulebase.model.base import OptionIndex
    from advisor.rulebase.model.types import Pattern, Scalar, Value


Test = Callable[["Value"], bool]
Together = tuple[tuple[str, "Test | None"], ...]
"""Other settings of a line, each with the test of its value; None where the line must not write it."""


Written = Callable[[str], object]
"""Tests whether a verdict applies to the text of an option. Only the truth of the result counts."""


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
    """The data that all spellings of a tunable share. `turns`: the settings on which its verdicts depend."""

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
    follow the equals sign of a bare word: "any" value, "empty", or "" for nothing. `bare`: with any other value the
    option is unknown; the kernel, for example, knows the negation `nocto` only without a value."""

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
    """The options of every file system type. The forms of a name are built when a line first has it."""

    def __init__(self, tunables: Mapping[str, Tunable], index: OptionIndex | None = None) -> None:
        """`index`: of these tunables, where it is known already."""
        if index is None:
            from advisor.rulebase.compile import option_index  # noqa: PLC0415  a compiled base has it

            index = option_index(tunables)
        self._tunables = tunables
        self._forms: dict[str, list[OptionForm]] = {}
        self.spellings = index["spellings"]
        self.misspellings = index["misspellings"]
        self.families = sorted(
            (spelling for spelling in self.spellings if spelling.endswith("*")), key=lambda spelling: -len(spelling)
        )
        """Spellings of which anything may be the end, the longest first."""
        self.helper_types = index["helper_types"]
        self._by_type = {fstype: OptionTable(self, fstype) for fstype in (COMMON, *self.helper_types)}
        types = tunables["fstab.type"].forms if "fstab.type" in tunables else ()
        self.type_forms: dict[str, Form] = {str(form.means): form for form in types}
        self.tries: list[tuple[str, Together, Sequence[Scalar]]] = [
            (name, _together(attempt), tuple(attempt.values))
            for name in index["negotiated"] for attempt in tunables[name].tries
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
        return next((tunable for tunable in known if COMMON not in (tunable.applies_to or [COMMON])), None)


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
        forms = self.spelled(name)
        if forms:
            return forms
        families = (self.spelled(family) for family in self._tables.families if name.startswith(family[:-1]))
        return next((entries for entries in families if entries), ())

    def names(self) -> list[str]:
        """Every name that this type knows, without families."""
        return [
            spelling for spelling in self._tables.spellings if not spelling.endswith("*") and self.spelled(spelling)
        ]

    def spelled(self, spelling: str) -> tuple[OptionForm, ...]:
        """Every form with exactly this spelling."""
        forms = self._entries.get(spelling)
        if forms is None and spelling in self._tables.spellings:
            forms = self._entries[spelling] = tuple(
                form for form in self._tables.forms(spelling) if self._known(form.shared.data.applies_to or [COMMON])
            )
        return forms or ()

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
        values.inside(value, alternative) if values.is_bound(alternative) else values.same(value, alternative)
        for alternative in options
    )


_PLACEHOLDERS = ("${", "{{", "{%", "<%")
"""Marks of a template: the final text is unknown, so the option is not judged."""


_HARMLESS = "It is silently ignored, and the mount does not fail."


class ReadOption(NamedTuple):
    """An option that was read; its problems speak of the first item with this text. `open`: problems that hang on a
    condition, as in `OptionList.pending`. `usable`: whether it has a value that can be used."""

    entry: OptionForm | None
    value: Value
    problems: tuple[OptionProblem, ...]
    open: tuple[tuple[OptionProblem, bool | None], ...]
    usable: bool


def read_item(tables: OptionTables, table: OptionTable, fstype: str, item: Item) -> ReadOption:
    """Read one option (`item.text`, `.name`, `.value`)."""
    if not item.text:
        return _without_form(
            OptionProblem("empty-option", "", item.start, None, None, None, "an empty option", "", "ignored", (), "")
        )
    if any(mark in item.text for mark in _PLACEHOLDERS):
        return ReadOption(None, None, (), (), False)
    entries = table.entries(item.name)
    family = next((entry for entry in entries if entry.spelling.endswith("*") and entry.shared.rules), None)
    if not entries or family is not None:
        from advisor.files import option_guess  # noqa: PLC0415  most files have no unknown option

        unknown = option_guess.unknown(tables, table, fstype, item, family)
        if unknown is not None:
            return _without_form(unknown)
    fitting = [entry for entry in entries if entry.takes(item.value)]
    if not fitting:
        return _misused_option(entries[0], item)
    plain = next((e for e in fitting if e.condition is None), None)
    wide = next((e for e in fitting if e.condition is not None), None)
    entry = plain or wide
    assert entry is not None
    got = _read_value(entry, item)
    if got.wrong:
        wider = _read_value(wide, item) if plain and wide else got
        problem = _wrong(entry, item, got)
        if wide and not wider.wrong:
            return _usable(entry, item, wider.value, ((problem._replace(condition=wide.condition), None),))
        return ReadOption(entry, got.value, (problem,), (), False)
    if entry.condition is None:
        return _usable(entry, item, got.value, ())
    problem = _too_old(entry, item, entry.condition)
    if any(other.condition is None for other in entries):  # the client knows the name, but not this value
        problem = problem._replace(kind="too-old-value")
    return _usable(entry, item, got.value, ((problem, False),))


def _without_form(problem: OptionProblem) -> ReadOption:
    return ReadOption(None, None, (problem,), (), False)


def _read_value(entry: OptionForm, item: Item) -> option_reading.ReadValue:
    if entry.read is None or item.value is None:
        return option_reading.ReadValue(entry.means if entry.means is not None else True)
    return entry.read(item.value)


def _usable(
    entry: OptionForm, item: Item, written: Value, unsure: tuple[tuple[OptionProblem, bool | None], ...]
) -> ReadOption:
    shared = entry.shared
    value, change = option_reading.value_in_use(shared.data, written)
    problems: tuple[OptionProblem, ...] = ()
    if change is not None:
        problems = (_changed_value(shared, item, written, value, change),)
    if entry.read is None and item.value is not None:
        why = "The value after the equals sign is ignored."
        problems = (*problems, _unexpected_value(entry, item, f"{item.text} is read as {item.name}", why, "ignored"))
    if shared.needs is not None:
        unsure = (*unsure, (_too_old(entry, item, shared.needs), False))
    return ReadOption(entry, value, problems, unsure, True)


def _changed_value(shared: Shared, item: Item, written: Value, value: Value, change: Becomes) -> OptionProblem:
    """That a number comes out as another one, and the number to write; the same number where 0 means a choice."""
    how, better, suggestion = change.how, value, None
    effect = f"{item.text}: {how}"
    if value != written and isinstance(written, int):
        effect = f"{item.text} is used as {values.spell(shared.data, value)}"
        since = change.power_before
        if since and (old := option_reading.power_below(written)) != value:
            effect = f"{effect}, before Linux {since} as {old}"
        better = option_reading.nearby_power(change, written) or value
        suggestion = values.spell(shared.data, better)
    return OptionProblem(
        "value-changed", item.text, item.start, shared.id, written, better, effect, f"{how[0].upper()}{how[1:]}.",
        "ignored", tuple(change.cites), suggestion,
    )


def _misused_option(entry: OptionForm, item: Item) -> ReadOption:
    shared = entry.shared
    consequence, why = ("ignored", _HARMLESS) if shared.harmless else ("mount-fails", "")
    if item.value is not None:
        problem = _unexpected_value(entry, item, f"{item.name} takes no value", why, consequence)
    else:
        problem = OptionProblem(
            "missing-value", item.text, item.start, shared.id, None, None, f"{item.text} needs a value", why,
            consequence, tuple(shared.data.cites),
        )
    return ReadOption(entry, None, (problem,), (), False)


def _unexpected_value(entry: OptionForm, item: Item, message: str, why: str, consequence: str) -> OptionProblem:
    shared = entry.shared
    cites = tuple(shared.data.cites)
    return OptionProblem(
        "unexpected-value", item.text, item.start, shared.id, item.value, None, message, why, consequence, cites,
        item.name,
    )


def _wrong(entry: OptionForm, item: Item, got: option_reading.ReadValue) -> OptionProblem:
    shared = entry.shared
    meant = option_reading.parse_suffixed(item.value or "", shared.data.unit)
    suggestion = None if meant is None else f"{item.name}={meant}"
    if suggestion is None and ";" in (item.value or ""):
        suggestion = item.text.replace(";", ",")
    forgiven = shared.harmless if got.wrong == "missing-value" else shared.lenient
    return OptionProblem(
        got.wrong or "bad-value", item.text, item.start, shared.id, item.value, got.expected,
        f"{item.text}: {entry.spelling} takes "
        f"{option_reading.expectation(got.expected)}", _HARMLESS if forgiven else "",
        "ignored" if forgiven else "mount-fails", tuple(shared.data.cites), suggestion,
    )


def _too_old(entry: OptionForm, item: Item, condition: str) -> OptionProblem:
    data = entry.shared.data
    vendor = data.vendor
    message = f"{item.text} is an option of the {vendor}" if vendor else f"this client does not know {item.text}"
    return OptionProblem(
        "vendor-option" if vendor else "too-old-client", item.text, item.start, data.id, item.value, None, message,
        (data.about or "") if vendor else "", "mount-fails", tuple(data.cites), None, condition,
    )
