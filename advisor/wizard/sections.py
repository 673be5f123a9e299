"""The sections of questions, with the current one and the number of open questions."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList

from advisor.pages.screen import DIM, GOOD, HEAD
from advisor.pages.style import wrap
from advisor.rulebase.model import RuleBase
from advisor.wizard import questions, state
from advisor.wizard.bars import Head, KeyBar
from advisor.wizard.questions import AskedSection
from advisor.wizard.row_list import ListRow, RowList
from advisor.wizard.screen import SubScreen
from advisor.wizard.state import Session

WIDTH = 21
"""Columns to assume before the list has a size."""


class SectionList(RowList):
    """The sections; Enter goes to the first open question of one."""

    DEFAULT_CSS = """
    SectionList > .option-list--option-highlighted { background: transparent; color: $foreground; text-style: none; }
    """

    class Hidden(Message):
        """The list had the focus when a narrower terminal hid it."""

    class Jumped(Message):
        """A section was chosen. `fact`: the question to show."""

        def __init__(self, fact: str) -> None:
            super().__init__()
            self.fact = fact

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []

    def on_hide(self) -> None:
        if self.has_focus:
            self.post_message(self.Hidden())

    def show(self, base: RuleBase, session: Session) -> None:
        here = questions.current_question(base, session) if session.at != state.MOUNT else state.MOUNT
        sections = [AskedSection("", "The mount", (state.MOUNT,) if session.answers.names else (), ())]
        sections += questions.question_sections(base, session)
        lines: list[Content] = []
        targets: list[str] = []
        at = None
        for section in sections:
            target = (*section.waiting, *section.answered, state.MOUNT)[0]
            if here in (*section.answered, *section.waiting) or (here == state.MOUNT and not section.name):
                at = len(lines)
            lines.append(_section_line(section, len(lines) == at, self.content_size.width or WIDTH))
            targets.append(target)
        if [line.plain for line in lines] != [row.content.plain for row in self.rows]:
            self.targets = targets
            self.draw(ListRow(("section", target), line) for target, line in zip(targets, lines))
        if not self.has_focus:
            self.highlighted = at

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Jumped(self.targets[event.option_index]))


def _section_line(section: AskedSection, here: bool, width: int) -> Content:
    mark, style = ("▸ ", HEAD) if here else ("✓ ", GOOD) if section.answered and not section.waiting else ("  ", "")
    number = f" {len(section.waiting)}" if section.waiting else ""
    # the last column is the scroll bar's
    title = "\n".join(wrap(f"{mark}{section.title}{number}", width - 1, "", "  "))
    title = title[len(mark) : len(title) - len(number)]
    return Content.assemble((mark, style), (title, "bold" if here else "" if section.waiting else DIM), (number, DIM))


class SectionsScreen(SubScreen):
    """The sections on a separate screen, if there is no room beside the question."""

    NAME = "Sections"
    DEFAULT_CSS = """
    SectionsScreen SectionList { height: 1fr; margin: 1 1 0 1; }
    """
    KEYS = [("Enter", "go there", "go"), ("?", "keys", "keys"), ("Esc", "back", "leave")]

    def compose(self) -> ComposeResult:
        yield Head("Sections", "how many questions matter in each")
        yield SectionList()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(SectionList).focus()
        self.show_session()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_session)

    def show_session(self) -> None:
        self.query_one(SectionList).show(self.wizard.base, self.wizard.session)

    def action_go(self) -> None:
        self.query_one(SectionList).action_select()

    @on(SectionList.Jumped)
    def _jumped(self, event: SectionList.Jumped) -> None:
        self.wizard.go_to_question(event.fact)
