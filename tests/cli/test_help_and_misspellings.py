"""`advisor help`, and what is said of an option, a value or a command that does not exist."""

from __future__ import annotations

import pytest

from advisor.cli import COMMANDS, command_parser
from advisor.cli.common import leaves
from advisor.cli.unknown import refusal


@pytest.mark.parametrize("command", ["lint", "why-not", "kb", "kb show"])
def test_help_prints_what_the_option_prints(advisor, command: str) -> None:
    asked = advisor("help", *command.split())
    assert (asked.code, asked.err) == (0, "")
    assert asked.out == advisor(*command.split(), "--help").out
    assert asked.out.startswith(f"usage: advisor {command} ")


def test_help_alone_lists_the_commands(advisor) -> None:
    listed = advisor("help")
    assert listed.code == 0
    assert listed.out == advisor("--help").out == advisor("help", "--help").out
    assert all(f"\n  {name} " in listed.out for name in COMMANDS)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("lint --ouput-format json -", "lint has no --ouput-format; did you mean --output-format?"),
        ("check --out=json", "check has no --out; did you mean --output-format?"),  # an abbreviation
        ("lint --output json -", "lint has no --output; did you mean --output-format?"),  # sweep plan has --output
        ("check --fix", "check has no --fix; lint has it"),
        ("--fix", "wizard has no --fix; lint has it"),
        ("kb show nfs-tuning-blog --into=x", "kb show has no --into; sweep adopt and rules new have it"),
        ("why nconnect --verbos", "why has no --verbos; `advisor help why` lists what it accepts"),  # as --server has
        ("lint -x -", "lint has no -x; `advisor help lint` lists what it accepts"),
        ("facts x", "facts: unexpected argument 'x'; `advisor help facts` lists what it accepts"),
        ("lnit", "unknown command 'lnit'; did you mean lint?"),
        ("hlep", "unknown command 'hlep'; did you mean help?"),
        ("help chekc", "unknown command 'chekc'; did you mean check?"),
    ],
)
def test_what_was_probably_meant(advisor, line: str, said: str) -> None:
    ran = advisor(*line.split())
    assert (ran.code, ran.out, ran.err) == (2, "", f"advisor: {said}\n")


def test_a_command_like_no_other(advisor) -> None:
    ran = advisor("frobnicate")
    assert ran.code == 2
    assert ran.err.startswith("advisor: unknown command 'frobnicate'; commands: wizard, check, ")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("lint --output-format jsn -", "argument --output-format: 'jsn' is unknown; did you mean json?"),
        ("kb serch nconnect", "argument WHAT: 'serch' is unknown; did you mean search?"),
        ("check --color 1", "argument --color: '1' is unknown; it is one of auto, always or never"),
    ],
)
def test_values(advisor, line: str, said: str) -> None:
    ran = advisor(*line.split())
    assert ran.code == 2
    assert ran.err.splitlines()[-1].endswith(said)


def test_what_the_terminal_would_obey_is_escaped(advisor) -> None:
    ran = advisor("lint", "--fi\x1b[31mx", "-")
    assert ran.code == 2
    assert "\x1b" not in ran.err


def exchanged(option: str) -> str:
    """The option with two letters in its middle exchanged."""
    middle = len(option) // 2
    return option[:middle] + option[middle + 1] + option[middle] + option[middle + 2:]


def test_every_option_with_two_letters_exchanged() -> None:
    """The slip of a fast hand: the right option is named, whichever command it was."""
    slips = [(parser, option, exchanged(option)) for name in COMMANDS for parser in leaves(command_parser(name))
             for option in parser._option_string_actions if len(option) > 6]
    tried = [(parser, option, slip) for parser, option, slip in slips if slip != option]
    assert len(tried) > 100
    for parser, option, slip in tried:
        assert option in refusal(parser, [slip]).partition(";")[2].replace("?", "").split(), slip
