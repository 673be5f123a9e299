"""Numbers as files hold them, of which some are none."""

from __future__ import annotations

_FAR = 1e18
"""No clock and no counter of TCP that is read as a float goes so far."""


def number(word: str) -> float | None:
    """A finite number that a kernel may have written, None for anything else."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if -_FAR < value < _FAR else None  # not for nan, either


def is_count(word: str) -> bool:
    """Whether it is a whole number of 64 bits at most."""
    return word.isdecimal() and word.isascii() and len(word) < 20
