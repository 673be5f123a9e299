"""`advisor recommend`: what to set for an environment, why, and what is still open; and the options of commands that
give advice: --answers, --pin, --server and others, beside those for facts."""

from __future__ import annotations

import argparse
import sys

from advisor.advice import answers_file
from advisor.advice.advise import advise, of_clients
from advisor.advice.answers import NAMES, AnswerError, Answers, Before, bad_name, check_answers
from advisor.advice.several import Several, advise_several
from advisor.advice.verdict import verdict, with_refusals
from advisor.cli import options
from advisor.cli.terminal import CannotRun, add_color_option, columns, print_document, print_json, refuse_on, warn
from advisor.engine import word_list
from advisor.pages.style import visible
from advisor.sections import Section, SectionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from advisor.advice.beside_fstab import ComparedSetting
    from advisor.advice.model import Advice
    from advisor.host.tree import Tree
    from advisor.install.context import Artefact
    from advisor.rulebase.model import RuleBase


def configure(top: argparse.ArgumentParser) -> None:
    add_answer_options(top)
    top.add_argument("--output-format", choices=("text", "json", "brief"), default="text")
    top.add_argument("--all", action="store_true", help="include the settings that need no change")
    top.add_argument("--verbose", action="store_true", help="show the full argument for each setting")
    top.add_argument("--strict", action="store_true", help="assume nothing: leave out whatever rests on usual values")
    top.add_argument("--compare", metavar="FILE", help="an fstab to compare with the recommended settings")
    top.add_argument("--mounts", metavar="FILE", help="an fstab: recommend settings for each of its NFS mounts")
    top.add_argument("--write-to", metavar="DIR", help="write the files to install, and a report, into this folder")
    top.add_argument("--force", action="store_true", help="with --write-to: overwrite files that you have edited")
    add_color_option(top)


def run(args: argparse.Namespace) -> int:
    base = options.site_rule_base(args)
    if args.force and not args.write_to:
        raise CannotRun("--force goes with --write-to DIR")
    if args.compare and args.output_format == "brief":
        raise CannotRun("--compare has no brief form: use --output-format json")
    answers, mounts = answers_by_mount(base, args)
    if args.compare and len(mounts) > 1:
        mounts = (answers._replace(mounts=()),)
    several = advise_several(base, answers, mounts, strict=args.strict) if len(mounts) > 1 else None
    advices = several.mounts if several else (advise(base, mounts[0], strict=args.strict),)
    for advice in advices:
        without_stopped_pins(advice)
    if not args.compare:
        warn_unused_facts(base, answers, mounts)
    if args.write_to:
        return _write(base, args, advices, several)
    if args.output_format == "json":
        _print_json(base, args, advices[0], several, answers.mounts)
    elif args.output_format == "brief":
        from advisor.pages.brief import of_advice

        sys.stdout.write(of_advice(base, advices, several.conflicts if several else ()))
    else:
        _print_text(base, args, advices, several, answers.mounts)
    return 0


def _write(base: RuleBase, args: argparse.Namespace, advices: Sequence[Advice], several: Several | None) -> int:
    """Writes the files, and prints the card. `several`: None for one mount."""
    from advisor.install.build import artefacts, artefacts_several
    from advisor.pages.card import card

    files: dict[str, Sequence[str]] = {}

    def make(there: Mapping[str, Before]) -> list[Artefact]:
        """`there`: what is known of the files that are on the host or not."""
        now = tuple(
            advice._replace(answers=advice.answers._replace(before={**advice.answers.before, **there}))
            for advice in advices
        )
        made = artefacts_several(base, several._replace(mounts=now)) if several else artefacts(base, now[0])
        files.update({artefact.path: artefact.lines for artefact in made})
        return made

    code = write_files(make, args.write_to, force=args.force, tree=tree_to_install(base, args))
    judged = [with_refusals(base, advice) for advice in advices]
    found = verdict(base, judged, several.conflicts if several else ())
    print()
    print_document(args, card(judged, found, files=files, folder=args.write_to, columns=columns()))
    return code


def write_files(
    make: Callable[[Mapping[str, Before]], list[Artefact]], folder: str, *, force: bool, tree: Tree | None = None
) -> int:
    """Write the files to install, and print what became of each. Exit code 1 if an edited file was kept.

    `make`: from what is known of files on the host to the new ones. `tree`: the files of that host, if known."""
    from advisor.install.build import write_all
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


