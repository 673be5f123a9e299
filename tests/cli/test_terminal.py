"""What a terminal gets: colours, and a word where it has to wait."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from advisor.cli.options import rule_base
from advisor.cli.terminal import CannotRun, ProgressLine, not_installed, refuse_on

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
    def load(packs: list[str], progress: Callable[[str, int, int], None]) -> None:
        for done in range(2):
            progress("files read", done, 1975)
        progress("comparing files", 0, 0)

    monkeypatch.setattr("advisor.rulebase.base.load", load)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr(ProgressLine, "EVERY", 0)
    rule_base()
    shown = ["  0 of 1975 files read", "  1 of 1975 files read", "  comparing files", ""]
    written = "advisor: compiling the rules, once after each change of them\n" + "".join(f"\r{one:29}" for one in shown)
    assert capsys.readouterr().err == (f"{written}\r" if terminal else "")


def test_only_the_named_errors_are_refusals() -> None:
    with pytest.raises(CannotRun) as told, refuse_on(KeyError, ValueError, before="--x "):
        raise ValueError("no number")
    assert (told.value.lines, told.value.__cause__) == (("--x no number",), None)
    with pytest.raises(TypeError), refuse_on(ValueError):
        raise TypeError("a fault")
    with refuse_on(ValueError):
        pass


def test_what_is_not_installed_is_to_be_had_from_a_checkout() -> None:
    refusal = not_installed("parquet needs pyarrow", "parquet", "json works without")
    assert refusal.lines == (
        "parquet needs pyarrow", "pip install '.[parquet]' in a checkout of advisor installs it; json works without",
    )
