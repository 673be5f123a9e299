"""`advisor facts`, and the facts of a host in other commands."""

import argparse
import json

import pytest
from ruamel.yaml import YAML

from advisor.check import facts as check_facts
from advisor.cli.options import given_facts, host_facts, read_facts_file, tree_of
from advisor.host.probe import probe
from advisor.rulebase.base import load
from tests.host import trees

LINE = "nas:/x /x nfs nconnect=4,vers=4.1 0 0\n"


def test_text_tells_value_place_and_what_is_not_known(advisor, tmp_path):
    ran = advisor("facts", "--root", trees.plant(tmp_path, trees.EFS))
    assert ran.code == 0, ran.err
    rows = [line.split(None, 2) for line in ran.out.splitlines()]
    assert ["client.distro", "debian", "/etc/os-release: ID"] in rows
    assert ["client.container", "no", "/run/systemd/container, which does not exist"] in rows
    assert "inferred" in next(line for line in ran.out.splitlines() if "storage.platform" in line)
    assert "package.lvm2" in ran.out[ran.out.index("Not known"):]
    assert "read-ahead 15360 KiB" in ran.out


def test_json_has_its_schema_and_all_parts(advisor, tmp_path):
    data = json.loads(advisor("facts", "--root", trees.plant(tmp_path, trees.EFS), "--output-format", "json").out)
    assert data["schema"] == "advisor-facts/1"
    assert data["facts"]["client.memory_gib"]["value"] == 63
    assert data["facts"]["client.memory_gib"]["where"] == "/proc/meminfo"
    assert data["mounts"][0]["server"] == "fs-0123.efs.eu-west-1.amazonaws.com"
    assert data["settings"]["network.mtu"]["value"] == 9000
    assert not data["facts"].keys() & data["unknown"].keys()


@pytest.mark.parametrize("files", [trees.RHEL8, trees.UBUNTU2404, trees.EFS, trees.SERVER, {}])
def test_yaml_is_read_back_as_it_is(advisor, tmp_path, files):
    root = trees.plant(tmp_path / "root", {"/etc/": "", **files})
    written = advisor("facts", "--root", root, "--output-format", "yaml").out
    kept = tmp_path / "facts.yaml"
    kept.write_text(written)
    told = json.loads(advisor("facts", "--root", root, "--output-format", "json").out)["facts"]
    expected = {name: one["value"] for name, one in told.items()}
    assert (YAML(typ="safe", pure=True).load(written) or {}) == expected
    read = read_facts_file(load(), argparse.Namespace(facts=str(kept), from_probe=None, expired=False))
    assert given_facts(load(), [], read) == expected
    ran = advisor("lint", "-", "--facts", str(kept), "--no-config", stdin=LINE)
    assert ran.code in (0, 1), ran.err


def test_the_host_comes_last(tmp_path):
    base = load()
    root = trees.plant(tmp_path, trees.DEBIAN12)
    assert host_facts(base, tree_of(base, root)).facts["client.kernel"].value == "6.1.0-48-amd64"
    assert "client.kernel" not in host_facts(base, tree_of(base, root), {"client.kernel": "5.4"}).facts


def test_lint_takes_what_was_not_told_from_the_host(advisor, tmp_path, monkeypatch):
    root = trees.plant(tmp_path, {**trees.EFS, **trees.kernel("4.15.0-213-generic", "#224-Ubuntu SMP")})
    monkeypatch.setattr(check_facts, "probe", lambda facts, _, *rest: probe(facts, root, *rest))

    def told(*options):
        return advisor("lint", "-", "--no-config", "--output-format", "json", *options, stdin=LINE).out

    def rules(*options):
        return {finding["rule"] for finding in json.loads(told(*options))["findings"]}

    assert "option-too-new" in rules("--from-host") - rules()
    assert "option-too-new" not in rules("--from-host", "--set", "client.kernel=6.1")
    # The platform of another mount of the host says nothing of this line.
    assert "efs" not in told("--from-host")


def test_terminal_codes_in_files_are_shown_not_obeyed(advisor, tmp_path):
    files = {**trees.EFS, "/proc/self/mountinfo": trees.ROOT_MOUNT + trees.nfs("nas:/\x1b[31m", "/a\\012b")}
    root = trees.plant(tmp_path, {**files, "/proc/sys/sunrpc/min_resvport": "\x1b]0;x\x07"})
    for form in ("text", "yaml", "json"):
        out = advisor("facts", "--root", root, "--output-format", form).out
        assert out
        assert not [c for c in out if c != "\n" and not c.isprintable()]


def test_a_folder_that_is_not_there(advisor):
    ran = advisor("facts", "--root", "/nowhere/at/all")
    assert ran.code == 2
    assert "folder or archive not found" in ran.err


def test_rpm_is_asked_only_on_this_host(monkeypatch, tmp_path):
    import subprocess

    from advisor.host.probe import rpm
    from advisor.host.tree import Tree, Unread

    asked = []
    answer = {"out": b"2.3.3-59.el8\n", "code": 0}

    def run(command, **options):
        asked.append((command, options))
        return subprocess.CompletedProcess(command, answer["code"], answer["out"], b"")

    monkeypatch.setattr(subprocess, "run", run)
    tree = Tree(trees.plant(tmp_path, {"/usr/bin/rpm": "", "/var/lib/rpm/": "", "/installed-rpms": "a-1-1.noarch\n"}))
    assert rpm(tree, "a") == ("1-1", "/installed-rpms: a")
    assert not asked
    tree.runs = True
    tree._place = lambda path: f"{tmp_path}{path}"
    assert rpm(tree, "nfs-utils") == ("2.3.3-59.el8", "rpm -q nfs-utils")
    [(command, options)] = asked
    assert command[0] == "/usr/bin/rpm"
    assert options["timeout"]
    assert not options.get("shell")
    answer["code"] = 1
    with pytest.raises(Unread, match="not installed"):
        rpm(tree, "nfs-utils")
    answer.update(code=0, out=b"1-1\n2-1\n")
    with pytest.raises(Unread, match="2 builds"):
        rpm(tree, "nfs-utils")
