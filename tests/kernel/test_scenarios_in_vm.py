"""What is recommended for the scenarios, two real kernels accept, and they do what was promised.

Each kernel is booted once, in a small virtual machine (tests/kernel/vm). That takes up to a minute and downloads some
180 MB of packages the first time. ADVISOR_VM=1 asks for the newest, as .ci/run does, and ADVISOR_VM=all for each."""

from __future__ import annotations

import os

import pytest

from tests.kernel.cases import DOCUMENT
from tests.kernel.judge import KERNELS
from tests.kernel.vm.boot import boot
from tests.kernel.vm.image import image
from tests.kernel.vm.packages import Missing, missing_programs
from tests.kernel.vm.promises import promises
from tests.kernel.vm.scenarios import advice, answers_files, case, left_out, ordered
from tests.tiers import long, thorough

WANTED = os.environ.get("ADVISOR_VM", "")
ASKED = tuple(KERNELS) if WANTED == "all" else tuple(KERNELS)[-1:]


@thorough
@long
@pytest.mark.skipif(not WANTED, reason="boots virtual machines; ADVISOR_VM=1 asks for it")
@pytest.mark.skipif(bool(missing_programs()), reason=f"not installed: {', '.join(missing_programs())}")
@pytest.mark.parametrize("kernel", ASKED)
def test_scenarios_come_out_as_promised(kernel: str) -> None:
    try:
        machine = image(kernel)
    except Missing as error:
        pytest.skip(f"no virtual machine: {error}")
    paths = {path.stem: path for path in answers_files() if left_out(advice(path)) is None}
    cases = {one.name: one for one in ordered([case(path) for path in paths.values()])}
    reports = boot(machine, cases.values())
    assert [report["case"] for report in reports] == list(cases)
    asked = [
        (report["case"], promise) for report in reports
        for promise in promises(cases[report["case"]], advice(paths[report["case"]]), report, KERNELS[kernel])
    ]
    broken = [f"{name}: {promise.about}" for name, promise in asked if not promise.kept]
    print(f"Linux {machine.release}: {len(reports)} scenarios, {len(asked)} promises, {len(broken)} broken")
    assert not broken, "\n".join(broken)


@thorough
def test_the_document_lists_what_is_left_out() -> None:
    section = DOCUMENT.read_text().partition("## Scenarios left out\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ", 1) for line in section.splitlines() if line.startswith("| `")]
    reasons = {path.stem: left_out(advice(path)) for path in answers_files()}
    assert {name.strip("`"): why for name, why in rows} == {name: why for name, why in reasons.items() if why}
