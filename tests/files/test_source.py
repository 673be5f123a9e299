"""The first field of an NFS mount taken apart."""

from __future__ import annotations

import json
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.files.source import is_ipv6, parse_source
from tests.each import each
from tests.files.oracles import shared

NO_FORM = "mount.nfs rejects it: remote share not in 'host:dir' format"

CASES = [
    ("nas:/a", "host", "nas", "/a", None),
    ("nas.example.com:/", "host", "nas.example.com", "/", None),
    ("nas_1:relative", "host", "nas_1", "relative", None),
    ("server.example.com://home", "host", "server.example.com", "//home", None),
    ("bücher:/a", "host", "bücher", "/a", None),
    ("nas:/a:b", "host", "nas", "/a:b", None),
    ("nas:", "host", "nas", "", "no path follows the colon"),
    ("192.0.2.1:/a", "ipv4", "192.0.2.1", "/a", None),
    ("192.0.2.300:/a", "bad", "192.0.2.300", "/a", "192.0.2.300 is not an IPv4 address"),
    ("[2001:db8::1]:/a", "ipv6", "2001:db8::1", "/a", None),
    ("[fe80::1%eth0]:/a", "ipv6", "fe80::1%eth0", "/a", None),
    ("[::ffff:192.0.2.1]:/a", "ipv6", "::ffff:192.0.2.1", "/a", None),
    ("[2001:db8::1:/a", "bad", "2001:db8::1:/a", "", "closing bracket missing from the server's address"),
    ("[2001:db8::1]/a", "bad", "2001:db8::1", "", "a colon must follow the closing bracket"),
    ("[2001:db8::1::2]:/a", "bad", "2001:db8::1::2", "/a", "2001:db8::1::2 is not an IPv6 address"),
    ("2001:db8::1:/a", "bad", "2001:db8::1", "/a", "an IPv6 address needs brackets: write [2001:db8::1]:/a"),
    ("::1:/a", "bad", "::1", "/a", "an IPv6 address needs brackets: write [::1]:/a"),
    ("a,b:/x", "host", "a", "/x", "only one server works: mount.nfs and the kernel use 'a' and ignore the others"),
    (
        "192.0.2.1,192.0.2.2:/x",
        "ipv4",
        "192.0.2.1",
        "/x",
        "only one server works: mount.nfs and the kernel use '192.0.2.1' and ignore the others",
    ),
    ("nfs://nas/a", "url", "nas", "/a", "NFS URLs are not supported: write host:/path"),
    ("https://nas/a", "url", "nas", "/a", NO_FORM),
    ("//nas/share", "smb", "nas", "share", NO_FORM),
    (r"\\nas\share", "smb", "nas", "share", NO_FORM),
    ("/dev/sda1", "none", "", "", NO_FORM),
    ("/dev/disk/by-path/pci-0000:00:1f.2", "none", "", "", NO_FORM),
    ("/dev/nfs", "none", "", "", None),
    ("nas", "none", "", "", NO_FORM),
    ("", "none", "", "", NO_FORM),
    (":/a", "bad", "", "/a", "no server name before the colon"),
    ("/nas:/a", "bad", "/nas", "/a", "'/nas' cannot be a server name"),
    ("--nas:/a", "bad", "--nas", "/a", "'--nas' cannot be a server name"),
    ("“nas:/a", "bad", "“nas", "/a", "'“nas' cannot be a server name"),
    ("x" * 255 + ":/a", "host", "x" * 255, "/a", None),
    ("x" * 256 + ":/a", "bad", "x" * 256, "/a", "the server name is too long"),
]


@each(lambda: CASES)
def test_sources(text: str, kind: str, host: str, export: str, problem: str | None) -> None:
    assert parse_source(text) == (kind, host, export, problem)


