"""`advisor recommend`: what to set for an environment, why, and what is still open."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from advisor.advice.advise import advise
from advisor.cli.answer_options import (
    add_answer_options,
    answers_by_mount,
    tree_to_install,
    warn_unused_facts,
    without_stopped_pins,
)
from advisor.cli.lint_files import fstab_text
from advisor.cli.options import site_rule_base
from advisor.cli.terminal import CannotRun, add_color_option, print_document, print_json, refuse_on
from advisor.pages.style import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from advisor.advice.answers import Answers, Before
    from advisor.advice.beside_fstab import ComparedSetting
    from advisor.advice.model import Advice
    from advisor.advice.several import Several
    from advisor.host.tree import Tree
    from advisor.install.context import Artefact
    from advisor.rulebase.model import RuleBase
    from advisor.sections import Section


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
    base = site_rule_base(args)
    if args.force and not args.write_to:
        raise CannotRun("--force goes with --write-to DIR")
    answers, mounts = answers_by_mount(base, args)
    if args.compare:
        mounts = (answers._replace(mounts=()),) if len(mounts) > 1 else mounts
    elif len(mounts) > 1:
        return _for_several(base, args, answers, mounts)
    advice = without_stopped_pins(advise(base, mounts[0], strict=args.strict))
    if not args.compare:
        warn_unused_facts(base, answers, mounts)
    if args.write_to:
        from advisor.install import artefacts

        return write_files(
            lambda there: artefacts(base, _with_files(advice, there)), args.write_to, force=args.force,
            tree=tree_to_install(base, args),
        )
    if args.output_format == "json":
        _print_json(base, advice, args, answers.mounts)
    else:
        _print_text(base, advice, args, answers.mounts)
    return 0


def _for_several(
    base: RuleBase, args: argparse.Namespace, answers: Answers, mounts: tuple[Answers, ...]
) -> int:
    """Settings for several mounts of one host. `mounts`: the answers for each of them."""
    from advisor.advice.several import advise_several

    several = advise_several(base, answers, mounts, strict=args.strict)
    for advice in several.mounts:
        without_stopped_pins(advice)
    warn_unused_facts(base, answers, mounts)
    if args.write_to:
        from advisor.install.build import artefacts_several

        def make(there: Mapping[str, Before]) -> list[Artefact]:
            now = several._replace(mounts=tuple(_with_files(advice, there) for advice in several.mounts))
            return artefacts_several(base, now)

        return write_files(make, args.write_to, force=args.force, tree=tree_to_install(base, args))
    if args.output_format == "json":
        from advisor.pages.recommend_json import document_for_several

        print_json(document_for_several(base, several))
    else:
        _print_text_of_several(base, several, args)
    return 0


def write_files(
    make: Callable[[Mapping[str, Before]], list[Artefact]], folder: str, *, force: bool, tree: Tree | None = None
) -> int:
    """Write the files to install, and print what became of each. Exit code 1 if an edited file was kept.

    `make`: from what is known of files on the host to the new ones. `tree`: the files of that host, if known."""
    from advisor.install import write_all
    from advisor.install.context import Unwritable
    from advisor.pages.phrases import counted
    from advisor.user_files import WriteError

    with refuse_on(Unwritable, WriteError):
        made = make({})
        if tree is not None:
            from advisor.install.host_changes import files_before

            made = make(files_before((artefact.install for artefact in made if artefact.install.startswith("/")), tree))
        written = write_all(folder, made, force)
    titles = {artefact.path: artefact.title for artefact in made}
    wide = max(len(file.path) for file in written)
    for file in written:
        print(f"{file.status:<8} {visible(file.path):<{wide}}  {titles.get(file.path, '')}".rstrip())
    kept = [file for file in written if file.status in ("kept", "stale")]
    print(f"{counted(len(written), 'file')} in {visible(folder)}")
    if kept:
        print(f"{counted(len(kept), 'file')} were edited and kept; --force overwrites them")
    return 1 if kept else 0


def _with_files(advice: Advice, there: Mapping[str, Before]) -> Advice:
    """The advice, with what is known of the files that are on the host or not."""
    return advice._replace(answers=advice.answers._replace(before={**advice.answers.before, **there}))


def _compared_settings(
    base: RuleBase, advice: Advice, args: argparse.Namespace, sections: tuple[Section, ...]
) -> tuple[ComparedSetting, ...]:
    from advisor.advice.beside_fstab import compare_lines
    from advisor.sections import SectionError

    with refuse_on(SectionError):
        return compare_lines(base, advice, fstab_text(args.compare), args.compare, sections)


def _print_json(base: RuleBase, advice: Advice, args: argparse.Namespace, sections: tuple[Section, ...]) -> None:
    from advisor.pages.recommend_json import document

    data = document(base, advice)
    if args.compare:
        data["compare"] = [row._asdict() for row in _compared_settings(base, advice, args, sections)]
    print_json(data)


def _print_text(base: RuleBase, advice: Advice, args: argparse.Namespace, sections: tuple[Section, ...]) -> None:
    from advisor.pages.blocks import lower_headings
    from advisor.pages.recommend import comparison, recommendation
    from advisor.pages.why import setting_page, with_refusals

    if args.compare:
        page = comparison(_compared_settings(base, advice, args, sections))
    else:
        page = recommendation(base, advice, args.all)
    if args.verbose:
        for setting in with_refusals(base, advice).advised:
            if setting.recommends or args.all:
                page += lower_headings(setting_page(base, advice, setting), 1)
    print_document(args, page)


def _print_text_of_several(base: RuleBase, several: Several, args: argparse.Namespace) -> None:
    from advisor.pages.blocks import Document, lower_headings
    from advisor.pages.recommend import recommendation_for_several
    from advisor.pages.why import setting_page, with_refusals

    page = Document()
    page.add(recommendation_for_several(base, several, args.all))
    if args.verbose:
        for advice in several.mounts:
            page.heading(f"For {advice.answers.name('target')}")
            for setting in with_refusals(base, advice).advised:
                if setting.recommends or args.all:
                    page.add(lower_headings(setting_page(base, advice, setting), 2))
    print_document(args, page.blocks)
