"""What a terminal gets: colours, and a word where it has to wait."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from advisor.cli.options import rule_base

TRY = "from advisor.cli.terminal import has_colours; print(has_colours())"


@pytest.mark.parametrize(("term", "colours"), [("vt100", "False"), ("linux", "True"), ("never-heard-of", "True")])
def test_a_terminal_whose_description_has_no_colours_gets_none(term: str, colours: str) -> None:
    told = subprocess.run(  # a process reads one description
        [sys.executable, "-c", TRY], env={**os.environ, "TERM": term}, capture_output=True, text=True, check=True,
    )
    assert told.stdout.strip() == colours


@pytest.mark.parametrize("terminal", [True, False])
def test_a_wait_for_the_rules_is_explained_to_people(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    monkeypatch.setattr("advisor.rulebase.base.load", lambda packs, compiling: compiling())
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    rule_base()
    assert ("compiling the rules" in capsys.readouterr().err) is terminal
