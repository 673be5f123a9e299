"""What commands share: refusing to run, the parser, facts from the command line, the rule base, the terminal."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping, Sequence

from advisor.document.escape import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from advisor.cli.facts_file import GivenFacts
    from advisor.engine import State
    from advisor.host.probe import HostValue
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values
    from advisor.sections import Section


class CannotRun(Exception):
    """The command cannot do its work; `lines` say what is wrong and what to do. Exit code 2."""

    def __init__(self, *lines: str) -> None:
        super().__init__(*lines)
        self.lines = lines


_NUMBERS: Mapping[object, str] = {int: "a whole number", float: "a number"}


class _Parser(argparse.ArgumentParser):
    """A parser that takes options between file names too (`lint a --fix b`), and whose complaints are one line that a
    terminal can show: the shell hands over names of files as they are."""

    def error(self, message: str) -> NoReturn:
        from advisor.cli.unknown import complaint

        self.exit(2, f"advisor: {visible(complaint(self, message))}\n")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        known, rest = self.parse_known_args(args, namespace)
        if rest and not self._subparsers:
            known, rest = self.parse_known_intermixed_args(args, namespace)
        if rest:
            from advisor.cli.unknown import refusal

            self.exit(2, f"advisor: {visible(refusal(self._chosen(known), rest))}\n")
        return known

    def _chosen(self, known: argparse.Namespace) -> argparse.ArgumentParser:
        """The parser of the subcommand that was given."""
        below = (action for action in self._actions if isinstance(action, argparse._SubParsersAction))
        return next((one.choices.get(getattr(known, one.dest, ""), self) for one in below), self)

    def _match_argument(self, action: argparse.Action, arg_strings_pattern: str) -> int:
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except argparse.ArgumentError:
            from advisor.cli.unknown import without_value

            raise argparse.ArgumentError(action, without_value(self, action)) from None

    def _get_value(self, action: argparse.Action, arg_string: str) -> object:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if action.type not in _NUMBERS:
                raise
            raise argparse.ArgumentError(action, f"{arg_string!r} is not {_NUMBERS[action.type]}") from None

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            from advisor.rulebase.problems import either, near

            hint = near(value, action.choices, f"it is one of {either(action.choices)}")
            raise argparse.ArgumentError(action, f"{value!r} is unknown; {hint}")


def leaves(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The parsers of a command's subcommands, or its own where it has none."""
    below = [one for action in parser._actions if isinstance(action, argparse._SubParsersAction)
             for one in action.choices.values()]
    return below or [parser]


def _help(prog: str) -> argparse.HelpFormatter:
    return argparse.HelpFormatter(prog, width=columns() - 2)  # left to itself it imports shutil, and that lzma


def parser(prog: str, description: str) -> argparse.ArgumentParser:
    """A parser that refuses abbreviated options, so that new ones never change what a script means."""
    return _Parser(prog=prog, description=description, allow_abbrev=False, formatter_class=_help)


def rule_base(packs: Sequence[str] = ()) -> RuleBase:
    """The compiled rule base, with the site's own rules in the folders `packs`; CannotRun with every fault it has."""
    from advisor.rulebase.base import expired, load
    from advisor.rulebase.model import RuleBaseError

    try:
        base = load(packs=packs)
    except RuleBaseError as error:
        whose = f"the rules in {' and '.join(packs)} cannot be used:" if packs else "the rule base is broken:"
        raise CannotRun(whose, *(f"  {line}" for line in error.messages)) from None
    for folder in packs:
        for path, day in expired(folder).items():
            print(f"advisor: {visible(path)}: held until {day}, so it is left out; measure again, or delete it",
                  file=sys.stderr)
    return base


def add_color_option(top: argparse.ArgumentParser) -> None:
    top.add_argument("--color", choices=("auto", "always", "never"), default="auto",
                     help="auto, the default: on a terminal, unless NO_COLOR or FORCE_COLOR says otherwise")


