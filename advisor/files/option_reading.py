"""Read a single mount option: the tunable that it sets, the value, mistakes in its form, and the option that an unknown
one was meant to be."""

from __future__ import annotations

from functools import lru_cache

from advisor.files.libmount import Item
from advisor.files.option_table import MAX_DIGITS, OptionForm, OptionTable, OptionTables, ReadValue, Shared, expectation
from advisor.named_tuple import NamedTuple
from advisor.rulebase import values
from advisor.rulebase.model import Becomes, Tunable, Value, Values
from advisor.rulebase.values import COMMON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_FACTORS = {
    "bytes": {"k": 1 << 10, "K": 1 << 10, "m": 1 << 20, "M": 1 << 20, "g": 1 << 30, "G": 1 << 30},
    "deciseconds": {"s": 10},
    "seconds": {"s": 1},
    "minutes": {"m": 1},
}
ALIKE = 0.75
"""Least similarity (difflib ratio) of a suggested name."""
_NO_HARM = {"consequence": "ignored", "why": "It is silently ignored, and the mount does not fail."}


class OptionProblem(NamedTuple):
    """What is wrong with one option. `kind`: a stable name. `text`: the option as written. `start`: its offset in the
    list. `suggestion`: what to write instead, "" to remove it, None if that is not known. `condition`: the open
    condition on which the problem depends, None if it is certain."""

    kind: str
    text: str
    start: int
    message: str
    tunable: str | None = None
    value: Value = None
    expected: Values | None = None
    why: str = ""
    consequence: str = "mount-fails"
    cites: tuple[str, ...] = ()
    suggestion: str | None = None
    condition: str | None = None


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
        empty = OptionProblem("empty-option", "", item.start, "an empty option", consequence="ignored", suggestion="")
        return ReadOption(None, None, (empty,), (), False)
    entries = table.entries(item.name)
    family = next((entry for entry in entries if entry.spelling.endswith("*") and entry.shared.rules), None)
    if not entries or family is not None:
        unknown = unknown_option(tables, table, fstype, item, family)
        if unknown is not None:
            return ReadOption(None, None, (unknown,), (), False)
    fitting = [entry for entry in entries if entry.takes(item.value)]
    if not fitting:
        return ReadOption(entries[0], None, (_misused_option(entries[0], item),), (), False)
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


def _read_value(entry: OptionForm, item: Item) -> ReadValue:
    if entry.read is None or item.value is None:
        return ReadValue(entry.means if entry.means is not None else True)
    return entry.read(item.value)


def _problem(kind: str, shared: Shared, item: Item, message: str, **more: Any) -> OptionProblem:
    """The problem of an option of this tunable. `more`: fields of OptionProblem."""
    fields = {"value": item.value, "cites": tuple(shared.data.cites), **more}
    return OptionProblem(kind, item.text, item.start, message, shared.id, **fields)


def _usable(
    entry: OptionForm, item: Item, written: Value, unsure: tuple[tuple[OptionProblem, bool | None], ...]
) -> ReadOption:
    shared = entry.shared
    value, change = value_in_use(shared.data, written)
    problems: tuple[OptionProblem, ...] = ()
    if change is not None:
        problems = (_changed_value(shared, item, written, value, change),)
    if entry.read is None and item.value is not None:
        problems = (*problems, _problem(
            "unexpected-value", shared, item, f"{item.text} is read as {item.name}", consequence="ignored",
            why="The value after the equals sign is ignored.", suggestion=item.name,
        ))
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
        if since and (old := power_below(written)) != value:
            effect = f"{effect}, before Linux {since} as {old}"
        better = nearby_power(change, written) or value
        suggestion = values.spell(shared.data, better)
    return _problem(
        "value-changed", shared, item, effect, value=written, expected=better, why=f"{how[0].upper()}{how[1:]}.",
        consequence="ignored", cites=tuple(change.cites), suggestion=suggestion,
    )


def _misused_option(entry: OptionForm, item: Item) -> OptionProblem:
    """That an option lacks its value, or has one that it may not have."""
    harm = _NO_HARM if entry.shared.harmless else {}
    if item.value is None:
        return _problem("missing-value", entry.shared, item, f"{item.text} needs a value", **harm)
    message = f"{item.name} takes no value"
    return _problem("unexpected-value", entry.shared, item, message, suggestion=item.name, **harm)


