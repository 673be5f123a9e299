"""What only judging a sweep, or writing Parquet, needs is an extra: nothing else may import it."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "advisor"
HEAVY = {"numpy", "pyarrow", "pydoe", "scipy"}


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        found |= {name.partition(".")[0] for name in names}
    return found & HEAVY


def test_only_sweeps_and_parquet_import_them() -> None:
    users = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if imported(path)}
    assert users - {"pages/fleet.py"} == {
        f"sweep/{name}.py" for name in ("analysis", "design", "result")
    }
