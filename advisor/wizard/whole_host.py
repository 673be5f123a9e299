"""Check this host: its files and what is in effect, finding by finding; one in a file is mended or accepted there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList, Static

from advisor.document.screen import BAD, DIM, GOOD, HEAD, WARN
from advisor.render.phrases import counted
from advisor.wizard import words
from advisor.wizard.checking import CheckPage
from advisor.wizard.fitting import Head
from advisor.wizard.preview import SettingList
from advisor.wizard.row_list import ListRow
from advisor.wizard.screen import KeyBar, Leaf

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.today.fixing import JudgedFile

STYLES = {"error": BAD, "warning": WARN}


class HostPage(Leaf):
    """All findings on this host."""

    NAME = "This host"
    DEFAULT_CSS = """
    HostPage #result { padding: 0 1; height: auto; }
    HostPage SettingList { margin: 0 1; }
    """
    KEYS = [
        ("Enter", "explain", "open"), ("f", "fix or accept in its file", "mend"), ("?", "keys", "keys"),
        ("Esc", "back", "leave"),
    ]
    BINDINGS = [Binding("f,a", "mend", "Go to the file, to fix the finding there or to accept it with a reason")]

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[JudgedFile, Finding]] = []

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
        if app.look is None:
            result.update("advisor check looks at a whole host.")
            return
        try:
            files = await asyncio.to_thread(app.look, words.of_host(app.base, app.session))
        except (ValueError, OSError) as error:
            result.update(Content.styled(str(error), BAD))
            return
        self.found = [(one, finding) for one in files for finding in one.findings]
        number = counted(len(self.found), "finding") if self.found else "Nothing to object to"
        result.update(Content.styled(number, DIM if self.found else GOOD))
        self._fill(files)

    def _fill(self, files: list[JudgedFile]) -> None:
        rows: list[ListRow] = []
        for one in files:
            rows.append(ListRow(None, Content.styled(f"{one.result.name}  {one.area}", HEAD)))
            for finding in one.findings:
                rows.append(ListRow(("finding", str(self._place(one, finding))), Content.assemble(
                    (f"{finding.severity:<8}", STYLES.get(finding.severity, DIM)),
                    (f"line {finding.line:<4}" if one.written else "", DIM), finding.message,
                    ("  f fixes it" if one.written and finding.fix else "", DIM),
                )))
        found = self.query_one(SettingList)
        found.fill(rows)
        if found.has_focus:
            found.action_first()

    def _place(self, one: JudgedFile, finding: Finding) -> int:
        return next(place for place, (file, findings) in enumerate(self.found) if file is one and findings is finding)

    @property
    def at(self) -> tuple[JudgedFile, Finding] | None:
        """The highlighted finding, and where it is."""
        key = self.query_one(SettingList).key
        return self.found[int(key[1])] if key is not None else None

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        from advisor.wizard.explanation import of_finding  # noqa: PLC0415

        if self.at is not None:
            one, finding = self.at
            self.wizard.push_screen(of_finding(self.wizard, finding, one.result))

    def action_mend(self) -> None:
        if self.at is None:
            return
        one, finding = self.at
        if one.written:
            self.wizard.push_screen(CheckPage(one.result.text, one.result.name, one.facts, finding))
        else:
            self.notify("This is what is in effect, and no file: Enter says what to do.", timeout=6, markup=False)
