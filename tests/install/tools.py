"""Runs the tools that artefacts are for; a test is skipped, with the reason, where one is absent."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from advisor.install import Artefact, write_all

_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"


def tool(name: str) -> str:
    """Where a tool is."""
    found = shutil.which(name, path=_PATH)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run(*command: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    name, *rest = command
    return subprocess.run(
        [tool(name), *rest], cwd=cwd, env={**os.environ, "PATH": _PATH, "LC_ALL": "C.UTF-8", **env}, timeout=120,
        capture_output=True, text=True, check=False,
    )


def written(folder: Path, made: dict[str, Artefact]) -> Path:
    write_all(folder, made.values())
    return folder


def lines(text: str) -> list[str]:
    """The lines that are neither comments nor blank."""
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
