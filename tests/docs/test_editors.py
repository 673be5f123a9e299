"""The recipes of docs/editors.md read what `advisor lint` really prints."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tiers import thorough

PAGE = (Path(__file__).parents[2] / "docs" / "editors.md").read_text(encoding="utf-8")
MAKE, ALE = re.findall(r"```vim\n(.*?)```", PAGE, re.DOTALL)
TASKS = json.loads(re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)[-1])
ALE_HERE = Path("/usr/share/vim-ale")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an fstab that has an error and a note, and advisor on the path."""
    (tmp_path / "my fstab").write_text("# mounts\nnas:/a /a nfs vers=4.2,hard,nconect=8 0 0\n")
    (tmp_path / "advisor.toml").write_text('[severity]\n"unknown-option" = "error"\n')
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(editor: list[str]) -> None:
    subprocess.run(editor, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)


def test_the_problem_matcher_reads_each_line(site: Path) -> None:
    (task,) = TASKS["tasks"]
    command = [word.replace("${file}", str(site / "my fstab")) for word in [task["command"], *task["args"]]]
    out = subprocess.run([*command, "--pedantic"], text=True, capture_output=True, check=False).stdout.splitlines()
    pattern = task["problemMatcher"]["pattern"]
    assert len(out) > 1
    for line in out:
        found = re.match(pattern["regexp"], line)
        assert found, line
        told = {name: found[number] for name, number in pattern.items() if name != "regexp"}
        assert told["file"] == str(site / "my fstab")
        assert told["line"] == "2"
        assert line.endswith(f" {told['severity']}[{told['code']}] {told['message']}")
    assert any("error[unknown-option]" in line for line in out)


@thorough
@pytest.mark.parametrize("editor", [["vim", "-Nesu"], ["nvim", "--headless", "-u"]], ids=lambda words: words[0])
def test_make_in_vim(editor: list[str], site: Path) -> None:
    if shutil.which(editor[0]) is None:
        pytest.skip(f"{editor[0]} is not installed")
    (site / "vimrc").write_text(
        MAKE + "edit my\\ fstab\nsilent make!\n"
        "call writefile([json_encode(filter(getqflist(), 'v:val.valid'))], 'found')\nqall!\n"
    )
    run([*editor, "NONE", "-S", "vimrc"])
    found = json.loads((site / "found").read_text())
    assert {"lnum": 2, "col": 29, "type": "e"}.items() <= {**found[0], "type": found[0]["type"].lower()}.items()
    assert found[0]["text"].startswith("unknown option nconect=8")


@thorough
def test_ale(site: Path) -> None:
    if not ALE_HERE.exists() or shutil.which("vim") is None:
        pytest.skip("vim with ALE is not installed")
    (site / "my fstab").write_text("# mounts\nnas:/ü /a nfs vers=4.2,hard,nconect=8 0 0\n", encoding="utf-8")
    (site / "vimrc").write_text(
        f"set nocompatible encoding=utf-8\nset runtimepath^={ALE_HERE}\nfiletype plugin on\n"
        f"runtime plugin/ale.vim\n{ALE}"
        "edit my\\ fstab\nset filetype=fstab\nlet g:ale_linters = {'fstab': ['advisor']}\nALELint\n"
        "call ale#test#WaitForJobs(30000)\n"
        "call writefile([json_encode(ale#engine#GetLoclist(bufnr('')))], 'found')\nqall!\n"
    )
    run(["vim", "-Nesu", "NONE", "-S", "vimrc"])
    found = json.loads((site / "found").read_text())
    # Vim counts bytes: the letter ü is two.
    assert [(one["lnum"], one["col"], one["type"], one["code"]) for one in found] == [(2, 30, "E", "unknown-option")]
