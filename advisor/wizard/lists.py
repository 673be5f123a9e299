"""The screens with all answers, pins and settings, and with the mounts of the session."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, OptionList

from advisor.pages import wording
from advisor.pages.phrases import counted
from advisor.pages.screen import DIM
from advisor.wizard import mounts, questions, state, steps
from advisor.wizard.advice_cache import AllMounts, Request
from advisor.wizard.panes import MountLineBar
from advisor.wizard.rows import heading, list_row, mount_rows, session_rows
from advisor.wizard.screen import FieldScreen, SubScreen, bindings
from advisor.wizard.state import Session
from advisor.wizard.widgets import Head, KeyBar, SettingList


class ReviewScreen(SubScreen):
    """All answers, pins and settings; Enter changes an answer or explains a setting."""

    NAME = "Review"
    DEFAULT_CSS = """
    ReviewScreen SettingList { margin: 0 1; }
    """
    PLACE = "review"
    BINDINGS = bindings(PLACE)

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
        advice = mounts.mount_advice(app.base, app.session)
        counts = wording.progress_text(questions.counts(advice))
        answers = counted(len(app.session.order), "answer")
        both = f"{answers}; {counts}"
        self.query_one(Head).update_with("Review", f"{self._about()}{both}", both, counts)
        self.query_one(MountLineBar).update_with(app.base, advice)
        self.query_one(SettingList).fill(session_rows(app.base, app.session, self.size.width - 4))

    def _about(self) -> str:
        about = steps.scope_text(self.wizard.base, self.wizard.session, None)
        return f"{about}; " if about else ""

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


class MountsScreen(FieldScreen):
    """A field for one more mount, and the list. `written`: the text of the field."""

    NAME = "Mounts"
    PLACE = "mounts"
    BINDINGS = bindings(PLACE)

    def __init__(self, written: str = "") -> None:
        super().__init__()
        self.written = written

    def compose(self) -> ComposeResult:
        yield from self.parts(
            Input(self.written, placeholder=mounts.EXAMPLE, compact=True),
            label="One more mount of this host, as in fstab; Enter adds it.",
        )

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.show_session()
        if self.written.strip():
            self._write()

    def show_session(self) -> None:
        app = self.wizard
        named = [mount for mount in app.session.mounts if mount.answers.names]
        self.query_one(Head).update_with("Mounts", f"{counted(len(named), 'mount')} of this host")
        rows = [heading("In this session (Enter goes there)")] if named else []
        rows += mount_rows(app.base, app.session)
        labels = {mounts.mount_label(mount.answers) for mount in app.session.mounts}
        labelled = [(mounts.label_of(*line.mount), line.mount.place) for line in app.mounts]
        rows.append(heading("To add (Enter adds it)"))
        rows += [
            list_row(("line", str(number)), "  ", label, (f"  {place}", DIM))
            for number, (label, place) in enumerate(labelled) if label not in labels
        ]
        rows.append(list_row(("file", ""), "  A line of another fstab …"))
        self.query_one(SettingList).fill(rows)

    def show_computed(self, request: Request) -> None:
        if isinstance(request, AllMounts):
            self.show_session()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self._write()
        else:
            self.action_leave()

    def _write(self) -> None:
        app, field = self.wizard, self.query_one(Input)
        if self._change(partial(mounts.add_text, app.base, app.session, field.value)):
            field.value = ""

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        app, key = self.wizard, self.query_one(SettingList).key
        if self.query_one(Input).has_focus:
            self._write()
        elif key is None:
            return
        elif key[0] == "mount":
            app.set_session(mounts.go_to_mount(app.base, state.go(app.session, None), int(key[1])))
            self.dismiss(None)
        elif key[0] == "line":
            self._change(partial(mounts.add_lines, app.base, app.session, [app.mounts[int(key[1])]]))
        else:
            app.ask_for_fstab()

    def _change(self, step: Callable[[], Session]) -> bool:
        refused = self.wizard.change(step)
        self.show_result("" if refused is None else str(refused))
        return refused is None

    def action_remove(self) -> None:
        app, key = self.wizard, self.query_one(SettingList).key
        if key is not None and key[0] == "mount":
            self._change(partial(mounts.remove, app.base, app.session, int(key[1])))
