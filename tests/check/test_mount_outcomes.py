"""What a client and its server are to each other: which server a mount is of, what both may negotiate, and why not."""

from __future__ import annotations

from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.check.compared_host import ClientMount, ComparedHost
from advisor.check.mount_outcomes import (
    _Outcomes,
    _port,
    _skipped_options,
    _succeeds,
    _transport,
    _versions_tried,
    answer_for,
    beside_mount,
    client_addresses,
    fit,
    has_keytab,
    is_mount_of,
    offers,
    outcomes_of,
)
from advisor.files.records import Setting
from advisor.host.tree import tree_of
from advisor.probe.evidence import ServerAsked
from advisor.rulebase.base import load
from tests.each import each

BASE = load()
EXPORTS = "/srv *(rw)\n"
FD00 = "2: eth0    inet 192.0.2.{0}/24 brd 192.0.2.255 scope global eth0\n"
"""What `ip -o addr` says of a host."""


def host(name: str, called: tuple[str, ...] = (), **files: str) -> ComparedHost:
    paths = {
        "exports": "/etc/exports", "hosts": "/etc/hosts", "fstab": "/etc/fstab", "nfs_conf": "/etc/nfs.conf",
        "versions": "/proc/fs/nfsd/versions", "ports": "/proc/fs/nfsd/portlist", "addresses": "/ip-addr",
        "keytab": "/etc/krb5.keytab", "etab": "/var/lib/nfs/etab",
    }
    return ComparedHost(BASE, tree_of({paths[file]: text for file, text in files.items()}), name, called)


def mount(
    source: str = "nas:/srv", options: str = "rw", now: dict[str, str] | None = None, **files: str
) -> ClientMount:
    (found,) = host("web1", fstab=f"{source} /data nfs {options} 0 0\n", **files).mounts
    return found._replace(now=now or {})


@each(lambda: [
    ({"a": "present"}, {"a": None}, True),
    ({"a": "present"}, {}, False),
    ({"a": "absent"}, {}, True),
    ({"a": "absent"}, {"a": None}, False),
    ({"a": 1}, {"a": None}, False),  # not known
    ({"a": 1}, {}, False),
    ({"a": [1, "absent"]}, {}, True),
    ({"a": [1, "absent"]}, {"a": 1}, True),
    ({"a": [1, 2]}, {"a": 3}, False),
    ({"a": 1, "b": 2}, {"a": 1, "b": 3}, False),
])
def test_values_are_all_that_is_asked_for(wanted: Any, values: Any, fits: bool) -> None:
    assert fit(wanted, values) is fits


@each(lambda: [
    ("nas:/srv", host("x", ("nas",)), {}, True),  # by the name by which it is called
    ("nas.example.com:/srv", host("x", ("nas",)), {}, True),  # with its domain
    ("other:/srv", host("x", ("nas",)), {}, None),  # a server of names may know another name
    ("192.0.2.7:/srv", host("nas", addresses=FD00.format(7)), {}, True),
    ("192.0.2.8:/srv", host("nas", addresses=FD00.format(7)), {}, False),
    ("192.0.2.8:/srv", host("nas"), {}, None),  # its addresses are not known
    ("nas:/srv", host("x", addresses=FD00.format(7)), {"addr": "192.0.2.7"}, True),  # the address in use decides
    ("x:/srv", host("x", addresses=FD00.format(7)), {"addr": "192.0.2.8"}, False),
    ("x:/srv", host("x", ("x",), addresses=FD00.format(7)), {"addr": "192.0.2.8"}, True),  # unless it is called so
])
def test_the_server_of_a_mount(source: str, server: ComparedHost, now: dict[str, str], expected: bool | None) -> None:
    assert is_mount_of(mount(source, now=now), server) is expected


