"""`advisor why TUNABLE`: the argument for one setting under the facts given."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from advisor.cli.advising import add_setting, asked

if TYPE_CHECKING:
    from advisor.render.explain import Page
    from advisor.rulebase.model import RuleBase


def configure(top: argparse.ArgumentParser) -> None:
    add_setting(top, "tunable", "mount.nconnect, nconnect, net.ipv4.tcp_rmem …")


def run(args: argparse.Namespace) -> int:
    from advisor.advice.argue import argue
    from advisor.render.argument import setting

    base, name, advice, page = asked(args)
    settled = [one for one in advice.advised if one.tunable == name]
    for one in settled:
        setting(page, one, argue(base, advice, one))
    for figure in advice.estimates:
        if figure.tunable == name:
            _figure(page, figure)
    for waiting in advice.open:
        if waiting.tunable == name:
            _open(page, base, waiting)
    if not page.lines:
        page.heading(f"{name}: nothing is said for these facts")
    from advisor.render.advice_text import no_guidance

    no_guidance(page, [advice.answers])
    sys.stdout.write("\n".join(page.lines) + "\n")
    return 0


def _open(page: Page, base: RuleBase, waiting: Any) -> None:
    from advisor.render.conditions import outcome

    page.heading(f"{waiting.tunable}: {waiting.title}")
    page.para("Open: what is known leaves several values.")
    for one in waiting.possible:
        when = f", for instance where {one.when}" if one.when else ""
        page.para(f"{outcome(one.value)} by {one.rule}{when}: {one.why}", 2, "- ")
    if waiting.asks:
        page.heading("What settles it")
        for fact in waiting.asks:
            page.para(f"{base.facts[fact].ask or base.facts[fact].says}  (--set {fact}=…)", 2, "- ")


def _figure(page: Page, figure: Any) -> None:
    page.heading(f"{figure.tunable}: {figure.title}")
    page.para(figure.about)
    value = f"{figure.value} {figure.unit}" if figure.value is not None else f"needs {', '.join(figure.missing)}"
    page.pairs([("value", value), ("formula", figure.formula), ("filled in", figure.filled), ("rule", figure.rule)])
    page.para(figure.why)
    page.heading("Sources")
    page.cite(figure.cites, 2)
