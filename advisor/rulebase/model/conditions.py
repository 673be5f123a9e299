"""Conditions as they are written: what a mapping of facts speaks of."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from advisor.rulebase.model.types import Condition

JOINTS = ("all", "any", "not")
"""Keys that name no fact, and hold conditions."""


def parts(joined: object) -> list[Condition]:
    """The conditions that `all`, `any` or `not` holds; what is not one of these is left out."""
    return [one for one in (joined if isinstance(joined, list) else [joined]) if isinstance(one, dict)]


def named(condition: object) -> Iterator[str]:
    """The facts that a condition names, repeated as they occur; none for anything else."""
    for key, value in condition.items() if isinstance(condition, dict) else ():
        if key in JOINTS:
            for part in parts(value):
                yield from named(part)
        else:
            yield key
