"""Hover texts on findings and settings: pages of `advisor explain` as Markdown."""

from __future__ import annotations

from lsprotocol.types import Hover, MarkupContent, MarkupKind

from advisor.lsp.cursor import cursor, settings_at
from advisor.pages.kb import pages_by_name as pages
from advisor.pages.markdown import markdown
from advisor.pages.rule_pages import summary_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lsprotocol.types import Position

    from advisor.lsp.positions import Positions
    from advisor.lsp.server import JudgedText
    from advisor.rulebase.model import RuleBase

RULE = "\n---\n\n"
"""Markdown's line between two pages."""


def hover(base: RuleBase, positions: Positions, judged: JudgedText, where: Position) -> Hover | None:
    """The pages of the rules with findings at a position, and of the setting there; None if there are neither."""
    offset = positions.offset(where)
    names = []
    for f in judged.findings:
        at = positions.span(f.line, f.column, f.end_column)
        if positions.offset(at.start) <= offset < positions.offset(at.end):
            names.append(f.rule)
    known = pages(base) if names else {}
    lines = [markdown(page.make()) for name in dict.fromkeys(names) for page in known.get(name, ())]
    word = cursor(judged.kind, positions.text, offset) if judged.kind else None
    if word is not None:
        lines += [markdown(summary_page(base, tunable)) for tunable in settings_at(base, judged.kind or "", word)]
    return Hover(MarkupContent(MarkupKind.Markdown, RULE.join(lines))) if lines else None
