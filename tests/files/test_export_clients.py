"""How exportfs reads a client: the numbers of addresses, masks at their limits, and what is dropped."""

from __future__ import annotations

import pytest

from advisor.files.export_clients import (
    Network,
    dotted,
    first_address,
    inside,
    is_dropped,
    mapped_ipv4,
    matches_others,
    network,
    never_matches,
    number,
    one_spelling,
)
from tests.each import each


@each(lambda: [
    ("10.0.0.256", "10.0.0.256 is not an IPv4 address"), ("10.0.0.255", None), ("0300.0.2.7", None),
    ("0400.0.2.7", "not an IPv4 address"), ("10.08", "not an IPv4 address"), ("300.1", "not an IPv4 address"),
    ("10.0.0.256/24", "10.0.0.256/24 is not an IPv4 network"), ("10.0.0.255/24", None),
    ("10.0.0.0/33", "at most 32"), ("10.0.0.0/32", None), ("2001:db8::/129", "at most 128"), ("2001:db8::/128", None),
    ("10.0.0.0/255.255.0", "255.255.0 is neither a prefix nor a netmask"), ("10.0.0.0/255.255.0.0", None),
    ("10.0.0.0/255.0255.0.0", "neither a prefix nor a netmask"), ("10.0.0.0/", None),
    ("2001:db8::/ffff", "ffff is not a prefix"), ("2001:db8::/ffff::", None), ("2001:db8::g/64", "not an IPv6 network"),
    ("10.1/16", "write 10.1.0.0/16"), ("10/8", "write 10.0.0.0/8"), ("10.1.2/", "write 10.1.2.0/24"),
    ("nas/24", "begins with an address, not with a name"), ("l0.0.0.0/8", "letters where digits belong"),
    ("10.0.0.l", "letters where digits belong"), ("lO.Oo.ll.IO", None),
    ("nas1:2049", "without a port; write nas1"), ("nas1:data", "without a colon; write nas1"),
    ("1.2..3", "no name has an empty part"), ("..a", "no name has an empty part"), ("1.2.3.4.5", "not an IPv4 address"),
    ("10.1.2.3-20", "not an address range"), ("10.1.2.[1-9]", "not an address range"), ("nas[1-9]", None),
    ("[2001:db8::1]", "write the IPv6 address without them"), ("[ab]nas", None),
    ("/16", "the address is missing before the slash"), ("/255.0.0.0", "the address is missing"),
    ("/srv/b", "not for a path"), ("::", "write * for every host"), ("::2", None),
    (".a.b", "no name has an empty part; write *.a.b for its hosts"),
    ("nas?/24", "a pattern has no mask"), ("nas{1,2}", "separate clients with spaces"), ("n\u00e4s", None),
])  # fmt: skip
def test_why_no_host_ever_matches(client: str, words: str | None) -> None:
    reason = never_matches(client)
    assert reason is None if words is None else words in (reason or ""), reason


@pytest.mark.parametrize(("client", "address"), [
    ("10.1", "10.0.0.1"), ("10.1.2", "10.1.0.2"), ("10.258", "10.0.1.2"), ("10.1.258", "10.1.1.2"),
    ("10.010", "10.0.0.8"), ("10.0", "10.0.0.0"),
])  # fmt: skip
def test_the_last_number_of_a_short_address_fills_the_remaining_bytes(client: str, address: str) -> None:
    """As inet_aton(3) says; a leading zero makes a number octal."""
    assert f"is the one address {address}," in (never_matches(client) or "")


@each(lambda: [
    ("10.0.0.010", "export-one-address", "the host 10.0.0.8"), ("10.2.3.0", "export-one-address", "write 10.2.3.0/24"),
    ("10.0.0.*", "export-pattern-of-addresses", ""), ("0.0.0.0/0", "export-prefix-zero", "*"),
    ("::/0", "export-prefix-zero", "*, or ::/1 and 8000::/1 for IPv6 only"),
    ("10.0.0.0/255.0.255.0", "export-odd-netmask", "255.0.255.0 has gaps"),
    ("10.2.3.4/30", None, ""), ("10.2.3.5/30", "export-host-bits", "10.2.3.4/30"), ("*.*", None, ""),
    ("1:2:3:4:5:6:7:8/96", "export-host-bits", "1:2:3:4:5:6::/96"),
    ("1:2:3:4:5:6:7:8/112", "export-host-bits", "1:2:3:4:5:6:7:0/112"),
    ("1:2:3:4:5:6:7:9/127", "export-host-bits", "1:2:3:4:5:6:7:8/127"),
])  # fmt: skip
def test_what_a_client_matches_instead(client: str, check: str | None, words: str) -> None:
    slug, reason = matches_others(client) or (None, "")
    assert slug == check
    assert words in reason


