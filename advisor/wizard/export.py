"""Writes the files to install, the report and the answers into a folder."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from advisor import session as state
from advisor.advice.answers import NAMES
from advisor.document.escape import visible
from advisor.document.screen import BAD, DIM, GOOD, HEAD, WARN
from advisor.render import wording
from advisor.render.phrases import counted
from advisor.session import Refused
from advisor.wizard import exported, words
from advisor.wizard.exported import judged
from advisor.wizard.fitting import Head
from advisor.wizard.preview import SettingList
from advisor.wizard.prompt import Prompt
from advisor.wizard.row_list import ListRow
from advisor.wizard.screen import KeyBar, Leaf

ABOUT = {
    "server": "the NFS server's name or address", "export": "the path that it exports",
    "target": "where clients mount it", "clients": "who may mount it, as exports(5) writes it",
}
STATUS = {
    "new": ("written", GOOD), "changed": ("written again", GOOD), "same": ("is there already", DIM),
    "kept": ("kept: it was edited; f overwrites it", WARN), "removed": ("removed: it no longer applies", DIM),
    "stale": ("no longer applies, but was edited, so it is still there", WARN),
}
KEPT = ("kept", "stale")
"""What a person has to look at: these files stand first."""


class ExportPage(Leaf):
    """Enter in the folder's field writes everything."""

    NAME = "Export"
    DEFAULT_CSS = """
    Export #label { padding: 1 1 0 1; height: auto; color: $text-muted; }
    Export Input { margin: 0 1; }
    Export #beware { padding: 0 1; height: auto; max-height: 6; }
    Export #result { padding: 0 1; height: auto; }
    Export SettingList { margin: 1 1 0 1; }
    Export.-short #label, Export.-low #label { padding: 0 1; }
    """
    KEYS = [
        ("Enter", "write the files", "write"), ("↓", "names and files", "list"), ("F6", "copy commands", "copy"),
        ("F1", "keys", "keys"),
        ("Esc", "back", "leave"),
    ]
    BINDINGS = [
        Binding("down", "list", "To the names and the files"),
        Binding("tab", "list", "Between the folder and the list"),
        Binding("f6,y", "copy", "Copy the commands that install the files"),
        Binding("f", "force", "Overwrite files that were edited since"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.written: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        yield Head("Export", "what is settled now; nothing on this host changes", "nothing on this host changes")
        yield Static("Into which folder? Enter writes the files.", id="label", markup=False)
        yield Input(self.wizard.session.folder or exported.FOLDER, compact=True)
        yield Static(id="beware", markup=False)
        yield Static("Making the files …", id="result", markup=False)
        yield SettingList()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self.call_after_refresh(self.show_session)

    def show_session(self) -> None:
        app = self.wizard
        files, problem = exported.files(app.base, app.session)
        beware = judged(app.base, app.session) if not problem else []
        self.query_one("#beware", Static).update(Content.styled("\n".join(beware), BAD))
        self.query_one("#result", Static).update(Content.styled(problem or "", BAD))
        found = [ListRow(None, Content.styled(f"Names in the files{self._whose()} (Enter changes one)", HEAD))]
        for name in NAMES:
            own = app.session.answers.names.get(name)
            room = max(self.size.width - 30 - len(own or NAMES[name]), 4)
            found.append(ListRow(("name", name), Content.assemble(
                f"  {name:<9}", (own or NAMES[name], "bold" if own else WARN),
                ("" if own else "  placeholder", WARN), (wording.clipped(f"  {ABOUT[name]}", room), DIM),
            )))
        found.append(ListRow(None, Content.styled(f"Files ({len(files)})", HEAD)))
        wide = min(max((len(one.path) for one in files), default=0), 44)
        room = max(self.size.width - wide - 10, 8)
        for one in sorted(files, key=lambda one: self.written.get(one.path) not in KEPT):
            said, style = STATUS.get(self.written.get(one.path, ""), ("", DIM))
            found.append(ListRow(("file", one.path), Content.assemble(
                f"  {one.path:<{wide}}  ", (wording.clipped(said or one.title, room), style)
            )))
        self.query_one(SettingList).fill(found)

    def _whose(self) -> str:
        about = words.about(self.wizard.base, self.wizard.session, None)
        return f", {about}" if about else ""

    def action_list(self) -> None:
        found = self.query_one(SettingList)
        if found.has_focus:
            self.query_one(Input).focus()
        else:
            found.focus()

    @on(Input.Submitted)
    def action_write(self) -> None:
        self._write(False)

    def action_copy(self) -> None:
        from advisor.wizard.copying import Copied  # noqa: PLC0415  few copy anything

        app, folder = self.wizard, self.query_one(Input).value.strip() or exported.FOLDER
        try:
            found = exported.install_commands(app.base, app.session, folder)
        except ValueError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        if found:
            app.push_screen(Copied("What installs the files, once they are written,", "\n".join(found)))
        else:
            self.notify("Nothing is to be installed yet.", timeout=4)

    def action_force(self) -> None:
        self._write(True)

    def _write(self, force: bool) -> None:
        app = self.wizard
        folder = self.query_one(Input).value.strip()
        written, problem = exported.write(app.base, app.session, folder, force)
        self.written = dict(written)
        self.show_session()
        if problem:
            line = Content.styled(problem, BAD)
        else:
            app.move(app.session._replace(folder=folder))
            kept = sum(status in KEPT for _, status in written)
            line = Content.assemble(
                (f"{counted(len(written) - kept, 'file')} in {folder}", GOOD),
                (f"; {kept} kept as edited" if kept else "", WARN),
                ("; Esc goes back, Ctrl+Q ends the wizard", DIM),
            )
            self.query_one(SettingList).focus()
        self.query_one("#result", Static).update(line)

    def action_leave(self) -> None:
        self.dismiss(None)

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        key = self.query_one(SettingList).key
        if key is not None and key[0] == "name":
            self._ask_name(key[1])
        elif key is not None:
            self.wizard.push_screen(Shown(key[1]))

    def _ask_name(self, which: str, problem: str = "") -> None:
        app = self.wizard

        def done(text: str | None) -> None:
            if text is None:
                return
            refused: Refused | None = app.change(lambda: state.name(app.base, app.session, which, text))
            if refused is not None:
                self._ask_name(which, str(refused))

        app.push_screen(
            Prompt(f"{which}: {ABOUT[which]}", problem or "Empty: the placeholder again.",
                   app.session.answers.names.get(which, "")), done,
        )


class Shown(Leaf):
    """One file's text."""

    NAME = "File"
    DEFAULT_CSS = """
    Shown VerticalScroll { padding: 0 1; }
    """
    KEYS = [("Esc", "back", "leave")]

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    def compose(self) -> ComposeResult:
        app = self.wizard
        found, problem = exported.files(app.base, app.session)
        one = next((file for file in found if file.path == self.path), None)
        title, text = (one.title, one.text) if one else ("", problem or "This file is not made any more.")
        yield Head(self.path, title)
        with VerticalScroll():
            yield Static(Content("\n".join(visible(line) for line in text.splitlines())), markup=False)
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
