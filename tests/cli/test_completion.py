"""Completion, by the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cli.completion import SHELLS
from tests.docs.prose import ROOT

LINES = {
    "advisor reco": "recommend",
    "advisor recommend --set storage.platf": "storage.platform",
    "advisor recommend --set storage.platform=az": "azure-files",
    "advisor lint --select nconn": "nconnect/anf",
    "advisor why nconn": "nconnect",
    "advisor lint --output-format sa": "sarif",
    "advisor lint --output-format=sa": "sarif",
    "advisor kb show nfs5.nco": "nfs5.nconnect",
    "advisor kb dispu": "disputes",
}
"""A command line on which somebody presses Tab → a word that is offered."""
BASH = """
source "$1"
COMP_LINE="$2" COMP_POINT=${#2}
line="${2//=/ = }"
read -r -a COMP_WORDS <<< "$line"
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_advisor_joined advisor
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a script for each shell, and `bin` with advisor."""
    folder = tmp_path_factory.mktemp("completion")
    (folder / "bin").mkdir()
    run = f'#!/bin/sh\nexec "{sys.executable}" -m advisor "$@"\n'
    (folder / "bin" / "advisor").write_text(run, encoding="utf-8")
    (folder / "bin" / "advisor").chmod(0o755)
    for shell in SHELLS:
        text = subprocess.run([sys.executable, "-m", "advisor", "completion", shell], cwd=ROOT, capture_output=True,
                              text=True, check=True).stdout
        (folder / shell).write_text(text, encoding="utf-8")
    return folder


def ask(scripts: Path, shell: str, line: str) -> list[str]:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    script = str(scripts / shell)
    command = {
        "bash": [program, "-c", BASH, "bash", script, line],
        "fish": [program, "--no-config", "-c", f"source {script}; complete -C '{line}'"],
    }[shell]
    env = {**os.environ, "PATH": f"{scripts / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=env, timeout=120)
    return [one.split("\t")[0] for one in ran.stdout.split("\n")]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_a_shell_offers_it(scripts: Path, shell: str, line: str) -> None:
    offered = ask(scripts, shell, line)
    assert LINES[line] in [one.rpartition("=")[2] for one in offered], offered


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_a_value_is_offered_without_what_the_shell_has_already(scripts: Path, shell: str) -> None:
    offered = ask(scripts, shell, "advisor recommend --set storage.platform=az")
    assert ("azure-files" if shell == "bash" else "storage.platform=azure-files") in offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_one_that_the_shell_reads(scripts: Path, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([program, "-n", str(scripts / shell)], check=True, timeout=60)
