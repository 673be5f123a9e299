"""Patterns for names."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.files.patterns import has_wildcards, name_fits, name_parts

WORDS = st.text(alphabet="ab.", max_size=8)


@given(st.text(alphabet="ab.?*", max_size=12), WORDS)
def test_a_pattern_fits_as_a_shell_glob_does(pattern: str, name: str) -> None:
    assert name_fits(name, name_parts(pattern)) is fnmatchcase(name, pattern)


@given(st.lists(WORDS, min_size=2, max_size=4), st.data())
def test_a_name_made_from_the_pattern_fits(words: list[str], data: st.DataObject) -> None:
    name = "".join(word + data.draw(WORDS) for word in words[:-1]) + words[-1]
    assert name_fits(name, words)


@pytest.mark.parametrize("name", ["[fe80::1]", "a[b]", "a\\", "a.b", "(a|b)+"])
def test_all_else_stands_for_itself(name: str) -> None:
    assert name_fits(name, name_parts(name))
    assert not name_fits(name + "x", name_parts(name))
    assert not has_wildcards(name)


class Counted(str):
    """A name that counts how often one looks at it."""

    __slots__ = ()
    looks = 0

    def __getitem__(self, key: object) -> str:
        Counted.looks += 1
        return super().__getitem__(key)  # type: ignore[index]


@pytest.mark.parametrize("pattern", ["*a?*a?*a?*a?*b", "a?a?a?*?a?a?b", "*?*?*?*?*?*?*?*?*?b"])
def test_no_step_is_taken_back(pattern: str) -> None:
    Counted.looks = 0
    assert not name_fits(Counted("a" * 2000), name_parts(pattern))
    assert Counted.looks <= 2000 * len(pattern)
