"""What follows from the answers, beside the question: what must and should be set, what would change it, what else."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, OptionList

from advisor.advice.model import Advice
from advisor.advice.several import Several
from advisor.rulebase.model import RuleBase
from advisor.session import AdviceChange, LineChange
from advisor.wizard.row_list import ListRow, RowList, text_of
from advisor.wizard.rows import FOLD, inferred, rows
from advisor.wizard.screen import Leaf


class SettingList(RowList):
    """Rows of settings; Enter explains."""

    DEFAULT_CSS = "SettingList { height: 1fr; }"

    def fill(self, found: list[ListRow]) -> None:
        """Shows these rows; the one that was highlighted stays so if it is still there."""
        if [row.key for row in found] == [row.key for row in self.rows]:  # the view stays where it is
            for place, (row, old) in enumerate(zip(found, self.rows)):
                if text_of(row.content) != text_of(old.content):
                    self.replace_option_prompt_at_index(place, row.content)
            self.rows = found
            return
        before = self.key
        self.draw(found)
        self.scroll_home(animate=False)
        if before is not None and self.has_focus:
            self.highlighted = next((place for place, row in enumerate(found) if row.key == before), None)

    @property
    def key(self) -> tuple[str, str] | None:
        """Kind and name of the highlighted row."""
        if self.highlighted is None or self.highlighted >= len(self.rows):
            return None
        return self.rows[self.highlighted].key

    def on_focus(self) -> None:
        if self.highlighted is None:
            self.action_first()


class Preview(Vertical):
    """The live preview. `unfolded`: also what is open, what is optional, figures and possible bugs."""

    DEFAULT_CSS = "Preview { padding: 0 1; }"

    class Wanted(Message):
        """A row is to be explained."""

        def __init__(self, kind: str, name: str) -> None:
            super().__init__()
            self.kind, self.what = kind, name

    class LookedAt(Message):
        """Another row is highlighted, while the list has the focus."""

        def __init__(self, kind: str, name: str) -> None:
            super().__init__()
            self.kind, self.what = kind, name

    def __init__(self) -> None:
        super().__init__()
        self.unfolded = False

    def compose(self) -> ComposeResult:
        yield SettingList()

    def show(
        self, base: RuleBase, advice: Advice, news: list[AdviceChange], drawn: list[tuple[str, str]], *,
        several: Several | None = None, turns: Sequence[LineChange] | None = (),
    ) -> None:
        """`drawn`: what the mount has just given away, fact and text; `several`: the advice for all of several mounts;
        `turns`: what would change the mount line; None while that is worked out."""
        wide = max(self.size.width - 3, 20) if self.size.width else 50
        self.query_one(SettingList).fill(
            [*inferred(drawn), *rows(base, advice, news, wide, several, turns=turns, unfolded=self.unfolded)]
        )

    @property
    def key(self) -> tuple[str, str] | None:
        return self.query_one(SettingList).key

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        key = self.key
        if key is not None:
            self.post_message(self.Wanted(*key))

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        key = self.key
        if key is not None and self.query_one(SettingList).has_focus and key != FOLD:
            self.post_message(self.LookedAt(*key))


class FieldPage(Leaf):
    """A screen with a field, and a list of what follows from what was written there."""

    def action_list(self) -> None:
        found = self.query_one(SettingList)
        (self.query_one(Input) if found.has_focus or not found.rows else found).focus()
