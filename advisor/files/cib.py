"""cib.xml: the resources of a Pacemaker cluster and their parameters, as `pcs cluster cib` prints them.

Each group is a block, and each of its resources a block in it, named after its agent: `exportfs` is
ocf:heartbeat:exportfs, and `lsb_nfsserver` an init script. A resource outside of groups has a group of its own; a
constraint that orders two resources counts as a group of them, in that order. Document types are refused."""

from __future__ import annotations

import re
from itertools import islice
from xml.parsers import expat

from advisor.files.mountinfo import parents
from advisor.files.records import Assignment, Assignments, Block, Span, Token

MAX_SIZE = 8 << 20
"""Characters of a file."""
MAX_DEPTH = 100
MAX_ELEMENT = 4096
"""Characters of an element, within which the place of a value is searched."""
MAX_ORDERED = 60
"""Resources of a group, and pairs of agents of a constraint, whose order is reported."""
_DOCTYPE = "a document type: a cluster writes none, and it could stand for anything; the rest of the file is not read"


class _ConstraintTies:
    """Which resources are tied by constraints and groups, directly or through others (union-find)."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}
        self.unknown = False
        """A constraint names something that is not a resource, such as a tag or a template."""
        self._row: tuple[bool, list[int]] | None = None
        """Whether the open constraint ties its resources, and those that its sets have named so far."""

    def join(self, blocks: list[int]) -> None:
        for block in blocks[1:]:
            under, above = self.of(block), self.of(blocks[0])
            if under != above:
                self._above[under] = above

    def of(self, block: int) -> int:
        """The block that represents all that are tied to this one."""
        while block in self._above:
            above = self._above[block]
            if above in self._above:
                self._above[block] = self._above[above]
            block = above
        return block

    def begin(self, holds: bool) -> None:
        """A constraint; `take` gives it its resources, and `end` ties them."""
        self._row = holds, []

    def take(self, blocks: list[int] | None) -> None:
        self.unknown = self.unknown or blocks is None
        if self._row is not None:
            self._row[1].extend(blocks or ())

    def end(self) -> None:
        if self._row is not None and self._row[0]:
            self.join(self._row[1])
        self._row = None


class _Refused(Exception):
    """The file has something that clusters do not write."""


def read_settings(text: str, name: str, kind: str, _begins: str | None = None) -> Assignments:
    """The parameters of all resources, section = agent, and the cluster's properties. Never raises."""
    return _CibReader(text).read(name, kind)


