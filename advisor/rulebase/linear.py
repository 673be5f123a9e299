"""Does a regular expression take time linear in the text, whatever the text is?

Python's matcher tries one way after the other. It is quick where the number of ways that it can try in vain has a bound
that does not grow with the text, and that can be proved: the expression is taken for an automaton with one state for
each character that it names, and no text may lead from a loop both back to itself and on to another loop that takes the
same text (A. Weber, H. Seidl, 1991: "On the degree of ambiguity of finite automata"). What is not proved is refused.

Nothing here is needed to run the program: `rules verify` asks it of the rule base's patterns, and a test of all others.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from advisor.rulebase.automaton import Automaton, Unproved

WAYS = ("fullmatch", "match", "search", "iterate")
"""How a pattern is used; "iterate": findall, finditer, sub, split."""


@cache
def unproved(pattern: str | bytes, flags: int = 0, way: str = "search") -> str | None:
    """Why the pattern may need more than linear time when it is used in one of WAYS; None where it is proved not to.

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
        found = set(self.whole.sure)
        while True:
            lacking = {state for state in found if self._taken(set(self.follow[state]) & found) != self.everything}
            if not lacking:
                return frozenset(found)
            found -= lacking

    def _taken(self, states: Iterable[int]) -> int:
        mask = 0
        for state in states:
            mask |= self.reads[state]
        return mask

    def _unambiguous(self, start: list[int], without: frozenset[int], sure: frozenset[int]) -> None:
        """Raises Unproved where a text that is not `sure` to fit can be read in ever more ways. `without`: states to
        pass over."""
        reached = self._reach(start, without)
        after = {state: self._reach(self.follow[state], without) for state in reached}
        vain = {state: self._reach(self.follow[state], sure) for state in reached - sure}
        ends = [state for state in vain if state in vain[state]]
        for one in (state for state in reached if state in after[state]):
            if one in vain and any(ways > 1 and one in vain.get(x, ()) for x, ways in self.follow[one].items()):
                raise Unproved("nested loops match the same text")
            for other in ends:
                if one != other and other in after[one] and self._grows(one, other, after, vain):
                    raise Unproved("two loops match the same text, one after the other")

    def _grows(self, one: int, other: int, after: dict[int, set[int]], vain: dict[int, set[int]]) -> bool:
        """Whether some text leads from `one` to itself, from `one` to `other`, and, in vain, from `other` to itself."""
        begin, goal = (one, one, other), (one, other, other)
        seen, waiting = {begin}, [begin]
        while waiting:
            a, b, c = waiting.pop()
            for x in self.follow[a]:
                if one not in after.get(x, ()):
                    continue
                for y in self.follow[b]:
                    both = self.reads[x] & self.reads[y]
                    if not both or (y != other and other not in after.get(y, ())):
                        continue
                    for z in self.follow[c]:
                        if not both & self.reads[z] or other not in vain.get(z, ()):
                            continue
                        step = (x, y, z)
                        if step == goal:
                            return True
                        if step not in seen:
                            seen.add(step)
                            waiting.append(step)
        return False

    def _not_far_ahead(self) -> None:
        """Raises Unproved where a match may look far ahead of its end: the next one would look there again."""
        sure = self.whole.sure
        for end in sure:
            for state in self._reach(self.follow[end], frozenset()) - sure:
                if state in self._reach(self.follow[state], sure):
                    raise Unproved("it looks far beyond the match")

    def _reach(self, states: Iterable[int], without: frozenset[int]) -> set[int]:
        found: set[int] = set()
        waiting = list(states)
        while waiting:
            state = waiting.pop()
            if state not in found and state not in without:
                found.add(state)
                waiting += self.follow[state]
        return found
