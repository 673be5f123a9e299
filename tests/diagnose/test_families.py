"""Families of causes, and the labels of reports that the weights are counted from."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from advisor.rulebase.model import RuleBase
from advisor.rulebase.words import words_of

LABELS = YAML(typ="safe").load(Path(__file__).with_name("labels.yaml"))["labels"]
WITHOUT_LABELS = {
    "cloud-helper": "The messages of the helpers name their cause; of the labelled reports none was about them.",
    "systemd-unit": "systemd's messages name the unit and what is wrong with it; no labelled report had them.",
    "two-file-systems": "EXDEV says what is wrong; the labelled reports are older than this family.",
    "options-of-program": "Oracle's messages name the cause; no labelled report had them.",
    "memory": "The names of the kernel's caches tell it; no labelled report had them.",
}
"""Family → why no labelled report belongs to it."""


def test_families_have_causes_and_labels(base: RuleBase) -> None:
    labelled = {label["family"] for label in LABELS.values()}
    assert {cause.family for cause in base.causes.values()} == set(base.families)
    assert labelled.isdisjoint(WITHOUT_LABELS)
    assert labelled | WITHOUT_LABELS.keys() == set(base.families)


def test_labels_name_families_and_causes(base: RuleBase) -> None:
    assert len(LABELS) > 600
    for report, label in LABELS.items():
        assert label["family"] in base.families, report
        assert label["causes"], report
        assert set(label["causes"]) <= set(base.causes), report


def test_a_label_has_a_cause_of_its_family_but_for_few(base: RuleBase) -> None:
    """The first cause of a report is one of its family, save where several are as good."""
    others = [
        report for report, label in LABELS.items()
        if base.causes[label["causes"][0]].family != label["family"]
    ]
    assert len(others) < len(LABELS) / 20, others


def test_families_of_servers_are_not_for_clouds(base: RuleBase) -> None:
    """Nobody who uses a managed share is told to edit files of its server."""
    for name, family in base.families.items():
        if "/etc/exports" in family.remedy.do and family.check.on == "server" and name != "root-on-nfs":
            assert "aws-efs" in str(family.when), name


def test_one_word_keeps_its_signs_or_is_rare(base: RuleBase) -> None:
    """A symptom or phrase that one word shows: without its signs, "@group" would be any group."""
    entries = [*(one.words for one in base.messages.values()), *(one.words for one in base.phrases.values())]
    lost = {
        group[0] for groups in entries for group in groups
        if len(group) == 1 and words_of(group[0]) != [group[0].lower()] and len(words_of(group[0])) == 1
    }
    assert lost == {"-mapall", "/volume1", "-shm"}


def test_one_word_is_not_collapsed_by_a_synonym(base: RuleBase) -> None:
    """A symptom or phrase that one word shows: a synonym would let a word of every day show it, too."""
    replaced = {other: first for first, *others in base.reading["synonyms"] for other in others if " " not in other}
    entries = [
        *((name, message.words) for name, message in base.messages.items()),
        *((name, (*phrase.words, *phrase.unless)) for name, phrase in base.phrases.items()),
    ]
    wrong = [
        f"{name}: {group[0]} is replaced by {replaced[group[0]]}"
        for name, groups in entries for group in groups if len(group) == 1 and group[0] in replaced
    ]
    assert not wrong


@pytest.mark.parametrize("part", ["do", "tells"])
def test_checks_of_families_fill_in_names_of_the_text(base: RuleBase, part: str) -> None:
    """Names in capitals are those that an answer fills in, or that stand for what only the reader knows."""
    for name, family in base.families.items():
        assert "SERVER:/PATH" not in getattr(family.check, part), name
