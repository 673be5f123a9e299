"""A release tells a kernel, and what the kernel can; the kernel's own build goes before the release."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.engine import consistent, holds, possible
from advisor.rulebase.base import load
from tests.each import each

YES, NO, OPEN = 0b10, 0b01, 0b11


def ability(name: str, told: dict[str, Any]) -> int:
    engine = load().engine
    return possible(engine, name, engine.state(told))


@each(lambda: [  # nconnect; read-ahead of 15 times rsize; max_connect
    ("rhel", "7.6", NO, YES, NO),
    ("rhel", "7.9", NO, YES, NO),
    ("rhel", "7", NO, YES, NO),
    ("rhel", "8.0", NO, YES, NO),
    ("rhel", "8.2", NO, YES, NO),
    ("rhel", "8.3", YES, NO, NO),
    ("rhel", "8.6", YES, NO, OPEN),  # builds after 4.18.0-372.33 were not read
    ("rhel", "8.7", YES, NO, YES),
    ("rhel", "8.10", YES, NO, YES),
    ("rhel", "8", OPEN, OPEN, OPEN),
    ("rhel", "9.0", YES, NO, YES),
    ("rhel", "9", YES, NO, YES),
    ("rhel", "10.0", YES, NO, YES),
    ("sles", "12.5", YES, YES, OPEN),
    ("sles", "15.1", YES, YES, OPEN),
    ("sles", "15.2", YES, YES, OPEN),
    ("sles", "15.4", YES, NO, OPEN),
    ("sles", "15.6", YES, NO, YES),
    ("ubuntu", "18.04", OPEN, OPEN, NO),
    ("ubuntu", "20.04", YES, NO, OPEN),
    ("ubuntu", "22.04", YES, NO, YES),
    ("ubuntu", "24.04", YES, NO, YES),
    ("debian", "11", YES, NO, OPEN),
    ("debian", "12", YES, NO, YES),
    ("amazon", "2", OPEN, OPEN, OPEN),
    ("amazon", "2023", YES, NO, YES),
    ("fedora", "41", YES, NO, YES),
    ("fedora", "39", OPEN, OPEN, OPEN),
])
def test_a_release_tells_what_its_kernel_can(
    distro: str, release: str, nconnect: int, fifteen: int, max_connect: int
) -> None:
    told = {"client.distro": distro, "client.release": release}
    assert ability("client.has_nconnect", told) == nconnect
    assert ability("client.has_readahead_15x", told) == fifteen
    assert ability("client.has_max_connect", told) == max_connect


@each(lambda: [
    ("4.18.0", YES),  # less than the release says
    ("4.18", YES),
    ("4.18.0-240", YES),
    ("4.18.0-193.28.1.el8_2.x86_64", NO),  # updated and not yet restarted
    ("4.18.0-372.9.1.el8.x86_64", YES),
    ("5.4.17-2136.307.3.1.el8uek.x86_64", YES),  # Oracle's own kernel
    ("3.10.0-1160.el7.x86_64", NO),
])
def test_the_build_of_a_kernel_goes_before_its_release(kernel: str, nconnect: int) -> None:
    told = {"client.distro": "rhel", "client.release": "8.3", "client.kernel": kernel}
    engine = load().engine
    assert consistent(engine, engine.state(told))
    assert ability("client.has_nconnect", told) == nconnect


@pytest.mark.parametrize(
    "told",
    [
        {"client.distro": "ubuntu", "client.release": "22.04", "client.kernel": "5.4.0-216-generic"},
        {"client.distro": "debian", "client.release": "12", "client.kernel": "6.12.38+deb12-amd64"},
        {"client.distro": "debian", "client.release": "12", "client.kernel_stream": "mainline"},
        {"client.distro": "sles", "client.release": "15.5", "client.kernel_stream": "mainline", "client.kernel": "6.9"},
        {"client.distro": "rhel", "client.release": "8.2", "client.has_nconnect": True},
    ],
)
def test_no_answer_is_refused_for_a_presumption(told: dict[str, Any]) -> None:
    engine = load().engine
    state = engine.state(told)
    assert consistent(engine, state)
    for fact, value in told.items():
        assert state[fact] & ~engine.fact(fact).mask(value) == 0


@pytest.mark.parametrize(("release", "affected"), [("7.5", False), ("7.6", None), ("7.7", False), ("8.4", False)])
def test_an_erratum_is_judged_by_the_release(release: str, affected: bool | None) -> None:
    engine = load().engine
    state = engine.state({"server.distro": "rhel", "server.release": release})
    assert holds(engine, "erratum:rhel76-nfs-hang:server.kernel", state) is affected
