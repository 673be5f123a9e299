"""The commands that the pages print: each is one that the program takes."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator

import pytest

from advisor.cli import COMMANDS, command_parser
from tests.docs.prose import ROOT

COMMAND = re.compile(r"^(?: {4,}|\$ |> |- run: |.*[|&;] )?(?:\S*/)?advisor( .*)?$")
ENDS = {"|", ">", ">>", "&&", "||", ";", "2>", "<"}


def printed() -> Iterator[tuple[str, list[str]]]:
    """Place, and the words after `advisor`, of each command in a block of a page."""
    pages = (path for path in (ROOT / "docs").glob("*.md") if not path.name.startswith("add-a-"))  # those are followed
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(pages)]:
        fenced = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            fenced ^= line.startswith("```")
            match = COMMAND.match(line)
            if match is None or not (fenced or line.startswith("    ")) or "…" in line or "[" in line:
                continue
            words = shlex.split((match.group(1) or "").rstrip("\\"), comments=True)
            yield f"{path.name}:{number}", list(itertools.takewhile(lambda word: word.rstrip(";") not in ENDS, words))


def test_commands_are_found() -> None:
    assert len(list(printed())) > 80


@pytest.mark.parametrize(("place", "words"), [*printed()], ids=lambda one: one if isinstance(one, str) else "")
def test_a_printed_command_is_one_that_the_program_takes(
    place: str, words: list[str], capsys: pytest.CaptureFixture[str],
) -> None:
    if not words or words[0] in ("--version", "--help", "help"):
        return
    name, args = (words[0], words[1:]) if words[0] in COMMANDS else ("wizard", words)
    try:
        command_parser(name).parse_args(args)
    except SystemExit:
        pytest.fail(f"{place}: {capsys.readouterr().err}")
