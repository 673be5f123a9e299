"""The screens that lint a file or line, or this host: a finding can be explained, fixed, or accepted with a reason."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from advisor.advice.answers import FSTAB
from advisor.pages.phrases import counted
from advisor.pages.screen import BAD, DIM, GOOD, HEAD
from advisor.user_files import UserFileError
from advisor.wizard import questions, words
from advisor.wizard.bars import Head, KeyBar
from advisor.wizard.explanation import finding_screen, finding_text
from advisor.wizard.prompt import Confirm, Prompt
from advisor.wizard.row_list import ListRow, SettingList
from advisor.wizard.screen import FieldScreen, SubScreen
from advisor.wizard.texts import LINE, NOT_ACCEPTED, NOT_FIXED, CheckedText

if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.lint.finding import Finding
    from advisor.lint.fix import JudgedFile
    from advisor.rulebase.model.types import Values


class CheckScreen(FieldScreen):
    """A field for a file or a line, and its findings."""

    NAME = "Check"
    DEFAULT_CSS = """
    CheckScreen Input { margin: 0 1; }
    CheckScreen #text { padding: 0 1; height: auto; max-height: 4; }
    CheckScreen #result { padding: 0 1; height: auto; }
    CheckScreen SettingList { margin: 0 1; }
    """
    KEYS = [
        ("Enter", "check, explain", "open"), ("f", "fix", "fix"), ("a", "accept", "accept"), ("u", "undo", "undo"),
        ("s", "save", "save"), ("Tab", "field, findings", "list"), ("F1", "keys", "keys"), ("Esc", "back", "leave"),
    ]
    BINDINGS = [
        Binding("down", "list", "To the findings"),
        Binding("tab", "list", "Between the field and the findings"),
        Binding("f", "fix", "Fix the finding, in memory"),
        Binding("a", "accept", "Accept the finding, with a reason that is written into the file"),
        Binding("ctrl+z,u", "undo", "Undo the last fix or acceptance"),
        Binding("s", "save", "Save the fixed text under another name"),
    ]

    def __init__(self, checked: CheckedText | None = None, first: Finding | None = None) -> None:
        """`checked`: a text of a checked host, with the facts of that host; `first`: the finding to highlight."""
        super().__init__()
        self.checked, self._first = checked, first
        self._on_host = checked is not None
        """Whether the text is judged by its own facts instead of those of the session."""

    def recreate(self) -> CheckScreen:
        screen = CheckScreen(self.checked)
        screen._on_host = self._on_host
        return screen

    def compose(self) -> ComposeResult:
        yield Head("Check", "a file of NFS settings, or one line of fstab")
        checked = self.checked
        yield Input(FSTAB if checked is None else checked.text if checked.name == LINE else checked.name, compact=True)
        yield Static(id="text", markup=False)
        yield Static("Enter checks it.", id="result", markup=False)
        yield SettingList()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        if self.checked is not None:
            self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Shows the text given to the screen, with the first finding highlighted."""
        self.show_session()
        finding_list, first = self.query_one(SettingList), self._first
        wanted = [(finding.rule, finding.line) for finding in self.findings]
        if wanted:
            finding_list.focus()
            at = (first.rule, first.line) if first is not None else wanted[0]
            finding_list.highlighted = wanted.index(at) if at in wanted else 0

    @property
    def findings(self) -> list[Finding]:
        return [] if self.checked is None else self.checked.findings

    def _facts(self) -> Mapping[str, Values]:
        return questions.preview(self.wizard.base, self.wizard.session).answers.facts

    @on(Input.Submitted)
    def _read(self, event: Input.Submitted) -> None:
        event.stop()
        self._on_host = False
        try:
            self.checked = CheckedText.read(self.wizard.base, event.value.strip(), self._facts())
        except UserFileError as error:
            self.checked = None
            self.show_result(str(error))
            self.query_one(SettingList).fill([])
            return
        self.show_session()
        if self.findings:
            self.query_one(SettingList).focus()

    def show_session(self) -> None:
        checked = self.checked
        if checked is None:
            return
        if not self._on_host:
            checked.facts = self._facts()
        try:
            result = checked.check()
        except ValueError as error:
            self.show_result(str(error))
            self.query_one(SettingList).fill([])
            return
        self.query_one("#text", Static).update(checked.text if checked.name == LINE else "")
        parts = [counted(len(checked.findings), "finding") if checked.findings else "Nothing to object to"]
        if result.open:
            parts.append(f"{counted(len(result.open), 'setting')} not judged, questions settle them")
        if checked.past:
            parts.append(f"{counted(len(checked.past), 'change')} not saved")
        self.show_result("; ".join(parts), DIM if checked.findings else GOOD)
        self.query_one(SettingList).fill([
            ListRow(("finding", str(place)), finding_text(finding, fixable=finding.fix is not None))
            for place, finding in enumerate(checked.findings)
        ])

    @property
    def finding(self) -> Finding | None:
        """The highlighted finding."""
        key = self.query_one(SettingList).key
        return self.findings[int(key[1])] if key is not None else None

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        if self.finding is not None and self.checked is not None and self.checked.result is not None:
            self.wizard.push_screen(finding_screen(self.wizard, self.finding, self.checked.result))

    def action_fix(self) -> None:
        if self.checked is None or self.finding is None:
            return
        if self.checked.fix(self.finding):
            self.show_session()
        else:
            self.notify(f"{NOT_FIXED} Enter says what to do.", timeout=6)

    def action_accept(self) -> None:
        checked, finding = self.checked, self.finding
        if checked is None or finding is None:
            return

        def done(reason: str | None) -> None:
            if not reason:
                return
            if checked.accept(finding, reason):
                self.show_session()
            else:
                self.notify(NOT_ACCEPTED, timeout=6)

        self.wizard.push_screen(Prompt("Why is it right?", "The reason is written into the file, for its next "
                                       f"administrator: # advisor: ignore[{finding.rule}] …"), done)

    def action_undo(self) -> None:
        if self.checked is not None:
            self.checked.undo()
            self.show_session()

    def action_leave(self) -> None:
        """Asks for confirmation if there are unsaved changes."""
        unsaved = self.checked.unsaved if self.checked is not None else ""
        if not unsaved:
            self.dismiss(None)
            return

        def done(chosen: str | None) -> None:
            if chosen == words.LOSE:
                self.dismiss(None)

        self.wizard.push_screen(Confirm("Leave?", f"{unsaved}; s saves.", [words.STAY, words.LOSE]), done)

    def action_save(self) -> None:
        checked = self.checked
        if checked is None:
            return

        def done(path: str | None) -> None:
            if path:
                try:
                    self.notify(f"Saved as {checked.save(path)}", markup=False)
                except ValueError as error:
                    self.notify(str(error), severity="warning", markup=False)

        text = "An existing file is not overwritten; install it yourself."
        self.wizard.push_screen(Prompt("Save under which name?", text, checked.name_to_save), done)