def add_fact_options(top: argparse.ArgumentParser) -> None:
    top.add_argument(
        "--set", action="append", default=[], metavar="FACT=VALUE", dest="facts_set",
        help="a known fact, for example client.kernel=5.14 or storage.platform=anf; may be repeated",
    )
    top.add_argument("--facts", metavar="FILE", help="a YAML or JSON file of facts: one `fact: value` per line")
    top.add_argument("--expired", action="store_true", help="also use facts that were observed too long ago")


def answers(base: RuleBase, facts_set: Iterable[str], facts: GivenFacts) -> dict[str, Values]:
    """Facts from --facts and --set (which wins), typed as rules/facts says; CannotRun names what is wrong."""
    known = dict(facts.facts)
    for item in facts_set:
        name, equals, text = item.partition("=")
        if not equals:
            raise CannotRun(f"--set {item!r}: write FACT=VALUE, for example --set client.kernel=5.14")
        known[name.strip()] = typed(base, name.strip(), text.strip(), "--set")
    return known


def idle_section(section: Section) -> None:
    """Tells, on standard error, of a section that fits no mount: a slip in a pattern would go unnoticed."""
    from advisor.document.escape import visible

    names = ", ".join(f"{name} = {text}" for name, text in section.names.items())
    print(f"advisor: {visible(section.place)}: no mount matches {visible(names)}, so its facts have no effect; correct "
          "the pattern, or delete the section", file=sys.stderr)


def facts_from(base: RuleBase, tree: object, where: str) -> dict[str, Values]:
    """The facts of a mapping, nested (`client: {kernel: …}`) or flat; CannotRun, naming `where`, if it has others."""
    return {name: typed(base, name, value, where) for name, value in flatten(tree).items()}


def from_host(
    base: RuleBase, root: str | None = None, given: Mapping[str, Values] | None = None, *, platform: bool = True
) -> dict[str, HostValue]:
    """Facts of this host, or of the files below `root`: fact → value, where it was read, and a note.

    `given`: facts that the user told. They are not among those returned, and what contradicts them is left out.
    `platform`: also take the storage.platform that the names of the mounted servers give away.
    CannotRun when `root` is not a folder."""
    from advisor.cli.host_facts import look

    return look(base, root, given, platform=platform).facts


def certain(base: RuleBase, known: Mapping[str, object]) -> State:
    """What these answers say for certain; CannotRun when they contradict one another or the fact's domain."""
    from advisor.engine import FactError

    try:
        return base.engine.certain(known)
    except FactError as error:
        raise CannotRun(str(error)) from None


def flatten(tree: object, prefix: str = "") -> dict[str, object]:
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise CannotRun("--facts: the file must contain a mapping of facts, such as `client.kernel: \"5.14\"`")
    flat: dict[str, object] = {}
    for key, value in tree.items():
        name = f"{prefix}{key}"
        flat.update(flatten(value, f"{name}.") if isinstance(value, dict) else {name: value})
    return flat


def typed(base: RuleBase, name: str, value: object, where: str) -> Values:
    from advisor.advice.answers import AnswerError
    from advisor.advice.parse import fact_value

    try:
        return fact_value(base, name, value)
    except AnswerError as error:
        raise CannotRun(f"{where}: {error}") from None


def wants_colour(choice: str) -> bool:
    """--color auto: never with NO_COLOR (no-color.org), else always with FORCE_COLOR (force-color.org), else on a
    terminal that is not TERM=dumb. As in Python's own tools, NO_COLOR wins where both are set."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (os.environ.get("TERM") != "dumb" and sys.stdout.isatty())


def columns() -> int:
    """Width to wrap at: COLUMNS, or the terminal's, or 100 where there is none; 20 at least, 140 at most."""
    try:
        width = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        width = 0
    if width <= 0:
        try:
            width = os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else 0
        except (OSError, ValueError):  # no terminal, or closed
            width = 0
    return max(min(width or 100, 140), 20)
