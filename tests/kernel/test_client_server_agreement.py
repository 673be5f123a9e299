"""What clients and exports come to, as two kernels with mountd answered, beside what `check --server --client` says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from advisor.check.client_server import compare
from advisor.check.compared_host import ComparedHost
from advisor.host.tree import tree_of
from advisor.rulebase.base import load
from tests.each import each

FILE = Path(__file__).with_name("observed-sides.jsonl")
CASES: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
ADDRESS = "192.0.2."
"""In place of 127.0.0, by which nobody else reaches a server."""
UNKNOWN = {
    "/srv/link": "a symbolic link, which NFSv3 follows and no copy of the server's files shows",
    "/b": "which directories there are below the root of NFSv4, no copy of the server's files shows",
}
"""Paths of which more depends on the server's disk than its files tell."""


def host(case: dict[str, Any], side: str) -> dict[str, str]:
    """The files of the machine, as the server or as the client."""
    hosts = {
        "/etc/hosts": f"{ADDRESS}1 localhost oracle\n", "/ip-addr": f"2: eth0    inet {ADDRESS}1/24 scope global\n",
    }
    if side == "client":
        options = case["options"] or "defaults"
        return {**hosts, "/etc/fstab": f"{ADDRESS}1:{case['path']} /mnt nfs {options} 0 0\n"}
    exports = "\n".join(case["exports"]).replace("127.0.0.", ADDRESS)
    mounts = "".join(
        f"{22 + number} {max(at.count('/') + 20, 22) if number else 1} 0:{number + 30} / {at} rw - tmpfs x rw\n"
        for number, at in enumerate(case["file_systems"])
    )
    found = {**hosts, "/etc/exports": f"{exports}\n", "/proc/self/mountinfo": mounts}
    if "versions" in case:
        found["/proc/fs/nfsd/versions"] = f"{case['versions']}\n"
    if "ports" in case:
        found["/proc/fs/nfsd/portlist"] = f"{case['ports']}\n"
    return found


def told(case: dict[str, Any]) -> set[str]:
    base = load()
    sides = [ComparedHost(base, tree_of(host(case, side), side), side) for side in ("server", "client")]
    found = compare(base, sides[:1], sides[1:])
    assert len(found.matched) == 1
    return {one.rule for area in found.results.values() for result in area for one in result.findings}


def name(case: dict[str, Any]) -> str:
    return f"{' '.join(case['exports'])} {case['path']} {case['options']}"


JUDGED = [case for case in CASES if case["path"] not in UNKNOWN]
MOUNTED = [case for case in JUDGED if case["mounted"]]


@each(lambda: JUDGED, name)
def test_what_fails_is_said_to_fail(case: dict[str, Any]) -> None:
    checks = load().checks
    fails = {rule for rule in told(case) if checks[rule].consequence == "mount-fails"}
    assert bool(fails) is (case["mounted"] is None), fails


@each(lambda: MOUNTED, name)
def test_what_is_mounted_is_what_is_said(case: dict[str, Any]) -> None:
    rules = told(case)
    exported = any(f"{case['path']}/".startswith(f"{line.split()[0].rstrip('/')}/") for line in case["exports"])
    from_root = any("fsid=0" in line for line in case["exports"])
    if "@" in " ".join(case["exports"]):
        assert not rules, "who is in a netgroup is not known"
    else:  # the directories above exports cannot be written to either, and nobody expects it
        assert ("read-only-export" in rules) is (case["write"] == "read-only" and (exported or from_root))
    underneath = case["path"] in case["file_systems"] and case["write"] == "denied"  # root may write to those on top
    assert ("mount-point-underneath" in rules) is underneath
    switched_off = "-4" in case.get("versions", "").split()
    assert ("version-falls-back" in rules) is (
        case["mounted"] == "3" and not case["options"].startswith("vers") and not switched_off
    )


def test_both_kernels_were_asked() -> None:
    assert sum(case["kernels"] == ["6.1", "6.12"] for case in CASES) >= 150
    assert {case["mounted"] for case in CASES} >= {None, "3", "4.1", "4.2"}
