"""`advisor what-if TUNABLE`: the smallest changes of what is known that change a setting."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from advisor.cli.advising import add_setting, asked

if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase


def configure(top: argparse.ArgumentParser) -> None:
    add_setting(top, "tunable", "mount.nconnect, nconnect, net.ipv4.tcp_rmem …")


_ELSEWHERE = 4
"""How many changes are told that nobody would make for a setting's sake."""


def run(args: argparse.Namespace) -> int:
    from advisor.advice.otherwise import otherwise
    from advisor.render.conditions import outcome

    base, name, advice, page = asked(args)
    now = [outcome(one.value) for one in advice.advised if one.tunable == name]
    page.heading(f"{name}: {' and '.join(now) if now else 'open'}")
    found = otherwise(base, advice, name)
    if found.asks:
        page.heading("Find out first")
    for fact in found.asks:
        page.para(f"{base.facts[fact].ask}  (--set {fact}=…)", 2, "- ")
    if found.asks and found.changes:
        page.heading("What would change it")
    for change in found.changes:
        page.para(_said(base, name, change), 2, "- ")
    if found.elsewhere:
        page.heading("On another platform or system, or for other work")
    for change in found.elsewhere[:_ELSEWHERE]:
        page.para(_said(base, name, change), 2, "- ")
    if len(found.elsewhere) > _ELSEWHERE:
        page.para(f"{len(found.elsewhere) - _ELSEWHERE} more", 2, "- ")
    if not any(found):
        page.para("No change of one or two of the facts that are known makes another value possible.")
    sys.stdout.write("\n".join(page.lines) + "\n")
    return 0


def _said(base: RuleBase, name: str, change: Any) -> str:
    from advisor.render.conditions import outcome

    told = ", ".join(f"{fact} were {words}" for fact, words in change.facts.items())
    sure = "would be" if change.settled else "could be"
    case = ", ".join(f"{fact} is {words}" for fact, words in change.where.items())
    where = f", for instance where {case}" if case and not change.settled else ""
    why = base.decisions[name].rules[change.rule].why
    return f"If {told}, it {sure}: {outcome(change.value)} ({change.rule}){where}. {why}"
