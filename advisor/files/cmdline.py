"""A kernel command line: the root file system that it asks for (nfsroot= of the kernel, root=nfs: and netroot=nfs: of
dracut), parameters of modules (`sunrpc.tcp_max_slot_table_entries=128`), and how nfsroot= and ip= are written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.files.modprobe import WORD, module
from advisor.files.placeholders import has_markup
from advisor.files.spans import Span
from advisor.files.tables import (
    Assignment,
    Assignments,
    MountEntry,
    MountTable,
    Slip,
    TextPart,
    TextParts,
    Token,
    pieces,
)

_NETROOT = re.compile(r"(?:root|netroot)=(?:dhcp:)?nfs4?:")
_HOST = re.compile(r"\[[^\]]*\]:|[^/:,]*:(?=/)")
_PARAMETER = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)(=?)")
_ADDRESS = re.compile(r"[0-9]+(?:\.[0-9]+){3}")
_AUTO = ("off", "none", "on", "any", "dhcp", "bootp", "rarp", "both")
_DRACUT = ("dhcp6", "auto6", "either6", "link6", "link-local", "single-dhcp", "ibft", "auto")


def read_mounts(text: str, name: str, kind: str) -> MountTable:
    """The mounts of all lines that are not comments."""
    mounts = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("#"):
            continue
        for word in WORD.finditer(line):
            mount = _mount(word[0].strip('"'), number, word.start() + 1)
            if mount is not None:
                mounts.append(mount)
    return MountTable(text, name, kind, tuple(mounts))


def _mount(word: str, number: int, column: int) -> MountEntry | None:
    netroot = _NETROOT.match(word)
    begin = netroot.end() if netroot else 8 if word.startswith("nfsroot=") else 0
    if not begin:
        return None
    host = _HOST.match(word, begin)
    path = host.end() if host else begin
    # In dracut's form a colon ends the path, in the kernel's a comma.
    end = next((at for at in range(path, len(word)) if word[at] in ",:"), len(word))
    span = Span(number, column + begin, column + end)
    options = pieces(word[end + 1:], Span(number, column + end + 1, column + len(word)))
    fstype = "nfs4" if netroot and netroot[0].endswith("nfs4:") else "nfs"
    return MountEntry(
        number, word, source=TextParts([TextPart(word[begin:end], span)], span), target=TextParts([], span, "/"),
        fstype=TextParts([], span, fstype), options=TextParts([part for part in options if part.text], span),
    )


def read_settings(text: str, name: str, kind: str) -> Assignments:
    """The parameters of modules, with the module as section, and mistakes in nfsroot= and ip=."""
    settings: list[Assignment] = []
    slips: list[Slip] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("#"):
            continue
        words = [(match[0], match.start() + 1) for match in WORD.finditer(line)]
        by_kernel = any(word == "root=/dev/nfs" for word, _ in words)
        for word, column in words:
            span = Span(number, column, column + len(word))
            match = _PARAMETER.match(word)
            if match is not None:
                settings.append(_parameter(match, word, span))
            elif not has_markup(word):
                slips += _syntax_slips(word, span, by_kernel)
    return Assignments(text, name, kind, tuple(settings), slips=tuple(slips))


def _parameter(match: re.Match[str], word: str, span: Span) -> Assignment:
    middle, start = span.column + match.start(2), span.column + match.end()
    value = word[match.end():].strip('"')
    return Assignment(
        module(match[1]), Token(module(match[2]), Span(span.line, middle, middle + len(match[2]))),
        Token(value, Span(span.line, start, span.end_column)),
    )


def _syntax_slips(word: str, span: Span, by_kernel: bool) -> Iterator[Slip]:
    key, _, value = word.partition("=")
    if key == "nfsroot" and value:
        place = value.partition(",")[0]
        host, colon, path = place.partition(":")
        if colon and path.startswith("/") and by_kernel and not _ADDRESS.fullmatch(host) and not host.startswith("["):
            yield Slip("nfsroot-name", span, words={"host": host})
        elif not colon and _ADDRESS.match(place):
            address, slash, rest = place.partition("/")
            yield Slip("nfsroot-form", span, words={"todo": f"nfsroot={address}:{slash}{rest}" if slash else
                                                    f"nfsroot={address}:/DIRECTORY"})
    elif key == "ip" and value.isalpha() and value not in (*_AUTO, *_DRACUT):
        yield Slip("ip-form", span, words={"value": value, "words": ", ".join(_AUTO)})
