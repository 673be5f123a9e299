"""The first screen: what can be done, the mounts of this host among it. Nothing on it takes text, so a digit always
does what stands beside it."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import OptionList, Static

from advisor.pages.phrases import counted
from advisor.wizard import steps
from advisor.wizard.screen import SessionScreen, bindings
from advisor.wizard.widgets import Choices, Head, KeyBar

SAYS = "NFS settings for this place and this work, each with its reason."


class StartScreen(SessionScreen):
    """The tasks and the lines of fstab by number."""

    NAME = "Start"
    PLACE = "start"
    BINDINGS = bindings(PLACE)
    DEFAULT_CSS = """
    StartScreen { align: center middle; }
    StartScreen Head { dock: top; }
    StartScreen #says { color: $quiet; width: 100%; max-width: 104; padding: 0 2; margin-bottom: 1; }
    StartScreen.-low #says, StartScreen.-short #says { display: none; }
    StartScreen #menu { width: 100%; max-width: 104; height: auto; max-height: 100%; }
    StartScreen Choices { height: auto; min-height: 1; max-height: 100%; }
    """

    def compose(self) -> ComposeResult:
        yield Head("", "")
        yield Static(SAYS, id="says", markup=False)
        with Vertical(id="menu", classes="pane") as menu:
            menu.border_title = "What to do"
            yield Choices()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.show_session()
        self.query_one(Choices).focus()
        self.call_after_refresh(self.wizard.first_frame)

    def show_session(self) -> None:
        app, menu = self.wizard, self.query_one(Choices)
        choices = steps.start_choices(app.session, app.tasks, app.saved, app.mounts)
        if [choice._replace(selected=False) for choice in menu.choices] != choices:
            menu.offer(choices)
        self.query_one("#menu").border_subtitle = (
            "reading the files of this host …" if app.reading else
            f"{counted(len(app.mounts), 'NFS line')} found in fstab; no server was asked" if app.mounts else
            "no NFS line found in /etc/fstab"
        )
        self.query_one(Head).update_with("", f"{counted(len(app.found), 'answer')} found here" if app.found else "")

    def on_key(self, event: events.Key) -> None:
        if self.query_one(Choices).press(event.key):
            event.stop()

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        app, menu = self.wizard, self.query_one(Choices)
        choice, marked = menu.choices[event.option_index], menu.marked
        if choice.act == "do":
            app.call_later(self.action_command, choice.value)
            return
        app.resume(choice.value if choice.act == "resume" else None)
        if choice.act == "mount":
            act, value = ("marked", marked) if marked else ("mount", choice.value)
            refused = app.change(lambda: steps.take(app.base, app.session, None, act, value, found=app.found))
            if refused is not None:
                self.notify(str(refused), severity="warning", markup=False)
                return
        app.show_question()
