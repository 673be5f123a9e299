"""What stands at a place of a text: found by writing a word there that nobody else writes, and reading the file."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.named_tuple import NamedTuple
from advisor.readers import mounts, settings
from advisor.readers.exports import read as read_exports
from advisor.readers.fstab import read as read_fstab

PROBE = "advisorprobe"
_AROUND = frozenset(",:=()[]{}\"'#;")
"""What stands between words, beside blanks."""


class Cursor(NamedTuple):
    """`start`, `end`: where the word stands. `store`: "mount-option", "export-option", or "setting" for what files of
    `name = value` hold. `section`: that of a setting, and of an option the type of the mount. `name`: of the option or
    key of which the word is a value, None where it is itself one."""

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
    for store, said in (("mount-option", _mounted(kind, text)), ("export-option", _exported(kind, text))):
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


def _mounted(kind: str, text: str) -> Iterator[tuple[str, str]]:
    """The type and the text of each option."""
    if kind == "fstab":
        for entry in read_fstab(text, "").entries:
            if entry.options is not None and entry.fstype is not None and PROBE in entry.options.value:
                yield from ((entry.fstype.value, option) for option in entry.options.value.split(","))
    elif kind in mounts.READ:
        for mount in mounts.read(kind, text, "").mounts:
            yield from ((mount.fstype.value, part.text) for part in mount.options.parts)


def _exported(kind: str, text: str) -> Iterator[tuple[str, str]]:
    if kind == "exports":
        for export in read_exports(text):
            yield from (("", part.text) for part in export.options.parts)
