"""Every sentence that a user can read: prose fields of the rule base, the pages, and strings of the program."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from advisor.rulebase import rule_files
from advisor.rulebase.build import parsed_documents
from advisor.rulebase.document import Yaml, YamlPath

ROOT = Path(__file__).parents[2]
FIELDS = frozenset({
    "about", "ask", "caution", "default_note", "do", "governs", "help", "how", "means", "measures", "message", "note",
    "persists", "printed", "remedy", "risk", "says", "symptom", "takes_effect", "tells", "title", "undo", "why",
    "workaround",
})
"""Keys of the YAML files whose text is shown to people."""
_QUOTED = ("examples", "cases", "ways")
"""Keys below which a text is data."""
_FACES = ("pages", "wizard", "install")
"""Packages that draw what others say; their labels are read by the tests of their pages."""
_CODE = re.compile(r"`[^`]*`|\]\([^)]*\)|<[^>]*>")


class Text(NamedTuple):
    place: str  # file:line
    field: str  # the key in YAML, "page" or "string"
    text: str


def rule_base(*folders: str) -> Iterator[Text]:
    """The prose of these YAML files, and of those below these folders."""
    for document in parsed_documents(str(ROOT), rule_files.files(str(ROOT))):
        if any(document.path == folder or document.path.startswith(f"{folder}/") for folder in folders):
            for key, steps, text in _sentences(document.data, "", ()):
                yield Text(f"{document.path}:{document.place(steps)[0]}", key, text)


def _sentences(value: Yaml, key: str, steps: YamlPath) -> Iterator[tuple[str, YamlPath, str]]:
    if isinstance(value, dict):
        for name, part in value.items():
            if name not in _QUOTED:
                yield from _sentences(part, name, (*steps, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _sentences(part, key, (*steps, index))
    elif isinstance(value, str) and key in FIELDS and " " in value:
        yield key, steps, value


def pages() -> Iterator[Text]:
    """Paragraphs, list items and table rows of the pages, a line each, without code."""
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
        fenced = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            fenced ^= line.startswith("```")
            if not (fenced or line.startswith("    ")):
                yield Text(f"{path.relative_to(ROOT)}:{number}", "page", _CODE.sub("X", line))


@cache
def program() -> dict[Path, ast.Module]:
    paths = sorted((ROOT / "advisor").rglob("*.py"))
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def docstrings() -> Iterator[Text]:
    """The docstrings of the program, those of constants too."""
    for path, tree in program().items():
        for node in ast.walk(tree):
            told = node.value if isinstance(node, ast.Expr) else None
            if isinstance(told, ast.Constant) and isinstance(told.value, str):
                place = f"{path.relative_to(ROOT)}:{told.lineno}"
                yield Text(place, "docstring", " ".join(_CODE.sub("X", told.value).split()))


def strings() -> Iterator[Text]:
    """Texts of two words and more in the program, but for docstrings; {…} stands for what is filled in."""
    for path, tree in program().items():
        if path.relative_to(ROOT / "advisor").parts[0] in _FACES:
            continue
        for node in _texts(tree):
            text = _joined(node)
            if " " in text.strip():
                yield Text(f"{path.relative_to(ROOT)}:{node.lineno}", "string", text)


def _texts(node: ast.AST) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr) or (isinstance(child, ast.Constant) and isinstance(child.value, str)):
            if not isinstance(node, ast.Expr):  # a docstring
                yield child
        else:
            yield from _texts(child)


def _joined(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(one.value) if isinstance(one, ast.Constant) else "{…}" for one in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ""
