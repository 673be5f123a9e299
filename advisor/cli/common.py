"""What commands share: refusing to run, the parser, the configuration of a site, and the rule base."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from advisor.cli.terminal import columns, warn
from advisor.config import Config, ConfigError, find
from advisor.document.escape import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from advisor.rulebase.model import RuleBase


class CannotRun(Exception):
    """The command cannot do its work; `lines` say what is wrong and what to do. Exit code 2."""

    def __init__(self, *lines: str) -> None:
        super().__init__(*lines)
        self.lines = lines


def save_file(path: str, content: bytes) -> None:
    """Write a file, whole or not at all. CannotRun if it cannot be written."""
    from advisor.atomic import WriteError, save

    try:
        save(path, content)
    except WriteError as error:
        raise CannotRun(str(error)) from None


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
        return next((one.choices.get(getattr(known, one.dest, ""), self) for one in below), self)

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
            from advisor.rulebase.problems import either, near

            hint = near(value, action.choices, f"it is one of {either(action.choices)}")
            raise argparse.ArgumentError(action, f"{value!r} is unknown; {hint}")


def command_name(parser: argparse.ArgumentParser) -> str:
    """The command of a parser, with its subcommand: "sweep plan"."""
    return parser.prog.partition(" ")[2]


def leaves(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The parsers of a command's subcommands, or its own if it has none."""
    below = [one for action in parser._actions if isinstance(action, argparse._SubParsersAction)
             for one in action.choices.values()]
    return below or [parser]


def _help(prog: str) -> argparse.HelpFormatter:
    return argparse.HelpFormatter(prog, width=columns() - 2)  # left to itself it imports shutil, and that lzma


def parser(prog: str, description: str) -> argparse.ArgumentParser:
    """A parser that refuses abbreviated options, so that new ones never change what a script means."""
    return _Parser(prog=prog, description=description, allow_abbrev=False, formatter_class=_help)


def add_site_options(top: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """--config, --no-config and --rules, in a group that may hold more."""
    site = top.add_argument_group("for a site")
    site.add_argument("--config", metavar="FILE",
                      help="configuration (default advisor.toml, here or above in the repository, else "
                           "/etc/advisor/config.toml)")
    site.add_argument("--no-config", action="store_true", help="read no configuration file")
    site.add_argument("--rules", action="append", default=[], metavar="DIR", help="a folder with your own rules")
    return site


def site_arguments(args: argparse.Namespace) -> list[str]:
    """The same options for another process of this program, started in the same folder."""
    given = [f"--rules={folder}" for folder in args.rules]
    given += [f"--config={args.config}"] if args.config else []
    return [*given, "--no-config"] if args.no_config else given


def configuration(args: argparse.Namespace) -> Config:
    """The configuration in force. CannotRun if it cannot be used."""
    if args.config and args.no_config:
        raise CannotRun("--config and --no-config: give only one of them")
    try:
        return find(args.config, args.no_config)
    except ConfigError as error:
        raise CannotRun(str(error)) from None


def rule_folders(args: argparse.Namespace, config: Config) -> list[str]:
    """The folders with the site's own rules: those of the command line, else those of the configuration."""
    return args.rules or [config.beside(folder) for folder in config.data.get("rules", ())]


def announced_rule_folders(args: argparse.Namespace) -> list[str]:
    """The same, with a remark where they come from a configuration file that the command line does not name."""
    config = configuration(args)
    folders = rule_folders(args, config)
    if folders and not args.rules and not args.config:
        warn(f"rules from {config.name}")
    return folders


def rule_base(folders: Sequence[str] = ()) -> RuleBase:
    """The compiled rule base, with the site's own rules in these folders. CannotRun with every fault it has."""
    from advisor.rulebase.base import expired, load
    from advisor.rulebase.model import RuleBaseError

    try:
        base = load(packs=folders)
    except RuleBaseError as error:
        whose = f"the rules in {' and '.join(folders)} cannot be used:" if folders else "the rule base is broken:"
        raise CannotRun(whose, *(f"  {line}" for line in error.messages)) from None
    for folder in folders:
        for path, day in expired(folder).items():
            warn(f"{path}: valid until {day}, so it is left out; measure again, or delete it")
    return base


def site_rule_base(args: argparse.Namespace) -> RuleBase:
    """The rule base with the site's own rules, as these arguments and the configuration name them. CannotRun."""
    return rule_base(announced_rule_folders(args))