def _wrong(entry: OptionForm, item: Item, got: ReadValue) -> OptionProblem:
    shared = entry.shared
    meant = parse_suffixed(item.value or "", shared.data.unit)
    suggestion = None if meant is None else f"{item.name}={meant}"
    if suggestion is None and ";" in (item.value or ""):
        suggestion = item.text.replace(";", ",")
    forgiven = shared.harmless if got.wrong == "missing-value" else shared.lenient
    harm = _NO_HARM if forgiven else {}
    return _problem(
        got.wrong or "bad-value", shared, item, f"{item.text}: {entry.spelling} takes {expectation(got.expected)}",
        expected=got.expected, suggestion=suggestion, **harm,
    )


def _too_old(entry: OptionForm, item: Item, condition: str) -> OptionProblem:
    shared, vendor = entry.shared, entry.shared.data.vendor
    if vendor:
        message, why = f"{item.text} is an option of the {vendor}", shared.data.about or ""
        return _problem("vendor-option", shared, item, message, why=why, condition=condition)
    return _problem("too-old-client", shared, item, f"this client does not know {item.text}", condition=condition)


def unknown_option(
    tables: OptionTables, table: OptionTable, fstype: str, item: Item, family: OptionForm | None
) -> OptionProblem | None:
    """The problem of an option that the file system type does not know, with the nearest one that it knows.

    `family`: the entry that accepts every option with this prefix (`x-systemd.`), so that the mount does not fail; the
    result is then None unless a known option is near."""
    meant = _nearest(tables, table, item)
    if family is not None and meant is None:
        return None
    elsewhere = tables.elsewhere(item.name)
    if elsewhere is not None:
        types = ", ".join(elsewhere.applies_to or [COMMON])
        message = f"{item.name} is an option of {types}, not of {fstype}"
        why, cites, meant = elsewhere.about or "", tuple(elsewhere.cites), ""
    else:
        blank = item.text != item.text.strip()
        shown = f'"{item.text}": the space is part of the name' if blank else item.text
        message = f"unknown option {shown}" + (f"; did you mean {meant}?" if meant else "")
        why, cites = "", ()
        if meant and not any(entry.takes(None) for entry in table.entries(meant)) and "=" not in meant:
            message, meant = f"unknown option {shown}; did you mean {meant}=…?", None
        elif meant and _has_certain_verdict(table, meant, "refused-option"):
            message, meant = f"unknown option {shown}", None
        elif meant and _has_certain_verdict(table, meant, "ignored-option"):
            message, meant = f"unknown option {item.text}; {meant} would have no effect either", ""
        elif meant and _refused_somewhere(table, meant):
            meant = None  # name it, but do not propose it: some clients would refuse it too
    if family is not None:
        why, cites = family.shared.rules[0].why, family.shared.rules[0].cites
    consequence = "mount-fails" if family is None else "ignored"
    return OptionProblem(
        "unknown-option", item.text, item.start, message, value=item.value, why=why, consequence=consequence,
        cites=cites, suggestion=meant,
    )


def _has_certain_verdict(table: OptionTable, option: str, kind: str) -> bool:
    """Whether an option, as written and alone in its line, gets a verdict of this kind on every client."""
    name = option.partition("=")[0]
    return any(
        rule.kind == kind and rule.condition is None and rule.fits is None
        and all(test is None for _, test in rule.together)
        for entry in table.entries(name) for rule in entry.shared.rules
    )


def _refused_somewhere(table: OptionTable, option: str) -> bool:
    """Whether some clients refuse the setting of an option without a value (`v2`)."""
    return any(
        rule.kind == "refused-option" and rule.fits is not None and rule.fits(entry.means)
        and all(test is None for _, test in rule.together)
        for entry in table.entries(option) if entry.read is None for rule in entry.shared.rules
    )


def _nearest(tables: OptionTables, table: OptionTable, item: Item) -> str | None:
    name, value = item.name.strip(), item.value
    if name != item.name and table.entries(name):
        return _with_value(table.entries(name), name, value)
    bare = item.text.strip("\"'")
    if bare != item.text and table.entries(bare.partition(",")[0].partition("=")[0]):
        return str(bare)  # quotes do not group in fstab
    if value is None and ":" in name and table.entries(name.partition(":")[0]):
        name, _, value = name.partition(":")
        return f"{name}={value}"
    if value is None:
        name, value = _with_number(tables, table, name)
    known = _known_name(tables, table, name)
    return None if known is None else _with_value(table.entries(known), known, value)


