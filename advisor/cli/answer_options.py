"""The options of commands that give advice: --answers, --pin, --server and others, beside those for facts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from advisor.cli.options import (
    add_fact_options,
    add_site_options,
    given_facts,
    host_facts,
    read_facts_file,
    tree_of,
    warn_unused,
    without_outdated,
)
from advisor.cli.terminal import CannotRun, refuse_on, warn
from advisor.engine.errors import word_list

if TYPE_CHECKING:
    from advisor.advice.answers import Answers
    from advisor.advice.model import Advice
    from advisor.host.tree import Tree
    from advisor.rulebase.model import RuleBase
    from advisor.sections import Section


def add_answer_options(top: argparse.ArgumentParser) -> None:
    add_fact_options(top)
    add_site_options(top)
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
    from advisor.advice.answers import AnswerError, Answers, check_answers
    from advisor.advice.answers_file import AnswersFileError, answers_by_mount, read_answers
    from advisor.sections import SectionError

    with refuse_on(AnswersFileError, SectionError, AnswerError):
        shared = read_answers(base, args.answers) if args.answers else Answers()
        file = read_facts_file(base, args)
        facts = {**shared.facts, **given_facts(base, args.facts_set, file)}
        lines = _fstab_lines(base, args)
        sections = (*without_outdated(shared.mounts, args.expired), *_match_by_target(file.sections, lines), *lines)
        observed = {fact: where for fact, where in file.found.items() if facts[fact] == file.facts[fact]}
        origin = {**shared.origin, **observed}
        tree = tree_to_install(base, args)
        host = None if tree is None else host_facts(base, tree, facts, settings=True)
        if host is not None:
            # With several mounts it is not known which of them a fact of a server or mount is about.
            host_values = {
                name: host_value for name, host_value in host.facts.items()
                if not sections or base.facts[name].scope == "host"
            }
            facts |= {
                name: host_value.value for name, host_value in host_values.items() if host_value.value is not None
            }
            origin |= {name: host_value.where for name, host_value in host_values.items()}
        known = Answers(
            facts, shared.unknown - set(facts), {**shared.pins, **dict(_pin(base, item) for item in args.pin)},
            {**shared.names, **_names(args)}, {name: where for name, where in origin.items() if name in facts},
            mounts=sections, observed=shared.observed,
        )
        mounts = tuple(check_answers(base, answers) for answers in answers_by_mount(base, check_answers(base, known)))
        if tree is not None and host is not None:
            from advisor.install.host_changes import settings_before, with_current_state

            mounts = tuple(
                answers._replace(before=settings_before(base, host.probe.settings, answers, tree))
                for answers in with_current_state(base, tree, host.probe, mounts)
            )
        return known, mounts


def tree_to_install(base: RuleBase, args: argparse.Namespace) -> Tree | None:
    """The files of the host that is advised; None if the command line names no host."""
    return tree_of(base, args.root) if args.from_host or args.root else None


def _names(args: argparse.Namespace) -> dict[str, str]:
    """What --server, --export, --target and --clients name."""
    from advisor.advice.answers import NAMES, bad_name

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
    from advisor.cli.lint_files import fstab_text

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
        from advisor.advice.answers_file import overruled_observations, unused_sections

        for section in unused_sections(answers, mounts):
            warn_unused(section)
        for place, fact, seen, counts in overruled_observations(base, answers, mounts):
            warn(f"{place}: {fact} was observed to be {seen}, but you say {counts}, and that counts")


def advice_for(base: RuleBase, args: argparse.Namespace) -> Advice:
    """The advice for the one mount of the command line. CannotRun for any fault."""
    from advisor.advice.advise import advise

    return without_stopped_pins(advise(base, given_answers(base, args)))


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
    spelled: dict[str, str] = {
        form.spelling: tunable for tunable, definition in base.tunables.items() for form in definition.forms
        if tunable in base.decisions
    }
    ends = [tunable for tunable in base.decisions if tunable.partition(".")[2] == name or tunable.endswith(f".{name}")]
    if name in spelled or len(ends) == 1:
        return spelled.get(name) or ends[0]
    if ends:
        raise CannotRun(f"{name!r} may be {word_list(ends)}; write the whole name")
    from advisor.rulebase.spelling import near

    hint = near(name, [*base.decisions, *spelled], "`advisor rules list` lists the names")
    raise CannotRun(f"no rule decides {name!r}; {hint}")
