"""nfsmount.conf(5): options of all mounts, of one server's, or of one mount point's, a section each."""

from __future__ import annotations

from advisor.readers.mounts.table import MountEntry, MountTable, TextPart, TextParts
from advisor.readers.spans import Span

_GLOBAL, _SERVER, _POINT = "nfsmount_global_options", "server", "mountpoint"
_RENAMED = {"background": "bg", "foreground": "fg"}
_OPPOSITE = {"bg": "fg", "fg": "bg"}
_SIZES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def read(text: str, name: str) -> MountTable:
    """A mount a section: its options are all that is known of it, and perhaps its server or its mount point."""
    sections: list[tuple[Span, str, str, list[TextPart]]] = []
    bad = []
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line.startswith(("#", ";")):
            continue
        column = len(raw) - len(raw.lstrip()) + 1
        span = Span(number, column, column + len(line))
        title, _, about = line[1:].partition("]")[0].partition('"') if line.startswith("[") else ("", "", "")
        key, equals, value = (part.strip() for part in line.partition("="))
        if title.strip().lower() in (_GLOBAL, _SERVER, _POINT):
            sections.append((span, title.strip().lower(), about.partition('"')[0], []))
        elif line.startswith("["):
            sections.append((span, "", "", []))
            bad.append((span, 'unknown section; the sections are NFSMount_Global_Options, Server "…", MountPoint "…"'))
        elif key.lower() == "include":
            continue
        elif not equals or not key:
            bad.append((span, "not an assignment; write an option without a value as name=True"))
        elif not sections:
            bad.append((span, "this line comes before any section, so no mount uses it"))
        elif sections[-1][1]:
            sections[-1][3].append(TextPart(_option(key.lower(), value), span, exact=False))
    return MountTable(text, name, "nfsmount.conf", tuple(_mount(*one) for one in sections if one[3]), tuple(bad))


def _option(key: str, value: str) -> str:
    """The option as mount.nfs makes it: a word for True, with "no" in front for False, and a size in bytes."""
    key = _RENAMED.get(key, key)
    value = value.strip('"').lower()
    if value == "true":
        return key
    if value == "false":
        return _OPPOSITE.get(key, f"no{key}")
    number = value[:-1]
    if number.isascii() and number.isdigit() and not number.startswith("0") and value[-1:] in _SIZES:
        value = str(int(number[:12]) * _SIZES[value[-1]])
    return f"{key}={value}"


def _mount(span: Span, section: str, about: str, options: list[TextPart]) -> MountEntry:
    server = f"{about}:/" if section == _SERVER and about else ""
    target = about if section == _POINT else ""
    passed = [part for part in options if not part.text.startswith(("default", "sloppy"))]
    return MountEntry(
        options[0].span.line, "", source=TextParts([], span, server), target=TextParts([], span, target),
        fstype=TextParts([], span, "nfs"), options=TextParts(passed, span),
    )
