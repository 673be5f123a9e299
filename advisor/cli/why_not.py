"""`advisor why-not TUNABLE=VALUE`: what stands against a value under the facts given."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from advisor.cli.advising import add_setting, decision_named, given_answers, show
from advisor.cli.common import CannotRun
from advisor.cli.site import site_base

if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase


def configure(top: argparse.ArgumentParser) -> None:
    add_setting(top, "setting", "TUNABLE=VALUE or an option: nconnect=16, soft, nolock")


def _meant(base: RuleBase, text: str) -> tuple[str, object]:
    """The setting and the value of TUNABLE=VALUE, or of an option that says both, such as nolock."""
    for name in base.decisions:
        for form in base.tunables[name].forms:
            if form.spelling == text and form.means is not None:
                return name, form.means
    short, equals, value = text.partition("=")
    if not equals:
        raise CannotRun(f"{text!r}: write TUNABLE=VALUE, or an option as in fstab: nconnect=16, soft, nolock")
    return decision_named(base, short.strip()), value.strip()


def run(args: argparse.Namespace) -> int:
    from advisor.advice.answers import AnswerError
    from advisor.advice.arguments import against
    from advisor.advice.parse import pin_value
    from advisor.render.why import why_not_page

    base = site_base(args)
    name, value = _meant(base, args.setting.strip())
    try:
        value = pin_value(base, name, value)
    except AnswerError as error:
        raise CannotRun(str(error)) from None
    show(args, why_not_page(base, name, value, against(base, given_answers(base, args), name, value)))
    return 0
