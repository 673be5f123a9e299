"""What no host shows by itself."""

from __future__ import annotations

from advisor.fleet.across import across
from advisor.fleet.judged import Told
from advisor.fleet.model import Across
from advisor.fleet.report import Members
from advisor.fleet.run import judged_fleet
from advisor.fleet.sources import HostSource
from tests.fleet.test_bundle import BASE, bundle_of
from tests.host import trees


def client(number: int, name: str = "node", unique: str = "", vers: str = "4.2", server: str = "nas") -> str:
    """A bundle of a host with an address of its own."""
    mount = f"60 22 0:52 / /a rw - nfs4 {server}:/a rw,vers={vers},hard,addr=10.0.2.9\n"
    return bundle_of({
        **trees.DEBIAN12, "/proc/sys/kernel/hostname": f"{name}\n",
        "/proc/net/fib_trie": f"     |-- 10.1.0.{number}\n        /32 host LOCAL\n",
        "/proc/self/mountinfo": trees.ROOT_MOUNT + mount,
        "/sys/module/nfs/parameters/nfs4_unique_id": f"{unique}\n",
    })


def found(*bundles: str) -> list[Across]:
    fleet = judged_fleet([HostSource(f"x:{number}", one) for number, one in enumerate(bundles)], Told())
    return across(BASE, Members(fleet.hosts).hosts, fleet.classes)


def test_hosts_of_one_name_are_one_client_to_their_server() -> None:
    (one,) = found(client(1), client(2), client(3, "other"))
    assert one.rule == "clients-look-alike"
    assert one.severity == "error"
    assert one.hosts == ("node (x:0)", "node (x:1)")
    assert one.message.startswith("node (x:0) and node (x:1) both call themselves node to nas")
    assert set(one.cites) <= set(BASE.claims)


def test_an_image_with_an_identifier_gives_it_to_every_copy() -> None:
    (one,) = found(client(1, unique="4f1c"), client(2, unique="4f1c"))
    assert one.rule == "unique-ids-equal"


def test_nothing_is_told_of_clients_that_a_server_tells_apart() -> None:
    assert found(client(1, unique="4f1c"), client(2, unique="77ab")) == []
    assert found(client(1, "one"), client(2, "two")) == []
    assert found(client(1, "one", "4f1c"), client(2, "two", "4f1c")) == []
    assert found(client(1), client(2, server="nas2")) == []
    assert found(client(1), client(2, vers="3")) == []
    assert found(client(1), client(1)) == []  # two bundles of one host
