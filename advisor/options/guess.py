"""What an unknown option, or file system type, may have been meant to be. Loaded only when there is one."""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache

from advisor.options.reading import OptionProblem
from advisor.options.table import COMMON, OptionForm, OptionTable, OptionTables
from advisor.rulebase.model import Tunable
from advisor.rulebase.spelling import one_slip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.readers.fstab.libmount import Item



ALIKE = 0.75
"""How much of two names has to be the same for one to be a slip for the other (see difflib)."""


def unknown(
    tables: OptionTables, table: OptionTable, fstype: str, item: Item, family: OptionForm | None
) -> OptionProblem | None:
    """The problem of an option that the type does not know, with the nearest one that it does.

    `family`: what takes all that begins so (`x-systemd.` and a word), so that nothing fails over it; then None, unless
    a known option is near."""
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
        shown = f'"{item.text}": the blank is part of the name' if blank else item.text
        message = f"unknown option {shown}" + (f"; did you mean {meant}?" if meant else "")
        why, cites = "", ()
        if meant and not any(one.takes(None) for one in table.entries(meant)) and "=" not in meant:
            message, meant = f"unknown option {shown}; did you mean {meant}=…?", None
        elif meant and _always(table, meant, "refused-option"):
            message, meant = f"unknown option {shown}", None
        elif meant and _always(table, meant, "ignored-option"):
            message, meant = f"unknown option {item.text}; {meant} would have no effect either", ""
        elif meant and _refused_somewhere(table, meant):
            meant = None  # a guess, and no proposal: some clients would refuse that in turn
    if family is not None:
        why, cites = family.shared.rules[0].why, family.shared.rules[0].cites
    consequence = "mount-fails" if family is None else "ignored"
    return OptionProblem(
        "unknown-option", item.text, item.start, None, item.value, None, message, why, consequence, cites, meant
    )


def _always(table: OptionTable, option: str, kind: str) -> bool:
    """Whether an option, as written, meets a verdict of this kind on every client, alone in its line."""
    name = option.partition("=")[0]
    return any(
        rule.kind == kind and rule.condition is None and rule.fits is None
        and all(test is None for _, test in rule.together)
        for entry in table.entries(name) for rule in entry.shared.rules
    )


def _refused_somewhere(table: OptionTable, option: str) -> bool:
    """Whether some clients refuse what a bare word sets (`v2`)."""
    return any(
        rule.kind == "refused-option" and rule.fits is not None and rule.fits(entry.means)
        and all(test is None for _, test in rule.together)
        for entry in table.entries(option) if entry.read is None for rule in entry.shared.rules
    )


def _nearest(tables: OptionTables, table: OptionTable, item: Item) -> str | None:
    name, value = item.name.strip(), item.value
    if name != item.name and table.entries(name):
        return _written(table.entries(name), name, value)
    bare = item.text.strip("\"'")
    if bare != item.text and table.entries(bare.partition(",")[0].partition("=")[0]):
        return str(bare)  # quotes do not group in fstab
    if value is None and ":" in name and table.entries(name.partition(":")[0]):
        name, _, value = name.partition(":")
        return f"{name}={value}"
    if value is None:
        name, value = _with_number(tables, table, name)
    found = _meant(tables, table, name)
    return None if found is None else _written(table.entries(found), found, value)


def _with_number(tables: OptionTables, table: OptionTable, name: str) -> tuple[str, str | None]:
    """A name, and the number that stands behind it without an equals sign (`vers4.2`): None where the option has no
    such value. Where nothing that takes a value has that name, all of it is the name."""
    word = name.rstrip("0123456789.")
    number = name[len(word):]
    known = _meant(tables, table, word) if word and number else None
    readers = [one.read for one in table.entries(known) if one.read is not None] if known and number else []
    if not readers:
        return name, None
    return word, number if any(read(number).wrong is None for read in readers) else None


def _meant(tables: OptionTables, table: OptionTable, name: str) -> str | None:
    """The known name that an unknown one stands for, and a known one itself."""
    if table.spelled(name) and not name.endswith("*"):
        return name
    found = tables.misspellings.get(name) or tables.misspellings.get(name.lower())
    if found is None:
        if name not in table.guesses:
            table.guesses[name] = _similar(table, name.lower())
        found = table.guesses[name]
    return found


def _similar(table: OptionTable, name: str) -> str | None:
    """The known name that is most like an unknown one."""
    letters, size = set(name), len(name)
    # What cannot be alike, by length and by letters alone, is not compared, which takes long: nearly all names.
    could = {
        folded: known for folded, known, length, own in _folded(table)
        if 2 * min(size, length) >= ALIKE * (size + length) <= 2 * (length - len(own - letters))
    }
    close = get_close_matches(name, could, 1, ALIKE)
    return could[close[0]] if close else None


@lru_cache(maxsize=8)
def _folded(table: OptionTable) -> list[tuple[str, str, int, set[str]]]:
    """The names of a table: in small letters, as they are, their length, their letters."""
    return [(known.lower(), known, len(known), set(known.lower())) for known in table.names()]


def _written(entries: tuple[OptionForm, ...], name: str, value: str | None) -> str:
    takes = any(entry.read is not None for entry in entries)
    return f"{name}={value.strip()}" if takes and value is not None else name


def meant_type(fstype: str, tunable: Tunable) -> str | None:
    """The type that a slip stands for (`NFS`, `nfsv4.1`), None for another file system's. `tunable`: fstab.fstype."""
    word = fstype.lower()
    if word in tunable.lookalikes:
        return None
    known = [str(one) for one in tunable.values or ()]
    if word.rstrip("0123456789.-_").removesuffix("v").rstrip("-_") == known[0] and word not in known:
        return known[0]
    return next((one for one in known if one_slip(word, one)), None)