class _CibReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.settings: list[Assignment] = []
        self.blocks: list[Block] = []
        self.bad: list[tuple[Span, str]] = []
        self.path: list[str] = []
        self.group: int | None = None
        self.group_depth = 0
        """The block of the open group, and the depth of its element."""
        self.members: list[str] = []
        self.resource: tuple[int, str, int] | None = None
        """Block, agent and depth of the open resource."""
        self.elsewhere: set[int] = set()
        """Blocks of resources with some parameters defined elsewhere, so that none can be called missing."""
        self.singles: dict[str, int] = {}
        self.agents: list[str] = []
        self.named: dict[str, list[int]] = {}
        """Id of a resource, group or clone → its blocks, or those of its resources."""
        self.agents_of: dict[str, set[str]] = {}
        """Id of a resource, group or clone → the agents of its resources."""
        self.agent: dict[int, str] = {}
        self.path_of: dict[int, str] = {}
        """The directory of each Filesystem and exportfs that has one."""
        self.on_many: set[int] = set()
        """Resources of clones and bundles."""
        self.ties = {"rsc_colocation": _ConstraintTies(), "rsc_order": _ConstraintTies()}
        self.within: list[str] = []
        """The ids of the open elements."""
        self.parser = expat.ParserCreate("utf-8")  # whatever the declaration says: it is decoded

    def read(self, name: str, kind: str) -> Assignments:
        parser = self.parser
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._doctype
        try:
            if len(self.text) > MAX_SIZE:
                raise _Refused(f"the file has more than {MAX_SIZE >> 20} MiB and is not read")
            parser.Parse(self.text.replace("\r", " ").encode("utf-8", "replace"), True)  # not a line to expat either
        except _Refused as error:
            self._wrong(str(error))
        except expat.ExpatError as error:
            self._wrong(f"not well-formed XML ({expat.ErrorString(error.code)}); the rest of the file is not read")
        else:
            self._whole()
        settings = (
            setting for setting in self.settings
            if setting.key.text != "agent" or setting.block not in self.elsewhere
        )
        return Assignments(self.text, name, kind, tuple(settings), (), tuple(self.bad), blocks=tuple(self.blocks))

    def _wrong(self, words: str) -> None:
        line = min(max(1, self.parser.CurrentLineNumber), len(self.lines))
        self.bad.append((Span(line, 1, len(self.lines[line - 1]) + 1), words))

    def _doctype(self, *_: object) -> None:
        raise _Refused(_DOCTYPE)

    def _place(self, attribute: str, value: str) -> tuple[Span, Span]:
        """The place of an element, and of its attribute's value if that is on the same line."""
        line = self.parser.CurrentLineNumber
        column = self.parser.CurrentColumnNumber + 1
        shown = self.lines[line - 1]
        offset = shown.find(f'{attribute}="{value}"', column - 1, column - 1 + MAX_ELEMENT)
        start = offset + len(attribute) + 3 if offset >= 0 else column
        end = start + max(1, len(value)) if offset >= 0 else max(column + 1, len(shown) + 1)
        return Span(line, column, max(column + 1, end)), Span(line, start, end)

    def _add(self, section: str, key: str, value: str, block: int, where: tuple[Span, Span]) -> None:
        self.settings.append(Assignment(section, Token(key, where[0]), Token(value, where[1]), block=block))

    def _start(self, element: str, given: dict[str, str]) -> None:
        self.path.append(element)
        self.within.append(given.get("id", ""))
        if len(self.path) > MAX_DEPTH:
            raise _Refused("elements are nested too deeply; the rest of the file is not read")
        if "resources" in self.path:
            self._in_resources(element, given)
        elif element in self.ties and self.path[-2:-1] == ["constraints"]:
            self._tie(element, given)
        elif element == "resource_ref" and "constraints" in self.path:
            for ties in self.ties.values():
                ties.take(self.named.get(given.get("id", "")))
        elif element == "nvpair" and self.path[-2:-1] == ["cluster_property_set"]:
            where = self._place("value", given.get("value", ""))
            self._add("property", given.get("name", ""), given.get("value", ""), self._single("property", where), where)

    def _in_resources(self, element: str, given: dict[str, str]) -> None:
        if element == "group" and self.group is None:
            self.group, self.group_depth, self.members = len(self.blocks), len(self.path), []
            where = self._place("id", given.get("id", ""))
            self.blocks.append(Block(Token("group", where[0])))
            self._add("group", "name", given.get("id", ""), self.group, where)
        elif element == "primitive" and self.resource is None:
            self._primitive(given)
        elif element == "instance_attributes" and self.resource is not None and "id-ref" in given:
            self.elsewhere.add(self.resource[0])
        elif element == "nvpair" and self.resource is not None and self.path[-2:-1] == ["instance_attributes"]:
            number, agent, depth = self.resource
            if len(self.path) != depth + 2:  # of an operation
                return
            value = given.get("value", "")
            self._add(agent, given.get("name", ""), value, number, self._place("value", value))
            if agent in ("Filesystem", "exportfs") and given.get("name") == "directory":
                first = value.split()[0] if agent == "exportfs" and value.split() else value
                self.path_of[number] = first.rstrip("/") or "/"

    def _primitive(self, given: dict[str, str]) -> None:
        where = self._place("type", given.get("type", ""))
        sort = given.get("class") if given.get("provider", "heartbeat") == "heartbeat" else given["provider"]
        whole = given.get("type", "") if sort == "ocf" else f"{sort}_{given.get('type', '')}"
        agent = re.sub(r"[^\w-]", "_", whole) or "unknown"
        outer = self.group
        if outer is None:
            outer = len(self.blocks)
            self.blocks.append(Block(Token("group", where[0])))
        number = len(self.blocks)
        self.blocks.append(Block(Token(agent, where[1]), outer))
        self.resource = number, agent, len(self.path)
        self._add(agent, "agent", agent, number, where)
        self.members.append(agent)
        self.agents.append(agent)
        self.agent[number] = agent
        tied = number if self.group is None else outer  # constraints need only one block of a group
        for name in filter(None, self.within):
            self.agents_of.setdefault(name, set()).add(agent)
            blocks = self.named.setdefault(name, [])
            if blocks[-1:] != [tied]:
                blocks.append(tied)
            if len(blocks) > MAX_ORDERED:  # no cluster manager writes such an element
                blocks.pop()
                for ties in self.ties.values():
                    ties.unknown = True
        if self.group is not None:
            for ties in self.ties.values():
                ties.join([outer, number])
        if not {"clone", "master", "bundle"}.isdisjoint(self.path):
            self.on_many.add(number)

    def _tie(self, element: str, given: dict[str, str]) -> None:
        """A constraint ties what it names, unless it keeps things apart or is optional."""
        ties = self.ties[element]
        optional = given.get("kind") == "Optional" or given.get("score") == "0"
        ties.begin(not optional and not given.get("score", "").startswith("-"))
        for side in ("rsc", "with-rsc", "first", "then"):
            if side in given:
                ties.take(self.named.get(given[side]))
        if element == "rsc_order" and not optional:
            self._ordered_by(given)

    def _ordered_by(self, given: dict[str, str]) -> None:
        """A mandatory constraint orders each agent of `first` before each of `then`."""
        if not {given.get("first-action", "start"), given.get("then-action", "start")} <= {"start", "promote"}:
            return
        first, then = (self.agents_of.get(given.get(side, ""), set()) for side in ("first", "then"))
        if len(first) * len(then) > 2 * MAX_ORDERED:
            return
        pairs = {f"{earlier}-before-{later}": None for earlier in first for later in then if earlier != later}
        if pairs and len(pairs) <= MAX_ORDERED:
            where = self._place("first", given["first"])
            self.blocks.append(Block(Token("group", where[0])))
            for pair in sorted(pairs):
                self._add("group", pair, "true", len(self.blocks) - 1, where)

    def _end(self, element: str) -> None:
        if element == "primitive" and self.resource is not None and self.resource[2] == len(self.path):
            self.resource = None
        elif element == "group" and self.group is not None and self.group_depth == len(self.path):
            if len(self.members) <= MAX_ORDERED:
                heading = self.blocks[self.group].heading.span
                later = ((agent, other) for at, agent in enumerate(self.members) for other in self.members[at + 1 :])
                for pair in dict.fromkeys(f"{agent}-before-{other}" for agent, other in later if agent != other):
                    self._add("group", pair, "true", self.group, (heading, heading))
            self.group = None
        elif element in self.ties:
            self.ties[element].end()
        self.path.pop()
        self.within.pop()

    def _single(self, name: str, where: tuple[Span, Span]) -> int:
        """The one block of this name."""
        if name not in self.singles:
            self.singles[name] = len(self.blocks)
            self.blocks.append(Block(Token(name, where[0])))
        return self.singles[name]

    def _whole(self) -> None:
        """What all resources are together."""
        where = (Span(1, 1, 2), Span(1, 1, 2))
        block = self._single("resources", where)
        for agent in sorted(set(self.agents)):
            self._add("resources", f"has-{agent}", "true", block, where)
        mounted = {path: number for number, path in self.path_of.items() if self.agent[number] == "Filesystem"}
        for directory in sorted(mounted):
            self._add("resources", f"mounts{directory.rstrip('/').replace('/', '-')}", "true", block, where)
        for number, path in self.path_of.items():
            folders = (path, *islice(parents(path), MAX_DEPTH))
            under = next((mounted[directory] for directory in folders if directory in mounted), None)
            if self.agent[number] == "exportfs" and under is not None and not self.on_many & {number, under}:
                self._apart(number, under)

    def _apart(self, export: int, under: int) -> None:
        """Report that constraints do not tie an export to the file system of its directory."""
        where = self.blocks[export].heading.span
        for element, key in (("rsc_colocation", "may-run-apart"), ("rsc_order", "may-start-first")):
            ties = self.ties[element]
            if not ties.unknown and ties.of(export) != ties.of(under):
                self._add("exportfs", key, "true", export, (where, where))
