"""What every reader of settings gives: names and values, which know where they stand."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple
from advisor.readers.spans import Span


class Token(NamedTuple):
    """A name or a value as the program that owns the file takes it, and where it stands. One that goes on in the next
    line stands in its first."""

    text: str
    span: Span


class Assignment(NamedTuple):
    """One assignment. `section`: its name, "" in files without sections."""

    section: str
    key: Token
    value: Token


class Assignments(NamedTuple):
    """A file that has been read. `sections`: their headings. `bad`: what is not read, and why, in words."""

    text: str
    name: str
    kind: str
    settings: tuple[Assignment, ...]
    sections: tuple[Token, ...] = ()
    bad: tuple[tuple[Span, str], ...] = ()