def _with_number(tables: OptionTables, table: OptionTable, name: str) -> tuple[str, str | None]:
    """A name, and the number that follows it without an equals sign (`vers4.2`), None if the option has no such value.
    If no option with a value has that name, the whole word is the name."""
    word = name.rstrip("0123456789.")
    number = name[len(word):]
    known = _known_name(tables, table, word) if word and number else None
    readers = [entry.read for entry in table.entries(known) if entry.read is not None] if known and number else []
    if not readers:
        return name, None
    return word, number if any(read(number).wrong is None for read in readers) else None


def _known_name(tables: OptionTables, table: OptionTable, name: str) -> str | None:
    """The known name that a name was meant to be: itself, if it is known."""
    if table.spelled(name) and not name.endswith("*"):
        return name
    known = tables.misspellings.get(name) or tables.misspellings.get(name.lower())
    if known is None:
        if name not in table.guesses:
            table.guesses[name] = _similar(table, name.lower())
        known = table.guesses[name]
    return known


def _similar(table: OptionTable, name: str) -> str | None:
    """The known name most similar to an unknown one; None if none is similar enough."""
    letters, size = set(name), len(name)
    # Comparing is slow, and nearly all names can be ruled out by their lengths and letters alone.
    could = {
        folded: known for folded, known, length, own in _folded(table)
        if 2 * min(size, length) >= ALIKE * (size + length) <= 2 * (length - len(own - letters))
    }
    from difflib import get_close_matches  # noqa: PLC0415  most files have no unknown option

    close = get_close_matches(name, could, 1, ALIKE)
    return could[close[0]] if close else None


@lru_cache(maxsize=8)
def _folded(table: OptionTable) -> list[tuple[str, str, int, set[str]]]:
    """The names of a table: (in lower case, as spelled, length, set of letters in lower case)."""
    return [(known.lower(), known, len(known), set(known.lower())) for known in table.names()]


def _with_value(entries: tuple[OptionForm, ...], name: str, value: str | None) -> str:
    takes = any(entry.read is not None for entry in entries)
    return f"{name}={value.strip()}" if takes and value is not None else name


def meant_type(fstype: str, tunable: Tunable) -> str | None:
    """The type that a misspelled one was meant to be (`NFS`, `nfsv4.1`); None for that of another file system.
    `tunable`: fstab.type."""
    word = fstype.lower()
    if word in tunable.lookalikes:
        return None
    known = [str(value) for value in tunable.values or ()]
    if word.rstrip("0123456789.-_").removesuffix("v").rstrip("-_") == known[0] and word not in known:
        return known[0]
    from advisor.rulebase.spelling import one_slip  # noqa: PLC0415  most lines of host:/path have a type that is known

    return next((name for name in known if one_slip(word, name)), None)


def parse_suffixed(text: str, unit: str | None) -> int | None:
    """A number with a suffix (1M, 60s) in the option's own unit; None if the suffix means nothing for it."""
    factors = _FACTORS.get(unit or "", {})
    if 1 < len(text) <= MAX_DIGITS and text[-1] in factors and text[:-1].isascii() and text[:-1].isdigit():
        return int(text[:-1]) * factors[text[-1]]
    return None


def value_in_use(tunable: Tunable, number: Value) -> tuple[Value, Becomes | None]:
    """The number that the client uses for an accepted one, and the entry of `becomes` for that, None if unchanged."""
    if not isinstance(number, int):
        return number, None
    for change in tunable.becomes:
        if not values.inside(number, change.range):
            continue
        result: Value
        if change.value is not None:
            result = change.value
        elif change.multiple_of:
            result = number - number % change.multiple_of
        elif change.power_of_two:
            result = power_below(number)
        else:
            return number, change
        return (number, None) if result == number else (result, change)
    return number, None


def power_below(number: int) -> int:
    """The number rounded down to a power of two; 0 stays 0."""
    return 1 << number.bit_length() >> 1


def nearby_power(change: Becomes, number: int) -> int | None:
    """The power of two that a number close to it was meant to be (65535, or 1000000 for a mebibyte), or None."""
    below = power_below(number)
    near = min(below, 2 * below, key=lambda power: abs(power - number))
    return near if abs(near - number) * 100 <= (-1 if change.meant is None else change.meant) * number else None
