"""One export, asked of every face: lint, `check --server … --client …`, check of one host, and diagnose agree."""

from __future__ import annotations

import random
from ipaddress import ip_address, ip_network

import pytest

from advisor.check.client_server import compare
from advisor.check.compared_host import ComparedHost
from advisor.diagnose.configuration import CLIENT_ALLOWED, PATH_EXPORTED, export_facts
from advisor.diagnose.messages import pasted_lines
from advisor.files.export_clients import admits
from advisor.files.source import HostsFile
from advisor.host.tree import tree_of
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.tiers import some

SERVER_ADDRESS, CLIENT_ADDRESS = "192.0.2.1", "192.0.2.7"


def linted(exports: str) -> set[str]:
    return {finding.rule for finding in lint_text(exports, "/etc/exports", load(), {}, kind="exports").findings}


def compared(exports: str, path: str, options: str = "vers=4.1", client: str = CLIENT_ADDRESS) -> set[str]:
    """What `check` reports of a client with this address and its server."""
    base = load()
    server = {"/etc/exports": exports, "/ip-addr": f"2: eth0    inet {SERVER_ADDRESS}/24 scope global\n"}
    mounting = {
        "/etc/fstab": f"{SERVER_ADDRESS}:{path} /d nfs {options} 0 0\n",
        "/ip-addr": f"2: eth0    inet {client}/24 scope global\n",
    }
    done = compare(
        base, [ComparedHost(base, tree_of(server), "server")], [ComparedHost(base, tree_of(mounting), "client")]
    )
    return {finding.rule for area in done.results.values() for result in area for finding in result.findings}


def diagnosed(exports: str, path: str, client: str = CLIENT_ADDRESS) -> dict[str, bool]:
    text = (
        f"mount.nfs: trying text-based options 'vers=4.2,addr={SERVER_ADDRESS},clientaddr={client}'\n"
        f"mount.nfs: access denied by server while mounting nas:{path}\n"
    )
    return {fact.fact: fact.value for fact in export_facts(list(pasted_lines(text + exports)))}


ROOT = ("0", "00", "000", "0x0", "0X0", "0x00000000", "+0", "-0", "root", "4294967296", "0x100000000")
"""What nfs-utils reads as number 0: strtoul with base 0, of which 32 bits are kept."""
OTHER = ("1", "0x1", "01", "010", "10", "0x10", "8c3a6f0e-5d0b-4b3e-9d55-1f0e5c2a7b61", "4294967297")


@pytest.mark.parametrize("fsid", ROOT)
def test_every_face_knows_the_root_of_nfsv4(fsid: str) -> None:
    exports = f"/srv *(rw,sync,fsid={fsid})\n/srv/data *(rw,sync)\n"
    assert "export-outside-root" in linted(f"{exports}/home *(rw,sync)\n")
    assert compared(exports, "/data") == set()
    assert compared(exports, "/data", "vers=3"), "NFSv3 has no root"
    assert diagnosed(exports, "/data")[PATH_EXPORTED]


@pytest.mark.parametrize("fsid", OTHER)
def test_no_face_takes_another_number_for_the_root(fsid: str) -> None:
    exports = f"/srv *(rw,sync,fsid={fsid})\n/srv/data *(rw,sync)\n"
    assert "export-outside-root" not in linted(f"{exports}/home *(rw,sync)\n")
    assert compared(exports, "/data")
    assert compared(exports, "/srv/data") == set()
    assert not diagnosed(exports, "/data")[PATH_EXPORTED]
    assert diagnosed(exports, "/srv/data")[PATH_EXPORTED]


