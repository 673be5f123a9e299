"""The mount options that each file system type knows, and how the values of options are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from advisor.files.libmount import integer
from advisor.files.patterns import value_test
from advisor.named_tuple import NamedTuple
from advisor.rulebase import values
from advisor.rulebase.model import Form, OptionIndex, Overlooked, Scalar, Tries, Tunable, Value, Values, Verdict
from advisor.rulebase.values import COMMON, TIME_SPAN

_UINT_MAX = 0xFFFFFFFF
MAX_DIGITS = 20
"""Longest number that is read; nobody means a longer one, and Python refuses thousands of digits."""
_WHOLE = r"[+-]?[0-9]+"
Test = Callable[["Value"], bool]
Together = tuple[tuple[str, "Test | None"], ...]
"""Other settings of a line, each with the test of its value; None where the line must not write it."""
Written = Callable[[str], object]
"""Tests whether a verdict applies to the text of an option. Only the truth of the result counts."""


class ReadValue(NamedTuple):
    """A value that was read. `wrong`: None, "bad-value", "missing-value" or "out-of-range". `expected`: the right
    words, or a bound."""

    value: Value
    wrong: str | None = None
    expected: Values | None = None


Reader = Callable[[str], ReadValue]


def c_number(text: str, most: int = _UINT_MAX) -> int | None:
    """An unsigned number as the kernel reads it: 0x4 and 04 are 4; None for 08 and -1, which it refuses."""
    digits = text.removeprefix("+")
    if not digits.isascii() or not digits.isalnum() or len(digits) > MAX_DIGITS:
        return None
    if digits[:2] in ("0x", "0X"):
        digits, base = digits[2:], 16
    elif len(digits) > 1 and digits[0] == "0":
        base = 8
    else:
        base = 10
    try:
        number = int(digits, base)
    except ValueError:
        return None
    return number if number <= most else None


def reader(tunable: Tunable, form: Form) -> Reader:
    kind = tunable.type
    synonyms = tunable.synonyms
    words = list(form.values or tunable.values or ())
    if kind in ("uint", "int"):
        return _number(tunable, form, c_number if kind == "uint" else _decimal)
    if words and kind == "list":
        return _list(words, synonyms, tunable.separator or ":")
    if words:
        known = {str(word): word for word in words} | {**synonyms}
        return lambda text: ReadValue(known[text]) if text in known else ReadValue(None, *_wrong(text, words))
    if kind == "seconds":
        return _matching(lambda text: re.fullmatch(TIME_SPAN, text), "a time span such as 30 or 5min")
    if kind == "pattern":
        pattern = tunable.pattern or ""
        return _matching(lambda text: re.fullmatch(pattern, text), tunable.unit or "another form")
    return ReadValue


def expectation(expected: object) -> str:
    """What a value has to be, in words: "a number from 1 to 16", "all, none or positive"."""
    if isinstance(expected, list):
        *others, last = map(str, expected)
        return f"{', '.join(others)} or {last}" if others else last
    parts = str(expected).split()
    if len(parts) == 2 and parts[0].startswith(">=") and parts[1].startswith("<="):
        return f"a number from {parts[0][2:]} to {parts[1][2:]}"
    return str(expected).replace(">=", "a number from ").replace("<=", "a number up to ")


def _wrong(text: str, expected: Values) -> tuple[str, Values]:
    return ("bad-value" if text else "missing-value", expected)


def _decimal(text: str) -> int | None:
    return integer(text) if text.isascii() and re.fullmatch(_WHOLE, text) else None


def _number(tunable: Tunable, form: Form, convert: Callable[[str], int | None]) -> Reader:
    low, high = tunable.minimum, tunable.maximum if form.maximum is None else form.maximum
    kept = [change.range for change in tunable.becomes]
    bound = " ".join([f">={low}"] * (low is not None) + [f"<={high}"] * (high is not None))

    def read(text: str) -> ReadValue:
        number = convert(text)
        if number is None:
            return ReadValue(None, *_wrong(text, bound or "a number"))
        fits = (low is None or number >= low) and (high is None or number <= high)
        if fits or any(values.inside(number, bounds) for bounds in kept):
            return ReadValue(number)
        return ReadValue(number, "out-of-range", bound)

    return read


def _list(words: list[Scalar], synonyms: Mapping[str, Scalar], separator: str) -> Reader:
    known = {str(word): word for word in words} | dict(synonyms)

    def read(text: str) -> ReadValue:
        if not text:
            return ReadValue(None, "missing-value", list(words))
        parts = [part for part in text.split(separator) if part]
        if any(part not in known for part in parts):
            return ReadValue(None, "bad-value", list(words))
        return ReadValue(separator.join(dict.fromkeys(str(known[part]) for part in parts)) or None)

    return read


def _matching(fits: Callable[[str], re.Match[str] | None], expected: str) -> Reader:
    return lambda text: ReadValue(text) if fits(text) else ReadValue(None, *_wrong(text, expected))


class OptionVerdict(NamedTuple):
    """One `refused` or `ignored` verdict. `kind`: "refused-option" or "ignored-option". `condition`: its name. `fixed`:
    as in `Verdict`."""

    kind: str
    fits: Test | None
    written: Written
    together: Together
    condition: str | None
    why: str
    consequence: str
    cites: tuple[str, ...]
    fixed: bool | None


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

    __slots__ = ("data", "harmless", "id", "implies", "lenient", "needs", "overlooked", "repeat", "rules", "turns")

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
        self.overlooked = tuple(
            Minor(_written(one), one.followed, one.fixed, _together(one), one.why, tuple(one.cites))
            for one in data.overlooked
        )
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

    def __init__(self, tunables: Mapping[str, Tunable], index: OptionIndex | None) -> None:
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
    """The options of one file system type. `guesses`: unknown names and what they may have been meant to be."""

    __slots__ = ("_entries", "_tables", "fstype", "guesses")

    def __init__(self, tables: OptionTables, fstype: str) -> None:
        self._tables = tables
        self._entries: dict[str, tuple[OptionForm, ...]] = {}
        self.fstype = fstype
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
        fits = value_test(list(verdict.values)) if verdict.values is not None else None
        yield OptionVerdict(
            f"{field}-option", fits, _written(verdict), _together(verdict),
            f"{field}:{tunable}:{number}" if verdict.when else None, verdict.why,
            verdict.consequence or consequence, tuple(verdict.cites), verdict.fixed,
        )


def _together(verdict: Verdict | Overlooked | Tries) -> Together:
    return tuple((t, None if p == "absent" else value_test(p)) for t, p in verdict.together.items())


def _written(verdict: Verdict | Overlooked) -> Written:
    form = verdict.written  # compiled, by `re`, when the first such option is read
    return bool if form is None else lambda text: re.fullmatch(form, text)
