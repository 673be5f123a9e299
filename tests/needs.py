"""Packages that not every environment has."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

OTHERS = Path(os.environ.get("ADVISOR_SHARED", Path(__file__).parents[2] / "shared"))
"""The collected files of others. They are no part of the repository, but lie beside it or where the variable says."""
SHARED = "the collected files of others are not here: ADVISOR_SHARED names the folder that has them"


def package(name: str, extra: str = "dev") -> Any:
    """The module; where it is not installed, the test or the file is skipped, and the reason says what brings it."""
    return pytest.importorskip(
        name, reason=f"{name.partition('.')[0]} is not installed: pip install -e '.[{extra}]' brings it",
    )
