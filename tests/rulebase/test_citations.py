"""Which claims were checked against their sources, and the tool that records it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.rulebase.citations import checked_share
from advisor.rulebase.model import Claim
from tests.rulebase.bases import copy, problems
from tools.claims import unchecked

TOOL = Path(__file__).parents[2] / "tools" / "record_checks.py"
CLAIMS = {name: Claim.from_data(told) for name, told in {
    "page.one": {"source": "page", "figures": {"a": 1}, "checked": {"outcome": "agrees"}},
    "page.two": {"source": "page", "figures": {"a": 1}, "checked": {"outcome": "corrected"}},
    "page.three": {"source": "page", "figures": {"a": 1}, "checked": {"outcome": "not-opened"}},
    "page.four": {"source": "page", "figures": {"a": 1}},
    "page.five": {"source": "page"},
    "book.one": {"source": "book", "figures": {"a": 1}},
}.items()}


def test_the_share_counts_claims_with_figures() -> None:
    sentence = "2 of 5 claims with figures were checked against their source (1 could not be opened)"
    assert checked_share(CLAIMS) == [sentence]
    assert checked_share({"page.five": CLAIMS["page.five"]}) == []


def test_what_is_left_to_check() -> None:
    assert unchecked(CLAIMS, []) == ["page.four", "book.one"]
    assert unchecked(CLAIMS, ["page"]) == ["page.four"]
    assert unchecked(CLAIMS, ["page"], figures=False) == ["page.four", "page.five"]


def run(root: Path, *results: dict[str, str]) -> subprocess.CompletedProcess[str]:
    file = root / "results.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in results))
    return subprocess.run(
        [sys.executable, str(TOOL), str(file), "--root", str(root)], capture_output=True, text=True, check=False
    )


def checks(root: Path) -> dict[str, object]:
    from ruamel.yaml import YAML

    told = YAML(typ="safe").load(root / "kb/claims/handbook.yaml")["claims"]
    return {claim["id"]: claim.get("checked") for claim in told}


AGREES = {"date": "2026-11-21", "outcome": "agrees", "against": "repo@v1: a file: with a colon, [and] more " * 3}
CLOSED = {"date": "2026-11-22", "outcome": "not-opened", "because": "behind a login"}


def test_recording_adds_lines_and_changes_no_other(tmp_path: Path) -> None:
    root = copy(tmp_path)
    file = root / "kb/claims/handbook.yaml"
    before = file.read_text().splitlines()
    ran = run(root, {"claim": "handbook.versions", **AGREES}, {"claim": "handbook.eight", **CLOSED})
    assert (ran.returncode, ran.stdout) == (0, "recorded 2 checks\n")
    after = file.read_text().splitlines()
    assert len(after) > len(before) + 2
    left = iter(after)
    assert all(line in left for line in before)
    found = checks(root)
    assert found["handbook.versions"] == {**AGREES, "against": AGREES["against"].strip()}
    assert found["handbook.eight"] == CLOSED
    assert problems(root) == []


@pytest.mark.parametrize("place", ["last", "between"])
def test_a_later_check_replaces_an_earlier_one(tmp_path: Path, place: str) -> None:
    root = copy(tmp_path)
    file = root / "kb/claims/handbook.yaml"
    bare = file.read_text().replace(
        "    checked: {date: 2026-11-21, outcome: agrees, against: the second edition}\n", ""
    )
    held = "checked: {date: 2026-01-01, outcome: agrees,\n      against: the first edition}\n"
    text = {
        "last": bare.replace("  - id: handbook.eight\n", f"    {held}  - id: handbook.eight\n"),
        "between": bare.replace("    at: chapter 2\n", f"    {held}    at: chapter 2\n"),
    }[place]
    assert text != bare
    file.write_text(text)
    assert run(root, {"claim": "handbook.nconnect", **CLOSED}).returncode == 0
    assert checks(root)["handbook.nconnect"] == CLOSED
    assert [line for line in file.read_text().splitlines() if "checked" not in line] == bare.splitlines()
    assert problems(root) == []


def test_what_it_refuses(tmp_path: Path) -> None:
    root = copy(tmp_path)
    before = (root / "kb/claims/handbook.yaml").read_bytes()
    assert run(root, {"claim": "handbook.ten", **CLOSED}).returncode == 1
    assert "handbook.ten" in run(root, {"claim": "handbook.ten", **CLOSED}).stderr
    assert run(root, {"claim": "handbook.eight", "date": "today", "outcome": "agrees"}).returncode == 2
    assert (root / "kb/claims/handbook.yaml").read_bytes() == before


def test_old_sources_are_listed_by_what_rests_on_them() -> None:
    tool = Path(__file__).parents[2] / "tools" / "old_sources.py"
    ran = subprocess.run([sys.executable, tool, "--today", "2026-11-28"], capture_output=True, text=True, check=True)
    rows = [line.split(maxsplit=1) for line in ran.stdout.splitlines()[1:]]
    counts = [int(count) for count, _ in rows]
    assert counts == sorted(counts, reverse=True)
    assert any("2015-05-22" in rest and rest.endswith("autofs-source") for _, rest in rows)
    assert not any(rest.endswith(" openzfs-18487") for _, rest in rows)  # of 2026
