"""The screen with the mounts of the session: adds, shows or removes one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from advisor.pages.phrases import counted
from advisor.pages.screen import DIM, GOOD, HEAD
from advisor.wizard import mounts, state, words
from advisor.wizard.advice_cache import AllMounts, Request
from advisor.wizard.bars import Head, KeyBar
from advisor.wizard.row_list import ListRow, SettingList
from advisor.wizard.screen import FieldScreen
from advisor.wizard.state import Session


class MountsScreen(FieldScreen):
    """A field for one more mount, and the list. `written`: the text of the field."""

    NAME = "Mounts"
    DEFAULT_CSS = """
    MountsScreen #label { padding: 1 1 0 1; height: auto; color: $text-muted; }
    MountsScreen Input { margin: 0 1; }
    MountsScreen #result { padding: 0 1; height: auto; }
    MountsScreen SettingList { margin: 1 1 0 1; }
    MountsScreen.-short #label, MountsScreen.-low #label { padding: 0 1; }
    """
    KEYS = [
        ("Enter", "add, go to", "open"), ("↓", "list", "list"), ("x", "remove", "remove"), ("u", "undo", "undo"),
        ("F1", "keys", "keys"), ("Esc", "back", "leave"),
    ]
    BINDINGS = [
        Binding("down", "list", "To the list"),
        Binding("tab", "list", "Between the field and the list"),
        Binding("x,delete", "remove", "Remove the mount from the session"),
        Binding("ctrl+z,u", "undo", "Undo the last change"),
        Binding("ctrl+y,U", "redo", "Redo what was undone"),
    ]

    def __init__(self, written: str = "") -> None:
        super().__init__()
        self.written = written

    def compose(self) -> ComposeResult:
        yield Head()
        yield Static("One more mount of this host, as in fstab; Enter adds it.", id="label", markup=False)
        yield Input(self.written, placeholder=mounts.EXAMPLE, compact=True)
        yield Static(id="result", markup=False)
        yield SettingList()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.show_session()
        if self.written.strip():
            self._write()

    def show_session(self) -> None:
        app = self.wizard
        named = [mount for mount in app.session.mounts if mount.answers.names]
        self.query_one(Head).update_with("Mounts", f"{counted(len(named), 'mount')} of this host")
        far = {mount.place: words.mount_progress(mount) for mount in mounts.other_mounts(app.base, app.session)}
        rows = [ListRow(None, Content.styled("In this session (Enter goes there)", HEAD))] if named else []
        rows += [
            ListRow(("mount", str(place)), Content.assemble(
                ("✓ ", GOOD) if place == app.session.place else "  ", mounts.mount_label(mount.answers),
                (f"  {far.get(place, '')}", DIM),
            ))
            for place, mount in enumerate(app.session.mounts) if mount.answers.names
        ]
        labels = {mounts.mount_label(mount.answers) for mount in app.session.mounts}
        lines = [(number, line) for number, line in enumerate(app.mounts) if line.label not in labels]
        rows.append(ListRow(None, Content.styled("To add (Enter adds it)", HEAD)))
        rows += [
            ListRow(("line", str(number)), Content.assemble("  ", line.label, (f"  {line.note}", DIM)))
            for number, line in lines
        ]
        rows.append(ListRow(("file", ""), Content("  A line of another fstab …")))
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

    def action_undo(self) -> None:
        self._change(lambda: state.undo(self.wizard.session))

    def action_redo(self) -> None:
        self._change(lambda: state.redo(self.wizard.session))
