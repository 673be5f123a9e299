"""`advisor recommend` for several mounts of one host."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.cli.advising import show, tell_unused, tree_to_install, usable

if TYPE_CHECKING:
    from advisor.advice.answers import Answers, Before
    from advisor.advice.several import Several
    from advisor.artefacts.model import Artefact
    from advisor.rulebase.model import RuleBase


def run(base: RuleBase, args: argparse.Namespace, answers: Answers, mounts: tuple[Answers, ...]) -> int:
    """`mounts`: the answers for each of them."""
    from advisor.advice.several import advise_several

    several = advise_several(base, answers, mounts, strict=args.strict)
    for advice in several.mounts:
        usable(advice)
    tell_unused(base, answers, mounts)
    if args.write_to:
        from advisor.artefacts.build import artefacts_several
        from advisor.cli.recommend_write import there_too, write
        from advisor.today.lines import objections

        def make(there: Mapping[str, Before]) -> list[Artefact]:
            now = several._replace(mounts=tuple(there_too(one, there) for one in several.mounts))
            return artefacts_several(base, now, objections)

        return write(make, args.write_to, force=args.force, tree=tree_to_install(base, args))
    if args.output_format == "json":
        _json(base, several)
    else:
        _text(base, several, args)
    return 0


def _json(base: RuleBase, several: Several) -> None:
    from advisor.advice.answers import to_plain
    from advisor.advice.arguments import argue, least_assuming
    from advisor.advice.assumptions import granted
    from advisor.advice.line import lacking, mount_line, mounts
    from advisor.advice.mounts import unguided
    from advisor.render.host_state import effects_of, shared_effects
    from advisor.render.json_text import json_text
    from advisor.render.recommend_json import document_for_several
    from advisor.today.pinned import defied

    several = several._replace(mounts=tuple(
        one._replace(open=tuple(least_assuming(base, one, waiting) for waiting in one.open)) for one in several.mounts
    ))
    lines = [
        (mount_line(one) if mounts(one) else "", [waiting.tunable for waiting in lacking(base, one)])
        for one in several.mounts
    ]
    document_ = document_for_several(
        several, lines, lambda advice, one: argue(base, advice, one), to_plain(several.answers),
        presumed=granted(several.mounts),
        effects=lambda one: effects_of(base, one), shared=shared_effects(base, several),
        defied=lambda one: defied(base, one),
        unguided=[one.platform for one in unguided(base, [advice.answers.facts for advice in several.mounts])],
    )
    sys.stdout.write(json_text(document_))


def _text(base: RuleBase, several: Several, args: argparse.Namespace) -> None:
    from advisor.document.blocks import Document, lowered
    from advisor.render.recommend import recommended_for_several
    from advisor.render.why import setting_page

    page = Document()
    page.add(recommended_for_several(base, several, args.all))
    if args.verbose:
        for advice in several.mounts:
            page.heading(f"For {advice.answers.name('target')}")
            for one in advice.advised:
                if one.opinion or args.all:
                    page.add(lowered(setting_page(base, advice, one), 2))
    show(args, page.blocks)
