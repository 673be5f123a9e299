"""The pages that tell how to add to the rule base, followed to the letter in a copy of the checkout."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from advisor.rulebase.base import load
from advisor.rulebase.rule_files import CACHE
from tests.tiers import long, thorough

pytestmark = thorough

ROOT = Path(__file__).parents[2]
PAGES = ("add-a-platform", "add-a-rule", "add-a-check", "add-a-reader", "add-a-front-end")
"""In the order in which they go on from one another."""
VERIFY = "advisor rules verify"
STEP = re.compile(
    r"""(?:(?P<write>Write)\ `(?P<new>[^`]+)`
      | (?:In|At\ the\ end\ of)\ `(?P<file>[^`]+)`(?:,\ below\ `(?P<below>[^`]+)`)?,\ add)
      :\n\n```(?:yaml|python)\n(?P<text>.*?)```
      | ```console\n\$\ (?P<command>[^\n]+)\n(?P<output>.*?)```""",
    re.DOTALL | re.VERBOSE,
)


class Step(NamedTuple):
    """One thing that a page asks for: a file to write or to add to, or a command and lines of what it prints."""

    file: str
    below: str
    text: str
    command: str
    output: str


def steps(page: str) -> list[Step]:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    found = [
        Step(match["new"] or match["file"] or "", match["below"] or "", match["text"] or "", match["command"] or "",
             match["output"] or "")
        for match in STEP.finditer(text)
    ]
    blocks = sum(text.count(f"```{language}") for language in ("yaml", "python", "console"))
    assert len(found) == blocks, f"{page}: a block that is no step"
    return found


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With what the checkout has cached, so that only what changes is read and verified again."""
    load()
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copy2(ROOT / "pyproject.toml", folder)
    if (ROOT / CACHE).is_dir():
        shutil.copytree(ROOT / CACHE, folder / CACHE)
    for name in ("advisor", "rules", "kb"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def follow(step: Step, folder: Path) -> None:
    if step.file:
        path = folder / step.file
        path.parent.mkdir(exist_ok=True)
        kept = path.read_text(encoding="utf-8") if path.exists() else ""
        lines = kept.splitlines(keepends=True)
        at = len(lines) if not step.below else 1 + next(n for n, line in enumerate(lines) if line.strip() == step.below)
        path.write_text("".join(lines[:at]) + step.text + "".join(lines[at:]), encoding="utf-8")
        return
    before, _, command = step.command.rpartition("| ")
    words = shlex.split(command)
    assert words[0] == "advisor"
    ran = subprocess.run(
        [sys.executable, "-m", *words], input="\n".join(shlex.split(before)[1:]) + "\n", cwd=folder, check=False,
        env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True,
    )
    told = " ".join((ran.stdout + ran.stderr).split())
    for line in step.output.splitlines():
        assert " ".join(line.split()) in told, ran.stdout + ran.stderr


@long
def test_the_pages_can_be_followed(checkout: Path) -> None:
    """All that they add is verified once, at the end; until then each command compiles it, and refuses what is wrong
    with it itself."""
    told = [step for page in PAGES for step in steps(page)]
    last = max(place for place, step in enumerate(told) if step.command == VERIFY)
    for place, step in enumerate(told):
        if step.command != VERIFY or place == last:
            follow(step, checkout)
