"""The first screen of the README shows what two programs really print."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import advisor as advisor  # noqa: PLC0414  the fixture
from tests.docs.prose import ROOT

SHOWN = re.search(r"(?:^    .*\n)+", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def shown() -> dict[str, str]:
    """Command → what the first block of the README says that it prints."""
    assert SHOWN is not None
    parts = [part.partition("\n") for part in re.sub("^    ", "", SHOWN[0], flags=re.MULTILINE).split("$ ")[1:]]
    return {command: text for command, _, text in parts}


@pytest.fixture
def fstab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fstab").write_text(shown()["cat fstab"])


@pytest.mark.usefixtures("fstab")
def test_the_finding_is_what_lint_prints(advisor: Any) -> None:
    (command,) = (command for command in shown() if command.startswith("advisor "))
    assert advisor(*shlex.split(command)[1:]).out == shown()[command]


@pytest.mark.usefixtures("fstab")
@pytest.mark.skipif(shutil.which("findmnt") is None, reason="findmnt is not installed")
def test_findmnt_calls_it_a_success() -> None:
    (command,) = (command for command in shown() if command.startswith("findmnt "))
    done = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False, env={"LC_ALL": "C"})
    assert "\n".join(line for line in done.stdout.splitlines() if line.strip()) + "\n" == shown()[command]
