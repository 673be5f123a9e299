"""A product is one file: its name, its traits, its vendor's figures, and what was read of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.engine import reach
from advisor.rulebase import build, rule_files
from advisor.rulebase.base import load
from tests.rulebase.bases import edit

PRODUCT = """\
platform: acme-filer
title: Acme Filer
says: A made-up filer.
aliases: [Acme NAS]
serves: ["3"]
traits: {either: [acme.versions]}
cites: [acme.versions]
sources:
  - {source: acme, title: Using it, publisher: Acme, language: en, grade: vendor, holds: {storage.platform: acme-filer}}
claims:
  - {id: acme.versions, source: acme, at: page 1, says: It serves NFSv3., verdict: accepted}
rules:
  - id: nconnect/acme-filer
    decision: mount.nconnect
    value: 2
    strength: may
    why: Acme says so.
    cites: [acme.versions]
    examples:
      - {given: {storage.platform: acme-filer, client.has_nconnect: true}, expect: 2}
"""
FACTS = "rules/facts/all.yaml"
VERSIONS = "rules/mount/vers.yaml"


@pytest.fixture
def told(root: Path) -> Path:
    """The minimal rule base with traits, and a product that has one."""
    edit(root, FACTS, "    ask: Where does the data live?\n",
         "    ask: Where does the data live?\n    traits: {either: Either version will do.}\n")
    edit(root, VERSIONS, "[anf, other]", "[anf, either, other]")
    edit(root, VERSIONS, "storage.endpoint: n/a}, expect: keep", 'storage.endpoint: n/a}, expect: ["3", keep]')
    edit(root, VERSIONS, "  - id: vers/azure-public\n", """\
  - id: vers/only-3
    layer: platform
    when: {storage.platform: only-nfs3}
    value: "3"
    strength: must
    why: It serves no other version.
    cites: [handbook.versions]
    examples:
      - {given: {storage.platform: acme-filer}, expect: "3"}
  - id: vers/azure-public
""")
    (root / "kb/platforms/acme-filer.yaml").write_text(PRODUCT, encoding="utf-8")
    return root


def test_a_product_is_one_file(told: Path) -> None:
    base = load(str(told))
    state = base.engine.state({"storage.platform": "acme-filer", "client.has_nconnect": True})
    assert [(outcome.value, outcome.rule) for outcome in reach(base.engine, "mount.nconnect", state)] == [
        (2, "nconnect/acme-filer")
    ]
    assert [outcome.rule for outcome in reach(base.engine, "mount.vers", state)] == ["vers/only-3"]
    rules = base.decisions["mount.vers"].rules
    assert rules["vers/others"].when == {"storage.platform": ["anf", "acme-filer", "other"]}
    assert [*rules["vers/others"].cites] == ["acme.versions", "handbook.versions"]
    assert base.sources["acme"].publisher == "Acme"
    assert base.decisions["mount.nconnect"].rules["nconnect/acme-filer"].file == "kb/platforms/acme-filer.yaml"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{either: [", "{neither: [", 'unknown trait "neither"'),
        ("decision: mount.nconnect", "decision: mount.nothing", "mount.nothing"),
        ("    strength: may\n", "", "without strength"),
        ("expect: 2", "expect: 3", "3"),
        ("    examples:\n      - {given: {storage.platform: acme-filer, client.has_nconnect: true}, expect: 2}\n", "",
         "no example in which nconnect/acme-filer must fire"),
    ],
)
def test_what_is_wrong_in_it_is_reported_there(told: Path, old: str, new: str, words: str) -> None:
    edit(told, "kb/platforms/acme-filer.yaml", old, new)
    found = build.check(str(told), rule_files.files(str(told))).problems
    assert any(problem.file == "kb/platforms/acme-filer.yaml" and words in str(problem) for problem in found), found
