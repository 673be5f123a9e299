"""What is said where no question that matters is left: what is assumed, and what stays open."""

from __future__ import annotations

from advisor.advice.model import OpenSetting
from advisor.render import wording
from advisor.rulebase.model import RuleBase
from advisor.session import Ending, Rest

NAMED = 6
"""How many open settings are named; the weightiest come first."""


def title(left: Ending, rest: tuple[Rest, ...] = ()) -> str:
    """Whether the configuration is complete: it is when it is so for every mount."""
    done = all(one.matter == 0 for one in rest)
    if left.barred is not None:
        return "NFS is not the answer here."
    number = len(left.waiting) + sum(len(one.waiting or ()) for one in rest if done)
    but = f" but for {wording.plural(number, 'setting')}" if number else ""
    what = "The configuration" if done else "This mount"
    return f"{what} is complete{but}."


def text(base: RuleBase, left: Ending, rest: tuple[Rest, ...] = ()) -> list[str]:
    """What waits for an answer that nobody knew, on which mount, and what an assumption means."""
    if left.barred is not None:
        return [f"{left.barred.steps.apply} {left.barred.why}".strip()]
    told = []
    if left.waiting:
        told.append(f"Still open, because they depend on unknown facts: {_named(base, left.waiting)}.")
    told += [f"{one.target}: still open: {_named(base, one.waiting)}." for one in rest if one.waiting]
    if left.taken:
        told.append("Usual values were assumed where you gave no answer. A wrong one costs speed at most.")
    return told


def _named(base: RuleBase, waiting: tuple[OpenSetting, ...]) -> str:
    names = [f"{wording.label(base.tunables[one.tunable])} ({one.strength})" for one in waiting]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def far(one: Rest) -> str:
    """How far another mount is."""
    if one.matter is None:
        return ""
    if not one.matter:
        return "complete"
    return f"{wording.plural(one.matter, 'question')} still matter{'s' * (one.matter == 1)}"
