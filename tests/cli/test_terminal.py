"""Whether a terminal gets colours."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

TRY = "from advisor.cli.terminal import has_colours; print(has_colours())"


@pytest.mark.parametrize(("term", "colours"), [("vt100", "False"), ("linux", "True"), ("never-heard-of", "True")])
def test_a_terminal_whose_description_has_no_colours_gets_none(term: str, colours: str) -> None:
    told = subprocess.run(  # a process reads one description
        [sys.executable, "-c", TRY], env={**os.environ, "TERM": term}, capture_output=True, text=True, check=True,
    )
    assert told.stdout.strip() == colours
