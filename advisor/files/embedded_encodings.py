"""What a text inside another one is wrapped in: an URL, Base64, gzip, or several parts with boundaries."""

from __future__ import annotations

import zlib
from base64 import b64decode
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from advisor.files.records import Placed, Stretch
from advisor.regex import regex

_BOUNDARY = regex(r"\bboundary=\"?([^\"\s;]{1,70})")
_SORTS = {"text/cloud-config": "user-data", "text/x-shellscript": "run.sh", "boothook": "run.sh"}
"""What the heading of a part has → a name for it."""
_DATA = regex(r"data:([^,]{0,200}),")
MAX_RATIO = 20
"""How much larger a packed text may become; a table of mounts hardly ever reaches ten times its size."""


def parts_of(text: Placed) -> Iterator[tuple[str, Placed]]:
    """The parts of a multipart text, each with a name that shows what it is."""
    boundary = _BOUNDARY.search(text.text)
    sign = f"\n--{boundary[1]}" if boundary else "\n--"
    at = text.text.find(sign)
    while at >= 0:
        start = at + len(sign)
        at = text.text.find(sign, start)
        part = text.cut(start, at if at >= 0 else None)
        head = part.text.partition("\n\n")[0]
        names = (name for sort, name in _SORTS.items() if sort in head)
        yield next(names, ""), part.cut(min(len(head) + 2, len(part.text)))


def decoded(text: Placed, encoding: Placed | None) -> Placed:
    """The text of a file in an URL (`data:,a%20b`), or in Base64, perhaps packed with gzip; where it begins is the
    place of all its lines. Empty if it cannot be read, or is much larger than what is here."""
    url = _DATA.match(text.text)
    said = encoding.text if encoding is not None else ""
    in_base64 = url[1].endswith(";base64") if url else said.endswith(("b64", "base64"))
    if not url and not in_base64:
        return text.cut(0, 0) if said.startswith("gz") else text
    try:
        content = text.text[url.end() if url else 0 :]
        data = b64decode("".join(content.split()), validate=True) if in_base64 else unquote_to_bytes(content)
    except ValueError:
        data = b""
    data = _unpacked(data) if data.startswith(b"\x1f\x8b") else data
    place = text.span
    lines = data.decode("utf-8", "replace").splitlines(keepends=True)
    return Placed(Stretch(line, place.line, place.column, False) for line in lines)


def _unpacked(data: bytes) -> bytes:
    reader = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        text = reader.decompress(data, MAX_RATIO * len(data))
    except zlib.error:
        return b""
    return text if reader.eof else b""