def _compared_settings(
    base: RuleBase, advice: Advice, args: argparse.Namespace, sections: tuple[Section, ...]
) -> tuple[ComparedSetting, ...]:
    from advisor.advice.beside_fstab import compare_lines
    from advisor.cli.lint import fstab_text

    with refuse_on(SectionError):
        return compare_lines(base, advice, fstab_text(args.compare), args.compare, sections)


def _print_json(
    base: RuleBase, args: argparse.Namespace, advice: Advice, several: Several | None, sections: tuple[Section, ...]
) -> None:
    from advisor.pages.recommend_json import document, document_for_several

    data = document_for_several(base, several) if several else document(base, advice)
    if args.compare:
        data["compare"] = [row._asdict() for row in _compared_settings(base, advice, args, sections)]
    print_json(data)


def _print_text(
    base: RuleBase, args: argparse.Namespace, advices: Sequence[Advice], several: Several | None,
    sections: tuple[Section, ...],
) -> None:
    from advisor.pages.blocks import Document, lower_headings
    from advisor.pages.recommend import comparison, recommendation, recommendation_for_several
    from advisor.pages.why import setting_page

    page = Document()
    if args.compare:
        page.add(comparison(_compared_settings(base, advices[0], args, sections)))
    elif several:
        page.add(recommendation_for_several(base, several, args.all))
    else:
        page.add(recommendation(base, advices[0], args.all))
        if (clients := of_clients(base, advices[0], strict=args.strict)) is not None:
            page.heading("For its clients")
            page.add(lower_headings(recommendation(base, clients, args.all, facts=False), 1))
    for advice in advices if args.verbose else ():
        if several:
            page.heading(f"For {advice.answers.name('target')}")
        for setting in with_refusals(base, advice).advised:
            if setting.recommends or args.all:
                page.add(lower_headings(setting_page(base, advice, setting), 2 if several else 1))
    print_document(args, page.blocks)


def add_answer_options(top: argparse.ArgumentParser) -> None:
    options.add_fact_options(top)
    options.add_site_options(top)
    top.add_argument("--answers", metavar="FILE", help="an answers file (YAML), as the wizard writes it")
    top.add_argument("--from-host", action="store_true", help="take facts from this host (see `advisor facts`)")
    top.add_argument("--root", metavar="DIR|ARCHIVE", help="take them from a copy of a host's files instead")
    top.add_argument(
        "--pin", action="append", default=[], metavar="SETTING=VALUE",
        help="a setting to keep at this value, for example mount.vers=4.1; may be repeated",
    )
    for name, what in (
        ("server", "the server's name or address"), ("export", "the path on the server"),
        ("target", "the mount point"), ("clients", "who may mount, as exports(5) writes it"),
    ):
        top.add_argument(f"--{name}", metavar=name.upper(), help=what)


def given_answers(base: RuleBase, args: argparse.Namespace) -> Answers:
    """The Answers of the command line for one mount. CannotRun for any fault, and if there are several mounts."""
    _, mounts = answers_by_mount(base, args)
    if len(mounts) > 1:
        targets = ", ".join(answers.name("target") for answers in mounts)
        raise CannotRun(f"the answers name several mounts; choose one with --target: {targets}")
    return mounts[0]


def answers_by_mount(base: RuleBase, args: argparse.Namespace) -> tuple[Answers, tuple[Answers, ...]]:
    """The answers of the command line, and those for each mount that they name. --set takes precedence over --facts,
    then --answers, then the host. CannotRun for any fault."""
    with refuse_on(answers_file.AnswersFileError, SectionError, AnswerError):
        shared = answers_file.read_answers(base, args.answers) if args.answers else Answers()
        file = options.read_facts_file(base, args)
        facts = {**shared.facts, **options.given_facts(base, args.facts_set, file)}
        lines = _fstab_lines(base, args)
        of_answers = options.without_outdated(shared.mounts, args.expired)
        sections = (*of_answers, *_match_by_target(file.sections, lines), *lines)
        observed = {fact: where for fact, where in file.found.items() if facts[fact] == file.facts[fact]}
        origin = {**shared.origin, **observed}
        tree = tree_to_install(base, args)
        host = None if tree is None else options.host_facts(base, tree, facts, settings=True)
        if host is not None:
            # With several mounts it is not known which of them a fact of a server or mount is about.
            found = host.values(base, "host") if sections else host.values(base)
            facts |= found
            origin |= {name: host.facts[name].where for name in found}
        known = Answers(
            facts, shared.unknown - set(facts), {**shared.pins, **dict(_pin(base, item) for item in args.pin)},
            {**shared.names, **_names(args)}, {name: where for name, where in origin.items() if name in facts},
            mounts=sections, observed=shared.observed, asked=shared.asked,
        )
        each = answers_file.answers_by_mount(base, check_answers(base, known))
        mounts = tuple(check_answers(base, answers) for answers in each)
        if tree is not None and host is not None:
            from advisor.install.host_changes import settings_before, with_current_state

            mounts = tuple(
                answers._replace(before=settings_before(base, host.probe.settings, answers, tree))
                for answers in with_current_state(base, tree, host.probe, mounts)
            )
        return known, mounts


