"""Mounts in effect: /proc/mounts, /proc/self/mountinfo, and what mount(8), findmnt(8) and nfsstat(8) print."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.files.mountinfo import decoded
from advisor.files.spans import Span
from advisor.files.tables import MountEntry, MountTable, TextPart, TextParts, pieces
from advisor.named_tuple import NamedTuple

_PRINTED = re.compile(r"(\S+) on (/[^(]*) type (\S+) \(([^)]*)\)")
_ADDED = re.compile(
    r"(?:client|mount)?addr=.*|mount(?:vers|port|proto)=.*|namlen=.*|local_lock=none|[rwb]size=.*|port=.*|(?:no)?intr"
)
"""Options that the kernel shows whether they were asked for or not."""
_TREE = re.compile("[ ├─└│`|-]*")
"""Characters with which findmnt draws its tree."""
_NAMED = re.compile(r'"?\b(target|TARGET|source|SOURCE|fstype|FSTYPE|options|OPTIONS)"?(?:=|: ?)"([^"]*)"')
_FROM = re.compile(r"(/[^ ]*) from ([^ ]+)")
_FLAGS = re.compile(r"\s*Flags:\s*(\S+)")


def read_mounts(text: str, name: str, kind: str) -> MountTable:
    """The mounts of a list. Lines of another form are ignored: a program wrote them."""
    lines = text.split("\n")
    rows = {"findmnt": _findmnt, "nfsstat": _nfsstat}.get(kind)
    listed = rows(lines) if rows else _one_per_line(kind, lines)
    return MountTable(text, name, kind, tuple(_mount(lines, row) for row in listed))


Offsets = tuple[int, int]
"""Beginning and end of a word in its line, from 0."""


class FieldPlace(NamedTuple):
    """Line, from 1, and offsets in it, from 0."""

    line: int
    start: int
    end: int


class ListedMount(NamedTuple):
    """The places of a mount's fields; `fstype`: None in a list that does not show it because all are NFS."""

    source: FieldPlace
    target: FieldPlace
    fstype: FieldPlace | None
    options: tuple[FieldPlace, ...]


def _one_per_line(kind: str, lines: list[str]) -> Iterator[ListedMount]:
    for number, raw in enumerate(lines, 1):
        fields = _fields(kind, raw)
        if fields is not None:
            source, target, fstype, options = fields
            yield ListedMount(
                FieldPlace(number, *source), FieldPlace(number, *target), FieldPlace(number, *fstype),
                tuple(FieldPlace(number, *cut) for cut in options),
            )


def _fields(kind: str, raw: str) -> tuple[Offsets, Offsets, Offsets, list[Offsets]] | None:
    """Source, target, type and lists of options."""
    if kind == "mount":
        match = _PRINTED.match(raw)
        return None if match is None else (match.span(1), match.span(2), match.span(3), [match.span(4)])
    cuts = list(_cuts(raw))
    if kind == "mountinfo":
        dash = next((at for at in range(6, len(cuts)) if raw[slice(*cuts[at])] == "-"), None)
        if dash is None or len(cuts) < dash + 4:
            return None
        return cuts[dash + 2], cuts[4], cuts[dash + 1], [cuts[5], cuts[dash + 3]]
    return None if len(cuts) < 4 else (cuts[0], cuts[1], cuts[2], [cuts[3]])


def _findmnt(lines: list[str]) -> Iterator[ListedMount]:
    """A table or tree below its column names, pairs (-P), or JSON (-J)."""
    heads: list[str] = []
    fields: dict[str, FieldPlace] = {}
    for number, raw in enumerate(lines, 1):
        words = raw.split()
        if "TARGET" in words and "OPTIONS" in words:
            heads = words
            continue
        named = [(match[1].upper(), match.span(2)) for match in _NAMED.finditer(raw)]
        if not named:
            drawn = _TREE.match(raw)
            cuts = list(_cuts(" " * drawn.end() + raw[drawn.end() :] if drawn else raw))
            named = list(zip(heads, cuts)) if len(cuts) == len(heads) else []
        for head, cut in named:
            if head in fields:  # the next mount begins
                fields = {}
            fields[head] = FieldPlace(number, *cut)
            if len(fields.keys() & {"SOURCE", "TARGET", "FSTYPE", "OPTIONS"}) == 4:
                yield ListedMount(fields["SOURCE"], fields["TARGET"], fields["FSTYPE"], (fields["OPTIONS"],))
                fields = {}


def _nfsstat(lines: list[str]) -> Iterator[ListedMount]:
    """`nfsstat -m`: the source of a mount, and its options on the next line."""
    begun = None
    for number, raw in enumerate(lines, 1):
        match = _FROM.fullmatch(raw)
        flags = _FLAGS.match(raw)
        if match and ":/" in match[2]:
            begun = FieldPlace(number, *match.span(2)), FieldPlace(number, *match.span(1))
        elif flags and begun:
            yield ListedMount(*begun, None, (FieldPlace(number, *flags.span(1)),))
            begun = None


def _cuts(raw: str) -> Iterator[Offsets]:
    start = 0
    for word in raw.split(" "):
        if word:
            yield start, start + len(word)
        start += len(word) + 1


def _mount(lines: list[str], row: ListedMount) -> MountEntry:
    def text(place: FieldPlace) -> tuple[str, Span]:
        return lines[place.line - 1][place.start : place.end], Span(place.line, place.start + 1, place.end + 1)

    def field(place: FieldPlace) -> TextParts:
        raw, span = text(place)
        return TextParts([TextPart(raw, span)], span, decoded(raw))

    written: dict[str, TextPart] = {}
    for place in row.options:
        for part in pieces(*text(place)):
            if not _ADDED.fullmatch(part.text):
                written.setdefault(part.text, part)
    near = text(row.options[0])[1]
    source = field(row.source)
    return MountEntry(
        row.source.line, lines[row.source.line - 1], source=source, target=field(row.target),
        fstype=TextParts([], source.span, "nfs") if row.fstype is None else field(row.fstype),
        options=TextParts(written.values(), near),
    )
