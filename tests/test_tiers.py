"""The order of the tests, and the choice of them for another interpreter."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.tiers import FIRST, HELPERS, few_cases, long_first, wholly_of_the_other


class Item(NamedTuple):
    nodeid: str

    def get_closest_marker(self, name: str) -> Any:
        return "long" in self.nodeid if name == "long" else None


def items(*names: str) -> list[Any]:
    return [Item(name) for name in names]


@pytest.mark.parametrize(("workers", "expected"), [
    (1, "long1 long2 long3 a b c d e"),
    (2, "long1 long3 a b long2 c d e"),  # four tests each: as many as the first takes, and the second
    (3, "long1 a long2 b c long3 d e"),  # two, three and three, as pytest-xdist divides eight
    (9, "long1 long2 long3 a b c d e"),
])
def test_each_worker_begins_with_a_long_one(workers: int, expected: str) -> None:
    given = items("a", "long1", "b", "c", "long2", "d", "long3", "e")
    assert [item.nodeid for item in long_first(given, workers)] == expected.split()


def test_no_more_cases_than_asked_for_and_both_ends_among_them() -> None:
    given = items("f::a", "f::b[1]", "f::b[2]", "f::b[3]", "f::b[4]", "f::b[5]", "f::c[1]", "f::c[2]", "g::b[1]")
    chosen = [item.nodeid for item in few_cases(given, 3)]
    assert chosen == ["f::a", "f::b[1]", "f::b[3]", "f::b[5]", "f::c[1]", "f::c[2]", "g::b[1]"]
    assert [item.nodeid for item in few_cases(given, 1)] == ["f::a", "f::b[1]", "f::c[1]", "g::b[1]"]


@pytest.mark.parametrize(("text", "first", "second"), [
    ("import os\nfrom tests.tiers import thorough\n\npytestmark = thorough\n", False, True),
    ("import os\nfrom tests.tiers import thorough\n\n\n@thorough\ndef test_this() -> None: …\n", True, True),
    ("import os\nfrom tests.laws.worlds import LAW\n", True, True),
    ("import os\nfrom tests.each import each\n", True, False),
])
def test_a_file_is_imported_for_the_tiers_that_it_has_tests_of(text: str, first: bool, second: bool) -> None:
    assert wholly_of_the_other(text, FIRST) is not first
    assert wholly_of_the_other(text, "thorough") is not second


def test_whatever_marks_tests_of_the_second_tier_is_a_listed_helper() -> None:
    here = Path(__file__).parent
    texts = {path: path.read_text() for path in here.rglob("*.py")}
    naming = {
        ".".join(("tests", *path.relative_to(here).with_suffix("").parts)) for path, text in texts.items()
        if "from tests.tiers import" in text and not path.name.startswith("test_")
    }
    assert naming == set(HELPERS) - {"tests.tiers"}
    assert [path.name for path, text in texts.items() if "pytest.mark." + "thorough" in text] == ["tiers.py"]
