"""Who may import whom: the way through is one-directional."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "advisor"
ALLOWED = {
    "engine": set(),
    "readers": set(),
    "values": set(),
    "atomic": set(),
    "given": set(),
    "words": set(),
    "globs": set(),
    "compiled": {"engine"},
    "rulebase": {"compiled", "given", "engine", "lint", "values", "words"},  # it verifies checks by linting
    "host": {"readers"},
    "lint": {"compiled", "given", "globs", "engine", "readers", "values", "words", "atomic", "rulebase"},
    "advice": {"compiled", "given", "globs", "engine", "values", "words", "lint"},  # it reads fstab as the linter does
    "session": {"compiled", "advice", "engine", "values", "words"},
    "render": {"compiled", "advice", "lint", "values"},  # it prints what the linter found
    "artefacts": {"compiled", "advice", "render", "values", "atomic", "lint"},  # the report lints the line
    "wizard": {
        "compiled", "given", "session", "advice", "artefacts", "render", "engine", "lint", "values", "atomic", "cli",
    },
}
"""Package → the others that it may import. `cli` may import all; nothing but the wizard imports it."""


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        found |= {name.split(".")[1] for name in names if name.startswith("advisor.")}
    return found


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_imports_go_one_way(package: str) -> None:
    files = [*PACKAGE.glob(f"{package}/**/*.py"), *PACKAGE.glob(f"{package}.py")]
    assert files
    allowed = {package, *ALLOWED[package]}
    wrong = {f"{path.relative_to(PACKAGE)}: {name}" for path in files for name in imports(path) - allowed}
    assert wrong == set()


def test_every_package_has_its_place() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages - ALLOWED.keys() == {"cli"}
