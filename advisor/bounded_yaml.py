"""The parser of every YAML text that is not the program's own. What it returns has bounded depth, contains nothing that
contains itself, and is, with all aliases written out, not much larger than the text.

libyaml reads twenty times faster than the pure parser. It is used where its binding is installed, for what it reads as
the pure parser does; errors, anchors and tabs are always the pure parser's, and so are the words of every refusal."""

from __future__ import annotations

from functools import lru_cache

from ruamel.yaml import YAML, events
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import MarkedYAMLError, StringMark, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.resolver import VersionedResolver
from ruamel.yaml.scanner import RoundTripScanner, Scanner
from ruamel.yaml.tag import Tag

from advisor.regex import regex

try:
    from _ruamel_yaml import CParser
except ImportError:
    CParser = None


DEPTH = 100
"""The deepest nesting of values."""
COPIES = 20
"""How many times the nodes of a text its aliases may stand for."""
FREE_COPIES = 1000
"""Nodes that aliases may stand for in any text."""
_PURE = regex("\r(?!\n)|[\t\x85\u2028\u2029\ufeff]|\n%|[\n{[,][ -]*[?](?=\\s)|[|>][-+0-9]*#|!'")
"""What the two parsers do not read alike, in a text with a newline in front."""
TOO_DEEP = "values nested too deeply: write fewer levels"


class BoundError(MarkedYAMLError):
    """The text is YAML, but not within the bounds; `problem` says why."""

    def __init__(self, problem: str, mark: StringMark) -> None:
        super().__init__(None, None, problem, mark)


class KeyedPairs(list["tuple[Node, Node]"]):
    """The pairs of a mapping; a value that is missing is where its key ends. `by_key`: the first value of each key that
    is a scalar."""

    def __init__(self, pairs: list[tuple[Node, Node]]) -> None:
        super().__init__(pairs)
        self.by_key: dict[object, Node] = {}
        for key, value in pairs:
            self.by_key.setdefault(key.value if isinstance(key.value, str) else None, value)
            if isinstance(value, ScalarNode) and not (value.value or value.style or value.anchor):
                value.start_mark = value.end_mark = key.end_mark


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
        if self.parser.check_event(events.AliasEvent):
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

    def _copied(self, alias: events.AliasEvent) -> None:
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


def compose_all(text: str) -> list[Node]:
    """The roots of all documents. Raises YAMLError, RecursionError, ValueError and NotImplementedError."""
    roots = None if CParser is None or _PURE.search("\n" + text) else _by_libyaml(text)
    return [*bounded_yaml("safe").compose_all(text)] if roots is None else roots


def _by_libyaml(text: str) -> list[Node] | None:
    """None where the pure parser has to say what is there."""
    roots: list[Node] = []
    around: list[tuple[Node, list[Node]]] = []
    """The open collections, each with the nodes before it in the one around it."""
    nodes = roots
    try:
        next_event = CParser(text).get_event
        while not isinstance(event := next_event(), events.StreamEndEvent):
            if isinstance(event, events.CollectionEndEvent):
                node, above = around.pop()
                node.end_mark = event.end_mark
                node.value = KeyedPairs([*zip(nodes[::2], nodes[1::2])]) if isinstance(node, MappingNode) else nodes
                nodes = above
            elif isinstance(event, (events.ScalarEvent, events.CollectionStartEvent)):
                if event.anchor is not None or event.tag == "!" or len(around) == DEPTH:
                    return None
                if isinstance(event, events.ScalarEvent):
                    if not around:
                        return None
                    tag = event.tag or _tag_of(event.value, event.implicit)
                    nodes.append(ScalarNode(tag, event.value, event.start_mark, event.end_mark, event.style or None))
                    continue
                of = SequenceNode if isinstance(event, events.SequenceStartEvent) else MappingNode
                tag = event.tag or f"tag:yaml.org,2002:{of.id[:3]}"
                nodes.append(of(tag, [], event.start_mark, None, event.flow_style))
                around.append((nodes[-1], nodes))
                nodes = []
            elif isinstance(event, events.AliasEvent):
                return None
    except (YAMLError, ValueError):
        return None
    return roots


_RESOLVER = VersionedResolver()


@lru_cache(maxsize=1 << 12)
def _tag_of(value: str, implicit: tuple[bool, bool]) -> Tag:
    tag: Tag = _RESOLVER.resolve(ScalarNode, value, implicit)
    return tag
