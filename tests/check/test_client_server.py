"""What two hosts are compared by: addresses, names, clients of exports, and the options of each flavour."""

from __future__ import annotations

import random

import pytest

from advisor.check.client_server import compare
from advisor.check.compared_host import ComparedHost
from advisor.check.examples import tree_of
from advisor.files import export_lookup, hosts
from advisor.host import addresses
from advisor.host.tree import FilesInMemory, Tree
from advisor.rulebase.base import load

HOSTS = hosts.HostsFile(
    "10.0.0.5 web.example.com web WWW\n127.0.1.1 nas.example.com nas\nfd00::5 six  # a comment\nx y\n"
)


@pytest.mark.parametrize(
    ("client", "address", "admitted"),
    [
        ("*", "10.0.0.5", True),
        ("10.0.0.5", "10.0.0.5", True),
        ("10.0.0.5", "::ffff:10.0.0.5", True),
        ("10.0.0.6", "10.0.0.5", False),
        ("10.0.0.0/29", "10.0.0.5", True),
        ("10.0.0.0/30", "10.0.0.5", False),
        ("10.0.0.7/29", "10.0.0.5", True),
        ("10.0.0.0/255.255.255.248", "10.0.0.5", True),
        ("10.0.0.0/0", "192.0.2.1", None),
        ("10.0.0.0/33", "10.0.0.5", False),
        ("10.0.0/24", "10.0.0.5", False),
        ("fd00::/64", "fd00::5", True),
        ("fd00::/64", "10.0.0.5", False),
        ("fd00::/ffff:ffff::", "fd00::99", True),
        ("WEB", "10.0.0.5", True),
        ("web.example.com", "10.0.0.9", False),
        ("unknown.example.com", "10.0.0.5", None),
        ("*.example.com", "10.0.0.5", True),
        ("ww?", "10.0.0.5", True),
        ("*.example.org", "10.0.0.5", False),
        ("*.example.com", "10.0.0.9", None),
        ("@farm", "10.0.0.5", None),
        ("gss/krb5", "10.0.0.5", None),
        ("*", None, True),
        ("10.0.0.5", None, None),
    ],
)
def test_who_a_client_of_an_export_is(client: str, address: str | None, admitted: bool | None) -> None:
    known = hosts.parse(address) if address else None
    assert export_lookup.admits(client, known, HOSTS) is admitted


@pytest.mark.parametrize(
    ("text", "pattern", "fits"),
    [
        ("web1", "web*", True), ("web1", "*1", True), ("web1", "w*b*1*", True), ("web1", "web", False),
        ("web1", "web?", True), ("web1", "web??", False), ("web1", "web[0-3]", True), ("web7", "web[0-3]", False),
        ("web7", "web[^0-3]", True), ("web1", "[vw]eb1", True), ("a.b.c", "a*c", True), ("", "*", True),
        ("web1", "we\\b1", True), ("web*", "web\\*", True), ("web1", "web\\*", False), ("web1", "web[", False),
        ("web1", "[!w]eb1", True), ("web1", "[z-a]eb1", False),
    ],
)
def test_patterns_of_names(text: str, pattern: str, fits: bool) -> None:
    assert export_lookup.fits_pattern(text, pattern) is fits


def test_a_pattern_of_many_stars_takes_few_steps() -> None:
    assert not export_lookup.fits_pattern("a" * 255, "*a" * 120 + "*b")


@pytest.mark.parametrize("text", ["", "10.0.0", "10.0.0.256", "10.0.0.5.6", "::g", "fd00::/64", "nas", "1" * 5000])
def test_what_is_no_address(text: str) -> None:
    assert hosts.parse(text) is None


def test_names_of_a_host_and_of_its_addresses() -> None:
    text = "127.0.1.1 nas.example.com nas\n10.0.0.1 store\n"
    tree = tree_of({"/etc/hostname": "# set by hand\nnas\n", "/etc/hosts": text})
    known = addresses.hosts_file(tree)
    assert addresses.own_names(tree, known, [hosts.parse("10.0.0.1")]) == ["nas", "store", "nas.example.com"]  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("nas", "NAS.example.com", True), ("nas.example.com", "nas.example.com.", True),
        ("nas.example.com", "nas.example.org", False), ("nas", "nas2", False), ("", "nas", False),
    ],
)
def test_names_of_one_host(one: str, other: str, same: bool) -> None:
    assert hosts.same_host(one, other) is same


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
    found = addresses.local_addresses(Tree("/example", False, [*base.layouts.values()], store))
    assert found is not None
    assert [(str(one.address), one.interface) for one in found] == [("10.0.0.5", "eth0"), ("fd00::5", "eth0")]


