"""An exports file in full: what each client gets, with the defaults of the options that are left out."""

from __future__ import annotations

from advisor.document.blocks import Block, Document, codes
from advisor.lint.export_options import each_in_full
from advisor.lint.rule_index import RuleIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase


def exported(base: RuleBase, source: str) -> list[Block]:
    """Every export of this text, one or more lines of exports(5); none where it has none."""
    page = Document()
    for path, client, full in each_in_full(RuleIndex(base, {}, kind="exports"), source):
        page.heading(f"{path} to {client or 'every host'}")
        if isinstance(full, str):
            page.para(full)
        else:
            rows = [("written", full.written), ("without effect", full.idle), ("by default", full.defaults)]
            page.pairs((label, codes(names)) for label, names in rows if names)
    return page.blocks
