"""The parser of every YAML text that is not the program's own. What it returns has bounded depth, contains nothing that
contains itself, and is, with all aliases written out, not much larger than the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import MappingNode
from ruamel.yaml.scanner import RoundTripScanner, Scanner

if TYPE_CHECKING:
    from ruamel.yaml.error import StringMark
    from ruamel.yaml.nodes import Node

DEPTH = 100
"""The deepest nesting of values."""
COPIES = 20
"""How many times the nodes of a text its aliases may stand for."""
FREE_COPIES = 1000
"""Nodes that aliases may stand for in any text."""
TOO_DEEP = "values nested too deeply: write fewer levels"


class BoundError(MarkedYAMLError):
    """The text is YAML, but not within the bounds; `problem` says why."""

    def __init__(self, problem: str, mark: StringMark) -> None:
        super().__init__(None, None, problem, mark)


class KeyedPairs(list["tuple[Node, Node]"]):
    """The pairs of a mapping. `by_key`: the first value of each key that is a scalar."""

    def __init__(self, pairs: list[tuple[Node, Node]]) -> None:
        super().__init__(pairs)
        self.by_key: dict[object, Node] = {}
        for key, value in pairs:
            self.by_key.setdefault(key.value if isinstance(key.value, str) else None, value)


class _BoundedScanner(Scanner):
    """The scanner looks ahead through any number of brackets, so the parser comes too late to count them."""

    def fetch_flow_collection_start(self, *given: object, **named: object) -> None:
        if len(self.flow_context) >= DEPTH:
            raise BoundError(TOO_DEEP, self.reader.get_mark())
        super().fetch_flow_collection_start(*given, **named)  # type: ignore[arg-type]


class _BoundedRoundTripScanner(_BoundedScanner, RoundTripScanner):
    pass


class _BoundedComposer(Composer):
    aliases = True

    def __init__(self, loader: object = None) -> None:
        super().__init__(loader)
        self.warn_double_anchors = False
        self.level = self.written = self.copied = 0
        self.sizes: dict[int, int] = {}
        """id of a complete node with an anchor → the nodes in it, aliases written out."""

    def compose_node(self, parent: object, index: object) -> Node:
        event = self.parser.peek_event()
        if event.anchor is not None and not self.aliases:
            raise BoundError("an anchor or alias (& or *): write it out in place", event.start_mark)
        if self.parser.check_event(AliasEvent):
            self._copied(event)
        elif self.level >= DEPTH:
            raise BoundError(TOO_DEEP, event.start_mark)
        else:
            self.written += 1
        before = self.written + self.copied
        self.level += 1
        node: Node = super().compose_node(parent, index)
        self.level -= 1
        if event.anchor is not None:
            self.sizes.setdefault(id(node), self.written + self.copied - before + 1)
        return node

    def _copied(self, alias: AliasEvent) -> None:
        node = self.anchors.get(alias.anchor)
        if node is not None and id(node) not in self.sizes:
            raise BoundError("a value that contains itself (& and *): remove the alias", alias.start_mark)
        self.copied += self.sizes.get(id(node), 0)
        if self.copied > COPIES * self.written + FREE_COPIES:
            raise BoundError("aliases (*) that stand for too many values: write them out in place", alias.start_mark)

    def compose_mapping_node(self, anchor: object) -> MappingNode:
        node: MappingNode = super().compose_mapping_node(anchor)
        node.value = KeyedPairs(node.value)
        return node


class _AliasFreeComposer(_BoundedComposer):
    aliases = False


def bounded_yaml(typ: str = "rt", aliases: bool = True) -> YAML:
    """A parser whose errors are also those of the bounds. `aliases`: whether the text may have any."""
    yaml = YAML(typ=typ, pure=True)
    yaml.Scanner = _BoundedRoundTripScanner if typ == "rt" else _BoundedScanner
    yaml.Composer = _BoundedComposer if aliases else _AliasFreeComposer
    return yaml
