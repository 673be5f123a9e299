"""Why something is found at a place, and what the setting there is: pages of `advisor explain`, as Markdown."""

from __future__ import annotations

from lsprotocol.types import Hover, MarkupContent, MarkupKind

from advisor.document.markdown import markdown
from advisor.lsp.cursor import cursor
from advisor.lsp.vocabulary import named
from advisor.render.pages import named as pages
from advisor.render.rule_pages import in_short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lsprotocol.types import Position

    from advisor.lsp.judging import JudgedText
    from advisor.lsp.places import Places
    from advisor.rulebase.model import RuleBase

RULE = "\n---\n\n"
"""Markdown's line between two pages."""


def hover(base: RuleBase, places: Places, judged: JudgedText, where: Position) -> Hover | None:
    """The rules that find something at a place, and the setting that is written there."""
    offset = places.offset(where)
    names = []
    for f in judged.findings:
        at = places.span(f.line, f.column, f.end_column)
        if places.offset(at.start) <= offset < places.offset(at.end):
            names.append(f.rule)
    known = pages(base) if names else {}
    lines = [markdown(page.make()) for name in dict.fromkeys(names) for page in known.get(name, ())]
    found = cursor(judged.kind, places.text, offset) if judged.kind else None
    if found is not None:
        lines += [markdown(in_short(base, one)) for one in named(base, judged.kind or "", found)]
    return Hover(MarkupContent(MarkupKind.Markdown, RULE.join(lines))) if lines else None
