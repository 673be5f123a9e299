"""What is said of an option or a command that does not exist: the one that was probably meant, or who has it."""

from __future__ import annotations

from advisor.cli import COMMANDS, command_parser
from advisor.cli.common import leaves
from advisor.rulebase.problems import either, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence

FEW = 3
"""How many commands with an option are named."""


def unknown_command(name: str) -> str:
    """The message for an unknown command, with the closest one."""
    return f"unknown command {name!r}; {near(name, (*COMMANDS, 'help'), 'commands: ' + ', '.join(COMMANDS))}"


def refusal(parser: ArgumentParser, rest: Sequence[str]) -> str:
    """Why `parser` cannot use `rest`, the arguments that it left over, and what to write."""
    command = _name(parser)
    options = [word.partition("=")[0] for word in rest if word.startswith("-")]
    more = f"`advisor help {command}` lists what it accepts"
    if not options:
        return f"{command}: unexpected argument {rest[0]!r}; {more}"
    return f"{command} has no {options[0]}; {_hint(parser, options[0], more)}"


def _hint(parser: ArgumentParser, option: str, otherwise: str) -> str:
    """An option that was cut short; those who have this one; the most alike, unless it is that of another command."""
    own = parser._option_string_actions
    longer = [name for name in own if option.startswith("--") and len(option) > 3 and name.startswith(option)]
    if longer:
        return f"did you mean {either(longer)}?"
    all_of = {_name(one): one._option_string_actions for name in COMMANDS for one in leaves(command_parser(name))}
    owners = [name for name, options in all_of.items() if option in options]
    if owners:
        named = owners if len(owners) <= FEW + 1 else [*owners[:FEW], f"{len(owners) - FEW} more"]
        return f"{either(named, 'and')} {'has' if len(owners) == 1 else 'have'} it"
    alike = near(option, {name for options in all_of.values() for name in options}, "")
    return near(option, [name for name in own if name in alike.strip("?").replace(",", "").split()], otherwise)


def _name(parser: ArgumentParser) -> str:
    return parser.prog.partition(" ")[2]
