"""The option, key or value at the cursor, and what may stand there. To find it, the file is read with a probe, a word
that no file has, instead of the word."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.files import kinds
from advisor.files.embedded import read_embedded
from advisor.files.exports import read as read_exports
from advisor.files.fstab import read as read_fstab
from advisor.files.settings_grammar import SettingsGrammar
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import RuleBase, Scalar, Tunable
from advisor.rulebase.values import COMMON

PROBE = "advisorprobe"
_AROUND = frozenset(",:=()[]{}\"'#;")
"""What separates words, besides spaces."""


class Cursor(NamedTuple):
    """The word at the cursor. `start`, `end`: its offsets. `store`: "mount-option", "export-option", or "setting" in
    files of `name = value`. `section`: of a setting; for a mount option, the type of the mount. `name`: the option or
    key that the word is a value of, None if the word is a name."""

    start: int
    end: int
    word: str
    store: str
    section: str = ""
    name: str | None = None


def cursor(kind: str, text: str, offset: int) -> Cursor | None:
    """The word at an offset of a file; None if it is neither an option, a key nor a value."""
    start = end = offset
    while start and _in_word(text[start - 1]):
        start -= 1
    while end < len(text) and _in_word(text[end]):
        end += 1
    # An unfinished line may lack the equals sign or the semicolon of an assignment.
    for word in (PROBE, f"{PROBE}=x", f"{PROBE}=x;"):
        place = _find(kind, f"{text[:start]}{word}{text[end:]}")
        if place is not None:
            store, section, name = place
            return Cursor(start, end, text[start:end], store, section, name)
    return None


def _in_word(sign: str) -> bool:
    return sign not in _AROUND and not sign.isspace()


def _find(kind: str, text: str) -> tuple[str, str, str | None] | None:
    """The store and section of the probe, and the name before it."""
    for store, options in (
        ("mount-option", _mount_options(kind, text)), ("export-option", _export_options(kind, text)),
    ):
        for fstype, option in options:
            if PROBE in option:
                name, equals, _ = option.partition("=")
                return store, fstype, None if PROBE in name or not equals else name
    for assignment in kinds.read_settings(kind, text, "").settings if kind in kinds.SETTINGS else ():
        if PROBE in assignment.key.text:
            return "setting", assignment.section, None
        if PROBE in assignment.value.text:
            return "setting", assignment.section, assignment.key.text
    return None


def _mount_options(kind: str, text: str) -> Iterator[tuple[str, str]]:
    if kind == "fstab":
        for entry in read_fstab(text, "").entries:
            if PROBE in entry.options.value:
                yield from ((entry.fstype.value, option) for option in entry.options.value.split(","))
        return
    mounts = list(kinds.read_mounts(kind, text, "").mounts) if kind in kinds.MOUNTS else []
    if kind in kinds.AROUND:
        mounts += (mount for _, mount in read_embedded(text, "", kind).mounts)
    for mount in mounts:
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
    """Every name that may be at the cursor, or before the value at the cursor."""
    if at.store == "setting":
        for name in base.ready(SettingsGrammar, kind).names(at.section):
            yield SpelledSetting(name.key, name.tunable, True, tuple(name.tunable.values or ()))
        return
    for tunable in base.tunables.values():
        # Mounts by helpers have all of COMMON.
        known = not tunable.applies_to or {COMMON, at.section}.intersection(tunable.applies_to)
        if tunable.kind == at.store and (at.store != "mount-option" or known):
            for form in tunable.forms:
                words = tuple(form.values or tunable.values or ()) if form.takes else ()
                yield SpelledSetting(form.spelling, tunable, form.takes is not None, words)


def settings_at(base: RuleBase, kind: str, at: Cursor) -> list[Tunable]:
    """The settings that the word at the cursor names, or is a value of."""
    name = at.word if at.name is None else at.name
    tunables = [setting.tunable for setting in vocabulary(base, kind, at) if _matches(setting.spelling, name)]
    return list({tunable.id: tunable for tunable in tunables}.values())


def is_useful(tunable: Tunable) -> bool:
    """Whether a setting has any effect: it is not always refused or ignored."""
    return not any(
        verdict.values is None and verdict.written is None and verdict.when is None and not verdict.together
        for verdict in (*tunable.refused, *tunable.ignored)
    )


def _matches(spelling: str, name: str) -> bool:
    if spelling.endswith("*") and spelling != "*":
        return name.startswith(spelling[:-1])
    return spelling.lower() == name.lower()


def names_at(base: RuleBase, kind: str, at: Cursor, behind: str) -> Iterator[tuple[str, Tunable, str | None]]:
    """Each name once; an option that needs a value, with its equals sign."""
    seen = set()
    for setting in vocabulary(base, kind, at):
        equals = "=" if setting.takes and at.store != "setting" and behind != "=" else ""
        text = f"{setting.spelling}{equals}"
        if "*" not in text and text not in seen and is_useful(setting.tunable):
            seen.add(text)
            yield text, setting.tunable, setting.tunable.about


def values_at(base: RuleBase, kind: str, at: Cursor) -> Iterator[tuple[str, Tunable, str | None]]:
    """The values of the setting that can be listed, else its default if it is a number."""
    seen = set()
    for setting in vocabulary(base, kind, at):
        if setting.spelling.lower() != (at.name or "").lower():
            continue
        default = setting.tunable.default
        for value in map(str, setting.values or ([default] if type(default) is int else ())):
            if value not in seen:
                seen.add(value)
                yield value, setting.tunable, setting.tunable.value_notes.get(value)
