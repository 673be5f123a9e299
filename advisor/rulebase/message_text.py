"""The texts of messages: literal pieces and fields between them. Standard library only."""

from __future__ import annotations

FIELDS = ("server", "source", "path", "address", "number", "version", "errno", "name", "option", "any")
"""What a field can be; a digit may follow."""


def pieces(text: str) -> list[tuple[str, str]]:
    """Each literal piece with the field before it; the first has none (""), and the literal may be empty.

    Raises ValueError for a brace that is not closed."""
    found: list[tuple[str, str]] = []
    literal, field, at = "", "", 0
    while True:
        opened = text.find("{", at)
        if opened < 0:
            return [*found, (literal + text[at:].replace("}}", "}"), field)]
        literal += text[at:opened].replace("}}", "}")
        if text.startswith("{{", opened):
            literal += "{"
            at = opened + 2
            continue
        closed = text.find("}", opened)
        if closed < 0:
            raise ValueError("a field is not closed")
        found.append((literal, field))
        literal, field, at = "", text[opened + 1 : closed], closed + 1


def letters(parts: list[tuple[str, str]]) -> int:
    """How many letters the pieces of a text have outside of its fields."""
    return sum(one.isalpha() for literal, _ in parts for one in literal)
