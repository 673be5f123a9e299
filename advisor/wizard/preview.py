"""What follows from the answers, beside the question: the mount line, the settings, what is open."""

from __future__ import annotations

import re
from collections.abc import Iterable

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from advisor.advice.line import bars, fstab_line, lacking, mount_line, mount_options
from advisor.advice.model import Advice
from advisor.advice.several import Several
from advisor.document.screen import BAD, DIM, GOOD
from advisor.render import wording
from advisor.rulebase.model import RuleBase
from advisor.session import AdviceChange
from advisor.wizard.pins import against
from advisor.wizard.rows import ListRow, inferred, rows, unique


class SettingList(OptionList):
    """Rows of settings; Enter explains."""

    DEFAULT_CSS = """
    SettingList { height: 1fr; border: none; padding: 0; background: transparent; scrollbar-size-vertical: 1; }
    SettingList:focus { border: none; background: transparent; }
    SettingList > .option-list--option-highlighted { background: $panel; color: $foreground; text-style: none; }
    SettingList:focus > .option-list--option-highlighted {
        background: $primary-muted; color: $foreground; text-style: bold;
    }
    SettingList:ansi > .option-list--option-highlighted { background: ansi_default; color: ansi_default; }
    SettingList:focus:ansi > .option-list--option-highlighted { background: ansi_white; color: ansi_black; }
    SettingList:focus:nocolor > .option-list--option-highlighted { text-style: bold underline; }
    """

    def __init__(self) -> None:
        super().__init__(markup=False, compact=True)
        self.rows: list[ListRow] = []

    def fill(self, found: list[ListRow]) -> None:
        """Shows these rows; the one that was highlighted stays so if it is still there."""
        same = [(row.key, row.content.plain) for row in found] == [(row.key, row.content.plain) for row in self.rows]
        if same:
            return  # to draw them again would only make the key wait
        before = self.key
        self.rows = found
        self.set_options([
            Option(row.content, id=name, disabled=row.key is None) for name, row in unique(found)
        ])
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
    """The live preview."""

    DEFAULT_CSS = """
    Preview { padding: 0 1; }
    Preview #line { height: auto; max-height: 6; margin-bottom: 1; }
    """

    class Wanted(Message):
        """A row is to be explained."""

        def __init__(self, kind: str, name: str) -> None:
            super().__init__()
            self.kind, self.what = kind, name

    def compose(self) -> ComposeResult:
        yield Static(id="line", markup=False)
        yield SettingList()

    def show(
        self, base: RuleBase, advice: Advice, news: list[AdviceChange], drawn: list[tuple[str, str]],
        told: Several | None = None,
    ) -> None:
        """`drawn`: what the mount has just given away, fact and text; `told`: the advice for all of several mounts."""
        self.query_one("#line", Static).update(line(base, advice))
        wide = self.size.width or 50
        self.query_one(SettingList).fill([*inferred(drawn), *rows(base, advice, news, wide, told)])

    @property
    def key(self) -> tuple[str, str] | None:
        return self.query_one(SettingList).key

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        key = self.key
        if key is not None:
            self.post_message(self.Wanted(*key))


def _marked(text: str, advice: Advice, defied: Iterable[str]) -> list[tuple[str, str]]:
    """The line in pieces, with what must not stand there in red."""
    wrong = [one.text for one in mount_options(advice) if one.tunable in defied]
    if not wrong:
        return [(text, GOOD)]
    return [(part, BAD if part in wrong else GOOD) for part in re.split(r"([\s,]+)", text)]


def line(base: RuleBase, advice: Advice) -> Content:
    """The line for fstab, as far as it is known."""
    if advice.server:
        return Content.styled("What to set on the server. Enter explains a line.", DIM)
    bar = next((one for one in advice.advised if bars(one)), None)
    if bar is not None:
        return Content.styled(f"No mount line. {bar.why}", DIM)
    if not mount_options(advice):
        return Content.styled("The mount line comes with the first answers. Enter explains a line.", DIM)
    missing = ", ".join(wording.label(base.tunables[one.tunable]) for one in lacking(base, advice))
    text = mount_line(advice)
    return Content.assemble(
        ("/etc/fstab  " if text == fstab_line(advice) else "", DIM), *_marked(text, advice, against(base, advice)),
        (f"  (not complete: {missing})" if missing else "", DIM),
    )
