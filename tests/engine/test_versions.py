"""Known orders of versions."""

from __future__ import annotations

import pytest

from advisor.engine.versions import compare, comparisons, following
from tests.each import each

# Each list from old to new.
ORDERS = {
    "rpm": [
        ["1.0~rc1", "1.0", "1.0^20200101git", "1.0.1", "1.1"],
        ["1.0^", "1.0a", "1.0.1"],
        ["2.5.4-34.el9", "2.5.4-34.el9_5.1", "2.5.4-38.el9", "2.6.1-1.el9", "1:1.0-1"],
        ["1.5.fc9", "1.5.2", "1.05.3"],
        ["9", "10", "100000000000000000000000000000001"],
        ["FC5", "fc4"],
    ],
    "deb": [
        ["1.0~~", "1.0~rc1", "1.0", "1.0-1", "1.0-1+deb12u1", "1.0+dfsg-1", "1.0.1", "1:0.1"],
        ["1:2.6.2-4", "1:2.6.2-4+deb12u1", "1:2.6.2-5"],
        ["15.2", "15.3", "15.10"],
        ["1a", "1+"],
        ["0~", "0", "0a", "0+", "0.1"],
        ["00~1", "0", "000-1"],
    ],
    "kernel": [
        ["5.3.0-rc1", "5.3", "5.3.0-46-generic", "5.3.1", "5.4-rc3", "5.4", "5.10", "5.11"],
        ["3.10.0-957", "3.10.0-957.el7", "3.10.0-957.1.3.el7", "3.10.0-957.5.1.el7", "3.10.0-1160.el7"],
        ["4.18.0-80.el8", "4.18.0-240.el8", "4.18.0-240.22.1.el8_3", "5.14.0-70.el9"],
        ["6.1", "6.1.0-56-amd64", "6.1.192"],
        ["6.12.0-0.rc3.20241018git.31.fc42", "6.12.0-rc4", "6.12.0-1.fc42"],
        ["2.6.32-754.el6", "2.6.39", "3.0"],
    ],
}
EQUAL = {
    "rpm": [("1.0", "1_0"), ("1.0", "1.00"), ("0:1.0", "1.0"), ("1.", "1")],
    "deb": [("1.0", "1.0-0"), ("0:1.0", "1.0"), ("1.00", "1.0"), ("1.", "1.0")],
    "kernel": [
        ("5.3", "5.3.0"),
        ("3.10.0-957.el7", "3.10.0-957.el7.x86_64"),
        ("v6.1", "6.1"),
        ("6.12-rc3", "6.12.0-rc3"),
    ],
}


@each(lambda: [(scheme, one) for scheme, found in ORDERS.items() for one in found])
def test_known_orders(scheme: str, versions: list[str]) -> None:
    for older, newer in zip(versions, versions[1:]):
        assert compare(scheme, older, newer) == -1, (older, newer)
        assert compare(scheme, newer, older) == 1, (older, newer)


@each(lambda: [(scheme, pair) for scheme, found in EQUAL.items() for pair in found])
def test_equal_versions(scheme: str, pair: tuple[str, str]) -> None:
    assert compare(scheme, *pair) == 0


@each(lambda: [
    ("rpm", ""),
    ("rpm", "1 2"),
    ("rpm", "x:1"),
    ("deb", "1:"),
    ("kernel", "latest"),
    ("kernel", "-5"),
    ("pip", "1.0"),
    ("kernel", " "),
    ("deb", "²:1"),
])
def test_what_is_no_version_is_refused(scheme: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"version|release"):
        compare(scheme, text, "1.0")


@each(lambda: [
    ("4.18.0", "4.18.1"),
    ("22.04", "22.05"),
    ("1.09", "1.10"),
    ("9", "10"),
    ("1:2-3", "1:2-4"),
    ("1.", ""),
    ("4.18.0-240.el8", ""),
    ("v6", ""),
    ("9" * 19, "1" + "0" * 19),
    ("1" * 20, ""),
])
def test_the_version_that_follows_all_that_begin_so(version: str, after: str) -> None:
    assert following(version) == after


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        (" >=5.3 <5.11", [(">=", "5.3"), ("<", "5.11")]),
        ("> 5 <= 6", [(">", "5"), ("<=", "6")]),
        ("==5", [("==", "5")]),
        ("!= 5", [("!=", "5")]),
        ("5.3", []),
        ("", []),
    ],
)
def test_a_range_is_comparisons(text: str, pairs: list[tuple[str, str]]) -> None:
    assert comparisons(text) == pairs


@each(lambda: ["=5", "!5", ">=5 <", ">=5 6", ">5<6", ">5=", ">=5 !6"])
def test_a_broken_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a range"):
        comparisons(text)
