"""What `advisor check` tells of a host that was seen in a virtual machine agrees with what its own programs said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from advisor.host.tree import Tree
from tests.host import trees

SEEN: dict[str, Any] = YAML(typ="safe").load(Path(__file__).with_name("observed_host.yaml"))
STOPPED = {"/proc/fs/nfsd/threads": "0\n", "/proc/net/rpc/nfsd": "th 0 0 0.000 0.000\n"}
PRINTED = SEEN["said"]["exportfs -v"]
DIFFERENCES = {
    ("mount-in-no-file", "/mnt/inner"), ("nconnect-of-first-mount", "nconnect=2"), ("export-not-made", "/srv/late"),
    ("export-file-ignored", "exportfs"), ("sysctl-overridden", "net.core.rmem_max=16777216"),
    ("sysctl-not-in-effect", "vm.dirty_background_ratio=5"), ("setting-unknown", "threds"),
}
"""Rule, and what its message begins with: all that was set up to differ, and nothing else of these kinds."""
KINDS = {rule for rule, _ in DIFFERENCES} | {
    "not-mounted", "mounted-otherwise", "mounted-from-elsewhere", "export-otherwise", "export-in-no-file",
    "server-setting-not-in-effect", "module-parameter-not-in-effect", "sysctl-set-before-module",
    "setting-before-module", "sysctl-in-no-file",
}


def told(advisor: Any, root: str) -> set[tuple[str, str]]:
    ran = advisor("check", "--root", root, "--output-format", "json")
    assert ran.code == 1, ran.err
    return {(one["rule"], one["message"].split()[0]) for one in json.loads(ran.out)["findings"] if one["rule"] in KINDS}


@pytest.mark.parametrize("changed", [{}, STOPPED], ids=["running", "stopped"])
def test_every_difference_is_told_and_no_other(advisor: Any, tmp_path: Path, changed: dict[str, str]) -> None:
    assert told(advisor, trees.plant(tmp_path, {**SEEN["files"], **changed})) == DIFFERENCES


@pytest.mark.parametrize("text", [PRINTED, PRINTED.replace("/srv/home ", "/srv/home\n\t\t")], ids=["short", "long"])
def test_what_exportfs_printed_counts_like_etab(advisor: Any, tmp_path: Path, text: str) -> None:
    """It writes a long path on a line of its own."""
    files = {path: text for path, text in SEEN["files"].items() if path != "/var/lib/nfs/etab"}
    exports = {one for one in DIFFERENCES if one[0].startswith("export-")}
    found = told(advisor, trees.plant(tmp_path, {**files, "/sos_commands/nfs/exportfs_-v": text}))
    assert {one for one in found if one[0].startswith("export-")} == exports


def test_mounts_are_those_of_nfsstat(tmp_path: Path) -> None:
    mounts = {one.target: one for one in Tree(trees.plant(tmp_path, SEEN["files"])).mounts if one.fstype[:3] == "nfs"}
    said = SEEN["said"]["nfsstat -m"].strip().split("\n\n")
    assert len(said) == 4
    for place, flags in (one.split("\n") for one in said):
        target, _, source = place.split()
        mount = mounts[target]
        assert mount.source == source
        assert {*mount.options.split(","), *mount.super_options.split(",")} == set(flags.split()[1].split(","))
