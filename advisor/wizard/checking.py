"""Check what I have: a file, or one line; each finding explained, mended or accepted with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from advisor import session as state
from advisor.advice.answers import FSTAB
from advisor.document.screen import BAD, DIM, GOOD, WARN
from advisor.engine import FactError
from advisor.render.phrases import counted
from advisor.user_files import UserFileError
from advisor.wizard.fitting import Head
from advisor.wizard.preview import FieldPage, SettingList
from advisor.wizard.prompt import Confirm, Prompt
from advisor.wizard.row_list import ListRow
from advisor.wizard.screen import KeyBar
from advisor.wizard.written import LINE, read, save, usual_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.lint.finding import Finding
    from advisor.lint.run import Result
    from advisor.rulebase.model.types import Values

STYLES = {"error": BAD, "warning": WARN}
STAY, LOSE = "Stay here", "Leave without saving"


class CheckPage(FieldPage):
    """A field for a file or a line, and what is found."""

    NAME = "Check"
    DEFAULT_CSS = """
    CheckPage Input { margin: 0 1; }
    CheckPage #text { padding: 0 1; height: auto; max-height: 4; }
    CheckPage #result { padding: 0 1; height: auto; }
    CheckPage SettingList { margin: 0 1; }
    """
    KEYS = [
        ("Enter", "check, explain", "open"), ("f", "fix", "mend"), ("a", "accept", "accept"), ("u", "undo", "undo"),
        ("s", "save", "save"), ("Tab", "field, findings", "list"), ("F1", "keys", "keys"), ("Esc", "back", "leave"),
    ]
    BINDINGS = [
        Binding("down", "list", "To what was found"),
        Binding("tab", "list", "Between the field and what was found"),
        Binding("f", "mend", "Fix the finding, in memory"),
        Binding("a", "accept", "Accept the finding, with a reason that stands in the file"),
        Binding("ctrl+z,u", "undo", "Undo the last fix or acceptance"),
        Binding("s", "save", "Save the fixed text under another name"),
    ]

    def __init__(
        self, text: str = "", name: str = "", facts: Mapping[str, Values] | None = None, first: Finding | None = None
    ) -> None:
        """`facts`: what is known where the text lies; None for what follows from the answers.
        `first`: the finding to begin with."""
        super().__init__()
        self.file, self.text, self._facts, self._first = name, text, facts, first
        self.past: list[str] = []
        self.result: Result | None = None
        self.findings: list[Finding] = []

    def again(self) -> CheckPage:
        return CheckPage(self.text, self.file, self._facts)

    def compose(self) -> ComposeResult:
        yield Head("Check", "a file of NFS settings, or one line of fstab")
        yield Input(self.file if self.file != LINE else self.text or FSTAB, compact=True)
        yield Static(id="text", markup=False)
        yield Static("Enter checks it.", id="result", markup=False)
        yield SettingList()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        field = self.query_one(Input)
        field.value = field.value or FSTAB
        field.focus()
        if self.text:
            self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """What was found in a text that came with the screen; the cursor is on the finding that led here."""
        self._look()
        found, first = self.query_one(SettingList), self._first
        if self.findings:
            found.focus()
            wanted = [(one.rule, one.line) for one in self.findings]
            at = (first.rule, first.line) if first is not None else wanted[0]
            found.highlighted = wanted.index(at) if at in wanted else 0

    @property
    def facts(self) -> Mapping[str, Values]:
        """What is known where the text lies."""
        app = self.wizard
        return state.preview(app.base, app.session).answers.facts if self._facts is None else self._facts

    def show_session(self) -> None:
        if self.text:
            self._look()

    @on(Input.Submitted)
    def _read(self, event: Input.Submitted) -> None:
        event.stop()
        written = event.value.strip()
        self.past, self._facts = [], None
        try:
            self.file, self.text = read(written)
        except UserFileError as error:
            self._tell(str(error), BAD)
            return
        self._look()
        if self.findings:
            self.query_one(SettingList).focus()

    def _tell(self, text: str, style: str) -> None:
        self.query_one("#result", Static).update(Content.styled(text, style))

    def _look(self) -> None:
        from advisor.today.fixing import lint_file  # noqa: PLC0415  only where there is something to check

        try:
            self.result = lint_file(self.wizard.base, self.text, self._file_name, self.facts)
        except (ValueError, FactError) as error:
            self.findings = []
            self._tell(str(error), BAD)
            self.query_one(SettingList).fill([])
            return
        self.findings = [one for one in self.result.findings if not one.policy]
        self.query_one("#text", Static).update(self.text if self.file == LINE else "")
        changed = f"; {counted(len(self.past), 'change')} not saved" if self.past else ""
        waiting = f"; {counted(len(self.result.open), 'setting')} not judged, questions settle them" if (
            self.result.open) else ""
        number = counted(len(self.findings), "finding") if self.findings else "Nothing to object to"
        self._tell(f"{number}{waiting}{changed}", DIM if self.findings else GOOD)
        self.query_one(SettingList).fill([
            ListRow(("finding", str(place)), Content.assemble(
                (f"{one.severity:<8}", STYLES.get(one.severity, DIM)), (f"line {one.line:<4}", DIM), one.message,
                ("  f fixes it" if one.fix else "", DIM),
            )) for place, one in enumerate(self.findings)
        ])

    @property
    def at(self) -> Finding | None:
        """The highlighted finding."""
        key = self.query_one(SettingList).key
        return self.findings[int(key[1])] if key is not None else None

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        from advisor.wizard.explanation import of_finding  # noqa: PLC0415

        if self.at is not None and self.result is not None:
            self.wizard.push_screen(of_finding(self.wizard, self.at, self.result))

    def action_mend(self) -> None:
        from advisor.today.fixing import fix_finding  # noqa: PLC0415

        if self.at is not None:
            self._change(fix_finding(self.wizard.base, self.text, self._file_name, self.facts, self.at))

    @property
    def _file_name(self) -> str:
        return self.file if self.file != LINE else "fstab"

    def _change(self, text: str) -> None:
        if text == self.text:
            self.notify("Nothing was changed: no edit fixes this without doing harm. Enter says what to do.", timeout=6)
            return
        self.past.append(self.text)
        self.text = text
        self._look()

    def action_accept(self) -> None:
        from advisor.today.fixing import accept  # noqa: PLC0415

        finding = self.at
        if finding is None:
            return

        def done(reason: str | None) -> None:
            if reason:
                self._change(accept(self.text, finding, reason))

        self.wizard.push_screen(Prompt("Why is it right as it is?", "The reason stands in the file, for those who come "
                                       f"after you: # advisor: ignore[{finding.rule}] …"), done)

    def action_undo(self) -> None:
        if self.past:
            self.text = self.past.pop()
            self._look()

    def action_leave(self) -> None:
        """What is not saved is not lost without a word."""
        if not self.past:
            self.dismiss(None)
            return
        changes = counted(len(self.past), "change")

        def done(way: str | None) -> None:
            if way == LOSE:
                self.dismiss(None)

        self.wizard.push_screen(Confirm("Leave?", f"{changes} to {self.file} not saved; s saves.", [STAY, LOSE]), done)

    def action_save(self) -> None:
        text = "An existing file is not overwritten; install it yourself."

        def done(path: str | None) -> None:
            if path:
                self._save(path)

        self.wizard.push_screen(Prompt("Save under which name?", text, usual_name(self.file)), done)

    def _save(self, path: str) -> None:
        try:
            place = save(path, self.text)
        except ValueError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        self.past = []
        self.notify(f"Saved as {place}", markup=False)
