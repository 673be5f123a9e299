"""Names and addresses of a host, as its files or a report of it show them."""

from __future__ import annotations

from advisor.files import source
from advisor.host import network
from advisor.host.tree import FilesInMemory, Tree, tree_of
from advisor.rulebase.base import load


def test_names_of_a_host_and_of_its_addresses() -> None:
    text = "127.0.1.1 nas.example.com nas\n10.0.0.1 store\n"
    tree = tree_of({"/etc/hostname": "# set by hand\nnas\n", "/etc/hosts": text})
    known = network.hosts_file(tree)
    assert network.own_names(tree, known, [source.parse_address("10.0.0.1")]) == ["nas", "store", "nas.example.com"]  # type: ignore[list-item]


def test_addresses_of_a_sosreport() -> None:
    """They stand in what `ip -o addr` printed."""
    printed = (
        "1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever\n"
        "2: eth0    inet 10.0.0.5/24 brd 10.0.0.255 scope global eth0\\       valid_lft forever preferred_lft forever\n"
        "2: eth0    inet6 fe80::1/64 scope link \\       valid_lft forever preferred_lft forever\n"
        "2: eth0    inet6 fd00::5/64 scope global \\       valid_lft forever preferred_lft forever\n"
    )
    base = load()
    store = FilesInMemory({"/sos_commands/networking/ip_-o_addr": printed.encode()})
    found = network.local_addresses(Tree("/example", False, [*base.layouts.values()], store))
    assert found is not None
    assert [(str(one.address), one.interface) for one in found] == [("10.0.0.5", "eth0"), ("fd00::5", "eth0")]


def test_addresses_in_several_lines() -> None:
    printed = (
        "2: eth0@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP\n"
        "    link/ether 02:42:0a:00:00:05 brd ff:ff:ff:ff:ff:ff\n"
        "    inet 10.0.0.5/24 brd 10.0.0.255 scope global eth0\n"
    )
    found = network.local_addresses(tree_of({"/ip-addr": printed}))
    assert found is not None
    assert [(str(one.address), one.interface) for one in found] == [("10.0.0.5", "eth0")]


