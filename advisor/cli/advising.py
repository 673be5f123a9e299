"""What commands that advise share: answers from the command line, files and this host."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from advisor.cli.common import (
    CannotRun,
    add_color_option,
    add_fact_options,
    answers,
    columns,
    wants_colour,
)
from advisor.cli.site import add_site_options, site_base

if TYPE_CHECKING:
    from advisor.advice.answers import Answers
    from advisor.advice.model import Advice, Argument, Recommendation
    from advisor.document.blocks import Block
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
    """The Answers of the command line for one mount. CannotRun for any fault, and where there are several mounts."""
    _, mounts = given_each(base, args)
    if len(mounts) > 1:
        targets = ", ".join(one.name("target") for one in mounts)
        raise CannotRun(f"the answers name several mounts; choose one with --target: {targets}")
    return mounts[0]


def given_each(base: RuleBase, args: argparse.Namespace) -> tuple[Answers, tuple[Answers, ...]]:
    """The Answers of the command line, --set over --facts over --answers over the host, and those for each mount that
    they name. CannotRun for any fault."""
    from advisor.advice.answers import NAMES, AnswerError, Answers, bad_name
    from advisor.advice.answers_file import AnswersFileError, read_answers
    from advisor.advice.mounts import each
    from advisor.advice.parse import checked
    from advisor.cli import facts_file
    from advisor.cli.facts_file import current
    from advisor.sections import SectionError

    shared = Answers()
    try:
        if args.answers:
            shared = read_answers(base, args.answers)
        file = facts_file.read(base, args)
        facts = {**shared.facts, **answers(base, args.facts_set, file)}
        given_lines = _lines(base, args)
        sections = (*current(shared.mounts, args.expired), *_of_lines(file.sections, given_lines), *given_lines)
        seen = {fact: where for fact, where in file.found.items() if facts[fact] == file.facts[fact]}
        origin = {**shared.origin, **seen}
        here = None
        tree = None
        if args.from_host or args.root:
            from advisor.cli.host_facts import look, tree_of

            tree = tree_of(base, args.root)
            here = look(base, tree, facts, settings=True)
            # Where there are several mounts nobody knows of which of them the rest would be.
            found = {
                name: one for name, one in here.facts.items() if not sections or base.facts[name].scope == "host"
            }
            facts |= {name: one.value for name, one in found.items() if one.value is not None}
            origin |= {name: one.where for name, one in found.items()}
        pins = {**shared.pins, **dict(_pin(base, item) for item in args.pin)}
        names = dict(shared.names)
        for name in NAMES:
            text = getattr(args, name)
            if text is not None:
                bad = bad_name(name, text)
                if bad:
                    raise CannotRun(f"--{name}: {bad}")
                names[name] = text
        origin = {name: where for name, where in origin.items() if name in facts}
        known = Answers(
            facts, shared.unknown - set(facts), pins, names, origin, mounts=sections, observed=shared.observed,
        )
        mounts = tuple(checked(base, one) for one in each(base, checked(base, known)))
        if here is not None and tree is not None:
            from advisor.cli.host_before import before, now

            mounts = tuple(
                one._replace(before=before(base, here.probe.settings, one, tree))
                for one in now(base, tree, here.probe, mounts)
            )
        return known, mounts
    except (AnswersFileError, SectionError, AnswerError) as error:
        raise CannotRun(str(error)) from None


def tree_to_install(base: RuleBase, args: argparse.Namespace) -> Tree | None:
    """The files of the host that the advice is for; None where nobody said which one that is."""
    if not (args.from_host or args.root):
        return None
    from advisor.cli.host_facts import tree_of

    return tree_of(base, args.root)


def _lines(base: RuleBase, args: argparse.Namespace) -> tuple[Section, ...]:
    """The mounts of the fstab that --mounts names, for the commands that have the option."""
    path = getattr(args, "mounts", None)
    if path is None:
        return ()
    from advisor.cli.lint_files import fstab_text
    from advisor.today.lines import mount_sections

    found = mount_sections(base, fstab_text(path), path)
    if not found:
        raise CannotRun(f"--mounts {path}: no NFS line with a server, a path and a mount point")
    return found


def _of_lines(sections: tuple[Section, ...], lines: tuple[Section, ...]) -> tuple[Section, ...]:
    """What was observed of mounts, for those that a file names: it adds none to them. Of a mount that the file names by
    another name of its server the mount point is enough."""
    if not lines:
        return sections
    return tuple(one._replace(names={"target": one.names["target"]}) if one.observed and "target" in one.names else one
                 for one in sections)


def tell_unused(base: RuleBase, answers: Answers, mounts: tuple[Answers, ...]) -> None:
    """Tells, on standard error, of sections that fit none of the mounts, and of what was observed in vain."""
    if answers.mounts:
        from advisor.advice.mounts import idle, overruled
        from advisor.cli.common import idle_section
        from advisor.document.escape import visible

        for section in idle(answers, mounts):
            idle_section(section)
        for place, fact, seen, counts in overruled(base, answers, mounts):
            said = f"{fact} was observed to be {visible(seen)}, but you say {visible(counts)}, and that counts"
            print(f"advisor: {visible(place)}: {said}", file=sys.stderr)


def add_setting(top: argparse.ArgumentParser, name: str, example: str) -> None:
    """The parser of a command that asks for one setting under given answers."""
    top.add_argument(name, metavar=name.upper(), help=example)
    add_answer_options(top)
    add_color_option(top)


def advised(base: RuleBase, args: argparse.Namespace, *, strict: bool = False) -> Advice:
    """The Advice for the command line's answers. `strict`: nothing is assumed."""
    from advisor.advice.build import advise

    return usable(advise(base, given_answers(base, args), strict=strict))


