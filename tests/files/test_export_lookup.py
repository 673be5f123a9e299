"""Which host a client of an export is, and which exports a client gets."""

from __future__ import annotations

import pytest

from advisor.files.export_clients import admits, fits_pattern
from advisor.files.export_lookup import Exports, PathLookup, exports_of
from advisor.files.exports import read
from advisor.files.source import HostsFile, parse_address
from advisor.rulebase.base import load
from tests.each import each

HOSTS = HostsFile(
    "10.0.0.5 web.example.com web WWW\n127.0.1.1 nas.example.com nas\nfd00::5 six  # a comment\nx y\n"
)


@each(lambda: [
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
])
def test_who_a_client_of_an_export_is(client: str, address: str | None, admitted: bool | None) -> None:
    known = parse_address(address) if address else None
    assert admits(client, known, HOSTS) is admitted


@each(lambda: [
    ("web1", "web*", True), ("web1", "*1", True), ("web1", "w*b*1*", True), ("web1", "web", False),
    ("web1", "web?", True), ("web1", "web??", False), ("web1", "web[0-3]", True), ("web7", "web[0-3]", False),
    ("web7", "web[^0-3]", True), ("web1", "[vw]eb1", True), ("a.b.c", "a*c", True), ("", "*", True),
    ("web1", "we\\b1", True), ("web*", "web\\*", True), ("web1", "web\\*", False), ("web1", "web[", False),
    ("web1", "[!w]eb1", True), ("web1", "[z-a]eb1", False),
])
def test_patterns_of_names(text: str, pattern: str, fits: bool) -> None:
    assert fits_pattern(text, pattern) is fits


def test_a_pattern_of_many_stars_takes_few_steps() -> None:
    assert not fits_pattern("a" * 255, "*a" * 120 + "*b")


def exports(text: str) -> Exports:
    return exports_of(load(), [(read(text), "/etc/exports")])


def test_the_kind_of_a_client_goes_before_the_order() -> None:
    """Host, network, pattern, netgroup, everybody, and GSS; of one kind the first."""
    clients = ["gss/krb5", "*", "@farm", "*.example", "10.0.0.0/8", "10.0.0.0/16", "web", "10.0.0.5"]
    made = exports("".join(f"/srv {client}(ro)\n" for client in clients)).by_path["/srv"]
    assert [export.client for export in made] == [
        "web", "10.0.0.5", "10.0.0.0/8", "10.0.0.0/16", "*.example", "@farm", "*", "gss/krb5",
    ]


@each(lambda: [
    ("/a x(rw)\n/a x(ro)\n/a X(ro)\n", ["x"]),  # the first counts, in any case of letters
    ("/a/ x(rw)\n//a x(ro)\n", ["x"]),
    ("/a 2001:db8:0::1(rw)\n/a 2001:DB8::1(ro)\n", ["2001:db8:0::1"]),
    ("/a x(rw)\n/a y(rww)\n/a z(rw)\n", ["x"]),  # exportfs stops at a word that it does not know
    ("/a x(rw)\n/a y(fsid=08)\n/a z(rw)\n", ["x"]),  # and at a value
    ("/a x(rw)\n/a y(rw, sync)\n/a z(rw)\n", ["x"]),
    ("/a x(rw)\n/a 10.0.0.256(rw)\n/a z(rw)\n", ["x", "z"]),  # a client that does not resolve is dropped alone
    ("/a\n", ["*"]),
])  # fmt: skip
def test_what_exportfs_makes_of_a_file(text: str, clients: list[str]) -> None:
    assert [export.client for export in exports(text).all] == clients
    assert not exports(text).has_markup


@pytest.mark.parametrize("text", ["/a $CLIENTS(rw)\n", "/srv/{{ name }} x(rw)\n", "/a x($OPTIONS)\n"])
def test_a_template_is_not_known(text: str) -> None:
    made = exports(f"{text}/b y(rw)\n")
    assert made.has_markup
    assert [export.client for export in made.all] == ["y"]


def test_where_an_option_is_written_and_what_it_defaults_to() -> None:
    (export,) = exports("/a  x(async,async,fsid=0)\n").all
    assert export.at["exports.async"].column == 13, "the last one counts"
    assert (export.options["exports.async"], export.options["exports.crossmnt"]) == (True, False)
    assert export.is_root
    assert (export.span.column, export.place) == (5, "/etc/exports:1")


@each(lambda: [
    ("/srv *(ro)\n", "/srv", "mounted /srv", "mounted /srv"),
    ("/srv *(ro)\n", "/srv//data/", "mounted /srv", "mounted /srv"),
    ("/srv/data *(ro)\n", "/srv", "not-exported", "pseudo"),
    ("/srv *(ro)\n/srv/data web(rw)\n", "/srv/data", "mounted /srv", "mounted /srv"),  # web is another host
    ("/srv web(ro)\n", "/srv/data", "other-clients /srv", "other-clients /srv"),
    ("/srv *(ro,fsid=0)\n/srv/data *(rw)\n", "/data", "v4-path /srv/data", "mounted /srv/data"),
    ("/srv *(ro,fsid=0)\n", "/srv", "mounted /srv", "below-root /srv"),
    ("/srv *(ro,fsid=0)\n/home *(ro)\n", "/home", "mounted /home", "outside-root /home"),
    ("/srv web(ro,fsid=0)\n/home *(ro)\n", "/home", "mounted /home", "no-v4-root /srv"),
    ("/srv *(ro,fsid=0,fsid=5)\n/srv/data *(ro)\n", "/data", "not-exported", "not-exported"),  # the last one counts
])  # fmt: skip
def test_the_answer_to_a_client(text: str, asked: str, v3: str, v4: str) -> None:
    """Of a server of which the mounts are not known; where NFSv4 has several answers, the first."""
    lookup = PathLookup(exports(text), lambda export: export.client == "*", None)
    replies = [lookup.v3(asked), lookup.v4(asked)[0]]
    assert [f"{reply.how} {reply.export.path}" if reply.export else reply.how for reply in replies] == [v3, v4]
