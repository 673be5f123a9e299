"""What every reader of settings gives: names and values, which know where they stand."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.named_tuple import NamedTuple
from advisor.readers.spans import Span


class Token(NamedTuple):
    """A name or a value as the program that owns the file takes it, and where it stands. One that goes on in the next
    line stands in its first."""

    text: str
    span: Span


class Assignment(NamedTuple):
    """One assignment. `section`: its name, "" in files without sections. `aside`: what its author took for a comment
    behind the value, where the program does not. `block`: the number of the block that it stands in, in files that have
    blocks; `values`: each of several values with its quotation marks."""

    section: str
    key: Token
    value: Token
    aside: Token | None = None
    block: int | None = None
    values: tuple[Token, ...] = ()


class Block(NamedTuple):
    """A section that has a beginning and an end. `inside`: the number of the block around it."""

    heading: Token
    inside: int | None = None


class Slip(NamedTuple):
    """What is wrong with something else than a name or a value. `slug`: the check that has the words for it, with
    `words` filled in. `section`: told only where that is a known one. `by_name`: the check to use instead if that is a
    module that is loaded by its own name."""

    slug: str
    span: Span
    section: str = ""
    words: Mapping[str, str] = {}
    by_name: str = ""


class Assignments(NamedTuple):
    """A file that has been read. `sections`: their headings. `bad`: what is not read, and why, in words. `slips`: what
    does something else than it looks like. `includes`: other files that are read in these places. `blocks`: in their
    order."""

    text: str
    name: str
    kind: str
    settings: tuple[Assignment, ...]
    sections: tuple[Token, ...] = ()
    bad: tuple[tuple[Span, str], ...] = ()
    slips: tuple[Slip, ...] = ()
    includes: tuple[Assignment, ...] = ()
    blocks: tuple[Block, ...] = ()
