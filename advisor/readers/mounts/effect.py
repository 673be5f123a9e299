"""Mounts in effect: /proc/mounts, /proc/self/mountinfo, and what mount(8) prints."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.readers.mountinfo import decoded
from advisor.readers.mounts.table import MountEntry, MountTable, TextPart, TextParts, pieces
from advisor.readers.spans import Span

_PRINTED = re.compile(r"(\S+) on (/[^(]*) type (\S+) \(([^)]*)\)")
_ADDED = re.compile(
    r"(?:client|mount)?addr=.*|mount(?:vers|port|proto)=.*|namlen=.*|local_lock=none|[rwb]size=.*|port=.*|(?:no)?intr"
)
"""What the kernel shows beside what was asked for, or as it was negotiated: nobody can tell who chose it."""


def read(kind: str, text: str, name: str) -> MountTable:
    """One mount a line. A line of another form is passed over: nobody wrote it."""
    mounts = []
    for number, raw in enumerate(text.split("\n"), 1):
        fields = _fields(kind, raw)
        if fields is not None:
            mounts.append(_mount(number, raw, fields))
    return MountTable(text, name, kind, tuple(mounts))


Cut = tuple[int, int]


def _fields(kind: str, raw: str) -> tuple[Cut, Cut, Cut, list[Cut]] | None:
    """Where source, target, type and lists of options stand, from 0."""
    if kind == "mount":
        found = _PRINTED.match(raw)
        return None if found is None else (found.span(1), found.span(2), found.span(3), [found.span(4)])
    cuts = list(_cuts(raw))
    if kind == "mountinfo":
        dash = next((at for at in range(6, len(cuts)) if raw[slice(*cuts[at])] == "-"), None)
        if dash is None or len(cuts) < dash + 4:
            return None
        return cuts[dash + 2], cuts[4], cuts[dash + 1], [cuts[5], cuts[dash + 3]]
    return None if len(cuts) < 4 else (cuts[0], cuts[1], cuts[2], [cuts[3]])


def _cuts(raw: str) -> Iterator[Cut]:
    start = 0
    for word in raw.split(" "):
        if word:
            yield start, start + len(word)
        start += len(word) + 1


def _mount(number: int, raw: str, fields: tuple[Cut, Cut, Cut, list[Cut]]) -> MountEntry:
    source, target, fstype, options = fields

    def field(cut: Cut) -> TextParts:
        span = Span(number, cut[0] + 1, cut[1] + 1)
        text = raw[slice(*cut)]
        return TextParts([TextPart(text, span)], span, decoded(text))

    written: dict[str, TextPart] = {}
    for start, end in options:
        for part in pieces(raw[start:end], Span(number, start + 1, end + 1)):
            if not _ADDED.fullmatch(part.text):
                written.setdefault(part.text, part)
    near = Span(number, options[0][0] + 1, options[0][1] + 1)
    return MountEntry(
        number, raw, source=field(source), target=field(target), fstype=field(fstype),
        options=TextParts(written.values(), near),
    )
