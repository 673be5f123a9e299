"""The brief form of every command: never above its limit, the gravest first, every source with an address that the rule
base has, and as the schema says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from advisor.advice.advise import advise
from advisor.advice.answers import Answers, check_answers
from advisor.diagnose.diagnosis import Diagnosis
from advisor.diagnose.messages import without_secrets
from advisor.lint.finding import SEVERITIES
from advisor.pages.brief import LIMIT, Answer, Ask, Point, brief, of_advice, of_diagnosis, of_pages, of_setting
from advisor.pages.formats import cite, renderer
from advisor.pages.kb import names, pages_of
from tests.advice.environments import base
from tests.pages.hostile import CITED, QUESTION, TEXT, context, everything, findings, summary
from tests.schemas import validate
from tests.tiers import examples, thorough


def read(text: str) -> Any:
    """The document, held to its schema and its limit."""
    assert len(text.encode()) <= LIMIT
    assert text.isascii()
    assert text.endswith("}\n")
    document = json.loads(text)
    validate(document, "advisor-brief-1")
    cited = {claim for point in document["points"] for claim in point.get("cites", ())}
    assert document["sources"].keys() == cited
    return document


@given(case=findings())
@example(case=everything())
@examples(10, 60)
def test_findings_come_gravest_first_and_none_is_lost_uncounted(case: Any) -> None:
    found, lines = case
    document = read(renderer("brief")(found, summary(found, lines, QUESTION), context(lines)))
    weights = [SEVERITIES.index(point["weight"]) for point in document["points"] if "weight" in point]
    assert weights == sorted(weights, reverse=True)
    told = summary(found, lines, QUESTION)
    assert len(document["points"]) + document["left_out"] == len(found) + len(told["not_judged"])
    assert document["ask"]["question"] == QUESTION["question"]


_POINT = st.builds(Point, TEXT, TEXT, value=st.none() | TEXT, cites=st.lists(st.sampled_from(sorted(CITED))))
_POINTS = st.lists(_POINT, max_size=60)


@given(TEXT, _POINTS, TEXT, st.integers(1, 300))
@examples(20, 100)
def test_whatever_is_said_fits(verdict: str, points: list[Point], more: str, times: int) -> None:
    long = [point._replace(says=point.says * times, why=point.about * times) for point in points]
    answer = Answer(verdict * times, long, more, Ask(verdict * times, more, verdict * times), verdict * times)
    document = read(brief(answer, CITED.__getitem__))
    assert len(document["points"]) + document["left_out"] == len(points)


def test_texts_are_whole_where_there_is_room() -> None:
    says = "A sentence that ends. " * 40
    document = read(brief(Answer("It is so.", [Point("a", says, why=says)], "advisor"), CITED.__getitem__))
    assert document["points"] == [{"about": "a", "says": says, "why": says}]
    many = read(brief(Answer("It is so.", [Point("a", says)] * 30, "advisor"), CITED.__getitem__))
    assert many["points"][0]["says"].endswith("…")
    assert len(many["points"]) == 30


@thorough
def test_advice_of_any_platform_fits() -> None:
    for platform in base().platforms[:: 1 + len(base().platforms) // 12]:
        advice = advise(base(), check_answers(base(), Answers({"storage.platform": platform.platform})))
        document = read(of_advice(base(), [advice]))
        assert document["points"]
        shown = {point["about"] for point in document["points"]}
        assert {row.tunable for row in advice.part("set")} <= shown or document["left_out"]
        weights = {point["about"]: point.get("weight") for point in document["points"]}
        settled = [row for row in advice.part("set") if row.tunable in shown and not row.otherwise]
        assert [weights[row.tunable] for row in settled] == [row.strength for row in settled]
        for claim, source in document["sources"].items():
            assert source["address"] == cite(base(), claim)["address"]


@thorough
def test_each_setting_of_many_environments_fits() -> None:
    kinds = list(base().facts["workload.kind"].values or ())
    for number, platform in enumerate(base().platforms):
        facts = {"storage.platform": platform.platform, "workload.kind": kinds[number % len(kinds)]}
        advice = advise(base(), check_answers(base(), Answers(facts)))
        read(of_advice(base(), [advice]))
        for row in advice.rows[number % 9 :: 9]:
            document = read(of_setting(base(), advice, row.tunable))
            assert document["points"][0]["about"] == row.tunable


def test_an_open_setting_says_what_may_follow_and_what_settles_it() -> None:
    advice = advise(base(), check_answers(base(), Answers({"storage.platform": "anf"})))
    row = next(row for row in advice.open if row.tunable.startswith("mount.") and len(row.possible) > 1 and row.asks)
    document = read(of_setting(base(), advice, row.tunable))
    assert document["verdict"].split(": ", 1)[1].startswith("open: ")
    assert document["ask"]["how"] == f"--set {row.asks[0]}=…"
    assert {possible.rule for possible in row.possible} <= {point["about"] for point in document["points"]}


@pytest.mark.parametrize("message", [
    "mount.nfs: access denied by server while mounting nas:/srv/x", "mount.nfs: Connection timed out",
    "nfs: server nas not responding, still trying", "the printer is on fire",
])
def test_a_diagnosis_names_the_cause_that_the_page_names_first(message: str) -> None:
    diagnosis = Diagnosis(base(), message)
    document = read(of_diagnosis(diagnosis, without_secrets))
    first = diagnosis.leading()
    assert ([point["about"] for point in document["points"]][:1]) == ([first.cause.id] if first else [])
    if first is not None:
        assert document["points"][0]["do"] == first.cause.remedy.do


def test_every_page_of_explain_fits() -> None:
    for name in names(base())[::40]:
        pages = pages_of(base(), name, False)
        blocks = [block for page in pages for block in page.make()]
        document = read(of_pages(base(), blocks, [claim for page in pages for claim in page.cites], f"explain {name}"))
        assert document["points"]
        assert document["verdict"]