def test_addresses_in_several_lines() -> None:
    printed = (
        "2: eth0@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP\n"
        "    link/ether 02:42:0a:00:00:05 brd ff:ff:ff:ff:ff:ff\n"
        "    inet 10.0.0.5/24 brd 10.0.0.255 scope global eth0\n"
    )
    found = addresses.local_addresses(tree_of({"/ip-addr": printed}))
    assert found is not None
    assert [(str(one.address), one.interface) for one in found] == [("10.0.0.5", "eth0")]


def test_options_of_each_flavour() -> None:
    """What stands before the first sec= is where each flavour begins; what follows one is of that one."""
    text = "/a *(no_root_squash,sec=krb5:krb5p,rw,sec=sys,ro,root_squash)\n/b *(rw)\n"
    made = {one.path: one for one in ComparedHost(load(), tree_of({"/etc/exports": text}), "nas").exports.all}
    told = made["/a"].flavours
    assert [*told] == ["krb5", "krb5p", "sys"]
    assert (told["krb5"]["exports.rw"], told["krb5"]["exports.root_squash"]) == (True, False)
    assert (told["sys"]["exports.rw"], told["sys"]["exports.root_squash"]) == (False, True)
    assert [*made["/b"].flavours] == ["sys"]


def test_what_a_server_sets_in_files_that_it_includes() -> None:
    files = {"/etc/nfs.conf": "[nfsd]\nthreads=16\ninclude=site.inc\n", "/etc/site.inc": "Threads=64\nvers3=No\n"}
    settings = ComparedHost(load(), tree_of(files), "nas").settings
    threads = settings["nfs.conf.nfsd.threads"]
    assert (threads.value, threads.place) == ("64", "nas:/etc/site.inc:1")
    assert settings["nfs.conf.nfsd.vers3"].value == "n"


ODD = [
    "/", "/srv/a", "*", "(rw)", "(ro,fsid=0)", "(", "@x", "[a-", "\\", '"', "\t", " ", "10.0.0.0/99", "gss/krb5",
    "fd00::/64", "1/99999999999999999999", "é", "inet 10.0.0.1/24", "2: eth0", "999.1.1.1", "10.0.0.1 nas", "#", ",,",
]
PATHS = ["/", "/srv", "/srv/a", "//a/../b", "srv", "/a" * 200]
"""What stands in lines that no administrator wrote."""


def made_up(source: random.Random) -> dict[str, str]:
    def odd() -> str:
        return "".join(source.choice(ODD) for _ in range(6))

    def export() -> str:
        options = source.choice(["rw", "ro,fsid=0", "sec=krb5,rw,sec=sys", "fsid=11", "crossmnt", "bogus", ""])
        return f"{source.choice(PATHS)} {source.choice(['*', '10.0.0.0/8', '@x', '[z', 'fd00::/64'])}({options})"

    def mount() -> str:
        options = source.choice(["hard", "vers=3", "vers=4,ro", "sec=krb5:sys", "noresvport", "port=99999999999"])
        return f"{source.choice(['nas', '10.0.0.1', '[fd00::1]'])}:{source.choice(PATHS)} /m nfs {options} 0 0"

    files = {"/etc/exports": export, "/etc/fstab": mount, "/etc/hosts": odd, "/ip-addr": odd, "/proc/net/fib_trie": odd,
             "/var/lib/nfs/etab": export, "/proc/fs/nfsd/versions": odd, "/etc/nfs.conf": odd, "/etc/hostname": odd}
    return {
        path: "".join(f"{(line if source.random() < 0.9 else odd)()}\n" for _ in range(source.randint(0, 6)))
        for path, line in files.items() if source.random() < 0.7
    }


@pytest.mark.parametrize("seed", range(40))
def test_whatever_stands_in_the_files_every_message_is_whole(seed: int) -> None:
    base, source = load(), random.Random(seed)
    hosts = [ComparedHost(base, tree_of(made_up(source), name), name, ("nas",)) for name in "abcd"]
    found = compare(base, hosts[:2], hosts[2:])
    for finding in (one for area in found.results.values() for result in area for one in result.findings):
        assert "?" not in finding.message + finding.why + finding.remedy, finding


@pytest.mark.parametrize("digits", ["²", "9" * 5000, "٣"])
def test_digits_that_are_not_a_number_stop_no_comparison(digits: str) -> None:
    server = tree_of({
        "/etc/exports": "/srv *(rw,sync)\n", "/etc/nfs.conf": f"[nfsd]\nthreads={digits}\nmanage-gids=y\n",
        "/etc/passwd": f"ann:x:{digits}:1::/:/bin/sh\n", "/etc/hostname": "srv\n",
    })
    client = tree_of({
        "/etc/fstab": f"srv:/srv /d nfs nconnect={digits} 0 0\n", "/etc/passwd": "ann:x:1001:1::/:/bin/sh\n",
    })
    base = load()
    done = compare(base, [ComparedHost(base, server, "srv", ("srv",))], [ComparedHost(base, client, "client")])
    assert len(done.matched) == 1
