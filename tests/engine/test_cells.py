"""Facts and their cells."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.engine import FactError
from advisor.engine.cells import CellFact
from tests.each import each
from tests.engine.sample import data, sample

CONDITIONS = {
    "numbers": {"any": [{"client.count": ">4"}, {"client.count": "<=4"}, {"client.count": ["==7", 9]}]},
    "limits": {"any": [{"mount.nconnect": ">=1"}, {"mount.nconnect": "<=16"}, {"mount.nconnect": [1, 8, 16]}]},
    "kernels": {"any": [{"client.kernel": [">=5.3 <5.11", ">6.1", "5.11.0-7.fc34"]}]},
}


def fact(name: str) -> CellFact:
    return sample(conditions=CONDITIONS).facts[name]


def texts(name: str) -> list[str]:
    """Each cell in words."""
    found = fact(name)
    return [found.describe(1 << index) for index in range(found.size)]


def test_integers_have_no_empty_cells() -> None:
    assert texts("client.count") == ["1 to 4", "5 to 6", "7", "8", "9", "at least 10"]


def test_cells_end_where_the_domain_ends() -> None:
    assert texts("mount.nconnect") == ["1", "2 to 7", "8", "9 to 15", "16"]


def test_versions_have_points_and_intervals() -> None:
    assert texts("client.kernel") == [
        "older than 4.18.0-240",
        "4.18.0-240 or newer but older than 5.3",
        "5.3 or newer but older than 5.11",
        "5.11 or newer but older than 5.11.0-7.fc34",
        "5.11.0-7.fc34",
        "newer than 5.11.0-7.fc34 but older than 6.2",
        "6.2 or newer",
    ]


def test_a_fact_that_may_not_apply_has_one_more_cell() -> None:
    assert texts("storage.endpoint") == ["private", "public", "n/a"]


@each(lambda: sorted(one["id"] for one in data()["facts"]))
def test_an_answer_says_the_same_cells(name: str) -> None:
    found = fact(name)
    for mask in range(1, found.full + 1):
        assert found.mask(found.answer(mask)) == mask


@each(lambda: [
    ("client.kernel", 0b0000111, "older than 5.11"),
    ("client.kernel", 0b1100000, "newer than 5.11.0-7.fc34"),
    ("client.kernel", 0b0100001, "older than 4.18.0-240, newer than 5.11.0-7.fc34 but older than 6.2"),
    ("storage.platform", 0b0101, "anf, ontap"),
    ("storage.platform", 0b1111, "anything"),
    ("storage.platform", 0, "nothing"),
    ("client.has_nconnect", 0b01, "false"),
    ("storage.endpoint", 0b110, "public, n/a"),
])
def test_cells_in_words(name: str, mask: int, text: str) -> None:
    assert fact(name).describe(mask) == text


@each(lambda: [
    ("client.kernel", 0b0010000, "5.11.0-7.fc34", "5.11.0-7.fc34"),
    ("client.kernel", 0b0011111, "5.11.0-7.fc34 or older", "<=5.11.0-7.fc34"),
    ("client.kernel", 0b0001111, "older than 5.11.0-7.fc34", "<5.11.0-7.fc34"),
    ("client.kernel", 0b1110000, "5.11.0-7.fc34 or newer", ">=5.11.0-7.fc34"),
    ("client.kernel", 0b1100000, "newer than 5.11.0-7.fc34", ">5.11.0-7.fc34"),
    ("client.kernel", 0b0000110, "4.18.0-240 or newer but older than 5.11", ">=4.18.0-240 <5.11"),
    ("client.kernel", 0b1000001, "older than 4.18.0-240, 6.2 or newer", ["<4.18.0-240", ">=6.2"]),
    ("mount.nconnect", 0b00001, "1", 1),
    ("mount.nconnect", 0b00011, "1 to 7", ">=1 <=7"),
    ("mount.nconnect", 0b10101, "1, 8, 16", [1, 8, 16]),
    ("client.count", 0b110000, "at least 9", ">=9"),
    ("client.has_nconnect", 0b10, "true", True),
    ("storage.endpoint", 0b101, "private, n/a", ["private", "n/a"]),
])
def test_cells_as_an_answer(name: str, mask: int, text: str, answer: object) -> None:
    assert fact(name).describe(mask) == text
    assert fact(name).answer(mask) == answer


def test_most_of_many_values_are_told_by_the_rest() -> None:
    values = [{"id": "letter", "type": "enum", "values": list("abcdefgh")}]
    base = sample(facts=[*data()["facts"], *values])
    assert base.describe("letter", 0b11111110) == "anything but a"
    assert base.describe("letter", 0b11111010) == "anything but a or c"
    assert base.describe("letter", 0b00001110) == "b, c, d"


@pytest.mark.parametrize(
    ("values", "chosen", "text"),
    [
        ("abcde", 4, "a, b, c, d"),
        ("abcdef", 5, "anything but f"),
        ("abcdefgh", 5, "a, b, c, d, e"),
        ("abcdefghi", 6, "anything but g, h or i"),
    ],
)
def test_what_is_left_out_is_told_if_more_than_four_are_chosen_and_twice_as_many_as_not(
    values: str, chosen: int, text: str
) -> None:
    base = sample(facts=[*data()["facts"], {"id": "letter", "type": "enum", "values": list(values)}])
    assert base.describe("letter", (1 << chosen) - 1) == text


def test_all_values_of_what_applies_are_told_one_by_one() -> None:
    letter = {"id": "letter", "type": "enum", "values": list("abcde"), "applies": {"storage.platform": "anf"}}
    base = sample(facts=[*data()["facts"], letter])
    assert base.describe("letter", 0b011111) == "a, b, c, d, e"
    assert base.describe("letter", 0b111111) == "anything"
    assert base.fact("letter").describe(0b100011, "or") == "a, b or n/a"


def test_numbers_without_limits() -> None:
    numbers: list[dict[str, Any]] = [
        {"id": "any", "type": "int", "applies": {"storage.platform": "anf"}},
        {"id": "low", "type": "int", "maximum": 3},
        {"id": "split", "type": "int"},
    ]
    base = sample(facts=[*data()["facts"], *numbers], conditions={"negative": {"split": "<=-5"}})
    assert base.describe("any", 0b01) == "any number"
    assert base.answer("any", 0b01) == ["<0", ">=0"]
    assert base.answer("any", 0b11) == ["<0", ">=0", "n/a"]
    assert [base.describe("split", cell) for cell in (0b01, 0b10)] == ["at most -5", "at least -4"]
    assert [base.answer("split", cell) for cell in (0b01, 0b10)] == ["<=-5", ">=-4"]
    with pytest.raises(FactError, match=r"no value is 4; it is at most 3$"):
        base.fact("low").mask(4)
    with pytest.raises(FactError, match=r"no value is >1 <2$"):
        base.fact("split").mask(">1 <2")


def test_a_whole_number_has_at_most_nineteen_digits() -> None:
    assert fact("client.count").mask(f"<={'9' * 19}") == fact("client.count").full
    with pytest.raises(FactError, match="is not a whole number"):
        fact("client.count").mask(f"<={'9' * 20}")
    with pytest.raises(FactError, match="is not a whole number"):
        fact("client.count").mask(">=²")


def test_a_range_answer_touches_every_cell_that_it_could_mean() -> None:
    found = fact("client.kernel")
    assert found.mask(">=5.4 <5.6") == found.mask("5.5")
    assert found.mask(">=5.0 <5.4") == found.mask(["5.0", "5.3"])
    assert found.mask("!=5.5") == found.full
    assert found.mask("!=5.11.0-7.fc34") == found.full & ~found.mask("5.11.0-7.fc34")
    assert found.mask("> 6.1") == found.mask(">6.1")
    assert fact("mount.nconnect").mask("!=1 !=16") == 0b01110


def test_versions_with_the_same_order_are_one_constant() -> None:
    assert fact("client.kernel").mask(">=5.11.0") == fact("client.kernel").mask(">=5.11")
    assert fact("client.kernel").mask("v5.11.0-7.fc34.x86_64") == fact("client.kernel").mask("5.11.0-7.fc34")


@each(lambda: [
    ("4.18.0", ">=4.18.0 <4.18.1"),
    ("4.18.0-240", ">=4.18.0-240 <4.18.0-241"),
    ("5.11", ">=5.11 <5.12"),
    ("6", ">=6 <7"),
    ("4.18.0-240.el8", ">=4.18.0-240.el8 <=4.18.0-240.el8"),
    ("6.1-rc3", ">=6.1-rc3 <=6.1-rc3"),
    ("==5.11", "5.11"),
    ("<=6", "<7"),
    (">5.10", ">=5.11"),
    ("!=6", ["<6", ">=7"]),
])
def test_a_version_that_is_all_numbers_stands_for_whatever_begins_so(told: str, meant: str | list[str]) -> None:
    found = fact("client.kernel")
    assert found.mask(told) == found.mask(meant)


def test_a_short_kernel_may_be_a_build_with_a_back_port_and_one_without() -> None:
    assert fact("client.kernel").describe(fact("client.kernel").mask("4.18.0")) == "older than 5.3"
    assert fact("client.kernel").describe(fact("client.kernel").mask("4.18.0-193.el8")) == "older than 4.18.0-240"


def test_a_short_version_in_a_condition_means_what_it_means_in_an_answer() -> None:
    releases = [{"id": "release", "type": "version", "scheme": "deb"}]
    base = sample(facts=[*data()["facts"], *releases], conditions={"some": {"release": ["22.04", "9"]}})
    found = base.facts["release"]
    assert [found.describe(1 << index) for index in range(found.size)] == [
        "older than 9",
        "9 or newer but older than 10",
        "10 or newer but older than 22.04",
        "22.04 or newer but older than 22.05",
        "22.05 or newer",
    ]
    assert found.mask("9.4") == found.mask("9") == 0b00010
    assert found.mask("22.04.5") == found.mask("22.04") == 0b01000


@each(lambda: [
    ("storage.platform", "amf", "'amf' is not one of its values; did you mean anf?"),
    ("storage.platform", "zzz", "its values are anf, azure-files, ontap, knfsd"),
    ("mount.vers", 3, 'must be written in quotes, "3"'),
    ("mount.nconnect", 17, "no value is 17; it is 1 to 16"),
    ("mount.nconnect", ">16", "no value is >16"),
    ("mount.nconnect", "8", "numbers are written without quotes"),
    ("mount.nconnect", True, "not a whole number"),
    ("mount.nconnect", 2.5, "not a whole number"),
    ("client.count", ">=5 <5", "no value is >=5 <5; it is at least 1"),
    ("client.count", ">=many", "not a whole number"),
    ("client.kernel", 5.10, "write it in quotes"),
    ("client.kernel", ">=5.3<5.11", "is not a range"),
    ("client.kernel", ">=", "is not a range"),
    ("client.kernel", ">=5.3 5.11", "is not a range"),
    ("client.kernel", "new", "not a kernel release"),
    ("client.has_nconnect", "true", "neither true nor false"),
    ("client.has_nconnect", 1, "neither true nor false"),
    ("client.count", "n/a", "always applies"),
    ("client.count", [], "the list is empty"),
    ("storage.platform", None, "not one of its values"),
])
def test_values_outside_of_the_domain_are_refused(name: str, value: Any, message: str) -> None:
    with pytest.raises(FactError, match=message) as refused:
        fact(name).mask(value)
    assert refused.value.fact == name
    assert refused.value.value == value
