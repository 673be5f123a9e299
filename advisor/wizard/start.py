"""The first screen: what can be done, and the mounts that were found on this host. Nothing on it takes text, so a digit
always does what stands beside it."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import OptionList, Static

from advisor.pages.phrases import counted
from advisor.wizard import mounts, steps
from advisor.wizard.commands import Key
from advisor.wizard.rows import list_row
from advisor.wizard.screen import SessionScreen, bindings
from advisor.wizard.widgets import Choices, Head, KeyBar, SettingList

SAYS = "NFS settings for this place and this work, each with its reason."
EMPTY = "Nothing yet: no NFS line is in /etc/fstab here. Configure a mount asks for one."


class StartScreen(SessionScreen):
    """The tasks by number, and below them the lines of fstab."""

    NAME = "Start"
    PLACE = "start"
    BINDINGS = bindings(PLACE)
    DEFAULT_CSS = """
    StartScreen { align: center top; }
    StartScreen #stage { max-width: 124; height: 1fr; }
    StartScreen #says { color: $quiet; margin: 1 2; height: 1; }
    StartScreen.-low #says, StartScreen.-short #says { display: none; }
    StartScreen #menu { width: 100%; height: auto; max-height: 70%; }
    StartScreen Choices { height: auto; min-height: 1; }
    StartScreen #host { width: 100%; height: auto; max-height: 1fr; min-height: 3; }
    StartScreen SettingList { height: auto; max-height: 100%; }
    StartScreen #empty { color: $quiet; height: auto; }
    """

    def compose(self) -> ComposeResult:
        yield Head("", "")
        with Vertical(id="stage"):
            yield Static(SAYS, id="says", markup=False)
            with Vertical(id="menu", classes="pane") as menu:
                menu.border_title = "What to do"
                yield Choices()
            with Vertical(id="host", classes="pane") as host:
                host.border_title = "Found on this host"
                host.border_subtitle = "read from files; no server was asked"
                yield Static(id="empty", markup=False)
                yield SettingList(classes="")
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.show_session()
        self.query_one(Choices).focus()
        self.call_after_refresh(self.wizard.first_frame)

    def show_session(self) -> None:
        app, menu = self.wizard, self.query_one(Choices)
        choices = steps.start_choices(app.session, app.tasks, app.saved)
        if choices != menu.choices:
            menu.offer(choices)
        rows = [
            list_row(("line", str(number)), (mounts.label_of(*line.mount), "strong"), (f"  {line.mount.place}", "dim"))
            for number, line in enumerate(app.mounts)
        ]
        self.query_one(SettingList).fill(rows)
        self.query_one(SettingList).display = bool(rows)
        empty = self.query_one("#empty", Static)
        empty.update("Reading the files of this host …" if app.reading else EMPTY)
        empty.display = not rows
        self.query_one(Head).update_with("", f"{counted(len(app.found), 'answer')} found here" if app.found else "")
        self.query_one(KeyBar).show(self.bar())

    def bar(self) -> list[Key]:
        return [key for key in super().bar() if key[1] != "mounts below" or self.wizard.mounts]

    def on_key(self, event: events.Key) -> None:
        if self.query_one(Choices).press(event.key):
            event.stop()

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        app, menu = self.wizard, self.query_one(Choices)
        if event.option_list is not menu:
            self.action_open()
            return
        choice = menu.choices[event.option_index]
        if choice.act == "do":
            app.call_later(self.action_command, choice.value)
        else:
            app.resume(choice.value if choice.act == "resume" else None)
            app.show_question()

    def action_open(self) -> None:
        """Goes on with the line under the cursor."""
        app, key = self.wizard, self.query_one(SettingList).key
        if key is not None:
            app.resume(None)
            refused = app.change(lambda: mounts.use_line(app.base, app.session, app.mounts[int(key[1])]))
            if refused is None:
                app.show_question()
            else:
                self.notify(str(refused), severity="warning", markup=False)

    def action_other(self) -> None:
        """Moves the focus between the tasks and the mounts."""
        menu, found = self.query_one(Choices), self.query_one(SettingList)
        (found if menu.has_focus and found.display else menu).focus()
