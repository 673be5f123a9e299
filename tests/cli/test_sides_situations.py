"""Servers and clients, written down in sides_situations.yaml: what is found between them, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.host import trees

FILE = Path(__file__).with_name("sides_situations.yaml")
PAIRS: list[dict[str, Any]] = YAML(typ="safe").load(FILE)["pairs"]


def test_there_are_enough_of_them() -> None:
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


@pytest.mark.parametrize("pair", PAIRS, ids=[one["name"] for one in PAIRS])
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
