"""The parser of a command's arguments."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from advisor.cli.terminal import columns
from advisor.pages.escape import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


_NUMBERS: Mapping[object, str] = {int: "a whole number", float: "a number"}


class _Parser(argparse.ArgumentParser):
    """A parser that takes options between file names too (`lint a --fix b`), and whose messages are one line without
    control characters, which the names of files may have."""

    def error(self, message: str) -> NoReturn:
        from advisor.cli.usage_errors import argparse_message

        self.exit(2, f"advisor: {visible(argparse_message(self, message))}\n")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        known, rest = self.parse_known_args(args, namespace)
        if rest and not self._subparsers:
            known, rest = self.parse_known_intermixed_args(args, namespace)
        if rest:
            from advisor.cli.usage_errors import leftover_message

            self.exit(2, f"advisor: {visible(leftover_message(self._chosen(known), rest))}\n")
        return known

    def _chosen(self, known: argparse.Namespace) -> argparse.ArgumentParser:
        """The parser of the subcommand that was given."""
        below = (action for action in self._actions if isinstance(action, argparse._SubParsersAction))
        return next((action.choices.get(getattr(known, action.dest, ""), self) for action in below), self)

    def _match_argument(self, action: argparse.Action, arg_strings_pattern: str) -> int:
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except argparse.ArgumentError:
            from advisor.cli.usage_errors import missing_value_message

            raise argparse.ArgumentError(action, missing_value_message(self, action)) from None

    def _get_value(self, action: argparse.Action, arg_string: str) -> object:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if action.type not in _NUMBERS:
                raise
            raise argparse.ArgumentError(action, f"{arg_string!r} is not {_NUMBERS[action.type]}") from None

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            from advisor.engine.errors import word_list
            from advisor.rulebase.problems import near

            hint = near(value, action.choices, f"it is one of {word_list(action.choices)}")
            raise argparse.ArgumentError(action, f"{value!r} is unknown; {hint}")


def command_name(parser: argparse.ArgumentParser) -> str:
    """The command of a parser, with its subcommand: "sweep plan"."""
    return parser.prog.partition(" ")[2]


def leaves(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The parsers of a command's subcommands, or its own if it has none."""
    below = [subparser for action in parser._actions if isinstance(action, argparse._SubParsersAction)
             for subparser in action.choices.values()]
    return below or [parser]


def _help(prog: str) -> argparse.HelpFormatter:
    return argparse.HelpFormatter(prog, width=columns() - 2)  # left to itself it imports shutil, and that lzma


def parser(prog: str, description: str) -> argparse.ArgumentParser:
    """A parser that refuses abbreviated options, so that new ones never change what a script means."""
    return _Parser(prog=prog, description=description, allow_abbrev=False, formatter_class=_help)
