"""Which findings of `advisor check` are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from advisor.lint.finding import at_least

if TYPE_CHECKING:
    from advisor.cli.lint_settings import Chooser
    from advisor.lint.baseline import Baseline
    from advisor.lint.finding import Finding
    from advisor.lint.run import Result


FindingsByArea = dict[str, "list[tuple[Result, list[Finding]]]"]
"""By area each result with those of its findings that are told."""


def chosen(
    areas: Mapping[str, Sequence[Result]], chooser: Chooser, accepted: Baseline | None
) -> tuple[FindingsByArea, bool]:
    """The findings of each area that are chosen and not accepted; and whether one of them counts as a failure."""
    failed = False
    found: FindingsByArea = {}
    for area, results in areas.items():
        found[area] = []
        for result in results:
            settings = chooser.of(result.name)
            findings = wanted = settings.reported(result.findings)
            if accepted is not None:
                findings = accepted.fresh(result, wanted)
                accepted.note(result, wanted)
            failed = failed or any(at_least(finding.severity, settings.fail_on) for finding in findings)
            found[area].append((result, findings))
    return found, failed
