"""The examples of checks, for tests beside the code that finds them: those of files in lint, of hosts in check."""

from __future__ import annotations

from functools import lru_cache

from advisor import verify
from advisor.lint.rule_index import RuleIndex
from advisor.rulebase.base import load
from advisor.rulebase.model import CheckExample, RuleBase

BASE = load()
_INDEXES: dict[str, RuleIndex] = {}


@lru_cache
def _without_decisions() -> RuleBase:
    """As `rules verify` tries them: what a decision finds in the same place does not stand before a check."""
    base = RuleBase({**BASE._data, "decisions": {}})
    base.lint = {**base.lint, "forced": {}}
    return base


def listed(*, of_hosts: bool) -> list[tuple[str, CheckExample]]:
    return [
        (name, example) for name in BASE.checks for example in BASE.check_examples[name]
        if of_hosts is (example.host is not None or example.server is not None)
    ]


def holds(check: str, example: CheckExample) -> None:
    found = verify._findings(example, _without_decisions(), _INDEXES)
    assert all(1 <= finding.column <= finding.end_column for finding in found)
    own = [finding for finding in found if finding.rule == check]
    assert (len(own) if type(example.finds) is int else bool(own)) == example.finds
    assert example.says is None or example.says in [finding.message for finding in own]
    assert example.fixed is None or verify._fixed(example.kind_and_text()[1], own) == example.fixed
