"""Asking a compiled base costs few imports, and the engine knows nothing of the rest of the project."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import advisor.engine
from tests.engine.sample import sample

FOLDER = Path(advisor.engine.__file__).parent
OURS = ("advisor.engine", "advisor.named_tuple", "advisor.regex")  # the others import nothing of ours


def test_a_query_imports_nothing_heavy(tmp_path: Path) -> None:
    compiled = tmp_path / "base.json"
    compiled.write_text(json.dumps(sample().to_json()))
    script = (
        "import sys, json; before = set(sys.modules)\n"
        "from advisor.engine import Base, reach, holds, support, consistent\n"
        f"base = Base.from_json(json.load(open({str(compiled)!r})))\n"
        "reach(base, 'mount.nconnect', base.state({'storage.platform': 'anf'}))\n"
        "print(*(set(sys.modules) - before))"
    )
    loaded = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.split()
    assert {"typing", "dataclasses", "inspect", "difflib", "pathlib", "functools"} & set(loaded) == set()
    assert "advisor.engine.compiler" not in loaded
    assert "advisor.engine.decisions" in loaded


@pytest.mark.skipif(sys.version_info < (3, 10), reason="sys.stdlib_module_names came with Python 3.10")
def test_the_engine_imports_nothing_of_the_rest() -> None:
    for file in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.startswith(OURS) or name.split(".")[0] in sys.stdlib_module_names, (file, name)


def test_every_name_that_is_promised_is_there() -> None:
    for name in advisor.engine.__all__:
        assert getattr(advisor.engine, name) is not None
    assert not hasattr(advisor.engine, "missing")
