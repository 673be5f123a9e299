"""What is known of a checked host, how far to go, and what is to be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from advisor.check.files import Collected
    from advisor.host.probe import Probed
    from advisor.host.tree import Tree
    from advisor.lint.finding import Finding
    from advisor.mend.edits import EditedFile
    from advisor.mend.settings import Installed
    from advisor.mend.values import Change
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values


class CheckedFiles(NamedTuple):
    """A host that was checked. `found`: what is told of it; `facts`: what is known of it, for each role that it has;
    `unread`: the names of files that nothing reads."""

    base: RuleBase
    tree: Tree
    collected: Collected
    probed: Probed
    facts: Sequence[Mapping[str, Values]]
    found: Sequence[Finding]
    unread: frozenset[str]


class HowFar(NamedTuple):
    """How far to go. `safeties`: of the fixes that are made; `tells`: whether a finding with this rule and severity is
    told."""

    safeties: frozenset[str]
    tells: Callable[[str, str], bool]


class Plan(NamedTuple):
    """`edits`: of files that are there; `installed`: new files; `changes`: of what is in effect; `runs`: further
    commands; `by_hand`: sentences, in order; `left`: findings that nothing of this answers."""

    edits: Sequence[EditedFile]
    installed: Installed
    changes: Sequence[Change]
    runs: Sequence[str]
    by_hand: Sequence[str]
    left: Sequence[Finding]
