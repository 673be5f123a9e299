"""What happens where a setting is not made, how many of these risks are closed, and how that is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from advisor.advice.model import Advice
from advisor.advice.rows import ACCESS, forbids_mount, in_order
from advisor.advice.verdict import AdviceVerdict
from advisor.pages import wording
from advisor.pages.phrases import counted, some
from advisor.rulebase.counsel import CONSEQUENCES
from advisor.rulebase.values import told_name
from advisor.wizard.rows import strength_of


class Risk(NamedTuple):
    """What happens otherwise, and whether it is closed, assumed to be, open, or broken, which is sure to happen.
    `settings`: what decides on it, the most important first."""

    harm: str
    state: str
    settings: tuple[str, ...]


_STATES = {"refused": "broken", "open": "open", "assumed": "assumed", "settled": "closed"}
"""State of a setting → of its risk, the worst first."""


def risks(advice: Advice) -> list[Risk]:
    """The risks that the settings of judged advice close which must or should be made, the worst first. One that a
    setting leaves open is open, whatever the others do."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for finding in advice.objections:
        named, sure = (finding.tunable or finding.rule).rpartition(".")[2], finding.severity == "error"
        state = "broken" if sure else "open"
        found.setdefault((finding.consequence or "mount-fails", state), {})[named] = None
    for row in in_order(advice.part("set", "open")):
        harm = row.refused.consequence if row.refused else row.consequence
        if forbids_mount(row) or row.refused:
            found.setdefault((harm or "mount-fails", "broken"), {})[told_name(row.definition)] = None
        elif harm and strength_of(row) != "may" and not (row.possible and row.kind == ACCESS):
            found.setdefault((harm, _STATES[row.state]), {})[told_name(row.definition)] = None
    worst = {harm: next(state for state in _STATES.values() if (harm, state) in found) for harm, _ in found}
    return [Risk(harm, worst[harm], tuple(found[harm, worst[harm]])) for harm in sorted(worst, key=CONSEQUENCES.index)]


def left_word(found: AdviceVerdict) -> str:
    """What the end calls risks that are open: beside READY, none of them is a reason to wait."""
    return "left to defaults" if found.state == "ready" and not found.reasons else "open"


def gauge_texts(every: Sequence[Risk], left: str = "open") -> list[str]:
    """Wordings, the longest first: "6 of 8 risks closed, 2 on an assumption; open: slower"; [""] without risks.
    `left`: what is said of those that are open; "" leaves them out."""
    taken = sum(risk.state == "assumed" for risk in every)
    closed = taken + sum(risk.state == "closed" for risk in every)
    count = f"{closed} of {counted(len(every), 'risk')} closed"
    on = f", {taken} on an assumption" if taken else ""
    harms = [wording.OTHERWISE[risk.harm] for risk in every if left and risk.state == "open"]
    names = [*dict.fromkeys(harms)]
    rest = [f"; {left}: {some(names, room)}" for room in (1000, 0)] if names else ["", ""]
    return [f"{count}{on}{rest[0]}", *(f"{count}{one}" for one in rest), f"{count}{on}", count, ""] if every else [""]
