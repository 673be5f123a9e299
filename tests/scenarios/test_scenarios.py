"""The documents' own cases give the advice that was reviewed."""

from __future__ import annotations

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers_file import read_answers
from advisor.advice.rows import fstab_line
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.scenarios.golden import HERE, NAMES, told


@pytest.mark.parametrize("name", NAMES)
def test_the_advice_is_as_reviewed(name: str) -> None:
    golden = (HERE / "golden" / f"{name}.yaml").read_text(encoding="utf-8")
    assert told(load(), name) == golden, "reviewed advice changed: see tests/scenarios/golden.py"


@pytest.mark.parametrize("name", NAMES)
def test_the_review_speaks_of_each_scenario(name: str) -> None:
    assert f"## {name}" in (HERE / "REVIEW.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("-server")])
def test_lint_has_nothing_to_say_of_the_line(name: str) -> None:
    base = load()
    answers = read_answers(base, str(HERE / f"{name}.yaml"))
    result = lint_text(fstab_line(advise(base, answers)) + "\n", "fstab", base, answers.facts)
    told = [finding.message for finding in result.findings if not finding.policy and finding.rule not in base.errata]
    assert told == []  # a known bug is not a fault of the line
