"""What people type, and what it means."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from textual.widgets import Input

from advisor.wizard import state, typed_answer
from advisor.wizard.typed_answer import UnitError, parse_number, unit_factor
from tests.each import each
from tests.wizard.driving import ANF, BASE, Driver, both, given, play

MEANT = [
    ("storage.platform", "anf", "anf"), ("storage.platform", "ANF", "anf"),
    ("storage.platform", "azure netapp files", "anf"), ("storage.platform", "anf, ontap", ["anf", "ontap"]),
    ("storage.platform", "anf or ontap", ["anf", "ontap"]), ("storage.platform", "filestore", "gcp-filestore"),
    ("workload.static_data", "y", True), ("workload.static_data", "No", False),
    ("client.kernel", "5.14.0-362.el9", "5.14.0-362.el9"), ("client.kernel", "Linux 6.1.0-18-amd64", "6.1.0-18-amd64"),
    ("client.kernel", "v6.1", "6.1"), ("client.kernel", ">=5.15 <6.2", ">=5.15 <6.2"),
    ("client.kernel", ">= 5.15", ">=5.15"), ("client.kernel", "5.15+", ">=5.15"),
    ("client.kernel", "5.15 or newer", ">=5.15"), ("client.kernel", "older than 5.3", "<5.3"),
    ("client.kernel", "5.3 or older", "<=5.3"), ("client.kernel", "up to 5.3", "<=5.3"),
    ("client.kernel", "at least 5.3", ">=5.3"), ("client.kernel", "since 5.3", ">=5.3"),
    ("client.kernel", "= 5.3", "==5.3"), ("client.kernel", "before 5.3", "<5.3"),
    ("client.release", "15 SP2", "15.2"), ("client.release", "22.04", "22.04"),
    ("client.count", "50", 50), ("client.count", "1,000", 1000), ("client.count", "10k", 10_000),
    ("client.count", "8-16", ">=8 <=16"), ("client.count", "8 to 16", ">=8 <=16"), ("client.count", "about 40", 40),
    ("client.memory_gib", "64G", 64), ("client.memory_gib", "1 TiB", 1024), ("client.memory_gib", "64 GiB", 64),
    ("network.speed_gbps", "25 Gbit/s", 25), ("network.speed_gbps", "100GbE", 100), ("network.speed_gbps", "25G", 25),
    ("client.network_mbit", "12.5 Gbit/s", 12_500), ("workload.required_mibps", "4 GiB/s", 4096),
    ("network.rtt_us", "0.5 ms", 500), ("network.rtt_us", "200 us", 200), ("workload.block_kib", "8K", 8),
]


@each(lambda: MEANT)
def test_it_is_understood(fact: str, text: str, value: Any) -> None:
    assert typed_answer.parse(BASE, fact, text) == (value, None)


REFUSED = [
    ("storage.platform", "azure", "did you mean anf, azure-files"),
    ("storage.platform", "xyz", "not one of the choices"),
    ("workload.static_data", "perhaps", "yes nor no"), ("client.kernel", "the new one", "like 5.14"),
    ("client.kernel", "5x", "like 5.14"), ("client.kernel", ">=", "not a range"),
    ("client.count", "0", "the minimum is 1"),
    ("client.count", "many", "not a number"), ("client.count", "5 GiB", "Cannot read"),
    ("network.vpc_mtu", "99999", "the maximum is 8896"), ("network.rtt_us", "5 GB", "not a unit of time"),
    ("network.speed_gbps", "2.5", "write 2 or 3"), ("network.speed_gbps", "25 GB", "not a unit for this number"),
    ("client.count", "", "Nothing is written"), ("client.count", "9" * 5000, "too large"),
]


@each(lambda: REFUSED)
def test_it_is_refused_with_what_to_write(fact: str, text: str, said: str) -> None:
    parsed = typed_answer.parse(BASE, fact, text)
    assert parsed.value is None
    assert said in str(parsed.problem)
    assert str(parsed.problem)[-1] in ".?"


def test_every_example_of_the_rule_base_is_understood() -> None:
    for name, fact in BASE.facts.items():
        for example in fact.examples:
            assert typed_answer.parse(BASE, name, str(example)).problem is None, (name, example)


def test_every_label_is_understood() -> None:
    for name, fact in BASE.facts.items():
        for value, label in (fact.values or {}).items():
            assert typed_answer.parse(BASE, name, label).value == value, (name, label)


def test_units_of_different_kinds_are_not_mixed() -> None:
    with pytest.raises(UnitError, match="write it in GiB"):
        parse_number("10 Gbit/s", "GiB")


@each(lambda: [
    ("", "MiB", 1), ("GiB", "MiB", 1024), ("GB", "GiB", Fraction(10**9, 2**30)), ("G", "GiB", 1), ("k", "KiB", 1),
    ("Gbit/s", "Mbit/s", 1000), ("GB/s", "Mbit/s", 8000), ("GbE", "Mbit/s", 1000), ("Gbps", "Gbit/s", 1),
    ("MB per second", "MB/s", 1), ("bytes", "KiB", Fraction(1, 1024)), ("ms", "us", 1000), ("s", "us", 10**6),
    ("µs", "us", 1), ("ns", "us", Fraction(1, 1000)), ("k", "", 1000), ("K", "", 1000), ("M", "", 10**6),
    ("hosts", "host", 1), ("Host", "hosts", 1),
])
def test_how_many_of_a_unit_another_one_is(written: str, unit: str, factor: Fraction | int) -> None:
    assert unit_factor(written, unit) == factor


@each(lambda: [
    ("GB", "Mbit/s"), ("Gbit/s", "GiB"), ("x", "MiB"), ("iB", "MiB"), ("ps", "MiB"), ("GB", "us"),
    ("us", "GiB"), ("G", ""), ("GiB", ""),
])
def test_units_that_cannot_be_converted(written: str, unit: str) -> None:
    with pytest.raises(UnitError):
        unit_factor(written, unit)


@each(lambda: [
    ("1 000", "", 1000), ("1,000", "", 1000), ("12 GB", "GiB", 11), ("64 GB", "GiB", 60), ("9" * 30, "", int("9" * 30)),
    ("1,5 KiB", "B", 1536), ("0", "", 0),
    ("9" * 31, "", None), ("9 GB", "GiB", None), ("10.5 GiB", "GiB", None), ("1,5", "", None), ("-1", "", None),
])
def test_a_number_is_whole_or_large_enough_to_be_rounded(text: str, unit: str, number: int | None) -> None:
    if number is not None:
        assert parse_number(text, unit) == number
    else:
        with pytest.raises(UnitError):
            parse_number(text, unit)


@each(lambda: [
    ("network.vpc_mtu", BASE.facts["network.vpc_mtu"].maximum, True), ("client.count", 1, True),
    ("client.count", 0, False),
    ("network.vpc_mtu", (BASE.facts["network.vpc_mtu"].maximum or 0) + 1, False),
])
def test_the_limits_of_a_number_are_allowed(fact: str, number: int, allowed: bool) -> None:
    assert (typed_answer.parse(BASE, fact, str(number)).value is not None) is allowed
    assert (typed_answer.parse(BASE, fact, f"<={number}").value is not None) is allowed


@both
def test_a_distribution_with_its_release_answers_for_the_kernel_and_a_refused_text_does_not_stay(
    size: tuple[int, int]
) -> None:
    async def scene(driver: Driver) -> None:
        app, field = driver.app, driver.app.screen.query_one(Input)
        await driver.press("9", "escape")
        assert field.value == ""
        assert "9 is none" not in driver.text()
        await driver.press("enter")
        await driver.write("RHEL 9")
        driver.sees("Understood as Red Hat Enterprise Linux and rebuilds")
        await driver.press("enter")
        assert {"client.distro": "rhel", "client.release": "9"}.items() <= app.session.answers.facts.items()
        assert "client.kernel" in app.session.answers.unknown
        await driver.press("u")
        assert not {"client.distro", "client.release"} & app.session.answers.facts.keys()
        assert app.session.at == "client.kernel"

    play(scene, size, session=state.go(given(**ANF), "client.kernel"))


def test_a_release_of_another_distribution_is_none() -> None:
    for distro, release, right in (("rhel", "12.5", False), ("sles", "12.5", True), ("rhel", "10.1", True)):
        parsed = typed_answer.parse(BASE, "client.release", release, {"client.distro": distro})
        assert (parsed.value == release) is right
    assert "SLES" not in str(BASE.facts["client.release"].help), "it is the help of all distributions"


@pytest.mark.parametrize("text", ["RHEL", "9", "BeOS 5", "RHEL 99", "RHEL or SLES 15"])
def test_a_text_that_names_no_release_names_nothing_instead(text: str) -> None:
    assert typed_answer.named_instead(BASE, "client.kernel", text) == {}
    assert typed_answer.named_instead(BASE, "network.rtt_us", "RHEL 9") == {}
