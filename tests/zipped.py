"""`zip(strict=True)`, which Python 3.9 lacks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def zip_equal(*each: Iterable[Any]) -> list[tuple[Any, ...]]:
    """The items side by side; all iterables must be equally long."""
    listed = [list(one) for one in each]
    assert len({len(one) for one in listed}) <= 1, f"of different length: {[len(one) for one in listed]}"
    return list(zip(*listed))
