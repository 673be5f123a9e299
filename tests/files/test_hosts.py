"""Addresses and names of hosts, as they are written."""

from __future__ import annotations

import pytest

from advisor.files import source
from tests.each import each


@each(lambda: ["", "10.0.0", "10.0.0.256", "10.0.0.5.6", "::g", "fd00::/64", "nas", "1" * 5000])
def test_what_is_no_address(text: str) -> None:
    assert source.parse_address(text) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("nas", "NAS.example.com", True), ("nas.example.com", "nas.example.com.", True),
        ("nas.example.com", "nas.example.org", False), ("nas", "nas2", False), ("", "nas", False),
    ],
)
def test_names_of_one_host(one: str, other: str, same: bool) -> None:
    assert source.same_host(one, other) is same


