"""The keys of the first screen and their actions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from textual.actions import SkipAction
from textual.binding import Binding
from textual.widgets import Input

from advisor.pages.blocks import Block, Document
from advisor.wizard import advice_cache, files, mounts, state, words
from advisor.wizard.choices import Choices
from advisor.wizard.preview import Preview
from advisor.wizard.question_pane import QuestionPane
from advisor.wizard.row_list import SettingList
from advisor.wizard.screen import SessionScreen
from advisor.wizard.sections import SectionList, SectionsScreen

if TYPE_CHECKING:
    from advisor.wizard.app import Wizard


class QuestionKeys(SessionScreen):
    """The keys and actions of QuestionScreen."""

    NAME = "Questions"
    KEYS = [
        ("Enter", "choose", "enter"), ("d", "don't know", "unknown"), ("←", "back", "back"),
        ("Tab", "settings", "other"), ("e", "export", "export"), ("?", "keys", "keys"), ("u", "undo", "undo"),
        ("/", "find", "find"), ("r", "review", "review"), ("g", "sections", "sections"), ("l", "mounts", "mounts"),
        ("y", "copy", "copy"), ("m", "more", "more"), ("c", "compare", "compare"), ("q", "quit", "quit"),
    ]
    FIRST_OF_MANY: ClassVar[set[str]] = {"enter", "unknown", "back", "other", "keys", "find"}
    """Actions whose keys come first if there are many answers, among them the search for answers without a key."""
    FIELD: ClassVar[list[tuple[str, str, str]]] = [
        ("Enter", "take it", "enter"), ("↓", "choices", "down"), ("Esc", "leave the field", "question"),
        ("F5", "export", "export"), ("F1", "keys", "keys"), ("Tab", "settings", "other"), ("Ctrl+Q", "quit", "quit"),
    ]
    SETTINGS: ClassVar[list[tuple[str, str, str]]] = [
        ("Enter", "explain", "enter"), ("p", "pin", "pin"), ("w", "why not", "why_not"), ("i", "what if", "what_if"),
        ("a", "answer", "answer"), ("o", "the rest", "rest"), ("Tab", "question", "other"), ("e", "export", "export"),
        ("?", "keys", "keys"), ("q", "quit", "quit"),
    ]
    SECTIONS: ClassVar[list[tuple[str, str, str]]] = [
        ("Enter", "go there", "enter"), ("Esc", "question", "question"), ("?", "keys", "keys"), ("q", "quit", "quit"),
    ]
    BINDINGS = [
        Binding("left,alt+left", "back", "Back to the answer before"),
        Binding("right,alt+right", "forward", "Forward, to the next open question at the end"),
        Binding("d", "unknown", "I don't know; also in an empty field for a number or a version"),
        Binding("D", "unknown", show=False),
        Binding("tab", "other", "Between the question and the settings"),
        Binding("shift+tab", "other", show=False),
        Binding("escape", "question", "Out of a field or list; from the question to where you came from"),
        Binding("down", "down", show=False, priority=True),
        Binding("ctrl+z,u", "undo", "Undo the last change"),
        Binding("ctrl+y,U", "redo", "Redo what was undone"),
        Binding("o", "rest", "Show or hide what is open, optional or fine without a change"),
        Binding("g", "sections", "The sections of questions, to go to one"),
        Binding("p", "pin", "Pin the setting to a value"),
        Binding("w", "why_not", "Why the setting has no other value"),
        Binding("i", "what_if", "What would have to be different for another value"),
        Binding("a", "answer", "Answer the question that settles the setting, or that it rests on"),
        Binding("m,f6", "more", "Also the questions that could only fine-tune, or not these"),
        Binding("r,f2", "review", "Review all answers and settings"),
        Binding("y", "copy", "Copy the mount line"),
        Binding("e,f5", "export", "Export what is settled, at any time"),
        Binding("c,f4", "compare", "Compare with an fstab"),
        Binding("l,f7", "mounts", "The mounts of this host: add one, go to one, remove one"),
        Binding("s", "side", "The other side: the server of these clients, or the clients of this server"),
        Binding("x", "forget", "Delete the answer to this question"),
        Binding("t", "theme", "Next theme: dark, light, the terminal's own colours"),
        Binding("q", "quit", "Quit; the answers are saved"),
    ]
    app: Wizard

    def key_page_text(self) -> Iterable[Block]:
        """The question with its help, for which a low terminal has no room."""
        page, fact = Document(), self.query_one(QuestionPane).fact
        if fact is not None:
            definition = self.app.base.facts[fact]
            page.heading(definition.ask or definition.says, 1)
            page.para(QuestionPane.help_for(definition).plain)
        return page.blocks

    def bar(self) -> list[tuple[str, str, str]]:
        """The keys of the focused widget."""
        focused = self.focused
        keys = (
            self.SETTINGS if isinstance(focused, SettingList) else self.SECTIONS if isinstance(focused, SectionList)
            else self.FIELD if isinstance(focused, Input) else self.KEYS
        )
        idle = {"unknown"} if keys is self.KEYS and self._place_of_unknown() is None else set()
        if state.back(self.app.session) == self.app.session:
            idle.add("back")
        if keys is self.KEYS and self.has_class("-many"):
            keys = sorted(keys, key=lambda entry: entry[2] not in self.FIRST_OF_MANY)
        keys = [entry for entry in keys if entry[2] not in idle]
        left = self.app.left if isinstance(focused, Choices) else []
        back = [("Esc", f"to {screen.NAME.lower()}", "question") for screen in left[-1:]]
        return [(key, says, f"screen.{action}") for key, says, action in (*back, *keys)]

    def action_enter(self) -> None:
        focused = self.focused
        if isinstance(focused, (Choices, SettingList, SectionList)):
            focused.action_select()
        elif isinstance(focused, Input):
            self.run_worker(focused.action_submit())

    def action_other(self) -> None:
        """Moves the focus between the question and the settings."""
        settings = self.query_one(SettingList)
        if settings.has_focus:
            self.focus_question()
        else:
            settings.focus()

    def focus_question(self) -> None:
        field = self.query_one(QuestionPane).query_one(Input)
        (field if field.display else self.query_one(Choices)).focus()

    def action_question(self) -> None:
        """Returns from a field or another list to the question; from there to the screens that were left for it."""
        choices = self.query_one(Choices)
        if choices.has_focus and self.app.left:
            self.app.return_to_left_screens()
        elif self.query_one(SectionList).has_focus or self.query_one(SettingList).has_focus:
            self.focus_question()
        else:
            choices.focus()

    def action_unknown(self) -> None:
        """Answers "I don't know"; if the question is not about a fact, continues without an answer."""
        place = self._place_of_unknown()
        if place is not None:
            choices = self.query_one(Choices)
            choices.highlighted = place
            choices.action_select()

    def _place_of_unknown(self) -> int | None:
        """The index of "I don't know", or of the choice that continues without an answer; None without either."""
        acts = [choice.act for choice in self.query_one(Choices).choices]
        return next((acts.index(act) for act in ("unknown", "skip") if act in acts), None)

    def action_rest(self) -> None:
        preview = self.query_one(Preview)
        preview.unfolded = not preview.unfolded
        self.show_session()

    def action_sections(self) -> None:
        rail = self.query_one(SectionList)
        if rail.display:
            rail.focus()
        else:
            self.app.push_screen(SectionsScreen())

    def _explain(self, then: str) -> None:
        """Explains the highlighted setting and runs an action of the explanation."""
        setting = self._highlighted_setting()
        if setting is not None:
            self.app.explain("setting", setting, then)

    def _highlighted_setting(self) -> str | None:
        """The highlighted setting; None, with a hint, if the settings do not have the focus."""
        key = self.query_one(Preview).key
        if key is not None and key[0] == "setting" and self.query_one(SettingList).has_focus:
            return key[1]
        self.tell("p, w, i and a work on a setting: press Tab, then choose one with the arrows.")
        return None

    def tell(self, text: str) -> None:
        """Shows a text above the choices, or as a notification if the settings have the focus."""
        if self.query_one(SettingList).has_focus:
            self.notify(text, timeout=4, markup=False)
        else:
            self.query_one(QuestionPane).say(text)

    def action_why_not(self) -> None:
        self._explain("why_not")

    def action_what_if(self) -> None:
        self._explain("what_if")

    def action_copy(self) -> None:
        """Copies the mount line."""
        self._copy("The mount line", words.mount_lines(self.app.base, self.app.session))
        for text in words.incomplete_notes(self.app.base, self.app.session):
            self.notify(text, severity="warning", timeout=8, markup=False)

    def action_commands(self) -> None:
        try:
            self._copy("The mount command", files.mount_commands(self.app.base, self.app.session))
        except ValueError as error:
            self.notify(str(error), severity="warning", timeout=8, markup=False)

    def _copy(self, what: str, lines: list[str]) -> None:
        from advisor.wizard.export import copy_screen  # noqa: PLC0415  few copy anything

        if lines:
            self.app.push_screen(copy_screen(what, "\n".join(lines)))
        else:
            self.tell("There is no mount line yet.")

    def action_answer(self) -> None:
        self._explain("answer")

    def go_to_line_change(self) -> None:
        """Goes to the first question whose answer would change the mount line."""
        facts = self.app.base.facts
        line_changes = advice_cache.cached(self.app.base, advice_cache.LineChangesOf(self.app.session.answers)) or ()
        asked = [change.fact for change in line_changes if change.fact in facts and facts[change.fact].ask]
        if asked:
            self.app.set_session(state.go(self.app.session, asked[0]))
            self.focus_question()

    def action_down(self) -> None:
        """Moves the focus from a field to the list below it. It runs with priority, before the next key arrives; in a
        list it is skipped, so that the list handles the key."""
        if not isinstance(self.focused, Input):
            raise SkipAction
        self.set_focus(self.query_one(Choices), scroll_visible=False)

    def action_back(self) -> None:
        self.app.set_session(state.back(self.app.session))

    def action_forward(self) -> None:
        self.app.set_session(state.forward(self.app.session))

    def action_more(self) -> None:
        self.app.set_session(self.app.session._replace(fine=not self.app.session.fine, at=None))

    def action_side(self) -> None:
        app = self.app
        if mounts.other_role(app.base, app.session) is None:
            self.tell(words.NO_OTHER_SIDE)
        else:
            app.change(lambda: mounts.go_to_other_side(app.base, app.session))

    def action_forget(self) -> None:
        fact = self.query_one(QuestionPane).fact
        if fact is not None:
            self.app.change(lambda: state.forget(self.app.base, self.app.session, fact))

    def action_pin(self) -> None:
        setting = self._highlighted_setting()
        if setting is not None:
            self.app.pin(setting)
