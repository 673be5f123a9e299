"""nfsmount.conf(5): a section of options for all mounts, for those of one server, or for one mount point."""

from __future__ import annotations

from advisor.files import conffile
from advisor.files.spans import Span
from advisor.files.tables import MountEntry, MountTable, TextPart, TextParts, Token
from advisor.named_tuple import NamedTuple

_GLOBAL, _SERVER, _POINT = "nfsmount_global_options", "server", "mountpoint"
_RENAMED = {"background": "bg", "foreground": "fg"}
_OPPOSITE = {"bg": "fg", "fg": "bg"}
_SIZES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


class Replaced(NamedTuple):
    """An option that nfs-utils before 2.8.3 drops, because a later section for another server or mount point sets it
    too, on line `other`."""

    span: Span
    key: str
    section: str
    other: int


def read_mounts(text: str, name: str, kind: str) -> MountTable:
    """A mount for each section, with its options, and with its server or mount point where it has one."""
    file = conffile.read_settings(text, name, kind)
    headings: dict[str, Token] = {}
    bad = list(file.bad)
    for heading in file.sections:
        headings.setdefault(heading.text.lower(), heading)
        if _parts(heading.text)[0] not in (_GLOBAL, _SERVER, _POINT):
            words = 'unknown section; the sections are NFSMount_Global_Options, Server "…", MountPoint "…"'
            bad.append((heading.span, words))
    options: dict[str, dict[str, TextPart]] = {}
    for setting in file.settings:
        key, value = setting.key.text.lower(), setting.value
        end = value.span.end_column if value.span.line == setting.key.span.line else setting.key.span.end_column
        span = setting.key.span._replace(end_column=end)
        held = options.setdefault(setting.section.lower(), {})
        held.pop(key, None)  # the last one counts
        if value.text:
            held[key] = TextPart(_option(key, value.text), span, exact=False)
    entries = []
    for section, held in options.items():
        title, about = _parts(headings[section].text)
        if held and title in (_GLOBAL, _SERVER, _POINT):
            entries.append(_mount(headings[section].span, title, about, list(held.values())))
    return MountTable(text, name, kind, tuple(entries), tuple(sorted(bad)))


def lost_options(text: str, name: str) -> list[Replaced]:
    """The options that older releases drop."""
    before: dict[tuple[str, str], tuple[str, Span]] = {}
    replaced = []
    for setting in conffile.read_settings(text, name, "nfsmount.conf").settings:
        title, about = _parts(setting.section.lower())
        key = setting.key.text.lower()
        if title not in (_SERVER, _POINT) or not setting.value.text:
            continue
        section, span = before.get((title, key), (about, setting.key.span))
        if section != about:
            replaced.append(Replaced(span, key, section, setting.key.span.line))
        before[title, key] = (about, setting.key.span)
    return replaced


def _parts(section: str) -> tuple[str, str]:
    """A section's title, in lower case, and its server or mount point."""
    title, _, about = section.partition('"')
    return title.strip().lower(), about.partition('"')[0]


def _option(key: str, value: str) -> str:
    """The option that mount.nfs makes of a key: a word for True, "no" and the word for False, and sizes in bytes."""
    key = _RENAMED.get(key, key)
    word = value.lower()
    if word == "true":
        return key
    if word == "false":
        return _OPPOSITE.get(key, f"no{key}")
    number = value[:-1]
    if number.isascii() and number.isdigit() and not number.startswith("0") and word[-1:] in _SIZES:
        value = str(int(number[:12]) * _SIZES[word[-1]])
    return f"{key}={value}"


def _mount(span: Span, section: str, about: str, options: list[TextPart]) -> MountEntry:
    server = f"{about}:/" if section == _SERVER and about else ""
    target = about if section == _POINT else ""
    passed = [part for part in options if not part.text.startswith(("default", "sloppy"))]
    return MountEntry(
        options[0].span.line, "", source=TextParts([], span, server), target=TextParts([], span, target),
        fstype=TextParts([], span, "nfs"), options=TextParts(passed, span),
    )
