"""Nothing that the documents say is left out, and `tools/claims.py` shows it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.rulebase import rule_files
from advisor.rulebase.audit.rules import UNSOURCED
from advisor.rulebase.base import source_root
from advisor.rulebase.build import parsed_documents
from advisor.rulebase.citations import citing_entries, claims_by_section, gaps, section_of, users
from advisor.rulebase.model import Claim, Decision, RuleBase, Source
from advisor.verify import verify
from tests.each import each
from tests.rulebase.bases import copy, edit, problems
from tests.tiers import thorough
from tools.claims import coverage, main, markdown

SEEDS = {"anf-module", "nfs-tuning-blog", "dell-nss74", "azure-files-perf", "anf-benchmarks"}
UNEXPLAINED = """\
  - id: ‸handbook.nine
    source: handbook
    at: chapter 3
    says: …
    verdict: accepted
"""
SOURCE, CLAIMS = "kb/sources/handbook.yaml", "kb/claims/handbook.yaml"


def test_nothing_is_left_out(base: RuleBase) -> None:
    assert gaps(base) == []


@pytest.mark.parametrize("source", sorted(SEEDS))
def test_every_section_of_a_seed_has_claims(base: RuleBase, source: str) -> None:
    sections = claims_by_section(base)[source]
    assert len(sections) >= 10
    assert all(sections.values())
    mapped = {claim for claims in sections.values() for claim in claims}
    assert mapped == {name for name, claim in base.claims.items() if claim.source == source}


def test_every_rule_rests_on_claims_that_exist(base: RuleBase) -> None:
    told = list(citing_entries(base))
    rules = {"rule", "check", "erratum", "capability", "constraint", "recipe", "cause", "family", "conclusion"}
    assert {kind for kind, *_ in told} == {*rules, "platform", "tunable", "kind", "message"}
    for kind, name, claims in told:
        assert set(claims) <= set(base.claims), name
        of_the_program = kind == "check" and name in UNSOURCED
        assert claims or kind in ("tunable", "platform", "message", "kind") or of_the_program, name


def test_what_a_part_of_an_entry_cites_the_entry_rests_on(base: RuleBase) -> None:
    """An option that a client drops cites its claim there alone."""
    tunables = base.tunables.items()
    dropped = {(name, claim) for name, tunable in tunables for one in tunable.overlooked for claim in one.cites}
    assert dropped
    assert all(("tunable", name) in users(base)[claim] for name, claim in dropped)


@thorough
def test_no_citation_is_overlooked(base: RuleBase) -> None:
    """Against a way of reading that knows no kinds: every `cites`, and every claim of a trait, in any file."""
    found: set[str] = set()
    root = source_root()
    for document in parsed_documents(root, rule_files.files(root)):
        if not document.path.startswith("kb/claims/"):
            found |= cited(document.data)
    assert found == set(users(base))


def cited(value: Any) -> set[str]:
    if isinstance(value, list):
        return {claim for item in value for claim in cited(item)}
    if isinstance(value, dict):
        traits = value.get("traits", {})
        of_traits = {
            claim for claims in (traits.values() if isinstance(traits, dict) else ()) if isinstance(claims, list)
            for claim in claims
        }
        return set(value.get("cites", ())).union(of_traits, *(cited(item) for item in value.values()))
    return set()


@each(lambda: [
    ("Tables", "Tables"),
    ("Tables, row 3", "Tables"),
    ("Tables, small", "Tables, small"),
    ("Tables, small, row 3", "Tables, small"),
    ("Tables, smaller", "Tables"),
    ("Tablespoon", None),
    ("The Tables", None),
    ("", None),
])
def test_the_section_of_a_place(place: str, section: str | None) -> None:
    assert section_of(place, ["Tables", "Tables, small"]) == section


class Base(SimpleNamespace):
    __hash__ = object.__hash__  # as a rule base has it: the users of its claims are cached


def small(claims: dict[str, Any], cites: list[str]) -> Any:
    """A rule base of one document with two sections."""
    about = {"source": "book", "verdict": "accepted", "says": "…"}
    told = {name: Claim.from_data({**about, **claim}) for name, claim in claims.items()}
    book, other = {"title": "The book", "sections": ["One", "Two"]}, {"title": "Unmapped"}
    sources = {"book": Source.from_data(book), "other": Source.from_data(other)}
    parts = (
        "checks", "errata", "capabilities", "constraints", "recipes", "tunables", "kinds", "causes", "families",
        "conclusions", "messages",
    )
    others: Any = {name: {} for name in parts}
    decisions = {"x": Decision.from_data({"rules": {"x/y": {"id": "x/y", "cites": cites}}})}
    return Base(claims=told, sources=sources, decisions=decisions, platforms=[], **others)


def test_gaps() -> None:
    good = small({"book.a": {"at": "One"}, "book.b": {"at": "Two, end", "unused": "A remark."}}, ["book.a"])
    assert gaps(good) == []
    silent = small({"book.a": {"at": "One"}, "book.b": {"at": "Two"}}, ["book.a"])
    assert gaps(silent) == [("unexplained", "book.b", "")]
    stale = small({"book.a": {"at": "One", "unused": "A remark."}, "book.b": {"at": "Two"}}, ["book.a", "book.b"])
    assert gaps(stale) == [("stale", "book.a", "x/y")]
    empty = small({"book.a": {"at": "One; One, end"}}, ["book.a"])
    assert gaps(empty) == [("empty-section", "book", "Two")]


def test_the_page() -> None:
    told = small({"book.a": {"at": "One; Two"}, "book.b": {"at": "Two", "unused": "A | B."}}, ["book.a"])
    page = markdown(coverage(told)).splitlines()
    assert "Nothing is unmapped." in page
    assert page.count("| One | `book.a` | accepted | rule `x/y` |") == 1
    assert page.count("| Two | `book.a` | accepted | rule `x/y` |") == 1
    assert page.count("|  | `book.b` | accepted | nothing: A \\| B. |") == 1
    assert page.count("| `x/y` | `book.a` |") == 1
    assert page.count("| `book.b` | accepted | A \\| B. |") == 1


def test_a_page_with_gaps_names_them() -> None:
    claims = {"book.a": {"at": "One", "unused": "A remark."}, "book.b": {"at": "One"}}
    page = markdown(coverage(small(claims, ["book.a"])))
    assert "Nothing is unmapped." not in page
    assert "- book: no claim is from the section Two" in page
    assert "- book.a: says why nothing rests on it, but this does: x/y" in page
    assert "- book.b: nothing rests on it, and it gives no reason" in page


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    root = copy(tmp_path)
    edit(root, SOURCE, "grade: manual\n", "grade: manual\nsections: [chapter 1, chapter 2, chapter 3]\n")
    assert problems(root) == []
    return root


def test_a_place_outside_of_all_sections_does_not_load(root: Path) -> None:
    at = edit(root, CLAIMS, "at: chapter 2", "at: ‸chapter 4")
    (problem,) = problems(root)
    assert (problem.file, problem.line, problem.column) == (CLAIMS, *(at or ()))
    assert "chapter 4" in problem.found
    assert "did you mean" in problem.write


@pytest.mark.parametrize(("extra", "found"), [("chapter 1", "again"), ("'chapter 4; end'", "chapter 4; end")])
def test_sections_that_cannot_be_told_apart_do_not_load(root: Path, extra: str, found: str) -> None:
    at = edit(root, SOURCE, "chapter 3]", f"chapter 3, ‸{extra}]")
    (problem,) = problems(root)
    assert (problem.file, problem.line, problem.column) == (SOURCE, *(at or ()))
    assert found in problem.found


@pytest.mark.parametrize(
    ("path", "old", "new", "words"),
    [
        (SOURCE, "chapter 3]", "chapter 3, ‸chapter 4]", "no claim cites it"),
        (CLAIMS, "  - id: handbook.eight", UNEXPLAINED + "  - id: handbook.eight", "nothing rests on it"),
        (CLAIMS, "    at: chapter 1", "    ‸unused: A remark.\n    at: chapter 1", "something rests on it"),
    ],
)
def test_verify_tells_gaps(root: Path, path: str, old: str, new: str, words: str) -> None:
    at = edit(root, path, old, new)
    report = verify(str(root))
    assert report is not None
    (problem,) = report.problems
    assert (problem.file, problem.line, problem.column) == (path, *(at or ()))
    assert words in problem.why


def test_the_command(base: RuleBase, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage"]) == 0
    assert capsys.readouterr().out == markdown(coverage(base))
    assert main(["coverage", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "advisor-coverage/1"
    assert {document["source"] for document in told["documents"]} >= SEEDS
    assert told["gaps"] == []
