"""The place of something in a file."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple


class Span(NamedTuple):
    """A part of one line. All numbers start at 1 and count characters of the decoded line.

    `end_column` is exclusive: `line_text[column - 1:end_column - 1]` is the text. An empty span has equal columns.
    """

    line: int
    column: int
    end_column: int
