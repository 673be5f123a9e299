"""Whole hosts, written down in check_situations.yaml: what is found on each, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.host import trees

FILE = Path(__file__).with_name("check_situations.yaml")
SITUATIONS: list[dict[str, Any]] = YAML(typ="safe").load(FILE)["situations"]


def test_there_are_enough_of_them() -> None:
    assert len(SITUATIONS) >= 40
    assert len({one["name"] for one in SITUATIONS}) == len(SITUATIONS)


@pytest.mark.parametrize("situation", SITUATIONS, ids=[one["name"] for one in SITUATIONS])
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
