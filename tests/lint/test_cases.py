"""Reports with an accepted diagnosis: the linter names it wherever it stands in the mount options (docs/cases.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from advisor.lint.lines import Result
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests import needs
from tests.lint.cases import CASES, Case
from tests.lint.cases_elsewhere import ELSEWHERE, Elsewhere
from tests.lint.cases_page import REPORTS, rows

BASE = load()

ROOT = Path(__file__).parents[2]
SHARED = needs.OTHERS
FOUND = [case for case in CASES if case.finds]


def lint(line: str, facts: Any) -> Result:
    return lint_text(f"{line}\n", "fstab", BASE, dict(facts))


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case.id)
def test_the_accepted_diagnosis_is_found(case: Case) -> None:
    assert set(case.finds) <= {finding.rule for finding in lint(case.line, case.facts).findings}


@pytest.mark.parametrize("case", FOUND, ids=lambda case: case.id)
def test_the_mended_line_does_not_have_it(case: Case) -> None:
    # Where the facts named the version because the line did not, the line speaks for itself now.
    facts = {fact: value for fact, value in case.facts.items() if fact != "mount.vers"}
    assert not set(case.finds) & {finding.rule for finding in lint(case.mended, facts).findings}


@pytest.mark.parametrize("case", [case for case in CASES if not case.finds], ids=lambda case: case.id)
def test_a_line_that_is_right_is_not_blamed(case: Case) -> None:
    assert case.reason
    assert not [f for f in lint(case.line, case.facts).findings if f.severity != "note"]


@pytest.mark.parametrize("other", [other for other in ELSEWHERE if other.line], ids=lambda other: other.id)
def test_the_mount_options_are_not_blamed_for_something_else(other: Elsewhere) -> None:
    assert not [f for f in lint(other.line, {}).findings if f.severity != "note"]


@pytest.mark.parametrize("other", [other for other in ELSEWHERE if other.speaks], ids=lambda other: other.id)
def test_there_is_a_page_for_it(other: Elsewhere) -> None:
    assert other.speaks in BASE.tunables


def test_nine_of_ten_reports_about_mount_options_are_found() -> None:
    assert len(FOUND) >= 0.9 * len(CASES)


def test_the_document_is_this_table() -> None:
    text = (ROOT / "docs" / "cases.md").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith(("| case-", "| [case-"))] == rows()
    assert f"{len(FOUND)} of {len(CASES)}" in text


def test_every_accepted_report_is_in_the_table() -> None:
    reports = SHARED / "corpus" / "cases.jsonl"
    if not reports.is_file():
        pytest.skip(needs.SHARED)
    told = [json.loads(line) for line in reports.read_text(encoding="utf-8").splitlines() if line]
    accepted = {one["id"]: one["source"] for one in told if one.get("status") == "accepted"}
    assert {case.id for case in (*CASES, *ELSEWHERE)} == set(accepted)
    github = {name: source for name, source in accepted.items() if source.startswith("https://github.com/")}
    assert {name: f"https://github.com/{where}" for name, where in REPORTS.items()} == github
