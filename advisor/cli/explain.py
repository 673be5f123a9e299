"""`advisor explain NAME`: what a rule, check, option, sysctl, fact, erratum, claim or source says, and why."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from advisor.cli.common import CannotRun, add_fact_options, answers, columns, state, wants_colour
from advisor.cli.site import add_site_options, site_base
from advisor.rulebase.query import cited_by

if TYPE_CHECKING:
    from advisor.render.explain import Page
    from advisor.rulebase.model import RuleBase


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("name", metavar="NAME", help="nconnect, nolock, net.ipv4.tcp_sack, nconnect/anf, a claim …")
    add_fact_options(top)
    add_site_options(top)
    top.add_argument("--color", choices=("auto", "always", "never"), default="auto")


def run(args: argparse.Namespace) -> int:
    from advisor.render.explain import Page
    from advisor.render.style import Style

    base = site_base(args)
    known = answers(base, args.facts_set, args.facts)
    page = Page(base, columns(), Style(wants_colour(args.color)))
    names = _names(base)
    found = names.get(args.name) or names.get(args.name.lower())
    if found is None:
        raise CannotRun(_unknown(args.name, names))
    for show in found:
        show(page)
        decision = getattr(show, "decision", None)
        if known and decision:
            _for_these_facts(page, base, decision, state(base, known))
    sys.stdout.write("\n".join(page.lines) + "\n")
    return 0


class _Tunable:
    """Shows one tunable; `decision` is its decision's name, if there is one."""

    def __init__(self, base: RuleBase, name: str) -> None:
        self.base, self.name = base, name
        self.decision = name if name in base.decisions else None

    def __call__(self, page: Page) -> None:
        from advisor.render import explain

        explain.tunable(page, self.base.tunables[self.name], self.base.decisions.get(self.name))


def _names(base: RuleBase) -> dict[str, list[Callable[[Any], None]]]:
    """Every name that can be explained → what shows it. Exact ids first; short names may mean several things."""
    from advisor.render import explain

    names: dict[str, list[Callable[[Any], None]]] = {}

    def add(name: str, show: Callable[[Any], None]) -> None:
        shown = names.setdefault(name, [])
        if show not in shown:
            shown.append(show)

    for tunable_id, told in base.tunables.items():
        show = _Tunable(base, tunable_id)
        short = tunable_id.partition(".")[2]
        spellings = {form.spelling for form in told.forms}
        for name in {tunable_id, short, short.rpartition(".")[2], *spellings, *told.misspellings}:
            add(name, show)
    for decision_id, decision in base.decisions.items():
        for rule_id, rule in decision.rules.items():
            add(rule_id, lambda page, r=rule, d={"decision": decision_id}: explain.rule(page, r, d))  # type: ignore[misc]
    for check_id, check in base.checks.items():
        add(check_id, lambda page, c=check: explain.check(page, c))  # type: ignore[misc]
    for slug, erratum in base.errata.items():
        add(slug, lambda page, e=erratum: explain.erratum(page, e))  # type: ignore[misc]
    for fact_id, fact in base.facts.items():
        add(fact_id, lambda page, f=fact: explain.fact(page, f, _rules_on(base, f["id"])))  # type: ignore[misc]
    for claim_id, claim in base.claims.items():
        add(claim_id, lambda page, i=claim_id, c=claim: explain.claim(page, i, c, cited_by(base, i)))  # type: ignore[misc]
    for source_id, source in base.sources.items():
        add(source_id, lambda page, s=source: explain.source(  # type: ignore[misc]
            page, s, (i for i, c in base.claims.items() if c.source == s["source"])))
    return names


def _rules_on(base: RuleBase, fact: str) -> list[str]:
    from advisor.engine import support

    return [name for name in base.decisions if fact in support(base.engine, name)]


def _unknown(name: str, names: dict[str, Any]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), names, 5, 0.6)
    inside = [known for known in names if name.lower() in known.lower()][:5]
    hints = list(dict.fromkeys(near + inside))[:6]
    hint = f"did you mean {', '.join(hints)}?" if hints else "`advisor rules list` shows what there is"
    return f"nothing is known by the name {name!r}; {hint}"


def _for_these_facts(page: Page, base: RuleBase, decision_id: str, known: Any) -> None:
    """What holds under the facts given: the outcome, the rule that won, and the rules that apply but lose."""
    from advisor.engine import proof, reach, reason
    from advisor.render.conditions import outcome

    decision = base.decisions[decision_id]
    outcomes = reach(base.engine, decision_id, known)
    page.heading("With the facts given")
    for one in outcomes:
        rule = decision.rules.get(one.rule or "")
        head = "settled" if len(outcomes) == 1 else "possible"
        page.para(f"{head}: {outcome(one.value)} by {one.rule}{': ' + rule.why if rule else ''}")
    forced = reason(base.engine, decision_id, known)
    if forced:
        page.para("because " + ", ".join(f"{f} is {base.engine.describe(f, m)}" for f, m in forced.items()))
    for told in proof(base.engine, decision_id, known):
        if told.verdict and told.wins is False:
            by = ", ".join(told.beaten_by)
            why = decision.rules[told.rule].why
            page.para(f"loses to {by}: {outcome(told.value)} by {told.rule} ({told.layer}): {why}")
