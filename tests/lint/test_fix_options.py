"""Edits of an option list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.files.fstab import split_options
from advisor.files.records import Setting
from advisor.lint.finding import apply, edit_list
from tests.each import each


def found(options: str, index: int) -> Setting:
    item = split_options(options)[index]
    return Setting(item.value, "options", item.start, item.start + len(item.text), item.text)


def edited(options: str, drop: list[int], put: dict[int, str], add: list[str]) -> str:
    """The list with its items `drop` taken out, `put` written anew, and `add` appended."""
    edits = edit_list(
        options, [found(options, i) for i in drop], [(found(options, i), text) for i, text in put.items()], add
    )
    for earlier, later in zip(edits, edits[1:]):
        assert earlier.end_column <= later.column, "edits overlap"
    return apply(options, edits)


@each(lambda: [
    ("a,b,c", [0], "b,c"),
    ("a,b,c", [1], "a,c"),
    ("a,b,c", [2], "a,b"),
    ("a,b,c", [0, 1], "c"),
    ("a,b,c", [1, 2], "a"),
    ("a,b,c,d", [0, 2], "b,d"),
    ("a", [0], "defaults"),
    ("a,b", [0, 1], "defaults"),
    ("a,,b", [1], "a,b"),
    ("a,", [1], "a"),
    (",a", [0], "a"),
    (",", [0], "defaults"),
    ("a,", [0], "defaults"),
    ('context="x,y",b', [0], "b"),
    (r"a\054b\054c", [1], r"a\054c"),
    (r"a\054b", [1], "a"),
    ("défaut,b", [0], "b"),
])
def test_options_taken_out(options: str, drop: list[int], left: str) -> None:
    assert edited(options, drop, {}, []) == left


@each(lambda: [
    ("", ["a"], "a"),
    ("defaults", ["a"], "a"),
    ("a", ["b"], "a,b"),
    ("a", ["b", "c"], "a,b,c"),
    ("a,", ["b"], "a,b"),
    ("defaults,", ["b"], "b"),
    ("defaults,a", ["b"], "defaults,a,b"),
    (r"a\000rest", ["b"], r"a,b\000rest"),
])
def test_options_added(options: str, add: list[str], left: str) -> None:
    assert edited(options, [], {}, add) == left


@pytest.mark.parametrize(
    ("options", "drop", "put", "add", "left"),
    [
        ("timeo=14", [0], {}, ["hard"], "hard"),
        ("a,timeo=14", [1], {}, ["hard"], "a,hard"),
        ("a,b,c", [0], {2: "x"}, ["d"], "b,x,d"),
        ("a,b,c", [1], {0: "xyz"}, [], "xyz,c"),
    ],
)
def test_several_edits_at_once(options: str, drop: list[int], put: dict[int, str], add: list[str], left: str) -> None:
    assert edited(options, drop, put, add) == left


def test_nothing_is_edited_where_a_quote_does_not_close() -> None:
    assert edit_list('hard,context="a,b', [found('hard,context="a,b', 0)]) == ()


_lists = st.lists(st.sampled_from(["a", "b=1", "", 'c="x,y"', "defaults", r"d\040e", "é"]), min_size=1, max_size=6).map(
    ",".join
)


@given(_lists, st.sets(st.integers(0, 5)), st.lists(st.sampled_from(["n", "m=2"]), max_size=2))
def test_what_is_left_is_what_was_not_dropped(options: str, drop: set[int], add: list[str]) -> None:
    items = split_options(options)
    gone = sorted(index for index in drop if index < len(items))
    left = [item.text for item in split_options(edited(options, gone, {}, add)) if item.text]
    kept = [item.text for index, item in enumerate(items) if index not in gone and item.text]
    if add and {item.text for item in items} <= {"", "defaults"}:
        kept = []
    assert left == (kept + add or ["defaults"])
