"""Causes that were made on purpose on real kernels: the diagnosis names them from what was printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from advisor.diagnose.diagnosis import Diagnosis
from advisor.rulebase.base import load
from advisor.rulebase.model import RuleBase

PRODUCED = YAML(typ="safe").load(Path(__file__).with_name("produced.yaml").read_text(encoding="utf-8"))["produced"]


@pytest.fixture(scope="module")
def base() -> RuleBase:
    return load()


@pytest.mark.parametrize("case", PRODUCED, ids=[f"{n}: {case['made']}" for n, case in enumerate(PRODUCED)])
def test_the_cause_is_named_from_what_was_printed(base: RuleBase, case: dict[str, object]) -> None:
    assert isinstance(case["causes"], list)
    diagnosis = Diagnosis(base, str(case["said"]))
    ranked = [one.cause.id for one in diagnosis.causes if one.status != "ruled-out"]
    place = next((at for at, name in enumerate(ranked, start=1) if name in case["causes"]), 99)
    assert place <= int(str(case["place"])), ranked[:5]
    assert not [one.cause.id for one in diagnosis.confirmed() if one.cause.id not in case["causes"]]


def test_enough_causes_were_produced_and_named() -> None:
    named = {case["causes"][0] for case in PRODUCED if case["place"] <= 3}
    assert len(named) >= 25
