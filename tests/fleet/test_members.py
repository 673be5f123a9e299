"""Which bundles are of one host."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from advisor.fleet.examined import Examined
from advisor.fleet.report import Members


def bundle(host: str, made: str, *addresses: str) -> Examined:
    return Examined(f"{host}-{made}-{'+'.join(addresses)}", host, made, "0" * 64, "", None, frozenset(addresses))


@pytest.mark.parametrize(("second", "hosts"), [
    (bundle("a", "2", "10.0.0.1"), 1),
    (bundle("a", "2", "10.0.0.2", "10.0.0.1"), 1),
    (bundle("a", "2"), 1),
    (bundle("a", "2", "10.0.0.2"), 2),
    (bundle("b", "2", "10.0.0.1"), 2),
])
def test_a_name_and_an_address_tell_hosts_apart(second: Examined, hosts: int) -> None:
    first = bundle("a", "1", "10.0.0.1")
    for order in ((first, second), (second, first)):
        members = Members(order)
        assert (len(members.hosts), len(members.older)) == (hosts, 2 - hosts)
        assert second in members.hosts.values()
        assert (first in members.hosts.values()) == (hosts == 2)


def test_many_hosts_of_one_name_are_not_compared_with_each_other() -> None:
    asked = 0

    class Counted(frozenset[str]):
        def __iter__(self) -> Iterator[str]:
            nonlocal asked
            asked += 1
            return super().__iter__()

        def __and__(self, other: object) -> frozenset[str]:
            raise AssertionError("two hosts were compared")

    many = [bundle("localhost", "1")._replace(place=str(n), addresses=Counted([str(n)])) for n in range(300)]
    assert len(Members(many).hosts) == 300
    assert asked <= 2 * len(many)