@pytest.mark.parametrize(("line", "expected"), [
    ("192.0.2.7 nas\n", True), ("192.0.2.8 nas\n", False),
    ("127.0.0.1 nas\n", None),  # a name of this host says nothing
])
def test_a_name_that_the_client_resolves_by_its_hosts_file(line: str, expected: bool | None) -> None:
    server = host("x", addresses=FD00.format(7))
    assert is_mount_of(mount(hosts=line), server) is expected
    assert is_mount_of(mount(hosts=line), host("x")) is None, "its addresses are not known"
    if expected is False:  # a name by which it is called goes before
        assert is_mount_of(mount("nas.example.com:/srv", hosts=line.replace("nas", "nas.example.com")),
                           host("x", ("nas",), addresses=FD00.format(7))) is True


@pytest.mark.parametrize(("now", "files", "expected"), [
    ({"clientaddr": "192.0.2.9"}, {}, ["192.0.2.9"]),
    ({"clientaddr": "0.0.0.0"}, {"addresses": FD00.format(5)}, ["192.0.2.5"]),  # not bound to one
    ({"clientaddr": "127.0.0.1"}, {"addresses": FD00.format(5)}, ["192.0.2.5"]),
    ({}, {}, []),
    ({}, {"addresses": FD00.format(5)}, ["192.0.2.5"]),
])
def test_the_addresses_of_the_client(now: dict[str, str], files: dict[str, str], expected: list[str]) -> None:
    found = client_addresses(mount("192.0.2.7:/srv", now=now, **files), host("nas"))
    assert [str(address) for address in found] == expected


def test_a_host_that_mounts_from_itself_has_the_address_it_asks() -> None:
    client = host("nas", fstab="192.0.2.7:/srv /data nfs rw 0 0\n", addresses=FD00.format(5))
    assert [str(address) for address in client_addresses(client.mounts[0], client)] == ["192.0.2.7"]


@pytest.mark.parametrize(("options", "now", "expected"), [
    ("vers=3", {}, ["3"]),
    ("vers=4.1", {}, ["4.1"]),
    ("vers=4.1", {"vers": "4.0"}, ["4.0"]),  # what is in effect
])
def test_the_versions_that_a_client_tries(options: str, now: dict[str, str], expected: list[str]) -> None:
    assert _versions_tried(mount(options=options, now=now)) == expected


def test_a_client_that_is_told_nothing_begins_with_the_highest() -> None:
    tried = _versions_tried(mount())
    assert tried == sorted(tried, reverse=True)
    assert tried[0] == "4.2"


@each(lambda: [
    ({"versions": "-3 +4 +4.1 -4.2"}, "3", False),
    ({"versions": "+3 +4 +4.1 -4.2"}, "3", True),
    ({"versions": "-3 +4 +4.1 -4.2"}, "4.1", True),
    ({"versions": "-3 +4 +4.1 -4.2"}, "4.2", False),
    ({"versions": "+3 -4"}, "4.1", False),  # without 4 there is no 4.1
    ({"nfs_conf": "[nfsd]\nvers3=n\n"}, "3", False),
    ({"nfs_conf": "[nfsd]\nvers3=n\n"}, "4.1", None),
    ({"nfs_conf": "[nfsd]\nvers4=n\n"}, "4.1", False),
    ({"nfs_conf": "[nfsd]\nvers4.1=n\n"}, "4.1", False),
    ({"nfs_conf": "[nfsd]\nvers4.1=n\n"}, "4.2", None),
    ({"nfs_conf": "[nfsd]\nvers3=y\n"}, "3", None),
    ({}, "3", None),
])
def test_what_a_server_offers(files: dict[str, str], version: str, expected: bool | None) -> None:
    assert offers(host("nas", **files), version) is expected


@each(lambda: [
    ("+3 +4 +4.1 +4.2", "rw", [("4.2", "mounted")]), ("+3 +4 +4.1 -4.2", "rw", [("4.1", "mounted")]),
    ("+3 -4", "rw", [("3", "mounted")]), ("-3 -4", "rw", [("4.2", "no-version")]),
    ("-3 -4", "vers=3", [("3", "no-version")]),
    ("+3 -4", "vers=4.2", [("4.2", "no-version")]), ("-3 +4 +4.1 +4.2", "vers=3", [("3", "no-version")]),
])
def test_the_version_that_both_negotiate(versions: str, options: str, found: list[tuple[str, str]]) -> None:
    told = outcomes_of(mount(options=options, addresses=FD00.format(5)),
                       host("nas", ("nas",), exports=EXPORTS, versions=f"{versions}\n"))
    assert [(one.words["vers"], one.reply) for one in told.outcomes] == found


