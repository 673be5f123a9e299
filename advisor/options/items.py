"""One mount option, read by itself: which tunable it sets, to what, and what is wrong with how it is written."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple
from advisor.options import reading
from advisor.options.reading import OptionProblem
from advisor.options.table import OptionForm, OptionTable, OptionTables, Shared
from advisor.rulebase import values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.readers.fstab.options import Item
    from advisor.rulebase.model import Becomes
    from advisor.rulebase.model.types import Value



_PLACEHOLDERS = ("${", "{{", "{%", "<%")
"""A template's marks: nobody knows what will stand there, so nothing is said of the option."""


_HARMLESS = "It is silently ignored, and the mount does not fail."


class ReadOption(NamedTuple):
    """An option that was read; its problems speak of the first item with this text. `open`: problems that hang on a
    condition, as in `Line.pending`. `stands`: it has a value that can be used."""

    entry: OptionForm | None
    value: Value
    problems: tuple[OptionProblem, ...]
    open: tuple[tuple[OptionProblem, bool | None], ...]
    stands: bool


def read_item(tables: OptionTables, table: OptionTable, fstype: str, item: Item) -> ReadOption:
    """Read one option (`item.text`, `.name`, `.value`)."""
    if not item.text:
        return _nameless(
            OptionProblem("empty-option", "", item.start, None, None, None, "an empty option", "", "ignored", (), "")
        )
    if any(mark in item.text for mark in _PLACEHOLDERS):
        return ReadOption(None, None, (), (), False)
    entries = table.entries(item.name)
    family = next((entry for entry in entries if entry.spelling.endswith("*") and entry.shared.rules), None)
    if not entries or family is not None:
        from advisor.options import guess  # noqa: PLC0415  most files have no unknown option

        unknown = guess.unknown(tables, table, fstype, item, family)
        if unknown is not None:
            return _nameless(unknown)
    fitting = [entry for entry in entries if entry.takes(item.value)]
    if not fitting:
        return _misused(entries[0], item)
    plain = next((e for e in fitting if e.condition is None), None)
    wide = next((e for e in fitting if e.condition is not None), None)
    entry = plain or wide
    assert entry is not None
    got = _word(entry, item)
    if got.wrong:
        wider = _word(wide, item) if plain and wide else got
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


def _nameless(problem: OptionProblem) -> ReadOption:
    return ReadOption(None, None, (problem,), (), False)


def _word(entry: OptionForm, item: Item) -> reading.ReadValue:
    if entry.read is None or item.value is None:
        return reading.ReadValue(entry.means if entry.means is not None else True)
    return entry.read(item.value)


def _usable(
    entry: OptionForm, item: Item, written: Value, unsure: tuple[tuple[OptionProblem, bool | None], ...]
) -> ReadOption:
    shared = entry.shared
    value, change = reading.changed(shared.data, written)
    problems: tuple[OptionProblem, ...] = ()
    if change is not None:
        problems = (_changed(shared, item, written, value, change),)
    if entry.read is None and item.value is not None:
        why = "The value after the equals sign is ignored."
        problems = (*problems, _unexpected(entry, item, f"{item.text} is read as {item.name}", why, "ignored"))
    if shared.needs is not None:
        unsure = (*unsure, (_too_old(entry, item, shared.needs), False))
    return ReadOption(entry, value, problems, unsure, True)


def _changed(shared: Shared, item: Item, written: Value, value: Value, change: Becomes) -> OptionProblem:
    """That a number comes out as another one, and the number to write; the same number where 0 stands for a choice."""
    how, better, suggestion = change.how, value, None
    effect = f"{item.text}: {how}"
    if value != written and isinstance(written, int):
        effect = f"{item.text} is used as {values.spell(shared.data, value)}"
        since = change.power_before
        if since and (old := reading.power_below(written)) != value:
            effect = f"{effect}, before Linux {since} as {old}"
        better = reading.meant(change, written) or value
        suggestion = values.spell(shared.data, better)
    return OptionProblem(
        "value-changed", item.text, item.start, shared.id, written, better, effect, f"{how[0].upper()}{how[1:]}.",
        "ignored", tuple(change.cites), suggestion,
    )


def _misused(entry: OptionForm, item: Item) -> ReadOption:
    shared = entry.shared
    consequence, why = ("ignored", _HARMLESS) if shared.harmless else ("mount-fails", "")
    if item.value is not None:
        problem = _unexpected(entry, item, f"{item.name} takes no value", why, consequence)
    else:
        problem = OptionProblem(
            "missing-value", item.text, item.start, shared.id, None, None, f"{item.text} needs a value", why,
            consequence, tuple(shared.data.cites),
        )
    return ReadOption(entry, None, (problem,), (), False)


def _unexpected(entry: OptionForm, item: Item, message: str, why: str, consequence: str) -> OptionProblem:
    shared = entry.shared
    cites = tuple(shared.data.cites)
    return OptionProblem(
        "unexpected-value", item.text, item.start, shared.id, item.value, None, message, why, consequence, cites,
        item.name,
    )


def _wrong(entry: OptionForm, item: Item, got: reading.ReadValue) -> OptionProblem:
    shared = entry.shared
    meant = reading.suffixed(item.value or "", shared.data.unit)
    suggestion = None if meant is None else f"{item.name}={meant}"
    if suggestion is None and ";" in (item.value or ""):
        suggestion = item.text.replace(";", ",")
    forgiven = shared.harmless if got.wrong == "missing-value" else shared.lenient
    return OptionProblem(
        got.wrong or "bad-value", item.text, item.start, shared.id, item.value, got.expected,
        f"{item.text}: {entry.spelling} takes {reading.expectation(got.expected)}", _HARMLESS if forgiven else "",
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
