"""The messages for command lines that cannot be used: one line, with the option that was probably meant, or the command
that has it."""

from __future__ import annotations

from advisor.cli import COMMANDS, command_parser
from advisor.cli.parser import command_name, leaves
from advisor.engine.errors import word_list
from advisor.rulebase.problems import close_names, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Action, ArgumentParser
    from collections.abc import Sequence

FEW = 3
"""How many commands with an option are named."""


def unknown_command(name: str) -> str:
    """The message for an unknown command, with the closest one."""
    return f"unknown command {name!r}; {near(name, (*COMMANDS, 'help'), 'commands: ' + ', '.join(COMMANDS))}"


def leftover_message(parser: ArgumentParser, rest: Sequence[str]) -> str:
    """Why `parser` cannot use `rest`, the arguments that it left over, and what to write."""
    command = command_name(parser)
    options = [word.partition("=")[0] for word in rest if word.startswith("-")]
    more = _help_hint(parser)
    if not options:
        return f"{command}: unexpected argument {rest[0]!r}; {more}"
    return f"{command} has no {options[0]}; {_hint(parser, options[0], more)}"


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
            return _missing_message(parser, names)
        return f"{command_name(parser)}: {message}; {_help_hint(parser)}"
    name, _, says = reason.partition(": ")
    if says.startswith("ignored explicit argument"):
        says = f"takes no value; {_help_hint(parser)}"
    if says.startswith("not allowed with argument"):
        return f"{command_name(parser)}: {says.split()[-1]} and {name}: give only one of them"
    return f"{command_name(parser)}{f' {name}' if name.startswith('-') else ''}: {says}"


def _missing_message(parser: ArgumentParser, names: str) -> str:
    """The message for missing arguments. `names`: joined by commas."""
    choices = [word for action in parser._actions for word in action.choices or () if action.metavar == names]
    words = f" ({word_list(choices)})" if choices else ""
    return f"{command_name(parser)}: {names} is missing{words}; {_help_hint(parser)}"


def missing_value_message(parser: ArgumentParser, action: Action) -> str:
    """The message for an option that is written without its value."""
    if action.choices:
        return f"needs a value, one of {word_list(action.choices)}"
    kind = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    return f"needs a value, {kind}; {_help_hint(parser)}"


def _help_hint(parser: ArgumentParser) -> str:
    return f"`advisor help {command_name(parser)}` lists what it accepts"


def _hint(parser: ArgumentParser, option: str, otherwise: str) -> str:
    """A hint for an unknown option: the longer option that it begins, the commands that have it, or a similar one."""
    own = parser._option_string_actions
    longer = [name for name in own if option.startswith("--") and len(option) > 3 and name.startswith(option)]
    if longer:
        return f"did you mean {word_list(longer)}?"
    parsers = [leaf for name in COMMANDS for leaf in leaves(command_parser(name))]
    all_of = {command_name(leaf): leaf._option_string_actions for leaf in parsers}
    owners = [name for name, options in all_of.items() if option in options]
    if owners:
        named = owners if len(owners) <= FEW + 1 else [*owners[:FEW], f"{len(owners) - FEW} more"]
        return f"{word_list(named, 'and')} {'has' if len(owners) == 1 else 'have'} it"
    words = {name.strip("-") for options in all_of.values() for name in options}  # the dashes would look alike
    alike = close_names(option.strip("-"), tuple(sorted(words)))
    meant = [f"--{word}" for word in alike if f"--{word}" in own]
    return f"did you mean {word_list(meant)}?" if meant else otherwise
