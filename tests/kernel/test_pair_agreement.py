"""What the linter says of lines that share something is what two real kernels did with such mounts."""

from __future__ import annotations

from functools import cache

import pytest

from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.kernel import pairs
from tests.kernel.cases import DOCUMENT
from tests.kernel.judge import KERNELS
from tests.kernel.pairs import RULES, SILENT, Several
from tests.kernel.test_agreement import needs_oracle
from tests.tiers import some

base = cache(load)


def told(case: Several, kernel: str) -> set[str]:
    """The checks between lines that find something in the last line of a case."""
    findings = lint_text(case.fstab, "fstab", base(), {"client.kernel": KERNELS[kernel]}).findings
    return {f.rule for f in findings if f.line == len(case.mounts)} & RULES


def differences(cases: list[Several], kernel: str) -> dict[str, tuple[set[str], set[str]]]:
    """Case → what the kernel did, what the linter says; only where these differ."""
    judged = {case.text: (pairs.did(case), told(case, kernel)) for case in cases if case.text not in SILENT}
    return {text: both for text, both in judged.items() if both[0] != both[1]}


@needs_oracle
@pytest.mark.parametrize("kernel", KERNELS)
def test_lines_of_one_file_share_what_the_kernel_shares(kernel: str) -> None:
    asked = pairs.asked(kernel)
    assert len([case for case in asked if case.text not in SILENT]) == 21
    assert differences(asked, kernel) == {}


@pytest.mark.parametrize("kernel", some(KERNELS, 2))
def test_further_lines_share_what_the_kernel_shares(kernel: str) -> None:
    own = pairs.own(kernel)
    assert len([case for case in own if case.text not in SILENT]) == 124
    assert differences(own, kernel) == {}


@pytest.mark.parametrize("kernel", KERNELS)
def test_each_check_between_lines_was_seen_to_be_right(kernel: str) -> None:
    assert set().union(*(pairs.did(case) for case in pairs.own(kernel))) == RULES


@pytest.mark.parametrize("kernel", KERNELS)
def test_lines_that_do_not_say_enough_are_not_guessed_at(kernel: str) -> None:
    silent = [case for case in pairs.own(kernel) if case.text in SILENT]
    assert len(silent) == 13
    for case in silent:
        assert told(case, kernel) < pairs.did(case), case.text


def test_the_document_names_every_case_that_is_left_out() -> None:
    text = DOCUMENT.read_text()
    rows = [f"| `{case}` | {reason} |" for case, reason in SILENT.items()]
    assert [row for row in rows if row not in text] == []