@each(lambda: [
    ("@", False), ("@grp", False), ("", False), ("*", False), ("nas", False), ("0.0.0.0", False), ("::", False),
    ("::ffff:10.0.0.1", False), ("10.1", False), ("[2001:db8::1]", False), ("*.a/24", False), ("nas:2049", True),
    ("10.0.0.256", True), ("a..b", True), ("10.1/16", True), ("10.08", True), ("300.1", True), ("0300.0.2.7", False),
    ("0xc0.0.2.9", False),
])  # fmt: skip
def test_a_name_that_does_not_resolve_is_dropped(client: str, dropped: bool) -> None:
    assert is_dropped(client) is dropped


def test_addresses_are_numbers() -> None:
    assert number("1.2.3.4") == 0x01020304
    assert dotted(0x01020304) == "1.2.3.4"
    assert mapped_ipv4("::ffff:1.2.3.4") == mapped_ipv4("::ffff:102:304") == "1.2.3.4"
    assert mapped_ipv4("::1.2.3.4") is None
    assert network("1.2.3.4") == network("1.2.3.4/32") == Network(0x01020304, 0xFFFFFFFF, 32)
    assert network("1.2.3.4/20") == network("1.2.3.4/255.255.240.0") == Network(0x01020304, 0xFFFFF000, 32)
    assert network("1.2.3.4/0") == Network(0x01020304, 0, 32)
    assert network("1.2.3.4/33") is network("2001:db8::/129") is network("2001:db8::/255.0.0.0") is None
    assert network("1.2.3.4/ffff::") is network("nas/24") is None
    pairs = network("::5/127")
    assert pairs == network("::5%lo/ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe") == Network(5, (1 << 128) - 2, 128)
    assert network("1:2::7:8") == Network(0x00010002000000000000000000070008, (1 << 128) - 1, 128)
    assert first_address(Network(5, 0, 128)) == "::"


@pytest.mark.parametrize(("client", "spelling"), [
    ("LocalHost", "127.0.0.1"), ("localhost.localdomain", "127.0.0.1"), ("NAS", "nas"), ("2001:DB8::1%Lo",
    "2001:db8::1%lo"), ("10.0.0.1", "10.0.0.1"),
])  # fmt: skip
def test_all_forms_of_a_client_have_one_spelling(client: str, spelling: str) -> None:
    assert one_spelling(client) == spelling
    assert one_spelling("2001:DB8:0::1") == one_spelling("2001:db8::1") != one_spelling("2001:db8::2")


@each(lambda: [
    ("10.1.0.0/16", "10.0.0.0/8", True), ("10.0.0.0/8", "10.0.0.0/16", False), ("11.0.0.0/16", "10.0.0.0/8", False),
    ("10.0.0.0/8", "10.0.0.0/8", True), ("10.0.0.0/8", "0.0.0.0/0", False), ("0.0.0.0/0", "10.0.0.0/8", False),
    ("10.0.0.0/8", "2001:db8::/32", False), ("10.0.0.0/8", "10.0.0.0/99", False), ("10.0.0.0/8", "*", False),
    ("*.b.c", "*.C", True), ("*.c", "*.b.c", False), ("nas.c", "*.c", False), ("*", "*.c", False), ("*.c", "*", False),
    ("nas?.c", "nas*.c", True), ("*.c", "[ab]*.c", False), ("@*", "*", False),
    ("@a*", "*a*", False), ("*a", "@*a", False), ("a/*.c", "*.c", False),
])  # fmt: skip
def test_what_contains_every_host_of_another(inner: str, outer: str, contained: bool) -> None:
    assert inside(inner, outer) is contained
