"""A rule base that was broken on purpose is refused, or gives the very same answers.

A sample that never changes is tried in every run; ADVISOR_ALL_MUTANTS=1 tries all of them (several minutes)."""

from __future__ import annotations

import os
import zlib

import pytest

from advisor.rulebase import load, tree
from advisor.rulebase.base import authored
from tests.rules.mutate import Mutant, mutants
from tests.rules.trial import Loader, Trial

ONE_IN = 1 if os.environ.get("ADVISOR_ALL_MUTANTS") else 120
ENOUGH = 0.98
"""The share of mutants with another meaning that has to be caught."""


def chosen(mutant: Mutant, appliances: set[str]) -> bool:
    """Adding an appliance to a rule about exports(5) changes nothing: it is presumed to have no such file."""
    added = mutant.new if isinstance(mutant.new, list) else []
    if mutant.path.startswith("rules/exports/") and not appliances.isdisjoint(map(str, added)):
        return False
    return zlib.crc32(mutant.name.encode()) % ONE_IN == 0


def test_broken_rules_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    root = authored()
    assert root is not None
    contents = tree.files(root)
    documents = load.documents(root, contents)
    checked = load.check(root, contents)
    assert checked.problems == []
    trial = Trial(documents, checked.catalogue, Loader(monkeypatch))
    presumed = checked.catalogue.constraints["appliance-runs-its-own-nfs"].data["never"]["storage.platform"]
    tried = [mutant for mutant in mutants(checked.catalogue) if chosen(mutant, set(presumed))]
    uncaught = [mutant for mutant in tried if trial.refusal(mutant) is None]
    slipped = [mutant.name for mutant in uncaught if trial.changes(mutant)]
    telling = len(tried) - len(uncaught) + len(slipped)
    assert telling > 50
    assert len(slipped) <= (1 - ENOUGH) * telling, slipped
