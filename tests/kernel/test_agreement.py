"""The grammar agrees with what Linux 6.1.192 and 6.12.117 did with the same options."""

from __future__ import annotations

import pytest

from tests import needs
from tests.kernel import cases
from tests.kernel.cases import Case
from tests.kernel.judge import KERNELS, fails
from tests.tiers import thorough

needs_oracle = pytest.mark.skipif(
    not cases.oracle("6.1").exists(), reason=needs.SHARED
)


def misjudged(chosen: list[Case], kernel: str) -> list[str]:
    """The cases that the grammar reports to fail though they mounted, or the other way round."""
    return [c.text for c in chosen if fails(c.options, c.fstype, c.source, KERNELS[kernel]) is c.accepted]


@needs_oracle
@pytest.mark.parametrize("kernel", KERNELS)
def test_what_the_kernel_refuses_is_reported(kernel: str) -> None:
    chosen = [case for case in cases.compared(kernel) if not case.accepted]
    assert len(chosen) > 100
    assert misjudged(chosen, kernel) == []


@needs_oracle
@pytest.mark.parametrize("kernel", KERNELS)
def test_what_the_kernel_accepts_is_not_reported_to_fail(kernel: str) -> None:
    chosen = [case for case in cases.compared(kernel) if case.accepted]
    assert len(chosen) > 200
    assert misjudged(chosen, kernel) == []


@needs_oracle
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_exclusion_hides_a_case_that_failed(kernel: str) -> None:
    """An exclusion that names no refused case would hide nothing, or a mistake."""
    assert set(cases.EXCLUDED) <= {case.text for case in cases.asked(kernel) if not case.accepted}


@thorough
@pytest.mark.parametrize("kernel", KERNELS)
def test_further_cases_differ_only_where_it_is_said(kernel: str) -> None:
    assert set(misjudged(cases.own(kernel), kernel)) == set(cases.DIFFERENCES)


@pytest.mark.parametrize(
    ("heading", "table"),
    [("## Cases left out", {**cases.WHOLE_GROUPS, **cases.EXCLUDED}), ("## Known differences", cases.DIFFERENCES)],
)
def test_the_document_lists_the_same_cases(heading: str, table: dict[str, str]) -> None:
    section = cases.DOCUMENT.read_text().partition(f"{heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ", 1) for line in section.splitlines() if line.startswith("| `")]
    assert {case.strip("`"): reason for case, reason in rows} == table


@needs_oracle
def test_the_document_has_the_right_figures() -> None:
    section = cases.DOCUMENT.read_text().partition("## What is compared\n")[2].partition("\n## ")[0]
    told = {row.split(" | ")[0].strip("| "): row.rstrip(" |").split(" | ")[1:] for row in section.splitlines()}
    for kernel, version in KERNELS.items():
        chosen = cases.compared(kernel)
        refused = [case for case in chosen if not case.accepted]
        accepted = [case for case in chosen if case.accepted]
        found = [sum(fails(c.options, c.fstype, c.source, version) for c in some) for some in (refused, accepted)]
        assert told[version] == [str(n) for n in (len(refused), found[0], len(accepted), found[1])]
