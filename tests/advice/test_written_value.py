"""From a rule's value to the one that is written."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from advisor.rulebase.counsel import formula_facts, is_in_effect, to_write
from advisor.rulebase.model import Tunable
from advisor.rulebase.values import inside, nearest
from tests.each import each


@each(lambda: [
    ("<=128", 65536, 128),
    (">=16777216", 212992, 16777216),
    (">=8 <=16", 1, 8),
    (">=8 <=16", 20, 16),
    (">=8 <=16", None, 8),
    ("<=262144", None, 262144),
    ("<16", 1, 1),
    ("<16", None, 15),
    (">3", None, 4),
    ("!=0", None, None),
    (600, None, 600),
    (0, 1, 0),
    (True, None, True),
    ("4.1", None, "4.1"),
    ("omit", 1, None),
    ("keep", 1, None),
    ("n/a", 1, None),
])
def test_the_smallest_change_that_does_what_the_rule_asks(value: Any, default: Any, written: Any) -> None:
    assert to_write(Tunable.from_data({"default": default}), value) == written
    assert type(to_write(Tunable.from_data({"default": default}), value)) is type(written)


def test_what_is_usual_counts_as_the_default() -> None:
    actimeo = Tunable.from_data({"usual": [3, 30, 60]})
    assert to_write(actimeo, "<=60") is None  # 60 would raise the 3 seconds of files
    assert is_in_effect(actimeo, "<=60", None)
    assert to_write(actimeo, ">=60") == 60
    assert to_write(Tunable.from_data({"usual": [1048576]}), ">=32768") is None
    assert to_write(Tunable.from_data({"usual": [1048576]}), ">=65536 <=262144") == 262144
    assert to_write(Tunable.from_data({"usual": [128]}), ">=15360 <=16384") == 15360


def test_a_field_without_opinion_keeps_its_default() -> None:
    told = Tunable.from_data({"fields": ["minimum", "start", "maximum"], "default": "4096 131072 6291456"})
    assert to_write(told, "4096 * >=16777216") == "4096 131072 16777216"
    assert to_write(told.replace(default=None), "4096 * >=16777216") is None  # the default is not known


@given(st.lists(st.tuples(st.sampled_from([">=", "<=", ">", "<"]), st.integers(-50, 50)), min_size=1, max_size=3),
       st.none() | st.integers(-60, 60))
def test_nothing_inside_is_nearer_than_what_is_chosen(parts: list[tuple[str, int]], default: int | None) -> None:
    bound = " ".join(f"{sign}{limit}" for sign, limit in parts)
    chosen = nearest(bound, default)
    all_inside = [number for number in range(-120, 121) if inside(number, bound)]
    if chosen is None:
        assert not all_inside
        return
    assert chosen in all_inside
    if default is not None:
        assert abs(chosen - default) == min(abs(number - default) for number in all_inside)


def test_only_facts_make_a_formula() -> None:
    facts = {"client.count", "mount.nconnect"}
    assert formula_facts("2 * client.count", facts) == {"client.count"}
    assert formula_facts("n/a", facts) == frozenset()
    assert formula_facts("latency-performance", facts) == frozenset()
