"""What the two models of a line have in common."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple

BUFFER = 4096
"""Bytes of the buffer into which getmntent(3) reads a line; the last one is for the NUL that ends it."""

Heard = tuple[str, bool]
"""What getmntent(3) has in its buffer for one line: the text, and whether it saw the newline."""


class Columns(NamedTuple):
    """The columns of a line as one program sees them: escapes decoded, numbers read.

    `options` is None when libmount finds no fourth field; getmntent(3) has an empty string there.
    """

    source: str
    target: str
    fstype: str
    options: str | None
    freq: int
    passno: int
