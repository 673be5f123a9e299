"""The screen with all answers, pins and settings."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList

from advisor.pages import wording
from advisor.pages.phrases import clipped, counted
from advisor.pages.screen import BAD, DIM, HEAD, WARN
from advisor.pages.why import refusal
from advisor.wizard import mounts, questions, state, words
from advisor.wizard.bars import Head, KeyBar
from advisor.wizard.pins import refusals
from advisor.wizard.preview import MountLineBar, inferred_rows, preview_rows
from advisor.wizard.row_list import ListRow, SettingList
from advisor.wizard.screen import SubScreen


class ReviewScreen(SubScreen):
    """All answers, pins and settings; Enter changes an answer or explains a setting."""

    NAME = "Review"
    DEFAULT_CSS = """
    ReviewScreen SettingList { margin: 0 1; }
    """
    KEYS = [
        ("Enter", "change, explain", "open"), ("x", "delete", "forget"), ("p", "pin", "pin"),
        ("e", "export", "export"), ("l", "mounts", "mounts"), ("u", "undo", "undo"),
        ("?", "keys", "keys"), ("Esc", "back", "leave"),
    ]
    BINDINGS = [
        Binding("x,delete", "forget", "Delete the answer, or unpin the setting"),
        Binding("p", "pin", "Pin the setting to a value"),
        Binding("e,f5", "export", "Export"),
        Binding("l,f7", "mounts", "The mounts of this host"),
        Binding("ctrl+z,u", "undo", "Undo the last change"),
        Binding("ctrl+y,U", "redo", "Redo what was undone"),
    ]

    def compose(self) -> ComposeResult:
        yield Head()
        yield MountLineBar()
        yield SettingList()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(SettingList).focus()

    def on_resize(self) -> None:
        self.show_session()

    def show_session(self) -> None:
        app = self.wizard
        several = mounts.several_advice(app.base, app.session)
        advice = mounts.mount_advice(app.base, app.session)
        counts = wording.progress_text(questions.counts(advice))
        answers = counted(len(app.session.order), "answer")
        both = f"{answers}; {counts}"
        self.query_one(Head).update_with("Review", f"{self._about()}{both}", both, counts)
        self.query_one(MountLineBar).update_with(app.base, advice)
        settings = preview_rows(app.base, advice, [], self.size.width - 4, several, every=True)
        self.query_one(SettingList).fill([*self._answers(), *self._pinned(), *settings])

    def _about(self) -> str:
        about = words.scope_text(self.wizard.base, self.wizard.session, None)
        return f"{about}; " if about else ""

    def _answers(self) -> list[ListRow]:
        app = self.wizard
        given = app.session.answers
        head = ListRow(None, Content.styled("Answers" if app.session.order else "No answers yet", HEAD))
        rows = [head]
        for fact in app.session.order:
            answer = words.UNKNOWN
            if fact not in given.unknown:
                answer = wording.answer_text(app.base, fact, given.facts[fact])
            origin = f"  found: {given.origin[fact]}" if fact in given.origin else ""
            asked = wording.question(app.base, fact)
            answer = clipped(answer, max(self.size.width - len(asked) - 8, 20))
            rows.append(ListRow(("answer", fact), Content.assemble(
                f"  {asked} ", (answer, "bold"), (origin, DIM)
            )))
        return rows + inferred_rows(mounts.inferred_answers(app.base, app.session))

    def _pinned(self) -> list[ListRow]:
        pins = self.wizard.session.answers.pins
        if not pins:
            return []
        app = self.wizard
        refused = refusals(app.base, questions.preview(app.base, app.session))
        rows = [ListRow(None, Content.styled("Pinned by you", HEAD))]
        for name, value in pins.items():
            problem = f"  {refusal(refused[name])}" if name in refused else ""
            rows.append(ListRow(("setting", name), Content.assemble(
                "  ", (f"{name} = {value}", BAD if problem else WARN), (problem, BAD)
            )))
        return rows

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        key = self.query_one(SettingList).key
        if key is None:
            return
        if key[0] == "answer":
            self.wizard.go_to_question(key[1])
        else:
            self.wizard.explain(*key)

    def action_forget(self) -> None:
        app, key = self.wizard, self.query_one(SettingList).key
        if key is None:
            return
        if key[0] == "answer":
            app.change(lambda: state.forget(app.base, app.session, key[1]))
        else:
            app.change(lambda: state.unpin(app.base, app.session, key[1]))

    def action_pin(self) -> None:
        key = self.query_one(SettingList).key
        if key is not None and key[0] == "setting":
            self.wizard.pin(key[1])