@each(lambda: [
    ("$IP:/x", "$IP", "/x"),
    ("${NAS:-nas}:/x", "${NAS:-nas}", "/x"),
    ("$SERVER:$SHARE", "$SERVER", "$SHARE"),
    ("$NFS", "$NFS", ""),
    ("<server>:/x", "<server>", "/x"),
    ("<server>/x", "<server>/x", ""),
    ("{{ nas }}:/x", "{{ nas }}", "/x"),
    ("{server}:{share}", "{server}", "{share}"),
    ("$(cat host):/x", "$(cat host)", "/x"),
    ("(server):/x", "(server)", "/x"),
    ("%s:/x", "%s", "/x"),
    ("@NAS_IP@:/x", "@NAS_IP@", "/x"),
    ("%NAS%:/x", "%NAS%", "/x"),
    ("[NAS]:/x", "NAS", "/x"),
    ("192.168.x.10:/x", "192.168.x.10", "/x"),
    ("10.xx.xxx.01:/x", "10.xx.xxx.01", "/x"),
    ("xxx.xxx.xxx.xxx:/x", "xxx.xxx.xxx.xxx", "/x"),
    ("${account}.file.core.windows.net:/x", "${account}.file.core.windows.net", "/x"),
    ("$(curl -s http://10.0.0.1/zone).nas:/x", "$(curl -s http://10.0.0.1/zone).nas", "/x"),
])
def test_templates_have_no_problem(text: str, host: str, export: str) -> None:
    assert parse_source(text) == ("placeholder", host, export, None)


def test_mount_nfs_was_seen_to_agree() -> None:
    """What mount.nfs said of odd sources is in the problem; what it took without a word has none."""
    rows = [json.loads(line) for line in (shared() / "kernel" / "oracle-6.1.jsonl").read_text().splitlines()]
    rows = [row for row in rows if "@src=" in row["case"] and row["via"] == "mount.nfs"]
    said = {
        "remote share not in 'host:dir' format": "remote share not in 'host:dir' format",
        "NFS URLs are not supported": "NFS URLs are not supported",
        "multiple hostnames not supported": "only one server works",
    }
    assert len(rows) > 20
    for row in rows:
        complaint = next((words for heard, words in said.items() if heard in row.get("stderr", "")), None)
        problem = parse_source(row["src"]).problem
        assert (problem is None) == (complaint is None), row["case"]
        assert complaint is None or complaint in (problem or "")


@given(st.one_of(st.text(max_size=40), st.text(alphabet=":/[]%.,$<>{}()0123456789abcdef\\ ", max_size=30)))
@settings(max_examples=300, deadline=None)
def test_never_raises_and_loses_no_good_source(text: str) -> None:
    source = parse_source(text)
    if source.kind in ("host", "ipv4") and "," not in text.partition(":")[0]:
        assert f"{source.host}:{source.export}" == text
    if source.kind == "ipv6":
        assert f"[{source.host}]:{source.export}" == text


@given(st.one_of(st.ip_addresses(v=6).map(str), st.text(alphabet=string.hexdigits + ":.%", max_size=25)))
@settings(max_examples=300, deadline=None)
def test_ipv6_addresses_are_those_of_the_standard_library(text: str) -> None:
    import ipaddress

    try:
        expected = bool(ipaddress.IPv6Address(text))
    except ValueError:
        expected = False
    assert is_ipv6(text) == expected


@each(lambda: [
    ("1:2:3:4:5:6:7:8", True), ("1:2:3:4:5:6:7", False), ("1:2:3:4:5:6:7::", True), ("1:2:3:4:5:6:7::8", False),
    ("::", True),
    ("1:2:3:4:5:6:1.2.3.4", True), ("1:2:3:4:5::1.2.3.4", True), ("1:2:3:4:5:6::1.2.3.4", False),
    ("::1.2.3.256", False),
    ("::1.2.3.04", False), ("::1.2.3.255", True), ("1.2.3.4::", False), ("1::2::3", False), ("::12345", False),
    ("::1%", False),
    ("::1%a%b", False), ("::1%a", True), ("", False), ("%a", False),
])  # fmt: skip
def test_an_ipv6_address_has_eight_groups_or_a_gap(text: str, valid: bool) -> None:
    assert is_ipv6(text) is valid
