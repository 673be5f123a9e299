"""What speaks against the settings that an administrator pins, and against the files that are to be written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.advice.arguments import costs
from advisor.advice.line import fstab_line, mounts
from advisor.advice.model import Advice, Recommendation
from advisor.lint.run import lint_text
from advisor.readers.judged import JUDGED
from advisor.readers.kinds import identify
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import describe
from advisor.today.lines import objections

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.rulebase.model.types import Values


class Defied(NamedTuple):
    """A pinned value that must not be. `problem`: what becomes of it, in a line; `why`: in a sentence or two."""

    tunable: str
    problem: str
    consequence: str
    why: str


def defied(base: RuleBase, advice: Advice) -> dict[str, Defied]:
    """Setting → what speaks against its pinned value: a rule that must be kept, or an error that the linter finds."""
    pinned = [one for one in advice.advised if one.pinned and one.tunable in advice.answers.pins]
    found = {}
    for one in pinned:
        must = next((cost for cost in costs(base, advice, one) if cost.strength == "must"), None)
        if must is not None:
            wanted = describe(one.told, must.value)
            found[one.tunable] = Defied(
                one.tunable, f"{_short(one)} breaks a rule that must be kept ({wanted})", must.consequence or "",
                must.why,
            )
    if pinned and mounts(advice):
        for finding in objections(base, fstab_line(advice), advice.answers.facts):
            name = finding.tunable or ""
            if finding.severity == "error" and name in advice.answers.pins and name not in found:
                found[name] = Defied(name, finding.message, finding.consequence, finding.why)
    return found


def _short(one: Recommendation) -> str:
    return one.text or describe(one.told, one.value)


def judged_files(
    base: RuleBase, files: Iterable[tuple[str, str]], facts: Mapping[str, Values]
) -> list[tuple[str, Finding]]:
    """What the linter says of files before they are written, but for matters of house policy. `files`: where one is to
    be installed, and its text."""
    found = []
    for path, text in files:
        kind = "fstab" if path.startswith("/etc/fstab") else identify(text, path)
        if kind in JUDGED:
            result = lint_text(text, path, base, facts, kind=kind)
            found += [(path, one) for one in result.findings if not one.policy and one.severity != "note"]
    return found
