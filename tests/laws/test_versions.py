"""Versions compare as rpm and dpkg compare them: `univers` is the oracle."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st
from univers.debian import Version as DebianVersion
from univers.debian import compare_versions
from univers.rpm import RpmVersion, compare_rpm_versions

from advisor.engine.versions import compare, key
from tests.laws.worlds import LAW

PIECES = [
    "0",
    "1",
    "2",
    "9",
    "10",
    "00",
    "01",
    "a",
    "b",
    "rc",
    "el",
    "Z",
    ".",
    ".",
    "-",
    "~",
    "^",
    "+",
    "_",
    "~~",
    "^1",
]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join)
EPOCHS = st.sampled_from(["", "", "", "0:", "1:", "10:"])
RPM = st.builds("{}{}{}".format, EPOCHS, st.sampled_from(["1", "a", "0", "~", "5.3"]), TEXTS)
DEB = st.builds(
    "{}{}{}".format,
    EPOCHS,
    st.sampled_from(["1", "0", "00", "5.3"]),
    TEXTS.map(lambda text: text.replace("^", "+").replace("_", "~")),
)
NEAR = st.tuples(
    st.sampled_from(["", "0", "~", ".1", "-1", "a", "^", "-1~rc1", "."]), st.sampled_from(["", "0", "-2", "b"])
)


@LAW
@given(RPM, RPM)
def test_rpm_versions_compare_as_rpm_does(one: str, other: str) -> None:
    assert compare("rpm", one, other) == compare_rpm_versions(
        RpmVersion.from_string(one), RpmVersion.from_string(other)
    )


@LAW
@given(RPM, NEAR)
def test_rpm_versions_that_begin_alike_compare_as_rpm_does(stem: str, tails: tuple[str, str]) -> None:
    one, other = stem + tails[0], stem + tails[1]
    assert compare("rpm", one, other) == compare_rpm_versions(
        RpmVersion.from_string(one), RpmVersion.from_string(other)
    )


@LAW
@given(DEB, DEB)
def test_debian_versions_compare_as_dpkg_does(one: str, other: str) -> None:
    assume(DebianVersion.is_valid(one) and DebianVersion.is_valid(other))
    assert compare("deb", one, other) == compare_versions(one, other)


@LAW
@given(st.one_of(st.sampled_from(["0", "00", "1:0"]), DEB), NEAR)
def test_debian_versions_that_begin_alike_compare_as_dpkg_does(stem: str, tails: tuple[str, str]) -> None:
    one, other = stem + tails[0].replace("^", "+"), stem + tails[1]
    assume(DebianVersion.is_valid(one) and DebianVersion.is_valid(other))
    assert compare("deb", one, other) == compare_versions(one, other)


NUMBERS = st.lists(st.integers(0, 20), min_size=2, max_size=4)
SUFFIXES = st.sampled_from(["-1-amd64", "-generic", "-362.8.1.el9_3.x86_64", "-957.el7", "-arch1-1", ".el8"])


@LAW
@given(NUMBERS, NUMBERS, st.integers(1, 9), SUFFIXES)
def test_kernel_releases_sort_by_number_first(one: list[int], other: list[int], candidate: int, suffix: str) -> None:
    first, second = ".".join(map(str, one)), ".".join(map(str, other))
    padded = [numbers + [0] * (4 - len(numbers)) for numbers in (one, other)]
    assert compare("kernel", first, second) == (padded[0] > padded[1]) - (padded[0] < padded[1])
    assert compare("kernel", first, f"{first}{suffix}") == -1
    assert compare("kernel", f"{first}-rc{candidate}", first) == -1
    assert compare("kernel", f"{first}-rc{candidate}", f"{first}-rc{candidate + 1}") == -1
    if padded[0] < padded[1]:
        assert compare("kernel", f"{first}{suffix}", f"{second}-rc{candidate}") == -1


@LAW
@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30), st.sampled_from(["rpm", "deb", "kernel"]))
def test_any_text_is_a_version_or_a_value_error(one: str, other: str, scheme: str) -> None:
    try:
        order = compare(scheme, one, other)
    except ValueError:
        return
    assert order == -compare(scheme, other, one)
    assert key(scheme, one) == key(scheme, f" {one}")