def tree_to_install(base: RuleBase, args: argparse.Namespace) -> Tree | None:
    """The files of the host that is advised; None if the command line names no host."""
    return options.tree_of(base, args.root) if args.from_host or args.root else None


def _names(args: argparse.Namespace) -> dict[str, str]:
    """What --server, --export, --target and --clients name."""
    names = {name: text for name in NAMES if (text := getattr(args, name)) is not None}
    for name, text in names.items():
        if bad := bad_name(name, text):
            raise CannotRun(f"--{name}: {bad}")
    return names


def _fstab_lines(base: RuleBase, args: argparse.Namespace) -> tuple[Section, ...]:
    """The mounts of the fstab that --mounts names, for the commands that have the option."""
    path = getattr(args, "mounts", None)
    if path is None:
        return ()
    from advisor.advice.beside_fstab import mount_sections
    from advisor.cli.lint import fstab_text

    sections = mount_sections(base, fstab_text(path), path)
    if not sections:
        raise CannotRun(f"--mounts {path}: no NFS line with a server, a path and a mount point")
    return sections


def _match_by_target(sections: tuple[Section, ...], lines: tuple[Section, ...]) -> tuple[Section, ...]:
    """The sections. Beside lines of an fstab, observed ones match by their mount point alone: they must not add a
    mount, and the fstab may name the server differently."""
    if not lines:
        return sections
    return tuple(
        section._replace(names={"target": section.names["target"]})
        if section.observed and "target" in section.names else section
        for section in sections
    )


def warn_unused_facts(base: RuleBase, answers: Answers, mounts: tuple[Answers, ...]) -> None:
    """Warn of sections that fit none of the mounts, and of observed facts that given ones replace."""
    if answers.mounts:
        for section in answers_file.unused_sections(answers, mounts):
            options.warn_unused(section)
        for place, fact, seen, counts in answers_file.overruled_observations(base, answers, mounts):
            warn(f"{place}: {fact} was observed to be {seen}, but you say {counts}, and that counts")


def advice_for(base: RuleBase, args: argparse.Namespace, about: str = "") -> Advice:
    """The advice for the one mount of the command line; `about`: as for `advise`. CannotRun for any fault."""
    return without_stopped_pins(advise(base, given_answers(base, args), about=about))


def without_stopped_pins(advice: Advice) -> Advice:
    """Returns the advice. CannotRun if one of its pins cannot be used."""
    for pin in advice.unusable_pins:
        reason = pin.rule.why if pin.rule else "It has no effect."
        raise CannotRun(f"{pin.tunable} cannot be pinned here: {reason} Leave out the pin, or correct the facts.")
    return advice


def _pin(base: RuleBase, item: str) -> tuple[str, str]:
    name, equals, text = item.partition("=")
    if not equals:
        raise CannotRun(f"--pin {item!r}: write SETTING=VALUE, for example --pin mount.vers=4.1")
    return decision_named(base, name.strip()), text.strip()


def decision_named(base: RuleBase, name: str) -> str:
    """The decision that a name means: its id, or its last part where only one has that. CannotRun otherwise."""
    if name in base.decisions:
        return name
    spelled = [
        of for of in base.called.get(name, ())
        if of in base.decisions and any(form.spelling == name for form in base.tunables[of].forms)
    ]
    ends = [tunable for tunable in base.decisions if tunable.partition(".")[2] == name or tunable.endswith(f".{name}")]
    if spelled or len(ends) == 1:
        return (spelled or ends)[-1]
    if ends:
        raise CannotRun(f"{name!r} may be {word_list(ends)}; write the whole name")
    from advisor.rulebase.spelling import near

    spellings = [form.spelling for of in base.decisions if of in base.tunables for form in base.tunables[of].forms]
    hint = near(name, [*base.decisions, *spellings], "`advisor rules list` lists the names")
    raise CannotRun(f"no rule decides {name!r}; {hint}")
