"""What vendors' guides say of a failover pair, read there and worked out by hand, is what is advised, with their
claims as the reason; so are the order of the resources, the known bugs and the seconds."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

import pytest
from ruamel.yaml import YAML

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.model import Advice
from advisor.pages.failover import picture, resources
from advisor.rulebase.base import load
from advisor.rulebase.model.types import Values
from tests.tiers import some

HERE = Path(__file__).parent / "clusters"
NAMES = sorted(path.stem for path in HERE.glob("*.yaml"))


class Expected(NamedTuple):
    """`expects`: setting → its value, and the claim of the guide, even one that
    advice goes against; `keeps`: what is left alone; `starts`: agents."""

    document: str
    facts: dict[str, Values]
    expects: dict[str, dict[str, Values]]
    keeps: list[str]
    starts: list[str]
    bugs: list[str]
    figures: dict[str, int]


@cache
def case(name: str) -> tuple[Expected, Advice]:
    text = (HERE / f"{name}.yaml").read_text(encoding="utf-8")
    expected = Expected(**cast("dict[str, object]", YAML(typ="safe").load(text)))  # type: ignore[arg-type]
    return expected, advise(load(), Answers(expected.facts))


@pytest.mark.parametrize("name", some(NAMES, 2))
def test_the_advice_is_what_the_guide_says_and_cites_it(name: str) -> None:
    expected, advice = case(name)
    told = {one.tunable: one for one in advice.settled}
    assert {tunable: told[tunable].value for tunable in expected.expects} == {
        tunable: one["value"] for tunable, one in expected.expects.items()
    }
    for tunable, one in expected.expects.items():
        rule = told[tunable].rule
        assert rule is not None
        assert one["guide"] in rule.cites, tunable
    assert {told[tunable].value for tunable in expected.keeps} <= {"keep"}


@pytest.mark.parametrize("name", some(NAMES, 2))
def test_the_resources_start_in_the_order_of_the_guide(name: str) -> None:
    expected, advice = case(name)
    assert [one.agent for one in resources(advice)] == expected.starts
    assert bool(picture(advice)) is bool(expected.starts)


@pytest.mark.parametrize("name", some(NAMES, 2))
def test_its_bugs_are_known_and_its_seconds_add_up(name: str) -> None:
    expected, advice = case(name)
    assert [one.erratum for one in advice.bugs if one.certain] == expected.bugs
    figures = {one.tunable.removeprefix("estimate."): one.value for one in advice.estimates}
    assert {figure: figures.get(figure) for figure in expected.figures} == expected.figures
