"""Compare two environments: the session at hand and another one, by what is advised for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from advisor.document.screen import BAD, DIM, GOOD, HEAD, WARN
from advisor.render import wording
from advisor.render.phrases import counted
from advisor.wizard import other_session
from advisor.wizard.fitting import Head
from advisor.wizard.preview import FieldPage, SettingList
from advisor.wizard.row_list import ListRow
from advisor.wizard.screen import KeyBar

if TYPE_CHECKING:
    from advisor.advice.answers import Answers


class Environments(FieldPage):
    """A field for an answers file or a session's name, and the settings that differ."""

    NAME = "Environments"
    DEFAULT_CSS = """
    Environments Input { margin: 0 1; }
    Environments #result { padding: 0 1; height: auto; }
    Environments SettingList { margin: 0 1; }
    """
    KEYS = [("Enter", "compare, explain", "open"), ("Tab", "field, settings", "list"), ("F1", "keys", "keys"),
            ("Esc", "back", "leave")]
    BINDINGS = [Binding("down", "list", "To the settings"),
                Binding("tab", "list", "Between the field and the settings")]

    def compose(self) -> ComposeResult:
        yield Head("Environments", "this session beside another one")
        yield Input(placeholder="an answers file (answers.yaml), or the name of a session", compact=True)
        names = [one.name for one in other_session.saved_sessions(self.wizard.path) if one.name]
        kept = f" Sessions: {', '.join(names)}." if names else ""
        yield Static(f"Enter compares it with the answers of this session.{kept}", id="result", markup=False)
        yield SettingList()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _read(self, event: Input.Submitted) -> None:
        event.stop()
        result = self.query_one("#result", Static)
        try:
            self._compare(other_session.answers_of(self.wizard.base, self.wizard.path, event.value.strip()))
        except ValueError as error:
            result.update(Content.styled(str(error), BAD))
            self.query_one(SettingList).fill([])

    def _compare(self, other: Answers) -> None:
        app = self.wizard
        apart, found = other_session.compared(app.base, app.session, other)
        rows = [ListRow(None, Content.styled(f"Answered otherwise ({len(apart)})", HEAD))] if apart else []
        rows += [
            ListRow(("answer", one.fact), Content.assemble(
                f"  {wording.question(app.base, one.fact)} ", (one.here, WARN), " → ", (one.there, GOOD),
            )) for one in apart
        ]
        rows += [ListRow(None, Content.styled(f"Advised otherwise there ({len(found)})", HEAD))] if found else []
        rows += [
            ListRow(("setting", one.tunable), Content.assemble(
                f"  {wording.label(app.base.tunables[one.tunable])}: ", (one.before, WARN), " → ", (one.after, GOOD),
                (f"\n    {one.why}", DIM),
            )) for one in found
        ]
        self.query_one("#result", Static).update(Content.styled(
            f"{counted(len(apart), 'answer')} and {counted(len(found), 'setting')} differ: here → there",
            DIM,
        ))
        self.query_one(SettingList).fill(rows)
        if rows:
            self.query_one(SettingList).focus()

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        key = self.query_one(SettingList).key
        if key is not None and key[0] == "answer":
            self.wizard.look_at(key[1])
        elif key is not None:
            self.wizard.explain(*key)