def usable(advice: Advice) -> Advice:
    """The same; CannotRun where it pins what cannot be used."""
    for one in advice.stopped:
        reason = one.rule.why if one.rule else "It has no effect."
        raise CannotRun(f"{one.tunable} cannot be pinned here: {reason} Leave out the pin, or correct the facts.")
    return advice


def asked_about(args: argparse.Namespace) -> tuple[RuleBase, str, Advice]:
    """What a command on one setting starts from: the rule base, the decision that is meant, the advice."""
    base = site_base(args)
    name = decision_named(base, args.tunable)
    return base, name, advised(base, args)


def argument_of(base: RuleBase, advice: Advice) -> Callable[[Recommendation], Argument]:
    from advisor.advice.arguments import argue

    return lambda one: argue(base, advice, one)


def _pin(base: RuleBase, item: str) -> tuple[str, str]:

    name, equals, text = item.partition("=")
    if not equals:
        raise CannotRun(f"--pin {item!r}: write SETTING=VALUE, for example --pin mount.vers=4.1")
    return decision_named(base, name.strip()), text.strip()


def show(args: argparse.Namespace, blocks: Iterable[Block]) -> None:
    """Prints a document, as wide as the terminal."""
    from advisor.document.style import Style, has_links
    from advisor.document.terminal import terminal

    style = Style(wants_colour(args.color), has_links(os.environ))
    sys.stdout.write(terminal(blocks, columns(), style))


def decision_named(base: RuleBase, name: str) -> str:
    """The decision that a name means: its id, or its last part where only one has that. CannotRun otherwise."""
    if name in base.decisions:
        return name
    spelled: dict[str, str] = {
        form.spelling: tunable for tunable, definition in base.tunables.items() for form in definition.forms
        if tunable in base.decisions
    }
    ends = [one for one in base.decisions if one.partition(".")[2] == name or one.endswith(f".{name}")]
    if name in spelled or len(ends) == 1:
        return spelled.get(name) or ends[0]
    if ends:
        raise CannotRun(f"{name!r} may be {' or '.join(ends)}; write the whole name")
    from advisor.rulebase.problems import near

    hint = near(name, [*base.decisions, *spelled], "`advisor rules list` lists the names")
    raise CannotRun(f"no rule decides {name!r}; {hint}")
