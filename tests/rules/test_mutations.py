"""A rule base that was broken on purpose is refused, or gives the very same answers.

A sample that never changes is tried in every run; ADVISOR_ALL_MUTANTS=1 tries all of them (hours)."""

from __future__ import annotations

import os
import zlib

import pytest

from advisor.rulebase import build, rule_files
from advisor.rulebase.base import source_root
from advisor.rulebase.catalogue import Catalogue
from advisor.rulebase.document import YamlDocument
from tests.rules.mutate import Mutant, is_written, mutants
from tests.rules.trial import Loader, Trial, catalogue_of
from tests.tiers import long, thorough

pytestmark = thorough

ONE_IN = 1 if os.environ.get("ADVISOR_ALL_MUTANTS") else 120
ENOUGH = 0.98
"""The share of mutants with another meaning that has to be caught: of each part of the sample, all but one."""


PARTS = 4
"""Workers run them side by side. Mutants of one file are in one of them, because each file needs its own base."""


@pytest.fixture(scope="session")
def files() -> tuple[list[YamlDocument], Catalogue]:
    root = source_root()
    assert root is not None
    documents = build.parsed_documents(root, rule_files.files(root))
    return documents, catalogue_of(documents)  # that nothing is wrong with it is asserted in test_shipped_base


def chosen(mutant: Mutant, part: int) -> bool:
    return zlib.crc32(mutant.name.encode()) % ONE_IN == 0 and zlib.crc32(mutant.path.encode()) % PARTS == part


@long
@pytest.mark.parametrize("part", range(PARTS))
def test_broken_rules_are_noticed(
    part: int, files: tuple[list[YamlDocument], Catalogue], monkeypatch: pytest.MonkeyPatch,
) -> None:
    documents, catalogue = files
    trial = Trial(documents, catalogue, Loader(monkeypatch))
    tried = [
        mutant for mutant in mutants(catalogue)
        if chosen(mutant, part) and is_written(trial.documents[mutant.path], mutant)
    ]
    uncaught = [mutant for mutant in tried if trial.refusal(mutant) is None]
    slipped = [mutant for mutant in uncaught if trial.changes(mutant)]
    telling = len(tried) - len(uncaught) + len(slipped)
    allowed = max(1, (1 - ENOUGH) * telling)
    if len(slipped) > allowed:  # the whole base takes as long as fifty parts: it is asked only where that decides
        slipped = [mutant for mutant in slipped if trial.refusal_of_others(mutant) is None]
    assert telling > 40
    assert len(trial.whole) <= 1, "parts that have to be the whole rule base again: see Trial.part"
    assert len(slipped) <= allowed, "\n".join(mutant.name for mutant in slipped)
