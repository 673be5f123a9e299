"""A bundle is the host: looked at through it, all is found that is found on the host itself."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from advisor.check.check_host import check_host, record
from advisor.check.host import GivenFacts, WholeHost
from advisor.host.bundle import BundleTree, read
from advisor.host.opening import open_tree
from advisor.host.probe import probe
from advisor.host.tree import FilesInMemory, Link, NotCollected, Tree
from advisor.pages.host import bundle
from advisor.rulebase.base import load
from tests.host import archives, trees
from tests.schemas import validate
from tests.tiers import examples, some

CLI = Path(__file__).parents[1] / "cli"
BASE = load()
LAYOUTS = dict(BASE.layouts)


def _situations() -> dict[str, dict[str, str]]:
    """The files of every whole host that other tests are about."""
    loads = YAML(typ="safe").load
    hosts = {one["name"]: one["files"] for one in loads(CLI / "check_situations.yaml")["situations"]}
    for one in loads(CLI / "sides_situations.yaml")["pairs"]:
        for side in ("server", "client", "other"):
            if isinstance(one.get(side), dict):
                hosts[f"{one['name']}: {side}"] = one[side]
    for name, files in vars(trees).items():
        if name.isupper() and isinstance(files, dict):
            hosts[name] = files
    return hosts


HOSTS = _situations()


def _kept(files: dict[str, str]) -> Tree:
    """A plain copy, in memory. A path that ends with a slash is a folder."""
    entries: dict[str, Any] = {}
    for path, content in files.items():
        if path.endswith("/"):
            entries[path.rstrip("/")] = None
        else:
            text = content.encode("utf-8", "surrogateescape")
            entries[path] = Link(content[3:]) if content.startswith("-> ") else text
    return Tree("/copy", False, (), FilesInMemory(entries))


def _through(tree: Tree) -> tuple[BundleTree, str]:
    """The same host by its bundle, and the bundle."""
    found = record(BASE, tree)
    layout = tree.layout
    text = bundle(found, "2026-01-01T00:00:00Z", "0", "" if layout is None else layout.id, tree.runs)
    return BundleTree("x.json", read(text.line, "x.json"), LAYOUTS), text.line


def bundle_of(files: dict[str, str]) -> str:
    """The bundle of a host with these files."""
    return _bundle_of(tuple(files.items()))


@cache
def _bundle_of(files: tuple[tuple[str, str], ...]) -> str:
    return _through(_kept(dict(files)))[1]


def _told(tree: Tree) -> list[object]:
    """All that is found of a host, where the tree stands aside."""
    everything = GivenFacts({}, BASE.profiles)
    host = WholeHost(BASE, tree, lambda _: everything)
    check_host(host)
    findings = {area: [(one.name, one.findings) for one in results] for area, results in host.areas.items()}
    collected = host.collected
    names = [[(one.path, one.name) for one in part] for part in (collected.texts, collected.others, host.not_judged)]
    probe = host.facts.probe._replace(root="")
    return [findings, names, collected.unseen, collected.hidden, probe, host.facts.facts, host.facts.unknown,
            host.known("", True), sorted(host.not_read), sorted(tree.denied)]


@pytest.mark.parametrize("name", some(HOSTS, 8))
def test_a_host_is_judged_alike_through_its_bundle(name: str) -> None:
    tree = _kept(HOSTS[name])
    through, _ = _through(tree)
    for here, there in zip(_told(tree), _told(through)):
        assert here == there


@examples(8, 60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(sorted(HOSTS)), min_size=2, max_size=4), st.data())
def test_so_are_hosts_made_up_of_others(names: list[str], data: st.DataObject) -> None:
    files: dict[str, str] = {}
    for name in names:
        files |= HOSTS[name]
    gone = data.draw(st.sets(st.sampled_from(sorted(files))))
    tree = _kept({path: text for path, text in files.items() if path not in gone})
    through, _ = _through(tree)
    for here, there in zip(_told(tree), _told(through)):
        assert here == there


def test_a_server_of_a_distribution_that_only_clients_tell_apart_is_another_one() -> None:
    tree = _kept({**trees.AMAZON2023, "/etc/exports": "/srv 10.0.0.0/8(rw)\n"})
    facts = probe(BASE.facts, tree, None, {"host.role": "nfs-server"}).facts
    assert facts["server.distro"].value == "other"


REPORTS = {name: files for name, files in vars(archives).items() if name.isupper() and isinstance(files, dict)}


@pytest.mark.parametrize("name", REPORTS)
def test_so_are_reports_of_support_tools(tmp_path: Path, name: str) -> None:
    tree = open_tree(archives.pack(tmp_path / "a.tar", REPORTS[name]), [*LAYOUTS.values()])
    through, _ = _through(tree)
    for here, there in zip(_told(tree), _told(through)):
        assert here == there


def test_a_bundle_of_a_bundle_is_the_same() -> None:
    through, text = _through(_kept(trees.EFS))
    again, other = _through(through)
    assert _told(again) == _told(through)
    assert json.loads(other)["read"]["files"] == json.loads(text)["read"]["files"]


def test_it_keeps_its_published_schema() -> None:
    for files in (trees.EFS, trees.SERVER, HOSTS["a mount that somebody made by hand"]):
        validate(json.loads(_through(_kept(files))[1]), "advisor-bundle-1")


SECRETS = {
    **trees.DEBIAN12,
    "/etc/fstab": (
        "# root: hunter1\n"
        "//filer/s /s cifs username=u,password=hunter2,vers=3.0 0 0\n"
        "# advisor: ignore[hard/default] Asked for by the vendor\n"
        "nas:/a /a nfs soft,timeo=50,retrans=2,vers=4.2 0 0\n"
        "//filer/t /t cifs credentials=/root/hunter3,uid=0 0 0\n"
    ),
    "/etc/auto.master": "/home /etc/auto.home # by hunter4\n",
    "/etc/auto.home": "# hunter5\nw -fstype=cifs,pass=hunter6 ://u:hunter7@filer/w\n",
    "/proc/cmdline": "root=/dev/sda1 rd.iscsi.password=hunter8 nfs.nfs4_unique_id=web1\n",
    "/etc/udev/rules.d/70-own.rules": 'ENV{TOKEN}="hunter9"\n',
    "/var/lib/pacemaker/cib/cib.xml": trees.CLUSTER_NODE["/var/lib/pacemaker/cib/cib.xml"],
    "/proc/self/mountinfo": (
        "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "61 22 0:60 / /o rw - overlay overlay rw,lowerdir=/hunter10,upperdir=/hunter11\n"
    ),
}


def test_no_secret_leaves_the_host_and_no_line_moves() -> None:
    tree = _kept(SECRETS)
    through, text = _through(tree)
    assert "hunter4" in text  # after a value nobody can say where a comment begins
    assert "hunter" not in text.replace("hunter4", "")
    here, there = _told(tree), _told(through)
    assert here[1:] == there[1:]
    assert [(each.rule, each.line) for one in here[0].values() for _, told in one for each in told] == [
        (each.rule, each.line) for one in there[0].values() for _, told in one for each in told
    ]
    fstab = json.loads(text)["read"]["files"]["/etc/fstab"].split("\n")
    assert fstab[0] == "#"
    assert fstab[1] == "//filer/s /s cifs username=u,password=***,vers=3.0 0 0"
    assert fstab[2].startswith("# advisor: ignore[hard/default]")
    assert json.loads(text)["redacted"] == {
        "comments": 2, "secrets": 6, "emptied": ["/etc/udev/rules.d/70-own.rules"],
    }


def test_what_does_not_fit_is_left_out_and_said_to_be() -> None:
    lines = "".join(f"k{number} -vers=4.2 nas:/export/{number}\n" for number in range(2100))
    files = {**trees.EFS, "/etc/auto.master": "/home /etc/auto.home\n", "/etc/auto.home": lines}
    through, text = _through(_kept(files))
    assert len(text) <= 1 << 16
    assert json.loads(text)["left_out"]["/etc/auto.home"] == len(lines)
    unseen = _told(through)[2]
    assert [one.path for one in unseen if "64 KiB" in one.why] == ["/etc/auto.home"]
    assert through.text("/etc/auto.master") == "/home /etc/auto.home\n"


def test_what_was_not_asked_for_is_not_taken_for_absent() -> None:
    through, _ = _through(_kept({**trees.EFS, "/etc/passwd": "root:x:0:0::/root:/bin/sh\n"}))
    for path in ("/etc/passwd", "/etc/never-thought-of"):
        with pytest.raises(NotCollected):
            through.exists(path)
    assert through.exists("/etc/nfs.conf") is False


@pytest.mark.parametrize("name", ["web1.json", "web1.json.gz"])
def test_the_command_writes_it_and_check_and_facts_read_it(advisor: Any, tmp_path: Path, name: str) -> None:
    files = {**trees.EFS, "/etc/hostname": "web1\n", "/etc/fstab": "nas:/a /a nfs sotf 0 0\n"}
    root = trees.plant(tmp_path / "host", files)
    file = str(tmp_path / name)
    ran = advisor("facts", "--root", root, "--bundle", file)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"{file}: web1, ")
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    for command in ("check", "facts"):
        here, there = (advisor(command, "--root", one, "--output-format", "json") for one in (root, file))
        assert here.code == there.code
        assert here.out == there.out.replace(file, root)
    assert "the bundle of web1, 20" in " ".join(advisor("check", "--root", file).out.split())


def test_the_standard_output_takes_many(advisor: Any, tmp_path: Path) -> None:
    root = trees.plant(tmp_path / "host", trees.EFS)
    line = advisor("facts", "--root", root, "--bundle", "-").out
    assert line.count("\n") == 1
    both = tmp_path / "all.jsonl.gz"
    both.write_bytes(gzip.compress(line.encode()) + gzip.compress(line.encode()))
    ran = advisor("check", "--root", str(both))
    assert ran.code == 2
    assert "contains the bundles of several hosts; advisor fleet report reads them all" in ran.err


@pytest.mark.parametrize(("content", "says"), [
    ('{"schema": "advisor-bundle/2"}', "a bundle of version 2, and this advisor reads version 1"),
    ('{"schema": "advisor-facts/1"}', "not a bundle"),
    ('{"schema": "advisor-bundle/1", "host": "a"', "not valid JSON"),
    ('{"schema": "advisor-bundle/1", "host": "a"}', "damaged"),
    ('{"schema": "advisor-bundle/1", "host": "a", "made": "", "advisor": "", "read": {"files": {"/a": 1}}}', "damaged"),
    ('{"schema": "advisor-bundle/1", "host": "a", "made": "", "advisor": "", "read": {"links": []}}', "damaged"),
    ("{" * 100_000, "not valid JSON"),
])
def test_what_is_no_bundle_says_why(advisor: Any, tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "x.json"
    for text in (content.encode(), gzip.compress(content.encode()), gzip.compress(content.encode())[:-9]):
        file.write_bytes(text)
        ran = advisor("check", "--root", str(file))
        assert ran.code == 2
        assert len(ran.err.splitlines()) == 1
        assert str(file) in ran.err
        if text[-8:] == content.encode()[-8:]:
            assert says in ran.err
