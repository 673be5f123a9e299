"""What the cursor is on, and which names of settings may be there. It is found by reading the file with a probe, a
word that no file has, in the place of the word at the cursor."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.lint.settings_grammar import SettingsGrammar
from advisor.named_tuple import NamedTuple
from advisor.options.table import COMMON
from advisor.readers import mounts, settings
from advisor.readers.exports import read as read_exports
from advisor.readers.fstab import read as read_fstab

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase, Tunable
    from advisor.rulebase.model.types import Scalar

PROBE = "advisorprobe"
_AROUND = frozenset(",:=()[]{}\"'#;")
"""What separates words, besides spaces."""


class Cursor(NamedTuple):
    """`start`, `end`: where the word stands. `store`: "mount-option", "export-option", or "setting" for what files of
    `name = value` hold. `section`: that of a setting, and of an option the type of the mount. `name`: of the option or
    key of which the word is a value, None if it is itself one."""

    start: int
    end: int
    word: str
    store: str
    section: str = ""
    name: str | None = None


def cursor(kind: str, text: str, offset: int) -> Cursor | None:
    """What a file of this kind has at the character with this number; None for what is neither option nor value."""
    start = end = offset
    while start and _in_word(text[start - 1]):
        start -= 1
    while end < len(text) and _in_word(text[end]):
        end += 1
    # What is half written may lack what makes it an assignment.
    for word in (PROBE, f"{PROBE}=x", f"{PROBE}=x;"):
        found = _find(kind, f"{text[:start]}{word}{text[end:]}")
        if found is not None:
            store, section, name = found
            return Cursor(start, end, text[start:end], store, section, name)
    return None


def _in_word(sign: str) -> bool:
    return sign not in _AROUND and not sign.isspace()


def _find(kind: str, text: str) -> tuple[str, str, str | None] | None:
    """The store and section of the probe, and the name before it."""
    for store, said in (("mount-option", _mount_options(kind, text)), ("export-option", _export_options(kind, text))):
        for fstype, option in said:
            if PROBE in option:
                name, equals, _ = option.partition("=")
                return store, fstype, None if PROBE in name or not equals else name
    for one in settings.read(kind, text, "").settings if kind in settings.READ else ():
        if PROBE in one.key.text:
            return "setting", one.section, None
        if PROBE in one.value.text:
            return "setting", one.section, one.key.text
    return None


def _mount_options(kind: str, text: str) -> Iterator[tuple[str, str]]:
    """The type and the text of each option."""
    if kind == "fstab":
        for entry in read_fstab(text, "").entries:
            if entry.options is not None and entry.fstype is not None and PROBE in entry.options.value:
                yield from ((entry.fstype.value, option) for option in entry.options.value.split(","))
    elif kind in mounts.READ:
        for mount in mounts.read(kind, text, "").mounts:
            yield from ((mount.fstype.value, part.text) for part in mount.options.parts)


def _export_options(kind: str, text: str) -> Iterator[tuple[str, str]]:
    if kind == "exports":
        for export in read_exports(text):
            yield from (("", part.text) for part in export.options.parts)


class SpelledSetting(NamedTuple):
    """One spelling of a setting. `takes`: whether a value follows; `values`: those that can be listed."""

    spelling: str
    tunable: Tunable
    takes: bool
    values: tuple[Scalar, ...] = ()


def vocabulary(base: RuleBase, kind: str, at: Cursor) -> Iterator[SpelledSetting]:
    """Every name that may be where the cursor is, or before the value that stands there."""
    if at.store == "setting":
        for name in base.ready(SettingsGrammar, kind).names(at.section):
            yield SpelledSetting(name.key, name.tunable, True, tuple(name.tunable.values or ()))
        return
    for tunable in base.tunables.values():
        if tunable.kind == at.store and (at.store != "mount-option" or _is_known(tunable, at.section)):
            for form in tunable.forms:
                words = tuple(form.values or tunable.values or ()) if form.takes else ()
                yield SpelledSetting(form.spelling, tunable, form.takes is not None, words)


def settings_at(base: RuleBase, kind: str, at: Cursor) -> list[Tunable]:
    """The settings that the word at the cursor writes, or of which it is a value."""
    name = at.word if at.name is None else at.name
    found = [one.tunable for one in vocabulary(base, kind, at) if _matches(one.spelling, name)]
    return list({one.id: one for one in found}.values())


def is_useful(tunable: Tunable) -> bool:
    """Whether it is of any use: not refused or ignored whatever else is set."""
    return not any(
        one.values is None and one.written is None and one.when is None and not one.together
        for one in (*tunable.refused, *tunable.ignored)
    )


def _is_known(tunable: Tunable, fstype: str) -> bool:
    """Whether mounts of this type know the option; those of helpers know all of COMMON."""
    return not tunable.applies_to or COMMON in tunable.applies_to or fstype in tunable.applies_to


def _matches(spelling: str, name: str) -> bool:
    if spelling.endswith("*") and spelling != "*":
        return name.startswith(spelling[:-1])
    return spelling.lower() == name.lower()
