"""Whole hosts and pairs of hosts, written down in YAML: what is found on each, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from advisor.host.tree import Tree
from tests.host import trees
from tests.tiers import some

HERE = Path(__file__).parent
SITUATIONS: list[dict[str, Any]] = YAML(typ="safe").load(HERE / "check_situations.yaml")["situations"]


def test_there_are_enough_situations() -> None:
    assert len(SITUATIONS) >= 40
    assert len({one["name"] for one in SITUATIONS}) == len(SITUATIONS)


@pytest.mark.parametrize("situation", some(SITUATIONS, 3), ids=[one["name"] for one in SITUATIONS])
def test_situation(advisor: Any, tmp_path: Path, situation: dict[str, Any]) -> None:
    root = trees.plant(tmp_path, situation["files"])
    ran = advisor("check", "--root", root, "--output-format", "json")
    assert ran.code in (0, 1), ran.err
    found: dict[str, list[str]] = {}
    for one in json.loads(ran.out)["findings"]:
        found.setdefault(one["rule"], []).append(f"{one['file']}:{one['line']}")
    for rule, wanted in situation.get("finds", {}).items():
        places = found.get(rule, [])
        assert len(places) == wanted if isinstance(wanted, int) else places == [wanted], (rule, found)
    assert not found.keys() & set(situation.get("silent", ())), found
    if situation.get("quiet"):
        assert not found


PAIRS: list[dict[str, Any]] = YAML(typ="safe").load(HERE / "sides_situations.yaml")["pairs"]


def test_there_are_enough_pairs() -> None:
    assert len(PAIRS) >= 25
    assert len({one["name"] for one in PAIRS}) == len(PAIRS)


def named(folder: Path, pair: dict[str, Any]) -> list[str]:
    """The hosts of a pair, planted, as arguments."""
    hosts = [name for name in ("server", "node", "client", "other") if name in pair]
    places = {name: trees.plant(folder / name, pair[name]) for name in hosts}
    called = f"{pair['called']}=" if "called" in pair else ""
    words = ["--server", f"{called}{places['server']}"]
    words += ["--server", places["node"]] if "node" in places else []
    clients = [places[name] for name in ("client", "other") if name in places]
    return [*words, "--client", *clients] if clients else words


@pytest.mark.parametrize("pair", some(PAIRS, 3), ids=[one["name"] for one in PAIRS])
def test_pair(advisor: Any, tmp_path: Path, pair: dict[str, Any]) -> None:
    words = named(tmp_path, pair)
    ran = advisor("check", *words, "--output-format", "json")
    assert ran.code in (0, 1), ran.err
    told = json.loads(ran.out)
    found: dict[str, list[str]] = {}
    for one in told["findings"]:
        found.setdefault(one["rule"], []).append(f"{one['file']}:{one['line']}")
    wanted: dict[str, str | int] = pair.get("finds", {})
    assert found.keys() == wanted.keys(), found
    for rule, place in wanted.items():
        assert len(found[rule]) == place if isinstance(place, int) else found[rule] == [place], found
    assert bool(wanted) is not pair.get("quiet", False)
    printed = advisor("check", *words).out
    about = printed.split("\n", 1)[0]
    assert (f"{pair.get('not_judged', 0)} not judged" in about) is ("not_judged" in pair), about
    assert (f"{pair.get('elsewhere', 0)} of others" in about) is ("elsewhere" in pair), about
    assert pair.get("prints", "") in " ".join(printed.split())


NAS = {"/etc/hostname": "nas\n", "/etc/exports": "/srv/data *(ro)\n"}
WEB = {"/etc/hostname": "web1\n", "/etc/fstab": "nas:/srv/data /data nfs rw,vers=4.2,hard 0 0\n"}


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "github", "markdown", "gitlab", "concise"])
def test_every_output_format(advisor: Any, tmp_path: Path, form: str) -> None:
    server, client = trees.plant(tmp_path / "a", NAS), trees.plant(tmp_path / "b", WEB)
    ran = advisor("check", "--server", server, "--client", client, "--output-format", form)
    assert ran.code == 1, ran.err
    assert "rw-on-read-only-export" in ran.out


def test_options_of_lint_count_here_too(advisor: Any, tmp_path: Path) -> None:
    words = ["--server", trees.plant(tmp_path / "a", NAS), "--client", trees.plant(tmp_path / "b", WEB)]
    assert advisor("check", *words, "--fail-on", "error").code == 0
    assert advisor("check", *words, "--ignore", "rw-on-read-only-export").code == 0
    assert advisor("check", *words, "--area", "server").code == 0
    accepted = str(tmp_path / "accepted.json")
    assert advisor("check", *words, "--write-baseline", accepted).code == 0
    assert advisor("check", *words, "--since", accepted).code == 0


@pytest.mark.parametrize("words", [["--server", "/no/such"], ["--root", "/", "--server", "/"]])
def test_what_cannot_be_compared(advisor: Any, words: list[str]) -> None:
    assert advisor("check", *words).code == 2


def test_names_that_a_server_is_mounted_by(advisor: Any, tmp_path: Path) -> None:
    server = trees.plant(tmp_path / "a", {**NAS, "/etc/hostname": "node-a\n"})
    client = trees.plant(tmp_path / "b", WEB)
    assert advisor("check", "--server", server, "--client", client).code == 0
    assert advisor("check", "--server", f"other,nas={server}", "--client", client).code == 1


def test_hosts_of_one_name_are_told_apart(advisor: Any, tmp_path: Path) -> None:
    server = trees.plant(tmp_path / "a", NAS)
    clones = [trees.plant(tmp_path / name, WEB) for name in ("b", "c")]
    ran = advisor("check", "--server", server, "--client", *clones)
    assert "web1 (b):/etc/fstab:1" in ran.out
    assert "web1 (c):/etc/fstab:1" in ran.out


SEEN: dict[str, Any] = YAML(typ="safe").load(HERE / "observed_host.yaml")
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
