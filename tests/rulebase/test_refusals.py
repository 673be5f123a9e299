"""Every refusal says where, what was found, why it is wrong and what to write; the mistakes stand in `refusals/`."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from advisor import bounded_yaml
from advisor.rulebase import build
from advisor.rulebase.document import parse
from tests.rulebase.bases import edit, problems
from tests.rulebase.refusals import (
    BUG,
    CLAIMS,
    FACTS,
    MOUNT,
    NCONNECT,
    VERS,
    diagnosis,
    names,
    proofs,
    structure,
    values,
    yaml_shape,
)
from tests.tiers import some

TABLES = (yaml_shape.CASES, names.CASES, values.CASES, structure.CASES, proofs.CASES, diagnosis.CASES)
PARSE = cache(parse)
CASES = {name: case for table in TABLES for name, case in table.items()}


@pytest.fixture
def parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the cases leave as it is, nearly all of the base, is parsed once, and not by each of them."""
    monkeypatch.setattr(build, "parse", PARSE)


@pytest.mark.usefixtures("parsed_once")
@pytest.mark.parametrize("name", some(CASES, 4))
def test_refusal(root: Path, name: str) -> None:
    path, old, new, words = CASES[name]
    place = edit(root, path, old, new)
    found = problems(root)
    here = [problem for problem in found if problem.file == path and place in (None, (problem.line, problem.column))]
    assert here, f"expected at {path}:{place}, found:\n" + "\n".join(map(str, found))
    text = "\n".join(map(str, here))
    assert all(word in text for word in words), text
    assert all(problem.found and problem.why and problem.write for problem in found)
    assert not re.search(r"\b[Aa] [aeio]", text), text


def test_both_parsers_of_yaml_refuse_alike(root: Path) -> None:
    for path, old, new, _ in yaml_shape.YAML.values():
        before = (root / path).read_bytes() if (root / path).exists() else b""
        edit(root, path, old, new)
        refused = (root / path).read_bytes()
        with pytest.MonkeyPatch.context() as patch:
            pair = [parse(path, refused)]
            patch.setattr(bounded_yaml, "CParser", None)
            pair.append(parse(path, refused))
        assert pair[0].problems == pair[1].problems, new
        assert (pair[0].data, pair[0].marks) == (pair[1].data, pair[1].marks)
        (root / path).write_bytes(before)


def test_no_mistake_is_listed_twice() -> None:
    assert len(CASES) == sum(len(table) for table in TABLES)


def test_figures_of_several_options_are_a_row(root: Path) -> None:
    edit(root, "kb/sources/handbook.yaml", "grade: manual", "grade: vendor")
    figures = "    figures: {vers: '3', nconnect: 4}\n    about: [mount.vers, mount.nconnect]\n"
    edit(root, CLAIMS, "    figures: {connections: 4, seconds: 0.5}\n", figures)
    assert [problem.found for problem in problems(root)] == ["figures of vers and nconnect, and no row"]


def test_nothing_is_wrong_with_the_minimal_base(root: Path) -> None:
    assert problems(root) == []


def test_not_utf8(root: Path) -> None:
    (root / NCONNECT).write_bytes("decision: mount.vers\nabout: säg\xff".encode("latin-1"))
    first = problems(root)[0]
    assert (first.file, first.line, first.column) == (NCONNECT, 2, 9)
    assert "0xe4" in first.found
    assert "UTF-8" in first.why


def test_all_errors_are_told_in_one_go(root: Path) -> None:
    edit(
        root,
        NCONNECT,
        "storage.platform: azure-files, client.has_nconnect: true}\n    value",
        "storage.plattform: x}\n    value",
    )
    edit(root, NCONNECT, "strength: may", "strenght: may")
    edit(root, VERS, 'value: "3"', "value: 3.10")
    edit(root, CLAIMS, "better: [handbook.nconnect]", "better: [handbook.ten]")
    edit(root, BUG, "el8: [", "el9: [")
    found = problems(root)
    text = "\n".join(map(str, found))
    for word in ("storage.plattform", "strenght", "3.10", "handbook.ten", "el9"):
        assert word in text
    assert found == sorted(found)


def test_the_same_mistake_in_one_file_is_told_once(root: Path) -> None:
    text = (root / NCONNECT).read_text().replace("storage.platform", "storage.plattform")
    (root / NCONNECT).write_text(text)
    told = [problem for problem in problems(root) if "storage.plattform" in problem.found]
    assert len(told) == 1
    assert told[0].line == 11
    assert told[0].write.endswith("(the same in lines 18, 19, 20 and 21)")


def test_a_broken_file_does_not_make_others_look_broken(root: Path) -> None:
    edit(root, "kb/sources/handbook.yaml", "grade: manual", "grade: handwritten")
    edit(root, FACTS, "says: The NFS version.", "says: [The NFS version.]")
    edit(root, CLAIMS, "verdict: wrong", "verdict: wrong: no")
    edit(root, MOUNT, "title: NFS version", "title: [NFS version")
    assert {problem.file for problem in problems(root)} == {"kb/sources/handbook.yaml", FACTS, CLAIMS, MOUNT}


@pytest.mark.parametrize("mistake", ["\tvalue: omit", "    vlaue: omit"])
def test_a_row_is_not_missed_while_its_rule_cannot_be_read(root: Path, mistake: str) -> None:
    figures = "    figures: {connections: 4, seconds: 0.5}\n"
    edit(root, CLAIMS, figures, figures + "    row: {mount.nconnect: 8}\n")
    edit(root, NCONNECT, "    value: omit", mistake)
    assert {problem.file for problem in problems(root)} == {NCONNECT}
