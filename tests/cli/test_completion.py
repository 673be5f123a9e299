"""Completion, by the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.cli.rules import SHELLS
from tests.docs.prose import ROOT
from tests.tiers import thorough

LINES = {
    "advisor reco": "recommend",
    "advisor help reco": "recommend",
    "advisor lint --": "--select",
    "advisor recommend --set storage.platf": "storage.platform",
    "advisor recommend --set storage.platform=az": "azure-files",
    "advisor lint --select nconn": "nconnect/anf",
    "advisor lint --select nconnect/anf,nconnect/k": "nconnect/anf,nconnect/kerberos",
    "advisor lint --profile cis,s": "cis,scap",
    "advisor sweep plan --factor sec=sys,krb": "sys,krb5",
    "advisor why nconn": "nconnect",
    "advisor lint --output-format sa": "sarif",
    "advisor kb show nfs5.nco": "nfs5.nconnect",
    "advisor kb dispu": "disputes",
}
"""A command line on which somebody presses Tab → a word that is offered."""
JOINED = {
    "advisor lint --output-format=sa": "sarif",
    "advisor lint --select=nconnect/anf,nconnect/k": "nconnect/kerberos",
}
"""The same where the option has an equals sign: for bash and fish."""
BASH = """
source "$1/bash"
while IFS= read -r COMP_LINE; do
  COMP_POINT=${#COMP_LINE}
  read -r -a COMP_WORDS <<< "${COMP_LINE//=/ = }"
  [[ "$COMP_LINE" == *" " ]] && COMP_WORDS+=("")
  COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
  COMPREPLY=()
  _advisor_joined advisor
  printf '%s\\n' "${COMPREPLY[@]}" ===
done
"""
FISH = """
source {0}/fish
while read --line line
  complete -C "$line"
  echo ===
end
"""
ZSH = """
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "stty -echo; source $1/setup.zsh $1"
zpty -r inner seen $'*\nREADY*\n' || exit 3
while IFS= read -r line; do
  zpty -w -n inner $'\\x15'"$line"$'\\t'
  zpty -r inner seen $'*\nEND*\n' || exit 4
  print -r -- "${seen#*BEGIN}"
  print -- "==="
done
"""
ZSH_SETUP = """
fpath=($1/site $fpath)
autoload -Uz compinit && compinit -u -D
compadd() {
  local -a hits
  (( ${@[(I)-[OAD]]} )) || { builtin compadd -A hits "$@"; print -rl -- "" $hits; }
  builtin compadd "$@"
}
offered() { print -r -- $'\nBEGIN'; _main_complete; print -r -- $'\nEND\n'; }
zle -C offer list-choices offered
bindkey '^I' offer
print -r -- $'\nREADY\n'
"""
"""An interactive zsh that prints what completion adds, as the shell itself would list it."""


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
    (folder / "site").mkdir()
    shutil.copy(folder / "zsh", folder / "site" / "_advisor")
    (folder / "setup.zsh").write_text(ZSH_SETUP, encoding="utf-8")
    return folder


@pytest.fixture(scope="module", params=["bash", *(pytest.param(one, marks=thorough) for one in ("zsh", "fish"))])
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def offered(scripts: Path, shell: str) -> dict[str, list[str]]:
    """A line → what this shell offers for it; all lines are asked of one shell, which is slow to start."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    lines = [*LINES] if shell == "zsh" else [*LINES, *JOINED]
    command = {
        "bash": [program, "-c", BASH, "bash", str(scripts)],
        "zsh": [program, "-f", "-c", ZSH, "zsh", str(scripts)],
        "fish": [program, "--no-config", "-c", FISH.format(scripts)],
    }[shell]
    env = {**os.environ, "PATH": f"{scripts / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    typed = "".join(f"{line}\n" for line in lines)
    ran = subprocess.run(command, input=typed, capture_output=True, text=True, check=True, env=env, timeout=300)
    answers = ran.stdout.split("\n===\n")
    assert len(answers) == len(lines) + 1, ran.stdout
    return {line: [word.split("\t")[0].strip() for word in said.split("\n")] for line, said in zip(lines, answers)}


@pytest.mark.parametrize("line", LINES)
def test_a_shell_offers_it(offered: dict[str, list[str]], line: str) -> None:
    assert LINES[line] in [one.rpartition("=")[2] for one in offered[line]], offered[line]


@pytest.mark.parametrize("line", JOINED)
def test_a_value_is_offered_after_an_equals_sign(shell: str, offered: dict[str, list[str]], line: str) -> None:
    if shell == "zsh":
        pytest.skip("zsh is offered --option value alone")
    assert JOINED[line] in [one.rpartition("=")[2].rpartition(",")[2] for one in offered[line]], offered[line]


def test_a_value_is_offered_without_what_the_shell_has_already(shell: str, offered: dict[str, list[str]]) -> None:
    found = offered["advisor recommend --set storage.platform=az"]
    assert ("azure-files" if shell == "bash" else "storage.platform=azure-files") in found


def test_what_is_in_a_list_already_is_not_offered_again(offered: dict[str, list[str]]) -> None:
    assert not any(one.endswith("anf") for one in offered["advisor lint --select nconnect/anf,nconnect/k"])


def test_a_script_asks_for_nothing_while_it_is_read(scripts: Path, shell: str) -> None:
    """A shell that starts would wait for each question."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    asked = scripts / f"asked-{shell}"
    asked.mkdir()
    (asked / "advisor").write_text(f"#!/bin/sh\ntouch {asked}/called\n", encoding="utf-8")
    (asked / "advisor").chmod(0o755)
    setup = "compdef() { :; }; " if shell == "zsh" else ""
    bare = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    read = [program, *bare, "-c", f"{setup}source {scripts / shell}"]
    subprocess.run(read, check=False, capture_output=True, timeout=60,
                   env={**os.environ, "PATH": f"{asked}:{os.environ['PATH']}"})
    assert not (asked / "called").exists()


def test_the_script_is_one_that_the_shell_reads(scripts: Path, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([program, "-n", str(scripts / shell)], check=True, timeout=60)