CLIENTS = (
    "*", "192.0.2.7", "192.0.2.8", "192.0.2.0/24", "192.0.2.0/29", "192.0.2.8/29", "192.0.2.9/24", "192.0.0.0/16",
    "192.0.2.0/255.255.255.248", "10.0.0.0/8", "2001:db8::/32", "2001:db8::7", "::ffff:192.0.2.7", "192.0.2.7/32",
    "192.0.2.7/33", "192.0.2.300", "192.0.2/24", "l92.0.2.7", "192.0.2.7:2049", "0.0.0.0/0", "192.0.2.7/0", "192.0.518",
    "192.0.2.07", "0300.0.2.7", "0xc0.0x0.2.7", "0400.0.2.7", "@farm",
    "*.example", "nas.example", "@", "192.0.0.7/255.255.0.255", "gss/krb5",
    "*.example/24", "192.0.2.5-9", "[2001:db8::7]",
)
"""Clients as people write them, some of which no host matches."""
ADDRESSES = ("192.0.2.7", "192.0.2.8", "192.0.2.6", "10.1.2.3", "2001:db8::7", "2001:db8::8")
STRANGE: dict[str, str | None] = {
    "::ffff:192.0.2.7": None, "192.0.2.7/33": None, "192.0.2.300": None, "192.0.2/24": None, "l92.0.2.7": None,
    "192.0.2.7:2049": None, "192.0.518": "192.0.2.6", "192.0.2.07": "192.0.2.7", "0300.0.2.7": "192.0.2.7",
    "0xc0.0x0.2.7": "192.0.2.7", "0400.0.2.7": None, "@": None,
    "*.example/24": None, "192.0.2.5-9": None, "[2001:db8::7]": None,
}
"""Those that are not what they seem: the one address that each is for exportfs, None for none."""
UNCERTAIN = ("@farm", "*.example", "nas.example", "gss/krb5")


def is_client(client: str, address: str) -> bool | None:
    """Whether mountd takes a host for this client, worked out in another way than the program does."""
    if client == "*":
        return True
    if client in STRANGE:
        return STRANGE[client] == address
    if client in UNCERTAIN:
        return None
    own, (network, _, mask) = ip_address(address), client.partition("/")
    if own.version != ip_address(network).version:
        return False
    if mask == "0":  # a shift that C leaves undefined: one host on x86-64, every host elsewhere
        return True if network == address else None
    if mask == "255.255.0.255":  # ipaddress takes no mask with gaps
        return [one for at, one in enumerate(address.split(".")) if at != 2] == ["192", "0", "7"]
    return own in ip_network(client, strict=False)


@pytest.mark.parametrize("client", CLIENTS)
def test_every_face_admits_the_same_hosts(client: str) -> None:
    exports = f"/srv {client}(ro,sync)\n"
    rules = linted(exports)
    for address in ADDRESSES:
        known = is_client(client, address)
        assert admits(client, ip_address(address), HostsFile("")) is known, address
        assert diagnosed(exports, "/srv", address).get(CLIENT_ALLOWED) is known, address
        if "export-client-never-matches" in rules and client != "192.0.518":
            assert known is False, address
        if known is not None and "export-client-never-matches" not in rules:
            assert fails(exports, address) is not known, address


def fails(exports: str, address: str, options: str = "vers=3") -> bool:
    """Whether `check` is certain that a mount from this address fails."""
    checks = load().checks
    return any(checks[rule].consequence == "mount-fails" for rule in compared(exports, "/srv/data", options, address))


@pytest.mark.parametrize("seed", some(range(150), 5))
def test_check_and_diagnose_agree_on_random_exports(seed: int) -> None:
    """Beside exports of a directory around the path, and in any order; with what is worked out here for NFSv3: the
    nearest directory that is exported to the client answers."""
    draw = random.Random(seed)
    entries = [(draw.choice(("/srv", "/srv/data", "/srv/other", "/home")), draw.choice(CLIENTS)) for _ in range(3)]
    exports = "".join(f"{path} {client}(rw,sync,no_subtree_check)\n" for path, client in entries)
    address = draw.choice(ADDRESSES)
    near = [client for path, client in entries if path in ("/srv", "/srv/data")]
    verdicts = [is_client(client, address) for client in near]
    known = True if True in verdicts else None if None in verdicts else False
    facts = diagnosed(exports, "/srv/data", address)
    assert facts[PATH_EXPORTED] is bool(near)
    assert facts.get(CLIENT_ALLOWED) is (known if near else None)
    for options in ("vers=3", "vers=4.1"):
        if known is not None:
            assert fails(exports, address, options) is not known, exports
        else:
            assert not fails(exports, address, options), exports
