"""What a pasted text shows of both sides: paths and clients as exportfs, showmount and mountd compare them."""

from __future__ import annotations

import pytest

from advisor.diagnose.configuration import CLIENT_ALLOWED, PATH_EXPORTED, export_facts
from advisor.diagnose.text import lines

MOUNT = "mount.nfs: access denied by server while mounting nas:{}\n"
TRIED = "mount.nfs: trying text-based options 'vers=4.2,addr=192.0.2.1,clientaddr={}'\n"
PRINTED = "/srv/data\t192.0.2.0/24(sync,wdelay,hide,no_subtree_check,sec=sys,rw,secure,root_squash)\n"


def told(text: str) -> dict[str, tuple[bool, bool]]:
    """Fact → its value, and whether it is sure."""
    return {one.fact: (one.value, one.sure) for one in export_facts(list(lines(text)))}


@pytest.mark.parametrize(("listed", "asked", "value", "sure"), [
    (PRINTED, "/srv/dat", False, True),
    (PRINTED, "/srv/data", True, True),
    (PRINTED, "/srv/data/", True, True),
    (PRINTED, "/srv/data/sub", True, True),
    ("Export list for nas:\n/volume1/media 192.0.2.0/24\n", "/media", False, True),
    ("Export list for nas:\n/volume1/media 192.0.2.0/24\n", "/volume1/media", True, True),
    ("/srv 192.0.2.0/24(ro,fsid=0)\n/srv/data 192.0.2.0/24(rw)\n", "/data", True, True),
    ("/srv 192.0.2.0/24(ro,fsid=root)\n", "/data", True, True),
    ("/srv/data *(rw)\n", "/srv/other", False, False),  # somebody's lines may be a part of the file
])
def test_the_path_is_looked_for_among_the_exports(listed: str, asked: str, value: bool, sure: bool) -> None:
    assert told(MOUNT.format(asked) + listed)[PATH_EXPORTED] == (value, sure)


def test_a_long_path_has_its_clients_in_the_next_line() -> None:
    text = "/srv/a-very-long-path-indeed\n\t\t192.0.2.0/24(sync,wdelay,hide,rw)\n"
    assert told(TRIED.format("198.51.100.7") + MOUNT.format("/srv/a-very-long-path-indeed") + text) == {
        PATH_EXPORTED: (True, True), CLIENT_ALLOWED: (False, True),
    }


@pytest.mark.parametrize(("client", "address", "value"), [
    ("192.0.2.0/24", "192.0.2.9", True), ("192.0.2.0/255.255.255.0", "192.0.2.9", True),
    ("192.0.2.7", "192.0.2.9", False),
    ("*", "198.51.100.7", True), ("2001:db8::/32", "2001:db8::1", True), ("2001:db8::/32", "192.0.2.9", False),
    ("*.example", "192.0.2.9", None), ("@trusted", "192.0.2.9", None), ("client1", "192.0.2.9", None),
])
def test_the_address_is_compared_where_that_is_certain(client: str, address: str, value: bool | None) -> None:
    text = TRIED.format(address) + MOUNT.format("/srv") + f"/srv {client}(rw)\n"
    assert told(text).get(CLIENT_ALLOWED) == (None if value is None else (value, True))


def test_the_refusal_in_the_servers_log_gives_the_address() -> None:
    text = "rpc.mountd[9]: refused mount request from 192.0.2.7 for /srv (/): unmatched host\n"
    assert told(text + MOUNT.format("/srv") + "/srv 198.51.100.0/24(rw)\n")[CLIENT_ALLOWED] == (False, True)


@pytest.mark.parametrize("text", [
    MOUNT.format("/srv"), PRINTED, MOUNT.format("/srv/x") + "mount other:/y\n" + PRINTED, MOUNT.format("/") + PRINTED,
    "see https://example.org/nfs for mount\n" + PRINTED,
])
def test_nothing_is_said_where_a_side_is_missing_or_servers_are_several(text: str) -> None:
    assert told(text) == {}
