"""What is typed to choose from a list."""

from __future__ import annotations

from advisor.session import choice_keys


def test_values_that_begin_with_a_digit_are_their_own_keys() -> None:
    assert choice_keys(["3", "4.0", "4.1", "4.2"]) == ["3", "4.0", "4.1", "4.2"]
    assert choice_keys(["3", "4.1", "both"]) == ["3", "4.1", "both"]


def test_other_values_are_numbered() -> None:
    assert choice_keys(["anf", "azure-files"]) == ["1", "2"]
    assert choice_keys([True, False]) == ["1", "2"]
    assert choice_keys([]) == []
