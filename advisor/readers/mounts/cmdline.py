"""The root file system that a kernel command line asks for: nfsroot= of the kernel, root=nfs: and netroot=nfs: of
dracut."""

from __future__ import annotations

import re

from advisor.readers.mounts.table import MountEntry, MountTable, TextPart, TextParts, pieces
from advisor.readers.spans import Span

WORD = re.compile(r'(?:"[^"]*"?|[^\s"])+')
_NETROOT = re.compile(r"(?:root|netroot)=(?:dhcp:)?nfs4?:")
_HOST = re.compile(r"\[[^\]]*\]:|[^/:,]*:(?=/)")


def read(text: str, name: str) -> MountTable:
    """The mounts of all lines that are not comments."""
    mounts = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("#"):
            continue
        for word in WORD.finditer(line):
            mount = _mount(word[0].strip('"'), number, word.start() + 1)
            if mount is not None:
                mounts.append(mount)
    return MountTable(text, name, "cmdline", tuple(mounts))


def _mount(word: str, number: int, column: int) -> MountEntry | None:
    found = _NETROOT.match(word)
    begin = found.end() if found else 8 if word.startswith("nfsroot=") else 0
    if not begin:
        return None
    host = _HOST.match(word, begin)
    path = host.end() if host else begin
    # Of dracut's form a colon ends the path, of the kernel's a comma.
    end = next((at for at in range(path, len(word)) if word[at] in ",:"), len(word))
    span = Span(number, column + begin, column + end)
    options = pieces(word[end + 1:], Span(number, column + end + 1, column + len(word)))
    fstype = "nfs4" if found and found[0].endswith("nfs4:") else "nfs"
    return MountEntry(
        number, word, source=TextParts([TextPart(word[begin:end], span)], span), target=TextParts([], span, "/"),
        fstype=TextParts([], span, fstype), options=TextParts([part for part in options if part.text], span),
    )
