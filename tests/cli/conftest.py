"""Runs the command line in this process."""

from __future__ import annotations

import io
import sys

import pytest

from advisor.cli import main


class Ran:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def advisor(capsys, monkeypatch):
    """`advisor("lint", "-", stdin="…")` → code, out, err."""

    def run(*args: str, stdin: str | bytes = "") -> Ran:
        data = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = main(list(args))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run
