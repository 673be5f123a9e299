"""What the wizard knows and decides needs no screen."""

from __future__ import annotations

import subprocess
import sys

WITHOUT_SCREEN = (
    "advice_cache", "commands", "ending", "files", "mounts", "prompt_tasks", "prompts", "questions", "risks", "rows",
    "state", "steps", "texts", "typed_answer",
)
PROGRAM = f"""
import sys
for name in {WITHOUT_SCREEN}:
    __import__(f"advisor.wizard.{{name}}")
print(*(name for name in sys.modules if name.startswith(("textual", "rich", "advisor.wizard."))))
"""


def test_the_state_imports_neither_textual_nor_a_screen() -> None:
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60)
    assert set(ran.stdout.split()) == {f"advisor.wizard.{name}" for name in WITHOUT_SCREEN}
