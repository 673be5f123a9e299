"""No regular expression of the program can be kept busy by a long text: each is proved to take linear time.

Patterns that stand in the rule base are proved by `rules verify`."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from advisor.files import kinds
from advisor.rulebase.regex_safety import why_unsafe
from tests.each import each
from tests.tiers import examples, thorough

PACKAGE = Path(__file__).parents[1] / "advisor"
WAY_OF = {
    "fullmatch": "fullmatch", "match": "match", "search": "search",
    **dict.fromkeys(("sub", "subn", "findall", "finditer", "split"), "iterate"),
}
ELSEWHERE = {
    "regex.py: *self._arguments": "what `regex` is called with, which is looked at where it is called",
    "engine/base.py: pattern": "infer of a fact, which rules verify looks at",
    "engine/compiler.py: rule['match']": "the same, compiled to see that it can be",
    "host/tree.py: held.line": "of a layout, which rules verify looks at",
    "rulebase/audit/knowledge.py: expression": "the same, to count its groups",
    "host/probe.py: pattern": "cases of a probe, which rules verify looks at",
    "host/probe.py: place.match": "of a probe too",
    "host/probe.py: place.without": "of a probe too",
    "check/server.py: line": "of a state in a check, which rules verify looks at",
    "check/server.py: state.who": "the same",
    "check/check_host.py: each": "the same",
    "files/kinds.py: f'(?m){form}'": "of the table that test_forms_of_languages looks at",
    "files/kinds.py: form": "of its other table; and forms of lines, cut to files.kinds.WIDTH characters",
    "probe/evidence.py: pattern": "of a server's reply, which rules verify looks at",
    "fleet/fingerprint.py: pattern": "of a probe, as in host/probe.py",
    "files/patterns.py: pattern.partition(' ')[2]": "of a check, which rules verify looks at",
    "files/option_table.py: form": "what a tunable overlooks, which rules verify looks at",
    "files/option_table.py: pattern": "of a tunable, which rules verify looks at",
    "rulebase/values.py: pattern": "the same",
    "wizard/typed_answer.py: form.match": "of a table of releases, which rules verify looks at",
    "wizard/questions.py: form.line": "of a platform's paths, which rules verify looks at",
}
"""Patterns that do not stand in the program, and who proves them."""
MADE = {
    "host/probe.py: f'^{re.escape(place.key)}=(.*)$'": "^VERSION_ID=(.*)$",
    "rulebase/regex_safety.py: '\\\\' + letter": r"\w",
    "rulebase/schema.py: translate(pattern.replace('**/', '*'))": r"(?s:rules/facts/[^/]*\.yaml)\Z",
}
"""Patterns that are put together when the program runs, with one that comes out."""


class Use(NamedTuple):
    where: str
    pattern: str | bytes
    flags: int
    way: str


@cache
def uses() -> list[Use]:
    return sorted(set(found_uses()))


def found_uses() -> Iterator[Use]:
    """Every pattern of the program with every way in which it is used."""
    nodes = {
        str(path.relative_to(PACKAGE)): list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    knowing = importers(nodes)
    for file, found in nodes.items():
        assigning = [node for node in found if isinstance(node, (ast.Assign, ast.AnnAssign))]
        compiled = {id(node.value): names(node) for node in assigning}
        for node in found:
            function = called(node)
            if function is None or function == "escape":
                continue
            assert isinstance(node, ast.Call)
            text = ast.unparse(node.args[0])
            where = f"{file}: {text}"
            if where in ELSEWHERE:
                continue
            if where in MADE:
                yield Use(where, MADE[where], re.MULTILINE, "search")
                continue
            if function != "compile" and isinstance(node.args[0], ast.Name) and value_at(file, text) is not None:
                yield Use(where, value_at(file, text), flags(node), WAY_OF[function])  # compiled when it is first used
                continue
            if function != "compile" and not isinstance(node.args[0], ast.Constant):
                yield Use(where, "", 0, "")
                continue
            if function != "compile":
                yield Use(where, ast.literal_eval(node.args[0]), flags(node), WAY_OF[function])
                continue
            name = next(iter(compiled.get(id(node), ())), None)
            kinds = next((n for n in found if isinstance(n, ast.Attribute) and n.value is node), None)
            if kinds is not None and isinstance(parent(found, kinds), ast.Assign):  # a bound method with a name
                method = value_at(file, names(parent(found, kinds))[0])
                yield Use(where, method.__self__.pattern, method.__self__.flags & ~re.UNICODE, WAY_OF[kinds.attr])
            elif name is None and not isinstance(node.args[0], ast.Constant):
                yield Use(where, "", 0, "")
            elif name is None:  # one of several in a table
                for way in ("fullmatch", "search"):
                    yield Use(where, ast.literal_eval(node.args[0]), flags(node), way)
            else:
                pattern = value_at(file, name)
                using = (file, *knowing.get((file, name), ()))
                for way in {way for other in using for way in ways(nodes[other], name)}:
                    yield Use(where, pattern.pattern, pattern.flags & ~re.UNICODE, way)


def called(node: ast.AST) -> str | None:
    """The function of `re` that a node calls; `regex` is its `compile`, later."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        return node.func.attr if node.func.value.id == "re" else None
    return "compile" if isinstance(node, ast.Call) and ast.unparse(node.func) == "regex" else None


