"""The options of an export as exportfs reads them: what each sets, and at which exportfs stops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from advisor.files.exports import UUID_DIGITS, Export, file_system, read, strtoul
from advisor.files.option_reading import Setting
from advisor.files.placeholders import has_markup
from advisor.lint.rule_index import RuleIndex
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model.tunables import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model import Tunable
    from advisor.rulebase.model.types import Value

LONGEST = 40
"""Letters of the longest word for which a similar option is searched: the search is slow."""
Spellings = dict[str, tuple[str, Form]]
"""The spelling of an option, with the equals sign if a value follows → its tunable and its form."""
UNPROVED = ("sys", "unix", "none", "null")
OF_A_FLAVOUR = ("exports.sec", "exports.rw", "exports.root_squash", "exports.all_squash")
"""Tunables that may be set for each security flavour, after its `sec=`."""


def spellings(index: RuleIndex) -> Spellings:
    """Every option of an export by its spelling."""
    return {
        f"{form.spelling}=" if form.takes else form.spelling: (tunable, form)
        for tunable, definition in index.tunables.items() if tunable.startswith("exports.") for form in definition.forms
    }


def option(index: RuleIndex, text: str, forms: Spellings) -> tuple[str, Value, str | None]:
    """The tunable that an option sets, "" if unknown; its value; and what is wrong with it in words, or None."""
    name, equals, value = text.partition("=")
    tunable, form = forms.get(name + equals, ("", None))
    if form is None:
        near = get_close_matches(name, forms, 1) if 0 < len(name) <= LONGEST else []
        hint = f" (did you mean {near[0]}?)" if near and near[0] != name else ""
        return "", None, f"{text} is not an export option{hint}" if text else "an empty option between two commas"
    if not form.takes:
        return tunable, form.means, None
    definition = index.tunables[tunable]
    if definition.type == "int" and not re.fullmatch(r"[+-]?[0-9]+", value):
        return tunable, None, f"{text}: {name} takes a number, not a name"
    if definition.type in ("enum", "list"):
        items = value.split(":") if definition.type == "list" else [value]
        unknown = [item for item in items if item not in (definition.values or ())]
        if unknown:
            taken = ", ".join(map(str, definition.values or ()))
            return tunable, None, f"{text}: {name} takes {taken}, not {unknown[0]}"
    if name == "fsid" and file_system(value) is None:
        return tunable, None, f"{text}: fsid takes root, a number or a UUID"
    if name == "sec":  # of several flavours, one without authentication decides
        value = next((flavour for flavour in value.split(":") if flavour in UNPROVED), value)
    return tunable, int(value) if definition.type == "int" else value, None


def combined(tunable: Tunable, before: Setting | None, value: Value) -> Value:
    """The value of an option that is given several times and whose words add up, in the order of the tunable."""
    words = {*str(before.value).split(":"), *str(value).split(":")} if before else set(str(value).split(":"))
    return ":".join(str(word) for word in tunable.values or () if word in words)


def wrapped_number(tunable: str, text: str) -> str | None:
    """What becomes of a number that is too large, in words (exportfs keeps its lowest 32 bits); None for others."""
    name, _, value = text.partition("=")
    whole = strtoul(value) if tunable in ("exports.fsid", "exports.anonuid", "exports.anongid") else None
    if whole is None:
        return None
    whole = whole if name == "fsid" else int(value)
    if -(1 << 31) <= whole < 1 << 32:
        return None
    if name == "fsid" and len(value) == UUID_DIGITS and value.isdigit():
        return f"{text}: 32 digits without a letter are a number, not a UUID, and become fsid=4294967295"
    kept = f" and becomes {name}={whole & 0xFFFFFFFF}" if 0 < whole < 1 << 64 else ""
    return f"{text} is too large{kept}"


def misplaced(before: list[str], text: str) -> str | None:
    """Why an option must not follow those `before` it in its list, in words; None if it may."""
    if not any(earlier.startswith("reexport=") for earlier in before):
        return None
    if text.startswith("fsid="):
        return f"{text}: fsid= must stand before reexport="
    return f"{text}: only one reexport= is allowed" if text.startswith("reexport=") else None


class FullOptions(NamedTuple):
    """The options of an export: those in effect, those that a later one overrides (`idle`), and the defaults."""

    written: tuple[str, ...]
    idle: tuple[str, ...]
    defaults: tuple[str, ...]


def each_in_full(index: RuleIndex, source: str) -> Iterator[tuple[str, str, FullOptions | str]]:
    """Path, client and full options of every export of a text; a message in place of options that are not known."""
    forms = spellings(index)
    for export in read(source):
        if not export.path.text:
            continue
        reason: FullOptions | str | None = None
        if export.bad is not None:
            reason = f"cannot be read: {export.bad}"
        elif not has_markup(export.options.text):
            reason = in_full(index, export, forms)
        reason = reason or "the options hold a word that stands for others, or that exportfs does not know"
        yield export.path.text, export.client.text, reason


def in_full(index: RuleIndex, export: Export, forms: Spellings) -> FullOptions | None:
    """The options in force for a client; None if a word is not an option."""
    last: dict[str, int] = {}
    group = ""
    parts = [part.text for part in export.options.parts if part.text]
    for number, text in enumerate(parts):
        tunable, _, wrong = option(index, text, forms)
        if wrong is not None:
            return None
        if tunable == "exports.sec":
            group = text  # the following options apply to these flavours
        adds = index.tunables[tunable].repeat == "adds"
        last[f"{tunable} {text if adds else group}" if adds or tunable in OF_A_FLAVOUR else tunable] = number
    written = {name.partition(" ")[0] for name in last}
    counting = set(last.values())
    defaults = [
        spelled for tunable in dict.fromkeys(tunable for tunable, _ in forms.values()) if tunable not in written
        for spelled in _default(index, tunable)
    ]
    return FullOptions(
        tuple(text for number, text in enumerate(parts) if number in counting),
        tuple(text for number, text in enumerate(parts) if number not in counting), tuple(defaults),
    )


def _default(index: RuleIndex, tunable: str) -> Iterator[str]:
    """The option that would set a tunable to its default, if there is one."""
    definition = index.tunables[tunable]
    for form in definition.forms if definition.default is not None else ():
        if form.takes is None and form.means == definition.default:
            yield form.spelling
            return
        if form.takes == "value" and definition.default != "none":
            yield f"{form.spelling}={definition.default}"
            return


def effect(index: RuleIndex, export: Export, forms: Spellings) -> dict[str, Value] | None:
    """Tunable → value in effect, for the options of an export. None if several flavours have separate options, or if a
    word is not an option."""
    values: dict[str, Value] = {
        tunable: index.tunables[tunable].default for tunable, form in forms.values() if form.takes is None
    }
    flavours = 0
    for part in export.options.parts:
        if not part.text:
            continue
        tunable, value, wrong = option(index, part.text, forms)
        if wrong is not None:
            return None
        flavours += part.text.startswith("sec=")
        if index.tunables[tunable].repeat == "adds":
            before = Setting(values[tunable], "", 0, 0, "") if tunable in values else None
            value = combined(index.tunables[tunable], before, value)
        values[tunable] = part.text.partition("=")[2] if tunable == "exports.sec" else value
    values["exports.sec"] = values.get("exports.sec") or "sys"
    return values if flavours < 2 else None
