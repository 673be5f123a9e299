"""Who may import whom: the way through is one-directional. And who is meant: no two classes share a name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "advisor"
ALLOWED = {
    "named_tuple": set(),
    "engine": set(),
    "unit_names": set(),
    "readers": {"named_tuple", "unit_names"},
    "atomic": set(),
    "user_files": set(),
    "globs": set(),
    "rulebase": {"user_files", "engine"},
    "sections": {"named_tuple", "engine", "globs", "rulebase"},
    "host": {"engine", "user_files", "globs", "readers", "rulebase"},
    "options": {"named_tuple", "readers", "rulebase"},
    "lint": {"named_tuple", "user_files", "globs", "engine", "options", "readers", "atomic", "rulebase", "sections"},
    "check": {"engine", "globs", "host", "lint", "options", "readers", "rulebase"},  # files and kernel of one host
    "observe": {"named_tuple", "engine", "host", "readers", "rulebase"},
    "verify": {"check", "diagnose", "engine", "lint", "observe", "options", "readers", "rulebase"},
    "advice": {"user_files", "globs", "engine", "rulebase", "sections"},
    "today": {"advice", "engine", "lint", "options", "readers", "rulebase", "sections"},  # findings beside advice
    # It judges the configuration that is pasted beside a message.
    "diagnose": {"named_tuple", "engine", "lint", "readers", "rulebase"},
    "session": {"advice", "engine", "rulebase"},
    "document": {"named_tuple"},
    # It tells what the linter found.
    "render": {
        "named_tuple", "document", "advice", "check", "diagnose", "engine", "fleet", "lint", "observe", "rulebase",
        "today",
    },
    # What lint finds, while a file is written.
    "lsp": {"config", "document", "lint", "named_tuple", "options", "readers", "render", "rulebase"},
    "artefacts": {"document", "advice", "engine", "render", "atomic", "rulebase", "unit_names"},
    # A checked host and the advice for it together.
    "repair": {"advice", "artefacts", "check", "document", "host", "lint", "readers", "rulebase"},
    # It mounts, measures, and makes rules of what it has measured.
    "sweep": {
        "advice", "atomic", "document", "engine", "host", "observe", "options", "readers", "render", "rulebase",
        "user_files",
    },
    "fleet": {"check", "engine", "user_files", "globs", "host", "lint", "options", "readers", "rulebase"},  # many hosts
    # It shows what is observed, with the lists and keys of the wizard.
    "watch": {"document", "observe", "render", "rulebase", "wizard"},
    "wizard": {
        "diagnose", "document", "user_files", "session", "advice", "artefacts", "render", "engine", "lint", "atomic",
        "rulebase", "sections", "today",
    },
}
"""Package → the others that it may import. `cli` may import all; nothing imports it."""


def imports(path: Path) -> set[str]:
    """What a file imports of ours: at its top, inside functions, and for the type checker alone."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where they lead"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("advisor.")} - {"__version__"}
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


def test_a_class_name_stands_for_one_class() -> None:
    places: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
