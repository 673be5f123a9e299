"""What is said where no question that matters is left: what is assumed, and what stays open."""

from __future__ import annotations

from advisor.compiled import RuleBase
from advisor.session import Ending
from advisor.wizard import words

NAMED = 6
"""How many open settings are named; the weightiest come first."""


def title(left: Ending) -> str:
    """Whether the configuration is complete."""
    if left.barred is not None:
        return "NFS is not the answer here."
    but = f" but for {words.plural(len(left.waiting), 'setting')}" if left.waiting else ""
    return f"The configuration is complete{but}."


def text(base: RuleBase, left: Ending) -> list[str]:
    """What waits for an answer that nobody knew, and what an assumption means."""
    if left.barred is not None:
        return [f"{left.barred.steps.apply} {left.barred.why}".strip()]
    told = []
    if left.waiting:
        names = [f"{words.label(base.tunables[one.tunable])} ({one.strength})" for one in left.waiting]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        told.append(f"Still open, because they depend on unknown facts: {', '.join(names[:NAMED])}{more}.")
    if left.taken:
        told.append("Usual values were assumed where you gave no answer. A wrong one costs speed at most.")
    return told
