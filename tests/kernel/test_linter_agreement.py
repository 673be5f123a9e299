"""The whole linter, not only its grammar, agrees with the kernels on the same cases."""

from __future__ import annotations

from functools import cache

import pytest

from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.kernel import cases
from tests.kernel.cases import Case
from tests.kernel.judge import KERNELS
from tests.kernel.test_agreement import needs_oracle
from tests.tiers import some, thorough

base = cache(load)


@cache
def index(kernel: str) -> RuleIndex:
    """One for all cases: it remembers what it was asked."""
    return RuleIndex(base(), {"client.kernel": KERNELS[kernel]})


def told(case: Case, kernel: str) -> set[str]:
    """The consequences of all findings on the line that a case makes."""
    line = f"{case.source} /mnt/x {case.fstype} {case.options or 'defaults'} 0 0\n"
    return {f.consequence for f in lint_text(line, "fstab", base(), {}, index(kernel)).findings}


@needs_oracle
@pytest.mark.parametrize("kernel", some(KERNELS, 2))
def test_the_linter_says_mount_fails_exactly_where_the_kernel_refuses(kernel: str) -> None:
    compared = cases.compared(kernel)
    wrong = [c.text for c in compared if ("mount-fails" in told(c, kernel)) is c.accepted]
    assert len(compared) > 300
    assert wrong == []


@thorough
@pytest.mark.parametrize("kernel", KERNELS)
def test_further_cases_differ_only_where_it_is_said(kernel: str) -> None:
    wrong = {c.text for c in cases.own(kernel) if ("mount-fails" in told(c, kernel)) is c.accepted}
    assert wrong == set(cases.DIFFERENCES)
