"""Proves that a regular expression takes linear time on any text.

Python's matcher tries one way after the other. It is quick where the number of ways that it can try in vain has a bound
that does not grow with the text, and that can be proved: the expression is taken for an automaton with one state for
each character that it names, and no text may lead from a loop both back to itself and on to another loop that takes the
same text (A. Weber, H. Seidl, 1991: "On the degree of ambiguity of finite automata"). What is not proved is refused.

Nothing here is needed to run the program: `rules verify` asks it of the rule base's patterns, and a test of all others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

Tree = Any  # what the parser of re makes: (operation, argument) pairs, lists of them, numbers
_parser: Tree = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

MAX_STATES = 400
MAX_RANGE = 1000
_OTHERS = "жß٣\u2003☃\ud800"
"""One character of each kind beyond Latin-1 that a class such as \\w tells apart."""
WAYS = ("fullmatch", "match", "search", "iterate")
"""How a pattern is used; "iterate": findall, finditer, sub, split."""


class Unproved(Exception):
    """The text says why nothing can be proved of the expression."""


class Part(NamedTuple):
    """A part of an expression. `first`, `last`: the states with which it can begin and end; `sure`: those of `last`
    behind which it can end whatever follows. `empty`: it may be nothing; `freely`: without a condition such as `$`."""

    first: list[int]
    last: list[int]
    sure: frozenset[int]
    empty: bool
    freely: bool


_NOTHING = Part([], [], frozenset(), True, True)


class Automaton:
    """`reads[state]`: the characters, as a bit mask, that lead into a state; `follow[state]`: the states after it, each
    with the number of ways to it. `whole`: the expression; `anchor`: where it can begin, at the start of a "text",
    of a "line", or at "any" place.

    Raises re.error for what is not a regular expression, and Unproved for what cannot be made one."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        tree = _parser.parse(pattern, flags)
        self.alphabet = [chr(code) for code in range(256)]
        if isinstance(pattern, str):
            self.alphabet += sorted({*_OTHERS, *_named(tree)} - set(self.alphabet))
        self.everything = (1 << len(self.alphabet)) - 1
        self.masks: dict[tuple[str, Tree, int], int] = {}
        self.reads: list[int] = []
        self.follow: list[dict[int, int]] = []
        given = int(tree.state.flags)
        self.whole = self._sequence(tree, given)
        self.anchor = _anchor(tree, given)

    def scanner(self) -> list[int]:
        """Add states for the text before a match of a search, and return them."""
        newline = self._of("LITERAL", 10, 0)
        if self.anchor == "line":
            begin, within = self._state(newline), self._state(self.everything & ~newline)
            self._link((begin, within), (begin, within))
            self._link((begin,), self.whole.first)
            return [begin, within]
        begin = self._state(self.everything)
        self._link((begin,), (begin, *self.whole.first))
        return [begin]

    def _state(self, mask: int) -> int:
        if len(self.reads) >= MAX_STATES:
            raise Unproved("it is too large to be looked at")
        self.reads.append(mask)
        self.follow.append({})
        return len(self.reads) - 1

    def _link(self, before: Iterable[int], after: Iterable[int]) -> None:
        after = list(after)
        for state in before:
            for follower in after:
                self.follow[state][follower] = self.follow[state].get(follower, 0) + 1

    def _sequence(self, items: Tree, flags: int) -> Part:
        whole = _NOTHING
        for op, argument in items:
            whole = self._join(whole, self._part(str(op), argument, flags))
        return whole

    def _join(self, left: Part, right: Part) -> Part:
        self._link(left.last, right.first)
        return Part(
            [*left.first, *(right.first if left.empty else ())], [*right.last, *(left.last if right.empty else ())],
            right.sure | (left.sure if right.freely else frozenset()), left.empty and right.empty,
            left.freely and right.freely,
        )

    def _part(self, op: str, argument: Tree, flags: int) -> Part:
        if op in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            state = self._state(self._mask(op, argument, flags))
            return Part([state], [state], frozenset((state,)), False, False)
        if op == "SUBPATTERN":
            _, added, removed, inner = argument
            return self._sequence(inner, (flags | added) & ~removed)
        if op == "BRANCH":
            return self._branch([self._sequence(inner, flags) for inner in argument[1]])
        if op in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = argument
            return self._repeat(least, most, inner, flags)
        if op == "AT":
            return _NOTHING._replace(freely=False)
        if op in ("ASSERT", "ASSERT_NOT"):
            if argument[1].getwidth()[1] > MAX_STATES:
                raise Unproved("it looks ahead without a bound")
            return _NOTHING._replace(freely=False)
        raise Unproved(f"it has a {op.lower().replace('_', ' ')}")

    def _branch(self, parts: list[Part]) -> Part:
        if sum(part.empty for part in parts) > 1:
            raise Unproved("several of its alternatives may be empty")
        return Part(
            [state for part in parts for state in part.first], [state for part in parts for state in part.last],
            frozenset().union(*(part.sure for part in parts)), any(part.empty for part in parts),
            any(part.freely for part in parts),
        )

    def _repeat(self, least: int, most: Tree, inner: Tree, flags: int) -> Part:
        endless = most is _parser.MAXREPEAT
        whole = _NOTHING
        for _ in range(max(least - endless, 0)):
            whole = self._join(whole, self._sequence(inner, flags))
        if endless:
            loop = self._body(inner, flags)
            self._link(loop.last, loop.first)
            return self._join(whole, loop if least else loop._replace(empty=True, freely=True))
        rest = _NOTHING
        for _ in range(most - least):
            rest = self._join(self._body(inner, flags), rest)._replace(empty=True, freely=True)
        return self._join(whole, rest)

    def _body(self, inner: object, flags: int) -> Part:
        part = self._sequence(inner, flags)
        if part.empty:
            raise Unproved("it repeats what may be empty")
        return part

    def _mask(self, op: str, argument: Tree, flags: int) -> int:
        if op == "ANY":
            return self.everything & ~(0 if flags & re.DOTALL else self._of("LITERAL", 10, 0))
        items = argument if op == "IN" else [("LITERAL", argument)]
        mask = 0
        for kind, value in items:
            mask |= 0 if str(kind) == "NEGATE" else self._of(str(kind), value, flags)
        negated = op == "NOT_LITERAL" or str(items[0][0]) == "NEGATE"
        return self.everything & ~mask if negated else mask

    def _of(self, kind: str, value: object, flags: int) -> int:
        """The characters that one part of a class matches."""
        key = (kind, value, flags)
        if key not in self.masks:
            test, either = _test(kind, value, flags), flags & re.IGNORECASE
            self.masks[key] = sum(
                1 << index for index, char in enumerate(self.alphabet)
                if test(char) or (either and any(map(test, char.lower() + char.upper())))
            )
        return self.masks[key]


