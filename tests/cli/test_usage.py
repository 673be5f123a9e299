"""`advisor help`, and what is said of an option, a value or a command that does not exist."""

from __future__ import annotations

import pytest

from advisor.cli import COMMANDS, OF_WORDS, command_module, command_parser
from advisor.cli.options import Words
from advisor.cli.parser import leaves, leftover_message


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
        ("--foo", "wizard has no --foo; `advisor help wizard` lists what it accepts"),  # two letters of --root
        ("-x", "wizard has no -x; `advisor help wizard` lists what it accepts"),
        ("kb show nfs-tuning-blog --into=x", "kb show has no --into; sweep adopt and rules new have it"),
        ("why nconnect --verbos", "why has no --verbos; `advisor help why` lists what it accepts"),  # as --server has
        ("lint -x -", "lint has no -x; `advisor help lint` lists what it accepts"),
        ("facts x", "facts: unexpected argument 'x'; `advisor help facts` lists what it accepts"),
        ("completion bash x", "completion: unexpected argument 'x'; `advisor help completion` lists what it accepts"),
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
        ("lint --output-format jsn -", "lint --output-format: 'jsn' is unknown; did you mean json?"),
        ("kb serch nconnect", "kb: 'serch' is unknown; did you mean search?"),
        ("check --color 1", "check --color: '1' is unknown; it is one of auto, always or never"),
        ("check --color", "check --color: needs a value, one of auto, always or never"),
        ("why --set", "why --set: needs a value, FACT=VALUE; `advisor help why` lists what it accepts"),
        ("wizard --port x", "wizard --port: 'x' is not a whole number"),
        ("sweep plan s:/e --noise x", "sweep plan --noise: 'x' is not a number"),
        ("observe --for 3x", 'observe --for: "3x" is not a length of time: write 30s, 5m or 1h'),
        ("lint --exit-zero=3 -", "lint --exit-zero: takes no value; `advisor help lint` lists what it accepts"),
        ("why", "why: TUNABLE is missing; `advisor help why` lists what it accepts"),
        ("completion", "completion: SHELL or --words is missing; `advisor help completion` lists what it accepts"),
        ("wizard --web --plain", "wizard: --web and --plain: give only one of them"),
        ("fleet", "fleet: WHAT is missing (report); `advisor help fleet` lists what it accepts"),
        ("completion bash --words rules", "completion: SHELL and --words: give only one of them"),
    ],
)
def test_values(advisor, line: str, said: str) -> None:
    ran = advisor(*line.split())
    assert (ran.code, ran.out, ran.err) == (2, "", f"advisor: {said}\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_each_wrong_value_is_one_line(advisor, command: str) -> None:
    """Whatever option of whatever command is left without its value: one line that names it."""
    for parser in leaves(command_parser(command)):
        line = parser.prog.split()[1:]
        for action in parser._actions:
            if action.option_strings and action.nargs is None:
                option = action.option_strings[-1]
                ran = advisor(*line, option)
                assert ran.code == 2
                named = f"{' '.join(line)} {'/'.join(action.option_strings)}"
                assert ran.err.startswith(f"advisor: {named}: needs a value, ")
                assert ran.err.count("\n") == 1


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
    others = [*map(command_parser, COMMANDS)]
    for parser, option, slip in tried:
        _, _, hint = leftover_message(parser, [slip], lambda: others).partition(";")
        assert option in hint.replace("?", "").split(), slip


@pytest.mark.parametrize(("command", "number"), OF_WORDS.items())
@pytest.mark.parametrize("words", [[], ["-"], ["a b"], ["fstab", "/etc/exports"]], ids=len)
def test_words_alone_mean_the_same_without_a_parser(command: str, number: int | None, words: list[str]) -> None:
    if number in (None, len(words)):
        read = Words(command_module(command).configure, words)
        assert vars(read) == vars(command_parser(command).parse_args(words))


@pytest.mark.parametrize("words", [["--"], ["-x"], ["fstab", "--fix"]])
def test_what_begins_with_a_hyphen_goes_to_the_parser(advisor, monkeypatch: pytest.MonkeyPatch, words) -> None:
    monkeypatch.setattr("advisor.cli.command_parser", lambda name: pytest.fail(f"parsed by argparse: {name}"))
    with pytest.raises(pytest.fail.Exception, match="parsed by argparse: lint"):
        advisor("lint", *words)
