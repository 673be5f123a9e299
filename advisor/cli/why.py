"""The argument for one setting: `advisor why`; against another value: `advisor why-not`; and the facts that would
change it: `advisor what-if`."""

from __future__ import annotations

import argparse
import sys

from advisor.advice.answers import AnswerError, pin_value
from advisor.advice.arguments import counterarguments, ways_to_change
from advisor.cli import options
from advisor.cli.parser import command_name
from advisor.cli.recommend import add_answer_options, advice_for, decision_named, given_answers
from advisor.cli.terminal import CannotRun, add_color_option, print_document, refuse_on
from advisor.pages.blocks import Block, Document
from advisor.pages.recommend import add_missing_guidance
from advisor.pages.why import setting_pages, what_if_page, why_not_page
from advisor.rulebase.model import RuleBase


def configure(top: argparse.ArgumentParser) -> None:
    command = command_name(top)
    if command == "why-not":
        top.add_argument("setting", metavar="SETTING", help="TUNABLE=VALUE or an option: nconnect=16, soft, nolock")
    else:
        top.add_argument("tunable", metavar="TUNABLE", help="mount.nconnect, nconnect, net.ipv4.tcp_rmem …")
    add_answer_options(top)
    add_color_option(top)
    if command == "why":
        top.add_argument("--all", action="store_true", help="all rules and sources, with addresses and figures")
        top.add_argument("--output-format", choices=("text", "brief"), default="text")
    top.set_defaults(answer={"why": _why, "why-not": _why_not, "what-if": _what_if}[command])


def run(args: argparse.Namespace) -> int:
    answer: list[Block] | str = args.answer(options.site_rule_base(args), args)
    if isinstance(answer, str):
        sys.stdout.write(answer)
    else:
        print_document(args, answer)
    return 0


def _why(base: RuleBase, args: argparse.Namespace) -> list[Block] | str:
    name = decision_named(base, args.tunable)
    advice = advice_for(base, args, name)
    if args.output_format == "brief":
        from advisor.pages.brief import of_setting

        return of_setting(base, advice, name)
    page = Document()
    page.add(setting_pages(base, advice, name, args.all))
    if not page.blocks:
        page.heading(f"{name}: no rule applies to these facts", 1)
    add_missing_guidance(page, base, [advice.answers])
    return page.blocks


def _what_if(base: RuleBase, args: argparse.Namespace) -> list[Block]:
    name = decision_named(base, args.tunable)
    advice = advice_for(base, args)
    return what_if_page(base, advice, name, ways_to_change(base, advice, name))


def _why_not(base: RuleBase, args: argparse.Namespace) -> list[Block]:
    name, value = _setting(base, args.setting.strip())
    answers = given_answers(base, args)
    with refuse_on(AnswerError):
        value = pin_value(base, name, value, answers.facts)
    return why_not_page(base, name, value, counterarguments(base, answers, name, value))


def _setting(base: RuleBase, text: str) -> tuple[str, object]:
    """The tunable and the value of TUNABLE=VALUE, or of an option that says both, such as nolock."""
    for name in base.decisions:
        for form in base.tunables[name].forms:
            if form.spelling == text and form.means is not None:
                return name, form.means
    short, equals, value = text.partition("=")
    if not equals:
        raise CannotRun(f"{text!r}: write TUNABLE=VALUE, or an option as in fstab: nconnect=16, soft, nolock")
    return decision_named(base, short.strip()), value.strip()
