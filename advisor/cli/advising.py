"""What commands that advise share: answers from the command line, files and this host."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from advisor.cli.common import CannotRun, add_fact_options, answers, columns, rule_base, wants_colour


def add_answer_options(top: argparse.ArgumentParser) -> None:
    add_fact_options(top)
    top.add_argument("--answers", metavar="FILE", help="an answers file (YAML), as the wizard writes it")
    top.add_argument("--from-host", action="store_true", help="take facts from this host (see `advisor facts`)")
    top.add_argument(
        "--pin", action="append", default=[], metavar="SETTING=VALUE",
        help="a setting that has to stay, for instance mount.vers=4.1; may be repeated",
    )
    for name, what in (
        ("server", "the server's name or address"), ("export", "the path on the server"),
        ("target", "the mount point"), ("clients", "who may mount, as exports(5) writes it"),
    ):
        top.add_argument(f"--{name}", metavar=name.upper(), help=what)


def given(base: Any, args: argparse.Namespace) -> Any:
    """The Answers of the command line: --set over --facts over --answers over the host. CannotRun for any fault."""
    from advisor.advice.answers import NAMES, AnswerError, Answers, bad_name
    from advisor.advice.files import AnswersFileError, read_answers
    from advisor.advice.named import signs
    from advisor.advice.typed import checked

    told = Answers()
    try:
        if args.answers:
            told = read_answers(base, args.answers)
        facts = {**told.facts, **answers(base, args.facts_set, args.facts)}
        origin = dict(told.origin)
        here = None
        if args.from_host:
            from advisor.cli.host_facts import look

            here = look(base, given=facts, settings=True)
            facts |= {name: one.value for name, one in here.facts.items()}
            origin |= {name: one.where for name, one in here.facts.items()}
        pins = {**told.pins, **dict(_pin(base, item) for item in args.pin)}
        names = dict(told.names)
        for name in NAMES:
            text = getattr(args, name)
            if text is not None:
                bad = bad_name(name, text)
                if bad:
                    raise CannotRun(f"--{name}: {bad}")
                names[name] = text
        found_by = signs(base, names, facts)
        facts |= {name: one.value for name, one in found_by.items()}
        origin |= {name: one.where for name, one in found_by.items()}
        unknown = told.unknown - facts.keys()
        known = Answers(facts, unknown, pins, names, {n: w for n, w in origin.items() if n in facts})
        if here is not None:
            from advisor.cli.host_before import before

            known = known._replace(before=before(base, here.probe.settings, known))
        return checked(base, known)
    except AnswersFileError as error:
        raise CannotRun(str(error)) from None
    except AnswerError as error:
        raise CannotRun(str(error)) from None


def add_setting(top: argparse.ArgumentParser, name: str, example: str) -> None:
    """The parser of a command that asks for one setting under given answers."""
    top.add_argument(name, metavar=name.upper(), help=example)
    add_answer_options(top)
    top.add_argument("--color", choices=("auto", "always", "never"), default="auto")


def advised(base: Any, args: argparse.Namespace, *, strict: bool = False) -> Any:
    """The Advice for the command line's answers. `strict`: nothing is assumed."""
    from advisor.advice.build import advise

    return advise(base, given(base, args), strict=strict)


def asked(args: argparse.Namespace) -> tuple[Any, str, Any, Any]:
    """What a command on one setting starts from: the rule base, the decision that is meant, the advice, a page."""
    base = rule_base()
    name = decision_named(base, args.tunable)
    return base, name, advised(base, args), new_page(base, args)


def argument_of(base: Any, advice: Any) -> Callable[[Any], Any]:
    from advisor.advice.argue import argue

    return lambda one: argue(base, advice, one)


def _pin(base: Any, item: str) -> tuple[str, str]:

    name, equals, text = item.partition("=")
    if not equals:
        raise CannotRun(f"--pin {item!r}: write SETTING=VALUE, for instance --pin mount.vers=4.1")
    return decision_named(base, name.strip()), text.strip()


def new_page(base: Any, args: argparse.Namespace) -> Any:
    from advisor.render.explain import Page
    from advisor.render.style import Style

    return Page(base, columns(), Style(wants_colour(args.color)))


def decision_named(base: Any, name: str) -> str:
    """The decision that a name means: its id, or its last part where only one has that. CannotRun otherwise."""
    if name in base.decisions:
        return name
    spelled: dict[str, str] = {
        form["spelling"]: tunable for tunable, told in base.tunables.items() for form in told.get("forms", ())
        if tunable in base.decisions
    }
    ends = [one for one in base.decisions if one.partition(".")[2] == name or one.endswith(f".{name}")]
    if name in spelled or len(ends) == 1:
        return spelled.get(name) or ends[0]
    if ends:
        raise CannotRun(f"{name!r} may be {' or '.join(ends)}; write the whole name")
    from difflib import get_close_matches

    near = get_close_matches(name, [*base.decisions, *spelled], 4)
    hint = f"did you mean {' or '.join(near)}?" if near else "`advisor rules list` shows what there is"
    raise CannotRun(f"nothing is decided on {name!r}; {hint}")
