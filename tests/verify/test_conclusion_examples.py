"""Examples of conclusions are tried: one that says otherwise is a fault of the rule base."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from advisor.verify.report import verify

MINIMAL = Path(__file__).parents[1] / "rulebase/minimal"


@pytest.mark.parametrize(("old", "new", "told"), [
    ("{counted.wait: 9}", "{counted.wait: 4}", "too_slow is not concluded"),
    ("{counted.wait: 3}", "{counted.wait: 6}", "too_slow is concluded"),
    ("A call waited {counted.wait}.", "A call of {client.kernel} waited.", '"A call of ? waited."'),
])
def test_an_example_that_is_not_so_is_reported(tmp_path: Path, old: str, new: str, told: str) -> None:
    shutil.copytree(MINIMAL, tmp_path / "base")
    file = tmp_path / "base/rules/conclusions/all.yaml"
    file.write_text(file.read_text().replace(old, new))
    found = verify(str(tmp_path / "base"))
    assert found is not None
    assert [one.found for one in found.problems] == [told]
