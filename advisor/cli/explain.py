"""`advisor explain NAME`: what a rule, check, option, sysctl, fact, erratum, claim or source says, and why; and
`advisor explain FILE|LINE`: the options of an exports file or line, with the defaults that apply."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from advisor.cli.common import CannotRun, add_site_options, site_rule_base
from advisor.cli.fact_options import add_fact_options, certain_state, given_facts, read_facts_file
from advisor.cli.terminal import add_color_option, print_document, render_document
from advisor.engine.errors import word_list

if TYPE_CHECKING:
    from advisor.engine import State
    from advisor.pages.blocks import Block, Document
    from advisor.rulebase.model import RuleBase


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("name", metavar="TOPIC", help="nconnect, nolock, net.ipv4.tcp_sack, nconnect/anf, a claim …; "
                          "or an exports file, or a line of one, to see every option in force")
    add_fact_options(top)
    add_site_options(top)
    add_color_option(top)


def run(args: argparse.Namespace) -> int:
    from advisor.pages.blocks import Document
    from advisor.pages.kb import pages_by_name

    base = site_rule_base(args)
    if args.name.startswith(("/", '"/', "./", "../")) or args.name.endswith(".exports"):
        print_document(args, _export_pages(base, args.name))
        return 0
    known = given_facts(base, args.facts_set, read_facts_file(base, args))
    names = pages_by_name(base)
    topics = names.get(args.name) or names.get(args.name.lower())
    if topics is None and " " in args.name and _is_message(base, args.name):
        return _diagnose(base, args)
    if topics is None:
        raise CannotRun(_unknown(args.name, names))
    page = Document()
    for topic in topics:
        page.add(topic.make())
        if known and topic.decision:
            _for_these_facts(page, base, topic.decision, base.engine.presume(certain_state(base, known)))
    print_document(args, page.blocks)
    return 0


def _diagnose(base: RuleBase, args: argparse.Namespace) -> int:
    """Print the diagnosis of a message; the exit code is that of `advisor diagnose`."""
    from advisor.diagnose.diagnosis import Diagnosis
    from advisor.diagnose.redaction import without_secrets
    from advisor.pages import diagnose

    diagnosis = Diagnosis(base, args.name)
    sys.stdout.write(render_document("text", diagnose.page(diagnosis, without_secrets), "", args.color))
    return 0 if diagnose.names_a_cause(diagnosis) else 1


def _is_message(base: RuleBase, text: str) -> bool:
    """Whether the text is a known message of a program."""
    from advisor.diagnose.messages import MessageIndex

    index = MessageIndex(base)
    return bool(index.hits(index.folding.line(text)))


def _export_pages(base: RuleBase, given: str) -> list[Block]:
    """The exports of a file, or of a line that is given as it would be written."""
    from advisor.cli.lint_files import content, kind_of
    from advisor.pages.kb import export_pages

    if any(sign in given for sign in " \t("):
        blocks = export_pages(base, given)
    else:
        data = content(given)
        if kind_of(given, data, None) != "exports":
            raise CannotRun(f"{given}: not an exports file; `advisor lint` checks other kinds of files")
        blocks = export_pages(base, data.decode("utf-8", "surrogateescape"))
    if not blocks:
        raise CannotRun(f"{given}: exports nothing")
    return blocks


def _unknown(name: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), names, 5, 0.6)
    inside = [known for known in names if name.lower() in known.lower()][:5]
    hints = list(dict.fromkeys(near + inside))[:6]
    hint = f"did you mean {word_list(hints)}?" if hints else "`advisor rules list` lists the names"
    return f"nothing is called {name!r}; {hint}"


def _for_these_facts(page: Document, base: RuleBase, decision_id: str, known: State) -> None:
    """What holds under the facts given: the outcome, the rule that won, and the rules that apply but lose."""
    from advisor.engine import proof, reach, reason
    from advisor.pages.wording import outcome

    decision = base.decisions[decision_id]
    outcomes = reach(base.engine, decision_id, known)
    page.heading("With the facts given")
    for reached in outcomes:
        rule = decision.rules.get(reached.rule or "")
        head = "settled" if len(outcomes) == 1 else "possible"
        page.para(f"{head}: {outcome(reached.value)} by {reached.rule}{': ' + rule.why if rule else ''}")
    forced = reason(base.engine, decision_id, known)
    if forced:
        page.para("because " + ", ".join(f"{f} is {base.engine.describe(f, m)}" for f, m in forced.items()))
    for step in proof(base.engine, decision_id, known):
        if step.verdict and step.wins is False:
            by = ", ".join(step.beaten_by)
            why = decision.rules[step.rule].why
            page.para(f"loses to {by}: {outcome(step.value)} by {step.rule} ({step.layer}): {why}")
