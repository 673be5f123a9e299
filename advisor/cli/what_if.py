"""`advisor what-if TUNABLE`: the smallest changes of what is known that change a setting."""

from __future__ import annotations

import argparse
import sys

from advisor.cli.advising import add_setting, asked


def configure(top: argparse.ArgumentParser) -> None:
    add_setting(top, "tunable", "mount.nconnect, nconnect, net.ipv4.tcp_rmem …")


def run(args: argparse.Namespace) -> int:
    from advisor.engine import what_if
    from advisor.render.conditions import outcome

    base, name, advice, page = asked(args)
    state = {fact: mask for fact, mask in advice.state.items() if fact != name}
    now = [outcome(one.value) for one in advice.advised if one.tunable == name]
    page.heading(f"{name}: {' and '.join(now) if now else 'open'}")
    changes = what_if(base.engine, name, state)
    rules = base.decisions[name]["rules"]
    if not changes:
        page.para("No change of one or two of the facts that are known makes another value possible.")
    for change in changes:
        told = ", ".join(f"{fact} were {words}" for fact, words in change.facts.items())
        sure = "would be" if change.settled else "could be"
        case = ", ".join(f"{fact} is {words}" for fact, words in change.where.items())
        where = f", for instance where {case}" if case and not change.settled else ""
        why = rules[change.rule]["why"]
        page.para(f"If {told}, it {sure}: {outcome(change.value)} ({change.rule}){where}. {why}", 2, "- ")
    sys.stdout.write("\n".join(page.lines) + "\n")
    return 0
