"""The Ansible collection: built, installed, linted, and run on a host that is a root of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import needs
from tests.install.roots import HERE, Hosts, ansible, changed, started
from tests.install.tools import run
from tests.tiers import thorough

pytestmark = thorough

needs.package("ansible")
SOURCE = Path(__file__).parents[2] / "packaging" / "ansible"
ALL = os.environ.get("ADVISOR_VM") == "all"
NAMED = ("host1", "host2", "host3") if ALL else ("host1",)
"""Second runs, too, are tried where all is asked for."""


def installed(folder: Path) -> str:
    """Where Ansible finds the collection, built and installed."""
    found = str(folder / "collections")
    for words in (("build", str(SOURCE)), ("install", "nfs-advisor-0.1.0.tar.gz", "-p", found)):
        told = ansible("ansible-galaxy", "collection", *words, cwd=folder)
        assert told.returncode == 0, told.stdout + told.stderr
    return found


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """Hosts beside an installed collection."""
    folder = tmp_path_factory.mktemp("collection")
    installed(folder)
    with started(folder, NAMED) as there:
        yield there


def play(hosts: Hosts, name: str, *words: str) -> list[int]:
    found = str(hosts.folder / "collections")
    return changed(hosts.play(*words, f"nfs.advisor.{name}", ANSIBLE_COLLECTIONS_PATH=found))


def test_lint(hosts: Hosts) -> None:
    there = hosts.folder / "collections" / "ansible_collections" / "nfs" / "advisor"
    told = ansible("ansible-lint", "--offline", "--profile", "production", "--strict", ".", cwd=there,
                   ANSIBLE_COLLECTIONS_PATH=str(hosts.folder / "collections"))
    assert told.returncode == 0, told.stdout + told.stderr


def test_a_bundle_of_each_host_can_be_judged(hosts: Hosts) -> None:
    bundles = hosts.folder / "bundles"
    play(hosts, "collect", "-e", f"collect_folder={bundles}")
    assert sorted(one.stem for one in bundles.iterdir()) == list(NAMED)
    for one in bundles.iterdir():
        assert one.stat().st_mode & 0o77 == 0, "nobody else reads it"
        told = run(str(HERE / "advisor"), "facts", "--root", str(one), "--output-format", "json")
        assert json.loads(told.stdout)["facts"]["client.kernel"]["value"] == os.uname().release


def test_facts_are_there_and_stay(hosts: Hosts) -> None:
    """The facts themselves: why one is unknown may be told in other words once a program has been asked for it."""
    def told() -> list[dict[str, object]]:
        places = [root / "etc/ansible/facts.d/advisor.fact" for root in hosts.roots.values()]
        return [json.loads(place.read_text())["facts"] for place in places]

    assert play(hosts, "facts") == [2] * len(NAMED)
    first = told()
    assert [facts["client.kernel"]["value"] for facts in first] == [os.uname().release] * len(NAMED)  # type: ignore[index]
    if ALL:
        play(hosts, "facts")
        assert told() == first


ANSWERS = """schema: advisor-answers/1
facts: {storage.platform: knfsd, host.role: nfs-client, mount.ro: false, workload.kind: home, client.container: false,
  mount.sec: sys, client.init: systemd, network.transport: tcp}
names: {server: fs1.example, export: /home, target: /mnt/home}
"""


def test_advice_is_applied_once(hosts: Hosts) -> None:
    (hosts.folder / "answers.yaml").write_text(ANSWERS)
    words = ("-e", json.dumps({
        "apply_answers": str(hosts.folder / "answers.yaml"), "apply_folder": str(hosts.folder / "advice"),
        "apply_command": [str(HERE / "advisor")], "nfs_advice_install": False, "nfs_advice_mount_now": False,
    }))
    before = hosts.state()
    assert all(play(hosts, "apply", "--check", "--diff", *words))
    assert hosts.state() == before
    assert all(play(hosts, "apply", *words))
    after = hosts.state()
    for name in hosts.roots:
        assert after[f"{name} etc/fstab"].startswith("fs1.example:/home  /mnt/home  nfs  ")
    if ALL:  # of the role itself, test_role asks it always
        assert not any(play(hosts, "apply", *words))
        assert hosts.state() == after


@pytest.mark.parametrize("command", [("pdsh", "-R", "exec", "-N", "-w", "a,b,c"),
                                     ("clush", "--worker=exec", "-N", "-w", "a,b,c")])
def test_other_transports_give_one_bundle_a_line(command: tuple[str, ...]) -> None:
    """With a module that runs the words here in place of a network."""
    told = run(*command, str(HERE / "advisor"), "facts", "--bundle", "-")
    assert [json.loads(line)["schema"] for line in told.stdout.splitlines()] == ["advisor-bundle/1"] * 3, told.stderr