def test_keys_for_kerberos() -> None:
    assert has_keytab(host("nas", keytab="x")) is True
    assert has_keytab(host("nas")) is None  # not collected


@each(lambda: [
    ("proto=udp", {"ports": "tcp 2049\n"}, "refused"),
    ("proto=udp6", {"ports": "tcp 2049\n"}, "refused"),
    ("proto=udp", {"ports": "tcp 2049\nudp 2049\n"}, None),
    ("rw", {"ports": "udp 2049\n"}, "refused"),
    ("rw", {"ports": "tcp 2049\n"}, None),
    ("rw", {"ports": "rdma 20049\n"}, None),
    ("proto=udp", {"nfs_conf": "[nfsd]\nudp=n\n"}, "refused"),
    ("rw", {"nfs_conf": "[nfsd]\nudp=n\n"}, None),
    ("proto=udp", {}, None),
])
def test_a_transport_on_which_the_server_does_not_listen(
    options: str, files: dict[str, str], expected: str | None
) -> None:
    assert _transport(mount(options=options), host("nas", **files)) == expected


@each(lambda: [
    ("port=2050", "[nfsd]\nthreads=8\n", "2049"),  # the usual one
    ("port=2049", "[nfsd]\nthreads=8\n", None),
    ("port=2050", "[nfsd]\nport=2050\n", None),
    ("port=2049", "[nfsd]\nport=2050\n", "2050"),
    ("vers=4.2", "[nfsd]\nport=2050\n", "2050"),  # NFSv4 asks no rpcbind
    ("vers=3", "[nfsd]\nport=2050\n", None),  # rpcbind says which
    ("vers=4.2,port=0", "[nfsd]\nport=2050\n", None),
    ("port=2050", "", None),  # nfs.conf was not collected
])
def test_a_port_on_which_the_server_does_not_listen(options: str, conf: str, listens: str | None) -> None:
    files = {"nfs_conf": conf} if conf else {}
    assert _port(mount(options=options), host("nas", **files)) == listens


@each(lambda: [
    ("mounted", "sys", {}, True), ("pseudo", "", {}, True), ("covered", "", {}, True), ("not-exported", "", {}, False),
    ("mounted", "", {}, False),  # no flavour of both
    ("mounted", "krb5p", {"sides.keytab": False}, False), ("mounted", "krb5p", {"sides.keytab": True}, True),
    ("mounted", "krb5p", {}, True), ("mounted", "sys", {"sides.keytab": False}, True),
    ("mounted", "sys", {"mount.noresvport": True, "exports.insecure": False}, False),
    ("mounted", "sys", {"mount.noresvport": True, "exports.insecure": True}, True),
    ("mounted", "sys", {"mount.noresvport": True}, True), ("mounted", "sys", {"exports.insecure": False}, True),
    ("mounted", "krb5", {"mount.noresvport": True, "exports.insecure": False}, True),
])
def test_a_mount_that_succeeds(reply: str, flavour: str, values: dict[str, Any], expected: bool) -> None:
    outcome: Any = SimpleNamespace(reply=reply, words={"flavour": flavour}, values=values)
    assert _succeeds(outcome) is expected


def test_what_differs_in_an_export_that_is_never_reached() -> None:
    outer, same, ro, krb5 = host("nas", exports="/a *(rw)\n/b *(rw)\n/c *(ro)\n/d *(rw,sec=krb5)\n").exports.all

    def told(inner: Any, around: Any = outer) -> str | None:
        reply: Any = SimpleNamespace(export=around, skipped=inner)
        return _skipped_options(reply)

    assert [told(same), told(ro), told(krb5), told(None), told(ro, None)] == [None, "rw", "sec", None, None]


