"""`advisor recommend`: what to set for an environment, why, and what is still open."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from advisor.advice.build import advise
from advisor.cli.advising import add_answer_options, argument_of, given_each, show, tell_unused, tree_to_install, usable
from advisor.cli.common import CannotRun, add_color_option
from advisor.cli.lint_files import fstab_text
from advisor.cli.site import site_base

if TYPE_CHECKING:
    from advisor.advice.model import Advice
    from advisor.rulebase.model import RuleBase
    from advisor.sections import Section
    from advisor.today.comparison import ComparedSetting


def configure(top: argparse.ArgumentParser) -> None:
    add_answer_options(top)
    top.add_argument("--output-format", choices=("text", "json"), default="text")
    top.add_argument("--all", action="store_true", help="include the settings that need no change")
    top.add_argument("--verbose", action="store_true", help="show the full argument for each setting")
    top.add_argument("--strict", action="store_true", help="assume nothing: leave out whatever rests on usual values")
    top.add_argument("--compare", metavar="FILE", help="an fstab to compare with the recommended settings")
    top.add_argument("--mounts", metavar="FILE", help="an fstab: recommend settings for each of its NFS mounts")
    top.add_argument("--write-to", metavar="DIR", help="write the files to install, and a report, into this folder")
    top.add_argument("--force", action="store_true", help="with --write-to: overwrite files that you have edited")
    add_color_option(top)


def run(args: argparse.Namespace) -> int:
    base = site_base(args)
    if args.force and not args.write_to:
        raise CannotRun("--force goes with --write-to DIR")
    answers, mounts = given_each(base, args)
    if args.compare:
        mounts = (answers._replace(mounts=()),) if len(mounts) > 1 else mounts
    elif len(mounts) > 1:
        from advisor.cli.recommend_several import run as run_several

        return run_several(base, args, answers, mounts)
    advice = usable(advise(base, mounts[0], strict=args.strict))
    if not args.compare:
        tell_unused(base, answers, mounts)
    if args.write_to:
        from advisor.artefacts import artefacts
        from advisor.cli.recommend_write import there_too, write
        from advisor.today.lines import objections

        return write(
            lambda there: artefacts(base, there_too(advice, there), objections), args.write_to, force=args.force,
            tree=tree_to_install(base, args),
        )
    if args.output_format == "json":
        _json(base, advice, args, answers.mounts)
    else:
        _text(base, advice, args, answers.mounts)
    return 0


def _beside(
    base: RuleBase, advice: Advice, args: argparse.Namespace, sections: tuple[Section, ...]
) -> tuple[ComparedSetting, ...]:
    from advisor.sections import SectionError
    from advisor.today.comparison import compare_lines

    try:
        return compare_lines(base, advice, fstab_text(args.compare), args.compare, sections)
    except SectionError as error:
        raise CannotRun(str(error)) from None


def _json(base: RuleBase, advice: Advice, args: argparse.Namespace, sections: tuple[Section, ...]) -> None:
    from advisor.advice.answers import to_plain
    from advisor.advice.arguments import least_assuming
    from advisor.advice.assumptions import granted
    from advisor.advice.mounts import unguided
    from advisor.render.host_state import effects_of
    from advisor.render.json_text import json_text
    from advisor.render.recommend_json import document
    from advisor.today.pinned import defied

    advice = advice._replace(open=tuple(least_assuming(base, advice, one) for one in advice.open))
    plain = [one.platform for one in unguided(base, [advice.answers.facts])]
    data = document(
        advice, argument_of(base, advice), to_plain(advice.answers), presumed=granted([advice]), unguided=plain,
        effects=effects_of(base, advice.answers), defied=defied(base, advice),
    )
    if args.compare:
        data["compare"] = [row._asdict() for row in _beside(base, advice, args, sections)]
    sys.stdout.write(json_text(data))


def _text(base: RuleBase, advice: Advice, args: argparse.Namespace, sections: tuple[Section, ...]) -> None:
    from advisor.document.blocks import lowered
    from advisor.render.recommend import compared, recommended
    from advisor.render.why import setting_page

    said = compared(_beside(base, advice, args, sections)) if args.compare else recommended(base, advice, args.all)
    if args.verbose:
        for one in advice.advised:
            if one.opinion or args.all:
                said += lowered(setting_page(base, advice, one), 1)
    show(args, said)
