"""`advisor why-not TUNABLE=VALUE`: what stands against a value under the facts given."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from advisor.cli.advising import add_setting, decision_named, given, new_page
from advisor.cli.common import CannotRun, rule_base


def configure(top: argparse.ArgumentParser) -> None:
    add_setting(top, "setting", "TUNABLE=VALUE, for instance nconnect=16")


def run(args: argparse.Namespace) -> int:
    from advisor.advice.against import against
    from advisor.advice.answers import AnswerError
    from advisor.advice.typed import pin_value
    from advisor.render.against import show

    base = rule_base()
    short, equals, text = args.setting.partition("=")
    if not equals:
        raise CannotRun(f"{args.setting!r}: write TUNABLE=VALUE, for instance nconnect=16")
    name = decision_named(base, short.strip())
    value: Any = text.strip()
    try:
        value = pin_value(base, name, value)
    except AnswerError as error:
        raise CannotRun(str(error)) from None
    page = new_page(base, args)
    show(page, name, value, against(base, given(base, args), name, value))
    sys.stdout.write("\n".join(page.lines) + "\n")
    return 0
