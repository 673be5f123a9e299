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