def names(node: ast.AST) -> list[str]:
    assert isinstance(node, (ast.Assign, ast.AnnAssign))
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def parent(nodes: list[ast.AST], of: ast.AST) -> ast.AST:
    return next(node for node in nodes if any(one is of for one in ast.iter_child_nodes(node)))


def flags(node: ast.Call) -> int:
    place = node.args[-1] if node.keywords == [] else node.keywords[0].value
    text = ast.unparse(place)
    return int(eval(text, {"re": re})) if re.fullmatch(r"re\.[A-Z]+(?: \| re\.[A-Z]+)*", text) else 0


def value_at(file: str, name: str):  # type: ignore[no-untyped-def]
    return getattr(importlib.import_module("advisor." + file.removesuffix(".py").replace("/", ".")), name, None)


def importers(nodes: dict[str, list[ast.AST]]) -> dict[tuple[str, str], list[str]]:
    """(file, name in it) → the files that import the name."""
    found: dict[tuple[str, str], list[str]] = {}
    for file, all_ in nodes.items():
        for node in all_:
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                of = node.module.removeprefix("advisor.").replace(".", "/") + ".py"
                for one in node.names:
                    found.setdefault((of, one.name), []).append(file)
    return found


def ways(nodes: list[ast.AST], name: str) -> set[str]:
    """How a file that knows a pattern by its name uses it; passed on, it is used with fullmatch."""
    direct = {id(node.value): node.attr for node in nodes if isinstance(node, ast.Attribute)}
    attributes = (
        direct.get(id(node), "") for node in nodes
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    )
    return {WAY_OF.get(attribute, "fullmatch") for attribute in attributes}


@thorough
@each(lambda: ((use,) for use in uses()), lambda use: f"{use.where} {use.way}")
def test_linear(use: Use) -> None:
    assert use.way, "no constant: say in ELSEWHERE who proves it, or in MADE what comes out"
    assert why_unsafe(use.pattern, use.flags, use.way) is None


def test_forms_of_languages() -> None:
    assert len(kinds._CONTENT) > 5
    assert [form for _, _, form in kinds._CONTENT if why_unsafe(form, 0, "match") is not None] == []
    assert [form for _, _, form in kinds._ANYWHERE if why_unsafe(form, re.MULTILINE, "search") is not None] == []


@examples(10, 100)  # of each form
@given(st.data())
def test_what_is_looked_for_first_is_in_every_match(data: st.DataObject) -> None:
    for _, first, form in kinds._CONTENT:
        assert data.draw(st.from_regex(re.compile(rf"\A(?:{form})", re.ASCII)))[0] in first
    for _, has, form in kinds._ANYWHERE:
        assert has in data.draw(st.from_regex(re.compile(form, re.MULTILINE)))


@thorough
def test_all_are_found() -> None:
    assert len(uses()) > 60
    places = {f"{path.relative_to(PACKAGE)}" for path in PACKAGE.rglob("*.py") if "regex(" in path.read_text()}
    assert places <= {use.where.partition(":")[0] for use in uses()} | {where.partition(":")[0] for where in ELSEWHERE}


def test_nothing_else_is_listed() -> None:
    text = {str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    for where in (*ELSEWHERE, *MADE):
        file, _, expression = where.partition(": ")
        calls = [node for node in ast.walk(ast.parse(text[file])) if called(node)]
        assert any(isinstance(node, ast.Call) and ast.unparse(node.args[0]) == expression for node in calls), where
