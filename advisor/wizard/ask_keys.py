"""What the keys of the first screen do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.actions import SkipAction
from textual.binding import Binding
from textual.widgets import Input

from advisor import session as state
from advisor.wizard.choices import Choices
from advisor.wizard.preview import Preview, SettingList
from advisor.wizard.question import QuestionPane
from advisor.wizard.screen import Sheet

if TYPE_CHECKING:
    from advisor.wizard.app import Wizard


class AskKeys(Sheet):
    """The keys; Ask is what they work on."""

    NAME = "Questions"
    KEYS = [
        ("Enter", "choose", "enter"), ("?", "keys", "keys"), ("e", "export", "export"), ("←", "back", "back"),
        ("Tab", "settings", "other"), ("u", "undo", "undo"), ("/", "find", "find"), ("l", "mounts", "mounts"),
        ("r", "review", "review"),
        ("m", "more", "more"), ("c", "compare", "compare"), ("q", "quit", "quit"),
    ]
    BINDINGS = [
        Binding("left,alt+left", "back", "Back to the answer before"),
        Binding("right,alt+right", "forward", "Forward, to the next open question at the end"),
        Binding("tab", "other", "Between the question and the settings"),
        Binding("shift+tab", "other", show=False),
        Binding("escape", "question", "Back to the question; out of a field, so that letters are keys"),
        Binding("down", "down", show=False, priority=True),
        Binding("ctrl+z,u", "undo", "Undo the last change"),
        Binding("ctrl+y,U", "redo", "Redo what was undone"),
        Binding("p", "pin", "Pin a setting to a value"),
        Binding("m,f6", "more", "Also the questions that could only fine-tune, or not these"),
        Binding("r,f2", "review", "Review all answers and settings"),
        Binding("e,f5", "export", "Export what is settled, at any time"),
        Binding("c,f4", "compare", "Compare with an fstab"),
        Binding("l,f7", "mounts", "The mounts of this host: add one, go to one, take one out"),
        Binding("x", "forget", "Take the answer to this question back"),
        Binding("t", "theme", "Next theme: dark, light, the terminal's own colours"),
        Binding("q", "quit", "Quit; the answers are kept"),
    ]
    app: Wizard

    def action_enter(self) -> None:
        focused = self.focused
        if isinstance(focused, (Choices, SettingList)):
            focused.action_select()

    def action_other(self) -> None:
        """Between question and settings."""
        settings = self.query_one(SettingList)
        if settings.has_focus:
            field = self.query_one(QuestionPane).query_one(Input)
            (field if field.display else self.query_one(Choices)).focus()
        else:
            settings.focus()

    def action_question(self) -> None:
        self.query_one(Choices).focus()

    def action_down(self) -> None:
        """From a field to the list below it, before the next key is looked at; in a list the key is the list's own."""
        if not isinstance(self.focused, Input):
            raise SkipAction
        self.set_focus(self.query_one(Choices), scroll_visible=False)

    def action_back(self) -> None:
        self.app.move(state.back(self.app.session))

    def action_forward(self) -> None:
        self.app.move(state.forward(self.app.session))

    def action_undo(self) -> None:
        self.app.change(lambda: state.undo(self.app.session))

    def action_redo(self) -> None:
        self.app.change(lambda: state.redo(self.app.session))

    def action_more(self) -> None:
        self.app.move(self.app.session._replace(fine=not self.app.session.fine, at=None))

    def action_forget(self) -> None:
        fact = self.query_one(QuestionPane).fact
        if fact is not None:
            self.app.change(lambda: state.forget(self.app.base, self.app.session, fact))

    def action_pin(self) -> None:
        key = self.query_one(Preview).key
        if key is None or key[0] != "setting" or not self.query_one(SettingList).has_focus:
            self.notify("Choose a setting first: Tab, then the arrows, then p.", timeout=4)
        else:
            self.app.pin(key[1])
