"""Knowledge is in rules/ and kb/. What Python names all the same is listed in knowledge.yaml, with the reason."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from ruamel.yaml import YAML

from advisor.rulebase.base import load
from tests.each import each

ROOT = Path(__file__).parents[1]
LISTED = YAML(typ="safe").load((Path(__file__).parent / "knowledge.yaml").read_text(encoding="utf-8"))
PLACE = re.compile(r"/(?:etc|proc|run|sys|usr|var)/[\w./*{}-]*\Z")


@cache
def literals(path: Path) -> tuple[str, ...]:
    """The strings of a module, without its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return tuple(
        node.value for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    )


def named(package: str) -> set[str]:
    """Facts, settings, checks and places of the system that a package names."""
    base = load()
    ids = {*base.facts, *(tunable for tunable in base.tunables if "." in tunable), *base.checks, *base.errata}
    paths = [*ROOT.glob(f"advisor/{package}/**/*.py"), *ROOT.glob(f"advisor/{package}.py")]
    assert paths
    return {text for path in paths for text in literals(path) if text in ids or PLACE.match(text)}


def test_every_package_is_listed_or_knows_nothing() -> None:
    top = ROOT / "advisor"
    packages = {path.parent.name for path in top.glob("*/__init__.py")} | {path.stem for path in top.glob("[!_]*.py")}
    assert {package for package in packages if named(package)} == set(LISTED)


@each(lambda: sorted(LISTED))
def test_what_a_package_knows_is_listed(package: str) -> None:
    assert LISTED[package]["why"]
    names = LISTED[package]["names"]
    assert names == sorted(set(names))
    new, gone = named(package) - set(names), set(names) - named(package)
    assert not new, f"put it into rules/ or kb/, or say in tests/knowledge.yaml why it is needed: {sorted(new)}"
    assert not gone, f"remove from tests/knowledge.yaml: {sorted(gone)}"
