"""The keys of a screen of the wizard, below the help for its question."""

from __future__ import annotations

from advisor.document.blocks import Document
from advisor.wizard.key_page import KeyPage
from advisor.wizard.question import QuestionPane
from advisor.wizard.screen import Leaf, Sheet

EVERYWHERE = (
    ("↑ ↓ PgUp PgDn", "Move in a list or a text"), ("Enter", "Choose, or explain the line"),
    ("1 … 9", "Choose the answer that has this key before it, or this letter"), ("Ctrl+P", "All commands"),
    ("F1 … F7", "The same as the letters, while a field takes what is typed"),
    ("Mouse", "Click on an answer, a setting or a key"),
)


class Keys(KeyPage, Leaf):
    """What each key does, on the screen that was shown before."""

    def __init__(self, of: Sheet) -> None:
        super().__init__(of, EVERYWHERE)

    def introduce(self, page: Document) -> None:
        """The question with its help, which a low terminal leaves out."""
        pane = self.of.query(QuestionPane)
        fact = pane.first().fact if pane else None
        if fact is not None:
            definition = self.wizard.base.facts[fact]
            page.heading(definition.ask or definition.says, 1)
            page.para(QuestionPane.help_for(definition).plain)
