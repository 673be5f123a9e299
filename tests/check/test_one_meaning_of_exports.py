"""One export, asked of every face: lint, `check --server … --client …`, check of one host, and diagnose agree."""

from __future__ import annotations

import pytest

from advisor.check.examples import tree_of
from advisor.check.sides.compare import compare
from advisor.check.sides.compared_host import ComparedHost
from advisor.diagnose.configuration import PATH_EXPORTED, export_facts
from advisor.diagnose.text import pasted_lines
from advisor.lint.run import lint_text
from advisor.rulebase.base import load

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
