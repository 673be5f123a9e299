"""Guesses the intended name of an unknown option or file system type. Imported only if there is one."""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache

from advisor.files.option_reading import OptionProblem
from advisor.files.option_table import OptionForm, OptionTable, OptionTables
from advisor.rulebase.model import Tunable
from advisor.rulebase.spelling import one_slip
from advisor.rulebase.values import COMMON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.files.fstab.libmount import Item

ALIKE = 0.75
"""Least similarity (difflib ratio) of a suggested name."""


def unknown(
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
        "unknown-option", item.text, item.start, None, item.value, None, message, why, consequence, cites, meant
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
    return next((name for name in known if one_slip(word, name)), None)
