"""A rule base that was broken on purpose is refused, or gives the very same answers.

A sample that never changes is tried in every run; ADVISOR_ALL_MUTANTS=1 tries all of them (half an hour)."""

from __future__ import annotations

import os
import zlib

import pytest

from advisor.rulebase import build, rule_files
from advisor.rulebase.base import source_root
from tests.rules.mutate import Mutant, is_written, mutants
from tests.rules.trial import Loader, Trial
from tests.tiers import long, thorough

pytestmark = thorough

ONE_IN = 1 if os.environ.get("ADVISOR_ALL_MUTANTS") else 120
ENOUGH = 0.98
"""The share of mutants with another meaning that has to be caught."""


def chosen(mutant: Mutant) -> bool:
    return zlib.crc32(mutant.name.encode()) % ONE_IN == 0


@long
def test_broken_rules_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    root = source_root()
    assert root is not None
    contents = rule_files.files(root)
    documents = build.parsed_documents(root, contents)
    checked = build.check(root, contents)
    assert checked.problems == []
    trial = Trial(documents, checked.catalogue, Loader(monkeypatch))
    tried = [
        mutant for mutant in mutants(checked.catalogue)
        if chosen(mutant) and is_written(trial.documents[mutant.path], mutant)
    ]
    uncaught = [mutant for mutant in tried if trial.refusal(mutant) is None]
    slipped = [mutant.name for mutant in uncaught if trial.changes(mutant)]
    telling = len(tried) - len(uncaught) + len(slipped)
    assert telling > 100
    assert len(trial.whole) <= 4, "parts that have to be the whole rule base again: see Trial.part"
    assert len(slipped) <= (1 - ENOUGH) * telling, "\n".join(slipped)