@pytest.mark.parametrize(("files", "why"), [
    ({}, "the exports of nas are not known"),
    ({"exports": "/srv/{{ name }} *(rw)\n"}, "the exports of nas have placeholders"),
    ({"exports": "/ *(rw,fsid=0)\n/srv *(rw,fsid=0)\n"}, "two exports are the root of NFSv4"),
])
def test_why_nothing_follows(files: dict[str, str], why: str) -> None:
    assert outcomes_of(mount(), host("nas", **files)).unclear == why


def test_a_server_that_exports_nothing_refuses_each_path() -> None:
    (only,) = outcomes_of(mount(), host("nas", exports="# none\n")).outcomes
    assert (only.reply, only.words["asked"], only.words["server"]) == ("not-exported", "/srv", "nas")
    mounted = outcomes_of(mount(now={"vers": "4.2"}), host("nas", exports="/other *(rw)\n"))
    assert mounted.unclear == "it is mounted, though the exports that were read do not allow it"


def test_what_a_mount_has_goes_before_what_it_asks_for() -> None:
    asked = mount(options="rsize=65536,ro")
    assert [asked.option(name) for name in ("rsize", "wsize")] == ["65536", ""]
    assert asked._replace(now={"rsize": "32768"}).option("rsize") == "32768"
    assert (asked.target, asked.words, asked.values["mount.rsize"]) == ("/data", "nas:/srv", 65536)
    bare = asked._replace(settings={"mount.rsize": Setting(0, "options", 0, 0, "")})
    assert bare.option("rsize") == "0"


@pytest.mark.parametrize(("exports", "place"), [
    ("/srv 10.0.0.0/8(rw) 10.1.0.0/16(ro)", "nas:/etc/exports:1"), ("/srv 10.0.0.0/8(rw) 10.1.0.0/16(rw)", None),
    ("/srv 10.0.0.0/8(rw) 10.2.0.0/16(ro)", None), ("/srv 10.0.0.0/8(rw) *(ro)", None),
    ("/srv 10.1.0.0/16(rw) 10.0.0.0/8(ro)", None),
])
def test_a_narrower_network_that_comes_later(exports: str, place: str | None) -> None:
    server = host("nas", exports=f"{exports}\n")
    asked: Any = SimpleNamespace(address=ip_address("10.1.2.3"), server=server)
    assert _Outcomes._narrower(asked, server.exports.all[0]) == place


@pytest.mark.parametrize(("exports", "mounted", "count", "why"), [
    ("/srv *(rw)\n", {}, 7, "nothing shows which of its 7 addresses the client uses"), ("/srv *(rw)\n", {}, 6, ""),
    ("/srv *(rw)\n" + "".join(f"/other/{number} @g{number}(rw)\n" for number in range(7)), {}, 1, ""),
    ("".join(f"/srv/{number} @g{number}(rw)\n" for number in range(7)), {}, 1,
     "nothing shows who the clients of many exports are"),
    ("/srv " + " ".join(f"@g{number}(rw)" for number in range(6)) + "\n", {}, 1, ""),
    ("/other *(rw)\n", {"vers": "4.2"}, 1, "it is mounted, though the exports that were read do not allow it"),
    ("/srv *(rw)\n", {"vers": "4.2"}, 1, ""), ("/srv 192.0.2.200(rw)\n", {}, 1, ""),
])
def test_what_follows_only_from_few_possibilities(exports: str, mounted: dict[str, str], count: int, why: str) -> None:
    shown = "".join(f"{n}: eth{n}    inet 192.0.2.{n}/24 scope global eth{n}\n" for n in range(2, 2 + count))
    told = outcomes_of(mount(now=mounted, addresses=shown), host("nas", ("nas",), exports=exports))
    assert told.unclear == why
    assert bool(told.outcomes) is not bool(why)


