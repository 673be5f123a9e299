"""How the values of single options are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.files.option_reading import nearby_power, parse_suffixed, value_in_use
from advisor.files.option_table import ReadValue, c_number, expectation, reader
from advisor.rulebase.model import Becomes, Form, Tunable
from tests.each import each

SIZES = [
    {"range": ">0 <1024", "value": 4096, "how": "raised"},
    {"range": ">=1024 <4096", "power_of_two": True, "how": "rounded"},
    {"range": ">1048576", "value": 1048576, "how": "capped"},
    {"range": ">=4096", "multiple_of": 4096, "how": "rounded"},
]
ROUNDED = Tunable.from_data({"becomes": SIZES})


@given(st.integers(0, 0xFFFFFFFF), st.sampled_from(["{}", "+{}", "0x{:x}", "0X{:X}", "0{:o}"]))
def test_numbers_are_read_as_the_kernel_reads_them(number: int, form: str) -> None:
    assert c_number(form.format(number)) == number


@each(lambda: ["", "-1", "08", "4x", "4.0", " 4", "1_0", "0x", "4294967296", "٤", "++4", "1e3"])
def test_what_is_no_number_to_the_kernel(text: str) -> None:
    assert c_number(text) is None


@given(st.integers(1, 0xFFFFFFFF))
def test_a_size_is_never_raised_above_what_is_asked_but_for_tiny_ones(size: int) -> None:
    result, _ = value_in_use(ROUNDED, size)
    assert result <= max(size, 4096)
    assert 1024 <= result <= 1048576
    assert value_in_use(ROUNDED, result) == (result, None)


@each(lambda: [("1M", "bytes", 1048576), ("64k", "bytes", 65536), ("60s", "deciseconds", 600), ("5m", "minutes", 5),
 ("60s", None, None), ("M", "bytes", None), ("xM", "bytes", None), ("64", "bytes", None)])
def test_what_a_suffix_was_meant_to_say(text: str, unit: str | None, meant: int | None) -> None:
    assert parse_suffixed(text, unit) == meant


def test_a_list_keeps_its_order_and_drops_doubles() -> None:
    read = reader(
        Tunable.from_data({"type": "list", "values": ["sys", "krb5"], "separator": ":", "synonyms": {"unix": "sys"}}),
        Form.from_data({}),
    )
    assert read("krb5:unix:krb5:") == ReadValue("krb5:sys")
    assert read("krb5:other").wrong == "bad-value"
    assert read("").wrong == "missing-value"


@each(lambda: ["30", "5min", "1h 30min", "infinity", "1.5s", "90s", "5 6", " 1min20s ", "12.34 5s"])
def test_time_spans(text: str) -> None:
    assert reader(Tunable.from_data({"type": "seconds"}), Form.from_data({}))(text).wrong is None


@each(lambda: ["abc", "5 parsecs", "-3", "min", "", "1.2.3", "12.34.56", "9" * 40 + "x", "1s."])
def test_what_is_no_time_span(text: str) -> None:
    read = reader(Tunable.from_data({"type": "seconds"}), Form.from_data({}))
    assert read(text).wrong in ("bad-value", "missing-value")


def test_limits_in_words() -> None:
    assert expectation(">=1 <=16") == "a number from 1 to 16"
    assert expectation(">=0") == "a number from 0"
    assert expectation(["all", "none"]) == "all or none"


@pytest.mark.parametrize(
    ("written", "better"),
    [(65535, 65536), (1048575, 1048576), (1000000, 1048576), (64000, 65536), (50000, None), (100000, None)],
)
def test_a_size_close_to_a_power_of_two_was_meant_to_be_one(written: int, better: int | None) -> None:
    assert nearby_power(Becomes.from_data({"meant": 5}), written) == better
    assert nearby_power(Becomes.from_data({}), written) is None
