"""Settings outside of mounts against the decisions and checks: where nothing is left open, only what is certain is
said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from advisor.lint.checks import check_line
from advisor.lint.compare import compare
from advisor.lint.finding import Finding
from advisor.lint.outcomes import Outcomes
from advisor.options.words import Setting
from advisor.rulebase import values
from advisor.rulebase.model import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex

State = dict[str, int]


def certain(
    index: RuleIndex, settings: Mapping[str, Setting], options: str, state: State,
    of: Callable[[str], State] | None = None,
) -> Iterator[Finding]:
    """What is to be said of these settings, tunable → where it stands. `options`: all of them as text, for edits.
    `state`: what is known; `of`: the same for one decision, where more is known there."""

    def sure(*_: object) -> str:
        return "high"

    def holds(rule: Rule) -> bool:
        return index.verdict(rule.when, state) is True

    def reach(decision: str) -> Outcomes:
        """The outcomes; where none of them supports what is written, those that are certain speak."""
        known = of(decision) if of else state
        outcomes = index.reach(decision, known)
        found, default = settings.get(decision), index.tunables[decision].default
        if found is None or any(values.supports(found.value, value, default) for value, _ in outcomes):
            return outcomes
        rules = index.rulebase.decisions[decision].rules
        return tuple(one for one in outcomes if index.verdict(rules[one[1]].when, known) is True) or outcomes

    compared, _ = compare(
        index, settings, options, reach, confidence=sure, certain=holds, spread={}, brought={},
    )
    checked, _ = check_line(index, settings, options, lambda name: index.holds(name, state), sure)
    yield from compared
    yield from checked