class HostScreen(SubScreen):
    """All findings on this host."""

    NAME = "This host"
    DEFAULT_CSS = """
    HostScreen #result { padding: 0 1; height: auto; }
    HostScreen SettingList { margin: 0 1; }
    """
    KEYS = [
        ("Enter", "explain", "open"), ("f", "fix or accept in its file", "fix"), ("?", "keys", "keys"),
        ("Esc", "back", "leave"),
    ]
    BINDINGS = [Binding("f,a", "fix", "Go to the file, to fix the finding there or to accept it with a reason")]

    def __init__(self) -> None:
        super().__init__()
        self.findings: list[tuple[JudgedFile, Finding]] = []

    def compose(self) -> ComposeResult:
        yield Head(self.NAME, "its files, and what is in effect")
        yield Static("Looking at this host …", id="result", markup=False)
        yield SettingList()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(SettingList).focus()
        self.run_worker(self._look())

    async def _look(self) -> None:
        app = self.wizard
        result = self.query_one("#result", Static)
        if app.check_host is None:
            result.update("advisor check looks at a whole host.")
            return
        try:
            files = await asyncio.to_thread(app.check_host, words.host_facts(app.base, app.session))
        except (ValueError, OSError) as error:
            result.update(Content.styled(str(error), BAD))
            return
        self._fill(files)
        number = counted(len(self.findings), "finding") if self.findings else "Nothing to object to"
        result.update(Content.styled(number, DIM if self.findings else GOOD))

    def _fill(self, files: list[JudgedFile]) -> None:
        rows: list[ListRow] = []
        for file in files:
            rows.append(ListRow(None, Content.styled(f"{file.result.name}  {file.area}", HEAD)))
            for finding in file.findings:
                rows.append(ListRow(
                    ("finding", str(len(self.findings))),
                    finding_text(finding, line=file.written, fixable=file.written and finding.fix is not None),
                ))
                self.findings.append((file, finding))
        finding_list = self.query_one(SettingList)
        finding_list.fill(rows)
        if finding_list.has_focus:
            finding_list.action_first()

    @property
    def finding(self) -> tuple[JudgedFile, Finding] | None:
        """The highlighted finding, and its file."""
        key = self.query_one(SettingList).key
        return self.findings[int(key[1])] if key is not None else None

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        if self.finding is not None:
            file, finding = self.finding
            self.wizard.push_screen(finding_screen(self.wizard, finding, file.result))

    def action_fix(self) -> None:
        if self.finding is None:
            return
        file, finding = self.finding
        if file.written:
            text = CheckedText(self.wizard.base, file.result.name, file.result.text, file.facts)
            self.wizard.push_screen(CheckScreen(text, finding))
        else:
            self.notify("This is what is in effect, not a file: Enter says what to do.", timeout=6, markup=False)
