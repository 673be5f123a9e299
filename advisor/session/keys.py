"""What is typed to choose from a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def keys(values: Sequence[Any]) -> list[str]:
    """A key for each value: 1, 2, 3 …; but where values begin with a digit themselves ("3", "4.1") they are their own
    keys, so that 3 means NFSv3 and not the third line."""
    names = [value if isinstance(value, str) else "" for value in values]
    if any(name[:1].isdigit() for name in names):
        return names
    return [str(place) for place in range(1, len(names) + 1)]