@each(lambda: [
    ("sys", "rw", ["sys"]), ("sys:krb5", "rw", ["sys"]), ("krb5:krb5p", "rw", ["krb5", "krb5p"]),
    ("krb5:sys", "sec=sys", ["sys"]), ("krb5", "sec=sys", [""]), ("krb5:none", "sec=sys", ["none"]),
    ("krb5:sys", "sec=krb5p:krb5", ["krb5"]), ("sys:krb5", "sec=krb5:sys", ["krb5", "sys"]),
])
def test_flavours_that_both_may_negotiate(accepted: str, options: str, flavours: list[str]) -> None:
    """In the order in which the mount names them; without sec= a client without a keytab has AUTH_SYS alone."""
    server = host("nas", ("nas",), exports=f"/srv *(rw,sec={accepted})\n")
    told = outcomes_of(mount(options=f"vers=4.2,{options}", addresses=FD00.format(5)), server)
    assert [one.words["flavour"] for one in told.outcomes] == flavours
    assert [one.values["sides.flavour"] for one in told.outcomes] == [flavour or "refused" for flavour in flavours]
    for holds, every in ((flavours[0], len(flavours) == 1), ("krb5i", False)):
        assert told.always(lambda outcome, wanted=holds: outcome.words["flavour"] == wanted) is every


def answered(**known: Any) -> ServerAsked:
    return ServerAsked("nas", "/srv", "", "it says", "2026-12-31", {
        name.replace("__", "."): value for name, value in known.items()}, "")


@each(lambda: [
    ({}, {}, "", (), {}), ({"probe__slots": 64}, {}, "", (), {"sides.asked_slots": 64}),
    ({"probe__may_write": True}, {}, "", (), {"sides.asked_access": "rw"}),
    ({"probe__may_write": False, "probe__mode_lets_write": True}, {}, "", (), {"sides.asked_access": "ro"}),
    ({"probe__mode_lets_write": True}, {}, "", (), {}), ({"probe__may_write": False}, {}, "", (), {}),
    ({"probe__v42": True}, {}, "4.2", (), {"sides.asked_version": "on"}),
    ({"probe__v42": False}, {}, "4.2", (), {"sides.asked_version": "off"}),
    ({"probe__v42": False}, {}, "4.1", (), {}), ({"probe__v42": [True, False]}, {}, "4.2", (), {}),
    ({"mount__sec": ["krb5", "krb5p"]}, {}, "", ("sys",), {"sides.asked_flavour": "refused"}),
    ({"mount__sec": ["krb5", "sys"]}, {}, "", ("sys", "krb5p"), {}), ({"mount__sec": "krb5"}, {}, "", (), {}),
    ({}, {}, "", ("sys",), {}),
    ({"probe__maxread": 65536}, {"mount.rsize": 131072, "mount.wsize": 131072}, "", (), {"sides.asked_rsize": 65536}),
    ({"probe__maxread": 65536}, {"mount.rsize": 65536}, "", (), {}),
])
def test_what_a_server_said_beside_a_mount(known: Any, settings: Any, version: str, flavours: Any, found: Any) -> None:
    assert beside_mount(answered(**known), settings, version, flavours)[0] == found
    refused = answered(**known)._replace(reply="refused")
    assert beside_mount(refused, settings, version, flavours)[0] == {**found, "sides.asked": "refused"}


def test_the_answer_about_an_export_goes_before_one_about_its_server() -> None:
    one = answered(probe__slots=64, probe__may_write=True)._replace(reply="refused")
    later, other = one._replace(day="2027-01-01"), one._replace(server="other")
    assert answer_for(BASE, [one, later], "NAS", "/srv/") is later
    assert answer_for(BASE, [other], "nas", "/srv") is answer_for(BASE, [], "nas", "/srv") is None
    wide = answer_for(BASE, [one, other], "nas", "/else")
    assert wide is not None
    named = {**BASE.facts, **BASE.observations}
    assert (wide.reply, {*wide.known}) == ("", {name for name in one.known if named[name].scope == "server"})
