"""YAML with the place of every scalar. In templates, what they will fill in is left blank."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ruamel.yaml import YAML
from ruamel.yaml.error import StringMark, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from advisor.files.spans import Span
from advisor.files.tables import TextPart
from advisor.named_tuple import NamedTuple

_WHOLE_LINE = re.compile(r"^[ \t]*\{[{%][^\n]*[%}]\}[ \t]*$", re.MULTILINE)
_INLINE = re.compile(r"\{\{[^\n{}]*\}\}|\$\{[^\n{}]*\}")
BLANK = "__"
"""Repeated, it stands for what a template will fill in."""


class Yaml(NamedTuple):
    """`documents`: their roots. `bad`: what cannot be read, and why, for people; there is no document then. `blanked`:
    the lines without templates."""

    documents: tuple[Node, ...]
    lines: list[str]
    blanked: list[str]
    bad: tuple[tuple[Span, str], ...]

    def mappings(self) -> Iterator[tuple[MappingNode, list[MappingNode]]]:
        """Every mapping, each with those around it, the nearest last. A node with aliases comes once."""
        seen: set[int] = set()
        todo: list[tuple[Node, list[MappingNode]]] = [(root, []) for root in reversed(self.documents)]
        while todo:
            node, above = todo.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, MappingNode):
                yield node, above
                todo += [(value, [*above, node][-8:]) for _, value in reversed(node.value)]
            elif isinstance(node, SequenceNode):
                todo += [(value, above) for value in reversed(node.value)]

    def parts(self, node: Node | None) -> list[TextPart]:
        """The items of a scalar that lists options, or of a list of such scalars; exact where the file has them
        literally. A space beside a comma belongs to the item, because it is passed on, and the kernel does not know `
        hard`."""
        if isinstance(node, SequenceNode):
            return [part for item in node.value for part in self.parts(item)]
        if not isinstance(node, ScalarNode):
            return []
        line, column = node.start_mark.line, node.start_mark.column
        if node.end_mark.line == line:
            written = self.blanked[line][column : node.end_mark.column].rstrip()
            quote = written[:1] if written[:1] in ("'", '"') and written[-1:] == written[:1] and written[1:] else ""
            inner = written[len(quote) : len(written) - len(quote)]
            if "\\" not in inner and len(inner) == len(node.value):
                return list(self._pieces(line, column + len(quote), inner))
        span = Span(line + 1, column + 1, max(column + 2, len(self.lines[line]) + 1))
        return [TextPart(text, span, exact=False) for text in node.value.split(",") if text.strip()]

    def _pieces(self, line: int, start: int, inner: str) -> Iterator[TextPart]:
        for item in inner.split(","):
            text = self.lines[line][start : start + len(item)]
            if text.strip():
                yield TextPart(text, Span(line + 1, start + 1, start + 1 + len(text)))
            start += len(item) + 1

    def words(self, node: ScalarNode) -> dict[str, ScalarNode]:
        """The `key=value` words of a scalar, which may span lines: key → the value as a scalar with its own place.
        Spaces in quotes do not separate."""
        scalars: dict[str, ScalarNode] = {}
        first, last = node.start_mark, node.end_mark
        for line in range(first.line, min(last.line, len(self.blanked) - 1) + 1):
            start = first.column + (node.style in ("'", '"')) if line == first.line else 0
            end = last.column - (node.style in ("'", '"')) if line == last.line else len(self.blanked[line])
            for begin, stop in _stretches(self.blanked[line], start, end):
                key, equals, value = self.blanked[line][begin:stop].partition("=")
                if equals:
                    at = begin + len(key) + 1
                    inner = value[1:-1] if value[:1] in ("'", '"') and value[-1:] == value[:1] and value[1:] else value
                    marks = [StringMark(first.name, 0, line, column, None, 0) for column in (at, stop)]
                    scalars[key] = ScalarNode(node.tag, inner, marks[0], marks[1])
        return scalars

    def field(self, node: Node | None) -> TextPart | None:
        """A scalar as one part; None for other nodes."""
        if not isinstance(node, ScalarNode):
            return None
        value = "" if BLANK in node.value else node.value
        return TextPart(value, self.span(node), exact=False)

    def span(self, node: Node) -> Span:
        """The place of a node, up to the end of its first line."""
        line, column = node.start_mark.line, node.start_mark.column
        end = node.end_mark.column if node.end_mark.line == line else len(self.lines[line])
        return Span(line + 1, column + 1, max(column + 2, end + 1))


def _stretches(line: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Beginning and end of each word between two columns; spaces in quotes do not separate."""
    begin, quote = start, ""
    for at in range(start, end):
        char = line[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in " \t":
            if at > begin:
                yield begin, at
            begin = at + 1
    if end > begin:
        yield begin, end


def read(text: str) -> Yaml:
    """Read all documents of a text. Never raises."""
    clean = _INLINE.sub(lambda match: "_" * len(match[0]), _WHOLE_LINE.sub(lambda match: " " * len(match[0]), text))
    lines = text.split("\n")
    blanked = clean.split("\n")
    try:
        return Yaml(tuple(YAML(typ="rt", pure=True).compose_all(clean)), lines, blanked, ())
    except (YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = min(mark.line + 1, len(lines)) if mark is not None else 1
        words = f"this cannot be read as YAML: {getattr(error, 'problem', None) or 'syntax error'}"
        return Yaml((), lines, blanked, ((Span(line, 1, max(len(lines[line - 1]), 1) + 1), words),))


def get(node: Node | None, *path: str) -> Node | None:
    """The node below these nested keys, None if one is missing."""
    for key in path:
        if not isinstance(node, MappingNode):
            return None
        node = next((value for name, value in node.value if getattr(name, "value", None) == key), None)
    return node


def word(node: Node | None) -> str:
    """The text of a scalar; "" for other nodes, and for what a template will fill in."""
    return str(node.value) if isinstance(node, ScalarNode) and BLANK not in node.value else ""
