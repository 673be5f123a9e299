"""The tour: each command runs as printed, and prints what stands below it."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest

from tests.cli.conftest import advisor as advisor  # noqa: PLC0414  the fixture
from tests.docs.prose import ROOT

BLOCKS = re.findall(r"```console\n(.*?)```", (ROOT / "docs" / "tour.md").read_text(encoding="utf-8"), re.DOTALL)
STEPS = [step for block in BLOCKS for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.split("\n")[0])
def test_a_command_runs_and_prints_what_stands_below_it(
    step: str, advisor: Any, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    command, *printed = step.rstrip().split("\n")
    ran = advisor(*shlex.split(command)[1:])
    assert ran.code in (0, 1), ran.err
    assert ran.out.strip()
    for line in printed:
        assert " ".join(line.split()) in " ".join(ran.out.split())


def test_there_are_steps() -> None:
    assert len(STEPS) > 10
