"""The proof that a regular expression takes linear time: against a matcher that counts its steps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from advisor.rulebase.regex_safety import WAYS, _parser, why_unsafe
from tests.each import each
from tests.tiers import thorough

REFUSED = [
    (r"(a+)+b", "match"), (r"(?:a|a)*b", "match"), (r"a*a*b", "match"), (r"(?:a(?:b?|c?))*d", "match"),
    (r"(?:[0-9]+\.?)+", "fullmatch"), (r".*x.*y", "match"), (r"(a)\1*b", "match"), (r"(?=a*b)a", "match"),
    (r"a+b", "search"), (r"\s+$", "search"), (r"a*b|a", "iterate"), (r"a(?:a*b)?", "iterate"),
    (r"(?:\s*[0-9]+(?:\.[0-9]+)?\s*(?:s|min)?\s*)+", "fullmatch"), (r"x{0,5000}", "match"), (r"(?i:k+)K+b", "match"),
    (r"(?m)^\s*a", "search"), ("[\u2010-\u2020]*\u2015*a", "match"),
]
PROVED = [
    (r"a+b", "match"), (r"[^ ]+", "iterate"), (r"a(?:a*b)?", "search"), (r"^.*x", "search"),
    (r".*(?:foo|bar)", "match"),
    (r"(?m)^key:.*$", "search"), (r"[0-9]+(?:\.[0-9]+)*(?:-.*)?", "match"), (r"(?s)[0-9]+(.*)", "fullmatch"),
    (r"[^,/]+[,/]?|[,/]", "iterate"), (r"\{[^{}]*\}", "search"), (r"(?:[0-9]+\.?)+", "match"), (r"a*(?!bb)b", "match"),
]


@each(lambda: REFUSED)
def test_refused(pattern: str, way: str) -> None:
    assert why_unsafe(pattern, 0, way)


@each(lambda: PROVED)
def test_proved(pattern: str, way: str) -> None:
    assert why_unsafe(pattern, 0, way) is None


class Counter:
    """A backtracking matcher that works as Python's does, without its short cuts, and counts the characters tested."""

    LIMIT = 60_000

    def __init__(self, pattern: str, text: str) -> None:
        self.tree, self.text, self.steps = _parser.parse(pattern), text, 0

    def run(self, way: str) -> int:
        at = 0
        while at <= len(self.text):
            ends = self.sequence(list(self.tree), 0, at)
            end = next((end for end in ends if way != "fullmatch" or end == len(self.text)), None)
            if way in ("match", "fullmatch") or (end is not None and way == "search"):
                break
            at = max(at + 1, end or 0)
        return self.steps

    def sequence(self, items: list[Any], index: int, at: int) -> Iterator[int]:
        if index == len(items):
            yield at
            return
        for end in self.node(*items[index], at):
            yield from self.sequence(items, index + 1, end)

    def node(self, op: Any, argument: Any, at: int) -> Iterator[int]:
        name = str(op)
        if name == "SUBPATTERN":
            yield from self.sequence(list(argument[3]), 0, at)
        elif name == "BRANCH":
            for inner in argument[1]:
                yield from self.sequence(list(inner), 0, at)
        elif name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = argument
            yield from self.repeat(least, most, list(inner), at, name == "MAX_REPEAT", count=0)
        elif name == "AT":
            if (at == 0) if str(argument) == "AT_BEGINNING" else (at == len(self.text)):
                yield at
        else:
            self.steps += 1
            assert self.steps < self.LIMIT, "the number of steps explodes"
            if at < len(self.text) and self.fits(name, argument, self.text[at]):
                yield at + 1

    def repeat(self, least: int, most: Any, inner: list[Any], at: int, greedy: bool, *, count: int) -> Iterator[int]:
        if not greedy and count >= least:
            yield at
        if count < int(most):
            for end in self.sequence(inner, 0, at):
                if end > at:
                    yield from self.repeat(least, most, inner, end, greedy, count=count + 1)
        if greedy and count >= least:
            yield at

    @staticmethod
    def fits(name: str, argument: Any, char: str) -> bool:
        if name == "IN":
            return any(str(kind) == "LITERAL" and ord(char) == value for kind, value in argument)
        return name == "ANY" or (ord(char) == argument) is (name == "LITERAL")


PATTERNS = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "ab", "^", "$"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "+?", "{1,3}", "{2,}"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=2).map(lambda parts: f"(?:{'|'.join(parts)})"),
    ),
    max_leaves=6,
)
WORDS = st.text("ab", max_size=3)


@thorough
@settings(max_examples=300, deadline=None)
@given(PATTERNS, st.sampled_from(WAYS), WORDS, WORDS.filter(bool), WORDS)
def test_what_is_proved_takes_a_number_of_steps_that_grows_with_the_text_alone(
    pattern: str, way: str, begin: str, again: str, end: str
) -> None:
    try:
        re.compile(pattern)
        assume(why_unsafe(pattern, 0, way) is None)
    except re.error:
        assume(False)
    few, some, many = (Counter(pattern, begin + again * times + end).run(way) for times in (8, 16, 32))
    assert many - some <= 3 * (some - few) + 60, (pattern, way, few, some, many)


def test_the_counting_matcher_sees_an_explosion() -> None:
    with pytest.raises(AssertionError, match="explodes"):
        Counter("(?:a+)+b", "a" * 32).run("match")
