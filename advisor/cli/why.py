"""`advisor why TUNABLE`, `advisor why-not TUNABLE=VALUE` and `advisor what-if TUNABLE`: the argument for a setting
under the given facts, the argument against a value, and the facts that would change the setting."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from advisor.cli.answer_options import add_answer_options, advice_for, decision_named, given_answers
from advisor.cli.common import CannotRun, site_rule_base
from advisor.cli.parser import command_name
from advisor.cli.terminal import add_color_option, print_document

if TYPE_CHECKING:
    from advisor.pages.blocks import Block
    from advisor.rulebase.model import RuleBase


def configure(top: argparse.ArgumentParser) -> None:
    command = command_name(top)
    if command == "why-not":
        top.add_argument("setting", metavar="SETTING", help="TUNABLE=VALUE or an option: nconnect=16, soft, nolock")
    else:
        top.add_argument("tunable", metavar="TUNABLE", help="mount.nconnect, nconnect, net.ipv4.tcp_rmem …")
    add_answer_options(top)
    add_color_option(top)
    top.set_defaults(page={"why": _why, "why-not": _why_not, "what-if": _what_if}[command])


def run(args: argparse.Namespace) -> int:
    print_document(args, args.page(site_rule_base(args), args))
    return 0


def _why(base: RuleBase, args: argparse.Namespace) -> list[Block]:
    from advisor.pages.blocks import Document
    from advisor.pages.recommend import add_missing_guidance
    from advisor.pages.why import setting_pages

    name = decision_named(base, args.tunable)
    advice = advice_for(base, args)
    page = Document()
    page.add(setting_pages(base, advice, name))
    if not page.blocks:
        page.heading(f"{name}: no rule applies to these facts", 1)
    add_missing_guidance(page, base, [advice.answers])
    return page.blocks


def _what_if(base: RuleBase, args: argparse.Namespace) -> list[Block]:
    from advisor.advice.arguments import ways_to_change
    from advisor.pages.why import what_if_page

    name = decision_named(base, args.tunable)
    advice = advice_for(base, args)
    return what_if_page(base, advice, name, ways_to_change(base, advice, name))


def _why_not(base: RuleBase, args: argparse.Namespace) -> list[Block]:
    from advisor.advice.answers import AnswerError, pin_value
    from advisor.advice.arguments import counterarguments
    from advisor.pages.why import why_not_page

    name, value = _setting(base, args.setting.strip())
    try:
        value = pin_value(base, name, value)
    except AnswerError as error:
        raise CannotRun(str(error)) from None
    return why_not_page(base, name, value, counterarguments(base, given_answers(base, args), name, value))


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
