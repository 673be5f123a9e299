"""Whatever row of the shipped rule base is broken, loading it or `advisor rules verify` says so.

Every run tries a sample of the mutants that is always the same; ADVISOR_ALL_MUTANTS=1 tries all of them (minutes)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from zlib import crc32

import pytest

from advisor.rulebase import load, tree
from advisor.rulebase.base import authored
from advisor.rulebase.document import parse
from tests.rulebase.bases import MINIMAL
from tests.rules import known_mutants
from tests.rules.mutate import GONE, Mutant, moved, mutants, step
from tests.rules.trial import Loader, Trial

ALL = bool(os.environ.get("ADVISOR_ALL_MUTANTS"))
SHARES = 32 if ALL else 4
ONE_IN = 1 if ALL else 40
KNOWN = {name: reason for reason, names in known_mutants.REASONS.items() for name in names}


def trial_of(root: str, patch: pytest.MonkeyPatch) -> Trial:
    contents = tree.files(root)
    documents = load.documents(root, contents)
    checked = load.check(root, contents)
    assert checked.problems == []
    return Trial(documents, checked.catalogue, Loader(patch))


@pytest.fixture(scope="module")
def trial() -> Iterator[Trial]:
    with pytest.MonkeyPatch.context() as patch:
        yield trial_of(authored() or "", patch)


@pytest.fixture
def minimal(monkeypatch: pytest.MonkeyPatch) -> Trial:
    return trial_of(str(MINIMAL), monkeypatch)


@pytest.mark.parametrize("share", range(SHARES))
def test_broken_rows_are_refused(trial: Trial, share: int) -> None:
    tried = 0
    slipped = []
    for mutant in mutants(trial.catalogue):
        if crc32(mutant.name.encode()) % ONE_IN or crc32(mutant.path.encode()) % SHARES != share:
            continue
        tried += 1
        if trial.refusal(mutant) is None and mutant.name not in KNOWN and trial.changes(mutant):
            slipped.append(f"{mutant.path}: {mutant.name}")
    assert tried
    hint = "add an example that tells it from the real row, or the reason why none can to known_mutants.py"
    assert not slipped, f"{hint}:\n" + "\n".join(slipped)


def test_known_mutants_do_slip_through(trial: Trial) -> None:
    """None is listed that does not exist any more, or that something catches by now."""
    listed = {mutant.name: mutant for mutant in mutants(trial.catalogue)}
    assert sorted(KNOWN.keys() - listed.keys()) == []
    assert [name for name in KNOWN if trial.refusal(listed[name]) is not None] == []
    assert len(KNOWN) < len(listed) / 200


def test_names_do_not_depend_on_the_order_of_rules(trial: Trial) -> None:
    names = [mutant.name for mutant in mutants(trial.catalogue)]
    assert len(names) == len(set(names))
    for item in trial.catalogue.decisions.values():
        for part in ("rules", "rows"):
            item.data.get(part, []).reverse()
