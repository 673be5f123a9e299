"""Formulas over facts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.engine.formula import FormulaError, evaluate, is_formula, parse
from tests.each import each

KNOWN = {"client.count": 7, "storage.slots": 128, "zero": 0}


@each(lambda: [
    ("2 * client.count", 14),
    ("client.count / 2", 4),
    ("(client.count + 1) / 2", 4),
    ("1 + 2 * 3", 7),
    ("10 - 3 - 2", 5),
    ("7 / 2 * 2", 8),
    ("min(client.count, 4)", 4),
    ("max(1, client.count - 9, 2)", 2),
    ("storage.slots/client.count", 19),
    ("(0 - 7) / 2", -3),
    ("client.count", 7),
    (" 5 ", 5),
    ("min(3)", 3),
    ("client.count-1", 6),
    ("9" * 18, 10**18 - 1),
    (f"{'(' * 50}1{')' * 50}", 1),
    (f"{'max(' * 50}1{')' * 50}", 1),
    ("1" + " " * 499, 1),
])
def test_formulas_have_the_value_that_they_say(text: str, number: int) -> None:
    assert evaluate(text, KNOWN.get) == number


def test_an_unknown_fact_leaves_the_value_unknown() -> None:
    assert evaluate("2 * client.cores", KNOWN.get) is None
    assert parse("min(client.count, 2 * storage.slots)").names == {"client.count", "storage.slots"}


@each(lambda: [
    ("2 *", 4, "the formula ends"),
    ("", 1, "the formula ends"),
    ("2 client.count", 3, "unexpected 'client.count'"),
    ("2 ** 3", 4, "found '\\*'"),
    ("(1 + 2", 7, "'\\)' is missing"),
    ("min 3", 5, "expected '\\('"),
    ("min()", 5, "found '\\)'"),
    ("1 / zero", 3, "division by zero"),
    ("a;b", 2, "unexpected ';'"),
    ("__import__('os')", 11, "unexpected '\\('"),
    ("9" * 19, 1, "out of range"),
    ("(" * 60, 52, "too many parentheses"),
    ("max(" * 51, 205, "too many parentheses"),
    ("max(1, " * 51, 355, "too many parentheses"),
    ("1+" * 400 + "1", 501, "too long"),
    ("1" + " " * 500, 501, "too long"),
    ("2 * client.count / (1 - 1)", 18, "division by zero"),
    ("1.5", 2, "unexpected '.'"),
    ("2 × 3", 3, "unexpected '×'"),
])
def test_what_is_no_formula_is_refused_with_its_column(text: str, column: int, message: str) -> None:
    with pytest.raises(FormulaError, match=message) as refused:
        evaluate(text, KNOWN.get)
    assert refused.value.column == column


def test_a_formula_knows_what_it_divides_by() -> None:
    assert [term.name or term.sign for term in parse("a / (b * 2) - c / d").divisors()] == ["*", "d"]
    assert parse("a * (b - 2)").divisors() == []


@each(lambda: [
    ("2 * client.count", True),
    ("client.count", False),
    ("omit", False),
    ("n/a", False),
    ("1048576", False),
    (4, False),
    (">=4", False),
    ("x,y", False),
])
def test_what_reads_as_a_formula(value: object, answer: bool) -> None:
    assert is_formula(value) is answer


TERMS = st.recursive(
    st.integers(0, 50).map(str),
    lambda part: st.one_of(
        st.tuples(part, st.sampled_from("+-*"), part).map(lambda pieces: f"({pieces[0]} {pieces[1]} {pieces[2]})"),
        st.tuples(st.sampled_from(["min", "max"]), part, part).map(
            lambda pieces: f"{pieces[0]}({pieces[1]}, {pieces[2]})"
        ),
    ),
    max_leaves=8,
)


@given(TERMS)
def test_formulas_agree_with_python(text: str) -> None:
    assert evaluate(text, KNOWN.get) == eval(text, {"min": min, "max": max})


@given(st.text(max_size=40))
def test_any_text_is_a_formula_or_an_error(text: str) -> None:
    try:
        column = len(parse(text).text)
    except FormulaError as error:
        column = error.column
    assert 1 <= column <= len(text) + 1