def _anchor(items: Tree, flags: int) -> str:
    """Where the expression can begin: at the "text"'s start, at a "line"'s, or at "any" place."""
    for op, argument in items:
        if str(op) == "AT":
            if str(argument) == "AT_BEGINNING_STRING":
                return "text"
            if str(argument) == "AT_BEGINNING":
                return "line" if flags & re.MULTILINE else "text"
        elif str(op) == "SUBPATTERN":
            return _anchor(argument[3], (flags | argument[1]) & ~argument[2])
        elif str(op) == "BRANCH":
            anchors = [_anchor(inner, flags) for inner in argument[1]]
            return next(place for place in ("any", "line", "text") if place in anchors)
        return "any"
    return "any"


def _test(kind: str, value: Tree, flags: int) -> Callable[[str], Tree]:
    """A test of one character for one part of a class."""
    if kind == "LITERAL":
        return chr(value).__eq__
    if kind == "RANGE":
        low, high = map(chr, value)
        return lambda char: low <= char <= high
    letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[str(value).rpartition("_")[2]]
    letter = letter.upper() if "_NOT_" in str(value) else letter
    return re.compile("\\" + letter, flags & re.ASCII).fullmatch


def _named(items: Tree) -> Iterator[str]:
    """Every character beyond Latin-1 that the expression names."""
    for op, argument in items:
        if str(op) in ("LITERAL", "NOT_LITERAL"):
            yield chr(argument)
        elif str(op) == "RANGE":
            if argument[1] > 255 and argument[1] - argument[0] > MAX_RANGE:
                raise Unproved("it has too wide a range of characters")
            yield from map(chr, range(argument[0], argument[1] + 1))
        elif str(op) == "IN":
            yield from _named(argument)
        elif str(op) == "SUBPATTERN":
            yield from _named(argument[3])
        elif str(op) == "BRANCH":
            for inner in argument[1]:
                yield from _named(inner)
        elif str(op) in ("MAX_REPEAT", "MIN_REPEAT"):
            yield from _named(argument[2])


