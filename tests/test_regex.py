"""Expressions of modules are compiled when they are first used."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from advisor.regex import regex
from tests.tiers import thorough

PACKAGE = Path(__file__).parents[1] / "advisor"


def test_it_does_what_a_compiled_one_does() -> None:
    word = regex("[A-Z]+", re.IGNORECASE)
    assert word.sub("x", "Ab-c") == "x-x"
    assert word.findall("Ab-c") == ["Ab", "c"]
    assert word.pattern == "[A-Z]+"


def test_a_wrong_one_fails_only_when_it_is_used() -> None:
    wrong = regex("(")
    with pytest.raises(re.error):
        wrong.match("")


@thorough
def test_no_import_compiles_one() -> None:
    for path in PACKAGE.rglob("*.py"):
        assigned = [top for top in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(top, ast.Assign)]
        assert not any("re.compile" in ast.unparse(top) for top in assigned), path
