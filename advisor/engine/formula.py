"""Values that are computed from facts: "2 * client.count".

Whole numbers, facts, + - * / and parentheses, min(…) and max(…). A division rounds up, at once: half a connection is
one connection. Names may not contain a hyphen, which is minus. A formula without spaces may also be the lower limit of
a bound: ">=min(16,network.speed_gbps/5) <=16", "4096 * >=2*client.count"."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from advisor.engine.errors import EngineError
from advisor.regex import regex

_PIECE = r"([0-9]+)|([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)|(\S)"
_LEAST = regex(r">=\s*([^\s<>=!]+)")
MAX_DEPTH = 50
MAX_LENGTH = 500


class FormulaError(EngineError):
    """A text that is not a formula, or a division by zero. `column` counts from 1."""

    def __init__(self, text: str, column: int, message: str) -> None:
        self.column = column
        super().__init__(f"{message} at column {column} of {text!r}")


class Term:
    """`sign`: "number", "fact" (its `name`), or the operation on `parts`."""

    __slots__ = ("column", "name", "number", "parts", "sign")

    def __init__(
        self, sign: str, column: int, parts: tuple[Term, ...] = (), *, number: int = 0, name: str = ""
    ) -> None:
        self.sign = sign
        self.column = column
        self.parts = parts
        self.number = number
        self.name = name


class Formula:
    """`names`: the facts that it needs."""

    __slots__ = ("names", "term", "text")

    def __init__(self, text: str, term: Term, names: frozenset[str]) -> None:
        self.text = text
        self.term = term
        self.names = names

    @property
    def grows(self) -> bool:
        """Whether no fact can make it less: nothing is subtracted, and it divides by numbers alone."""
        terms = [self.term]
        for term in terms:
            terms += term.parts
        return all(term.sign != "-" for term in terms) and all(part.sign == "number" for part in self.divisors())

    def divisors(self) -> list[Term]:
        divisors: list[Term] = []
        terms = [self.term]
        for term in terms:
            terms += term.parts
            divisors += term.parts[1:] if term.sign == "/" else ()
        return divisors


def is_formula(value: object) -> bool:
    """Whether a value is a text that reads as a computation with at least one fact in it. Facts have a dot in their
    name; `n/a` and words with a hyphen have none."""
    if not isinstance(value, str) or "." not in value or not any(sign in value for sign in "+-*/("):
        return False
    try:
        formula = parse(value)
    except FormulaError:
        return False
    return bool(formula.names) and formula.term.sign != "fact"


def limits(value: object) -> list[Formula]:
    if not isinstance(value, str) or ">=" not in value:
        return []
    return [parse(text) for text in _LEAST.findall(value) if is_formula(text)]


def names_in(value: object) -> frozenset[str]:
    """The facts that a value is computed from, by a formula or by those in a bound."""
    if not isinstance(value, str) or "." not in value:  # as nearly all are; a fact has a dot
        return frozenset()
    formulas = [parse(value)] if is_formula(value) else limits(value)
    return frozenset().union(*(formula.names for formula in formulas))


def with_numbers(bound: str, lookup: Callable[[str], int | None] = lambda _: None) -> str:
    """A bound with a number for each formula in it. A fact without a number counts as 0: the limit asks for no more
    than what is known. One field of several that asks for nothing may be any number, "*"."""
    fields = bound[:1] not in "<>=!"

    def number(match: re.Match[str]) -> str:
        if not is_formula(match[1]):
            return match[0]
        limit = evaluate(match[1], lambda name: lookup(name) or 0)
        return f">={limit}" if limit or not fields else "*"

    return _LEAST.sub(number, bound)


def in_numbers(value: str, lookup: Callable[[str], int | None]) -> str | int | None:
    """The number of a formula, None while one of its facts is not known; or a bound with numbers for its formulas."""
    return evaluate(value, lookup) if is_formula(value) else with_numbers(value, lookup)


def evaluate(formula: str | Formula, lookup: Callable[[str], int | None]) -> int | None:
    """The formula's number; None as soon as `lookup` knows no single number for a fact. Raises FormulaError."""
    if isinstance(formula, str):
        formula = parse(formula)
    numbers: dict[str, int] = {}
    for name in sorted(formula.names):
        number = lookup(name)
        if number is None:
            return None
        numbers[name] = number
    return _value(formula.text, formula.term, numbers)


@lru_cache(maxsize=1024)
def parse(text: str) -> Formula:
    """Reads a formula. Raises FormulaError with the column of the fault."""
    if len(text) > MAX_LENGTH:
        raise FormulaError(text, MAX_LENGTH + 1, "the formula is too long")
    reader = _Reader(text)
    term = reader.total(0)
    if reader.ahead:
        raise reader.error(f"unexpected {reader.ahead!r}")
    return Formula(text, term, frozenset(reader.names))


def _value(text: str, term: Term, numbers: dict[str, int]) -> int:
    if term.sign == "number":
        return term.number
    if term.sign == "fact":
        return numbers[term.name]
    values = [_value(text, part, numbers) for part in term.parts]
    if term.sign == "min":
        return min(values)
    if term.sign == "max":
        return max(values)
    first, second = values
    if term.sign == "+":
        return first + second
    if term.sign == "-":
        return first - second
    if term.sign == "*":
        return first * second
    if second == 0:
        raise FormulaError(text, term.column, "division by zero")
    return -(-first // second)


class _Reader:
    """Reads terms one token ahead."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names: set[str] = set()
        self.tokens = re.finditer(_PIECE, text)
        self.advance()

    def advance(self) -> None:
        match = next(self.tokens, None)
        self.digits, self.word, other = match.groups(default="") if match else ("", "", "")
        self.ahead = self.digits or self.word or other
        self.column = (match.end() if match else len(self.text)) - len(self.ahead) + 1

    def error(self, message: str) -> FormulaError:
        return FormulaError(self.text, self.column, message)

    def expect(self, token: str) -> None:
        if self.ahead != token:
            raise self.error(f"expected {token!r}, found {self.ahead!r}" if self.ahead else f"{token!r} is missing")
        self.advance()

    def total(self, depth: int) -> Term:
        if depth > MAX_DEPTH:
            raise self.error("too many parentheses")
        term = self.product(depth)
        while self.ahead in ("+", "-"):
            sign, column = self.ahead, self.column
            self.advance()
            term = Term(sign, column, (term, self.product(depth)))
        return term

    def product(self, depth: int) -> Term:
        term = self.factor(depth)
        while self.ahead in ("*", "/"):
            sign, column = self.ahead, self.column
            self.advance()
            term = Term(sign, column, (term, self.factor(depth)))
        return term

    def factor(self, depth: int) -> Term:
        column = self.column
        if self.digits:
            if len(self.digits) > 18:
                raise self.error("a number this large is out of range")
            term = Term("number", column, number=int(self.digits))
            self.advance()
            return term
        if self.word in ("min", "max"):
            sign = self.word
            self.advance()
            self.expect("(")
            parts = [self.total(depth + 1)]
            while self.ahead == ",":
                self.advance()
                parts.append(self.total(depth + 1))
            self.expect(")")
            return Term(sign, column, tuple(parts))
        if self.word:
            self.names.add(self.word)
            term = Term("fact", column, name=self.word)
            self.advance()
            return term
        if self.ahead == "(":
            self.advance()
            term = self.total(depth + 1)
            self.expect(")")
            return term
        instead = f"found {self.ahead!r}" if self.ahead else "the formula ends"
        raise self.error(f"expected a number or a fact, {instead}")
