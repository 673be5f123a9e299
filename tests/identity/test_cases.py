"""What fifteen people are told who want to share files among users, beside what an expert would tell them.

`python -m tests.identity.test_cases` prints what is missed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.rulebase.base import load
from tests.experts.measure import OPEN, agrees, in_effect

_TEXT = (Path(__file__).parent / "cases.yaml").read_text(encoding="utf-8")
CASES: list[dict[str, Any]] = YAML(typ="safe").load(_TEXT)


def missed(case: dict[str, Any]) -> list[str]:
    """Settings that are advised otherwise than the expert says."""
    base = load()
    advice = advise(base, Answers({"storage.platform": "knfsd", **case["facts"]}))
    told = []
    for tunable, wanted in case["wants"].items():
        found = in_effect(base, advice, tunable)
        if wanted == "open":
            good = found is OPEN
        elif base.tunables[tunable].type == "prose" and wanted != "keep":
            good = str(found).replace(",", "").startswith(str(wanted).replace(" the same on both", ""))
        else:
            good = agrees(base, found, wanted, tunable) if wanted != "keep" else found == "keep"
        told += [] if good else [f"{tunable}: {wanted}, found {'open' if found is OPEN else found}"]
    for tunable, wrong in case.get("not", {}).items():
        found = in_effect(base, advice, tunable)
        told += [f"{tunable}: {wrong} is advised"] if found == wrong else []
    return told


@pytest.mark.parametrize("case", CASES, ids=[one["says"][:40] for one in CASES])
def test_an_expert_would_say_the_same(case: dict[str, Any]) -> None:
    assert missed(case) == []


def test_the_cases_are_enough_and_differ() -> None:
    assert len(CASES) == 15
    assert len({str(one["facts"]) for one in CASES}) == 15


if __name__ == "__main__":
    for case in CASES:
        for line in missed(case):
            print(f"{case['says']}\n  {line}")


def test_protection_on_the_network_is_asked_about_once() -> None:
    """Whether clients must use TLS follows from what the data must be protected from, where nobody says so."""
    facts = load().facts
    assert facts["identity.wire"].ask
    assert not facts["export.requires_tls"].ask