@cache
def why_unsafe(pattern: str | bytes, flags: int, way: str) -> str | None:
    """Why the pattern may need more than linear time when it is used in one of WAYS; None if it is proved not to.

    Raises re.error for what is not a regular expression."""
    try:
        _Proof(Automaton(pattern, flags)).check(way)
    except Unproved as error:
        return str(error)
    return None


class _Proof:
    def __init__(self, machine: Automaton) -> None:
        self.machine = machine
        self.whole = machine.whole
        self.reads = machine.reads
        self.everything = machine.everything
        self.follow = machine.follow

    def check(self, way: str) -> None:
        """Raises Unproved. From a state that is sure of success nothing more is tried in vain, once it is reached."""
        sure = self._universal() if way == "fullmatch" else self.whole.sure
        self._unambiguous(self.whole.first, frozenset(), sure)
        if way in ("search", "iterate") and not self.whole.freely:
            if way == "iterate":
                self._not_far_ahead()
            if self.machine.anchor != "text":
                self._unambiguous(self.machine.scanner(), sure, sure)

    def _universal(self) -> frozenset[int]:
        """States from which every text leads to an end: those before a last `.*`."""
        states = set(self.whole.sure)
        while True:
            lacking = {state for state in states if self._taken(set(self.follow[state]) & states) != self.everything}
            if not lacking:
                return frozenset(states)
            states -= lacking

    def _taken(self, states: Iterable[int]) -> int:
        mask = 0
        for state in states:
            mask |= self.reads[state]
        return mask

    def _unambiguous(self, start: list[int], without: frozenset[int], sure: frozenset[int]) -> None:
        """Raises Unproved if a text that is not `sure` to fit can be read in ever more ways. `without`: states to
        pass over."""
        reached = self._reach(start, without)
        after = {state: self._reach(self.follow[state], without) for state in reached}
        vain = {state: self._reach(self.follow[state], sure) for state in reached - sure}
        ends = [state for state in vain if state in vain[state]]
        for first in (state for state in reached if state in after[state]):
            if first in vain and any(ways > 1 and first in vain.get(x, ()) for x, ways in self.follow[first].items()):
                raise Unproved("nested loops match the same text")
            for second in ends:
                if first != second and second in after[first] and self._grows(first, second, after, vain):
                    raise Unproved("two loops match the same text, one after the other")

    def _grows(self, first: int, second: int, after: dict[int, set[int]], vain: dict[int, set[int]]) -> bool:
        """Whether some text leads from `first` to itself, from `first` to `second`, and, in vain, from `second` to
        itself."""
        begin, goal = (first, first, second), (first, second, second)
        seen, waiting = {begin}, [begin]
        while waiting:
            a, b, c = waiting.pop()
            for x in self.follow[a]:
                if first not in after.get(x, ()):
                    continue
                for y in self.follow[b]:
                    both = self.reads[x] & self.reads[y]
                    if not both or (y != second and second not in after.get(y, ())):
                        continue
                    for z in self.follow[c]:
                        if not both & self.reads[z] or second not in vain.get(z, ()):
                            continue
                        step = (x, y, z)
                        if step == goal:
                            return True
                        if step not in seen:
                            seen.add(step)
                            waiting.append(step)
        return False

    def _not_far_ahead(self) -> None:
        """Raises Unproved if a match may look far ahead of its end: the next one would look there again."""
        sure = self.whole.sure
        for end in sure:
            for state in self._reach(self.follow[end], frozenset()) - sure:
                if state in self._reach(self.follow[state], sure):
                    raise Unproved("it looks far beyond the match")

    def _reach(self, states: Iterable[int], without: frozenset[int]) -> set[int]:
        reached: set[int] = set()
        waiting = list(states)
        while waiting:
            state = waiting.pop()
            if state not in reached and state not in without:
                reached.add(state)
                waiting += self.follow[state]
        return reached
