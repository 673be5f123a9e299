"""The condition of the rule that won, part by part, with what is known of each fact."""

from __future__ import annotations

from typing import Any

from advisor.advice.model import Advice, Recommendation
from advisor.engine import Proof, proof
from advisor.rulebase.model import RuleBase
from advisor.wizard import words
from advisor.wizard.paper import BAD, DIM, GOOD, WARN, Paper

MARKS = {True: ("✓ ", GOOD), False: ("✗ ", BAD), None: ("? ", WARN)}
_KINDS = {"all": "all of these", "any": "any of these", "not": "not"}


def proof_tree(paper: Paper, base: RuleBase, advice: Advice, one: Recommendation) -> None:
    """Draws the proof of the winning rule; nothing for one that always holds."""
    if not one.rule:
        return
    state = {fact: mask for fact, mask in advice.state.items() if fact != one.tunable}
    found = next((told for told in proof(base.engine, one.tunable, state) if told.rule == one.rule.id), None)
    if found is None:
        return
    paper.heading(f"The rule {found.rule} ({found.layer})")
    parts = found.tree.parts if found.tree.kind == "all" else (found.tree,)
    if not parts:
        paper.para("holds always, unless a stronger rule says otherwise", 2, "✓ ", DIM)
    for part in parts:
        _part(paper, base, part, 2)
    _beats(paper, found)


def _beats(paper: Paper, found: Proof) -> None:
    if found.beaten_by:
        paper.para(f"could be beaten by {', '.join(found.beaten_by)}, which does not apply here", 2, style=DIM)


def _part(paper: Paper, base: RuleBase, part: Any, indent: int) -> None:
    mark, style = MARKS[part.verdict]
    if part.kind in _KINDS and part.parts:
        paper.add(" " * indent, (mark, style), (_KINDS[part.kind], DIM))
        for inner in part.parts:
            _part(paper, base, inner, indent + 2)
        return
    need, have = _plain(base, part.kind, part.need), _plain(base, part.kind, part.have)
    has = "" if have == need else f"; known: {have}"
    start = len(paper.lines)
    paper.para(f"{part.kind} is {need}{has}", indent, mark)
    if start < len(paper.lines):
        line = paper.lines[start]
        paper.lines[start] = line.stylize(style, indent, indent + 1)


def _plain(base: RuleBase, fact: str, text: str) -> str:
    """The engine's words, with labels and yes or no."""
    if text in ("true", "false"):
        return "yes" if text == "true" else "no"
    return words.clipped(text, 60) if fact in base.facts else text
