"""What vendors' documents say of an environment, worked out by hand, is what is advised and what a line is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

HERE = Path(__file__).parent / "vendors"
YAML_1_2 = YAML(typ="safe", pure=True)
CASES: dict[str, dict[str, Any]] = {
    path.stem: YAML_1_2.load(path.read_text(encoding="utf-8")) for path in sorted(HERE.glob("*.yaml"))
}
LINES = [(name, number) for name, case in CASES.items() for number in range(len(case["findings"]))]


@pytest.mark.parametrize("name", CASES)
def test_the_advice_is_what_the_document_says(name: str) -> None:
    advice = advise(load(), Answers(CASES[name]["facts"]))
    told = {one.tunable: one.value for one in advice.settled}
    expected = CASES[name]["expects"]
    assert {tunable: told.get(tunable, "open") for tunable in expected} == expected


@each(lambda: LINES)
def test_a_line_is_told_what_the_document_says(name: str, number: int) -> None:
    case = CASES[name]["findings"][number]
    result = lint_text(f"{case['line']}\n", "fstab", load(), CASES[name]["facts"])
    found = {one.rule for one in result.findings if not one.policy and one.rule not in load().errata}
    assert sorted(found) == case["rules"]
