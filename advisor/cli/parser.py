"""The parsers of the commands, and the messages for command lines that cannot be used: one line, with the option that
was probably meant, or the command that has it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence

from advisor.cli.terminal import columns
from advisor.engine import word_list
from advisor.pages.style import visible
from advisor.rulebase.spelling import close_names, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from typing import NoReturn, TypeVar

    T = TypeVar("T", int, float)

FEW = 3
"""How many commands with an option are named."""
_NUMBERS: Mapping[object, str] = {int: "a whole number", float: "a number"}
argparse._ = str  # type: ignore[attr-defined]  # untranslated: `argparse_message` knows its messages in English


class _Parser(argparse.ArgumentParser):
    """A parser that takes options between file names too (`lint a --fix b`), and whose messages are one line without
    control characters, which the names of files may have."""

    others: Callable[[], Iterable[ArgumentParser]] = tuple
    """Makes the parsers of all commands."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"advisor: {visible(argparse_message(self, message))}\n")

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        known, rest = self.parse_known_args(args, namespace)
        exclusive = [action for group in self._mutually_exclusive_groups for action in group._group_actions]
        # argparse mixes no words with options where one of the words excludes others.
        if rest and not self._subparsers and all(action.option_strings for action in exclusive):
            known, rest = self.parse_known_intermixed_args(args, namespace)
        if rest:
            self.exit(2, f"advisor: {visible(leftover_message(self._chosen(known), rest, self.others))}\n")
        return known

    def _chosen(self, known: argparse.Namespace) -> argparse.ArgumentParser:
        """The parser of the subcommand that was given."""
        below = (action for action in self._actions if isinstance(action, argparse._SubParsersAction))
        return next((action.choices.get(getattr(known, action.dest, ""), self) for action in below), self)

    def _match_argument(self, action: argparse.Action, arg_strings_pattern: str) -> int:
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except argparse.ArgumentError:
            kind = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
            one_of = f"one of {word_list(action.choices)}" if action.choices else f"{kind}; {_help_hint(self)}"
            raise argparse.ArgumentError(action, f"needs a value, {one_of}") from None

    def _get_value(self, action: argparse.Action, arg_string: str) -> object:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if action.type not in _NUMBERS:
                raise
            raise argparse.ArgumentError(action, f"{arg_string!r} is not {_NUMBERS[action.type]}") from None

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            hint = near(value, action.choices, f"it is one of {word_list(action.choices)}")
            raise argparse.ArgumentError(action, f"{value!r} is unknown; {hint}")


def between(low: float, high: float, kind: type[T], says: str) -> Callable[[str], T]:
    """Reads a number of an option. `says`: what it must be, after {} for what was written."""
    def read(written: str) -> T:
        try:
            value = kind(written)
        except ValueError:
            value = kind(-1)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(says.format(written))
        return value

    return read


def command_name(parser: argparse.ArgumentParser) -> str:
    """The command of a parser, with its subcommand: "sweep plan"."""
    return parser.prog.partition(" ")[2]


def subcommand(what: argparse._SubParsersAction[ArgumentParser], name: str, says: str) -> ArgumentParser:
    return what.add_parser(name, help=says, description=says, allow_abbrev=False)


def leaves(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The parsers of a command's subcommands, or its own if it has none."""
    below = [subparser for action in parser._actions if isinstance(action, argparse._SubParsersAction)
             for subparser in action.choices.values()]
    return below or [parser]


def parser(
    prog: str, description: str, others: Callable[[], Iterable[ArgumentParser]] = tuple
) -> argparse.ArgumentParser:
    """A parser that refuses abbreviated options, so that new ones never change what a script means. `others`: makes the
    parsers of all commands, one of which may have an option that this one lacks."""
    made = _Parser(
        prog=prog, description=description, allow_abbrev=False,
        formatter_class=lambda prog: argparse.HelpFormatter(prog, width=columns() - 2),  # else it imports shutil, lzma
    )
    made.others = others
    return made


def leftover_message(
    parser: ArgumentParser, rest: Sequence[str], others: Callable[[], Iterable[ArgumentParser]]
) -> str:
    """Why `parser` cannot use `rest`, the arguments that it left over, and what to write. `others`: as for `parser`."""
    command = command_name(parser)
    options = [word.partition("=")[0] for word in rest if word.startswith("-")]
    more = _help_hint(parser)
    if not options:
        return f"{command}: unexpected argument {rest[0]!r}; {more}"
    return f"{command} has no {options[0]}; {_hint(parser, options[0], others, more)}"


def argparse_message(parser: ArgumentParser, message: str) -> str:
    """The message for an error that argparse found, with the command and the option named once.

    `message`: "argument NAME: what is wrong", or one without an argument."""
    reason = message.removeprefix("argument ")
    if reason == message:
        if message.startswith("one of the arguments "):
            one_of = message[len("one of the arguments "):].partition(" is required")[0].split()
            return f"{command_name(parser)}: {word_list(one_of)} is missing; {_help_hint(parser)}"
        _, missing, names = message.partition(" required: ")
        if missing:
            choices = [word for action in parser._actions for word in action.choices or () if action.metavar == names]
            words = f" ({word_list(choices)})" if choices else ""
            return f"{command_name(parser)}: {names} is missing{words}; {_help_hint(parser)}"
        return f"{command_name(parser)}: {message}; {_help_hint(parser)}"
    name, _, says = reason.partition(": ")
    if says.startswith("ignored explicit argument"):
        says = f"takes no value; {_help_hint(parser)}"
    if says.startswith("not allowed with argument"):
        return f"{command_name(parser)}: {says.split()[-1]} and {name}: give only one of them"
    return f"{command_name(parser)}{f' {name}' if name.startswith('-') else ''}: {says}"


def _help_hint(parser: ArgumentParser) -> str:
    return f"`advisor help {command_name(parser)}` lists what it accepts"


def _hint(parser: ArgumentParser, option: str, others: Callable[[], Iterable[ArgumentParser]], otherwise: str) -> str:
    """A hint for an unknown option: the longer option that it begins, the commands that have it, or a similar one."""
    own = parser._option_string_actions
    longer = [name for name in own if option.startswith("--") and len(option) > 3 and name.startswith(option)]
    if longer:
        return f"did you mean {word_list(longer)}?"
    parsers = [leaf for other in others() for leaf in leaves(other)]
    all_of = {command_name(leaf): leaf._option_string_actions for leaf in parsers}
    owners = [name for name, options in all_of.items() if option in options]
    if owners:
        named = owners if len(owners) <= FEW + 1 else [*owners[:FEW], f"{len(owners) - FEW} more"]
        return f"{word_list(named, 'and')} {'has' if len(owners) == 1 else 'have'} it"
    words = {name.strip("-") for options in all_of.values() for name in options}  # the dashes would look alike
    alike = close_names(option.strip("-"), tuple(sorted(words)))
    meant = [f"--{word}" for word in alike if f"--{word}" in own]
    return f"did you mean {word_list(meant)}?" if meant else otherwise
