"""What is typed to choose from a list."""

from __future__ import annotations

from advisor.session import keys


def test_values_that_begin_with_a_digit_are_their_own_keys() -> None:
    assert keys(["3", "4.0", "4.1", "4.2"]) == ["3", "4.0", "4.1", "4.2"]
    assert keys(["3", "4.1", "both"]) == ["3", "4.1", "both"]


def test_other_values_are_numbered() -> None:
    assert keys(["anf", "azure-files"]) == ["1", "2"]
    assert keys([True, False]) == ["1", "2"]
    assert keys([]) == []
