"""Real questions with a confirmed answer: where in the order their cause stands."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from ruamel.yaml import YAML

from advisor.diagnose.diagnosis import Diagnosis
from advisor.diagnose.ranking import CONFIRMED, RULED_OUT, RankedCause
from advisor.rulebase.base import load


class Report(NamedTuple):
    """`accepted`: causes that an expert would take for the answer; `told`: what is diagnosed, in order."""

    source: str
    accepted: set[str]
    told: list[RankedCause]

    @property
    def rank(self) -> int:
        open_ = [one.cause.id for one in self.told if one.status != RULED_OUT]
        return next((at for at, name in enumerate(open_, 1) if name in self.accepted), len(open_) + 100)


@cache
def reports() -> tuple[Report, ...]:
    base = load()
    text = (Path(__file__).parent / "reports.yaml").read_text(encoding="utf-8")
    told = YAML(typ="safe", pure=True).load(text)["reports"]
    return tuple(Report(one["source"], set(one["accepted"]), Diagnosis(base, one["text"]).causes) for one in told)


def test_every_report_has_a_source_of_its_own() -> None:
    assert len({one.source for one in reports()}) == len(reports()) >= 40


def test_every_accepted_cause_exists() -> None:
    assert {name for one in reports() for name in one.accepted} <= set(load().causes)


def test_the_cause_is_among_the_first_three() -> None:
    late = [one.source for one in reports() if one.rank > 3]
    assert len(late) <= len(reports()) * 15 // 100, late


def test_the_cause_is_the_first() -> None:
    late = [one.source for one in reports() if one.rank > 1]
    assert len(late) <= len(reports()) * 40 // 100, late


def test_no_wrong_cause_is_confirmed() -> None:
    for one in reports():
        sure = {told.cause.id for told in one.told if told.status == CONFIRMED}
        assert not sure or sure & one.accepted, one.source


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("NFS ist sehr langsam", "symptom.slow"),
        ("le montage NFS est lent", "symptom.slow"),
        ("el montaje NFS es muy lento", "symptom.slow"),
        ("NFS работает очень медленно", "symptom.slow"),
        ("NFS が 遅い です", "symptom.slow"),
        ("挂载 NFS 后访问很慢", "symptom.slow"),
        ("ls hängt auf dem NFS-Mount", "symptom.hang"),
        ("ls зависает на NFS", "symptom.hang"),
        ("NFSマウントがハングする", "symptom.hang"),
        ("执行 ls 时卡住,目录在 NFS 上", "symptom.hang"),
    ],
)
def test_common_symptoms_are_known_in_other_languages(text: str, symptom: str) -> None:
    assert symptom in Diagnosis(load(), text).evidence.seen


def test_the_not_of_an_error_denies_no_word_behind_it() -> None:
    stated = Diagnosis(load(), "mount.nfs: Operation not permitted in Docker container").evidence.stated
    assert "story.in_docker" in {one.fact for one in stated}
    stated = Diagnosis(load(), "mount.nfs: Operation not permitted, not in Docker").evidence.stated
    assert "story.in_docker" not in {one.fact for one in stated}
