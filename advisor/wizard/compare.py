"""An fstab beside the advice: what the linter finds in it, and which settings differ."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from advisor import session as state
from advisor import user_files
from advisor.document.screen import BAD, DIM, GOOD, HEAD, WARN
from advisor.render.phrases import counted
from advisor.sections import SectionError
from advisor.wizard.fitting import Head
from advisor.wizard.preview import FieldPage, SettingList
from advisor.wizard.row_list import ListRow
from advisor.wizard.screen import KeyBar

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.lint.run import Result

LIMIT = 5_000_000
STYLES = {"error": BAD, "warning": WARN}


class Compare(FieldPage):
    """A field for the file, and what is found."""

    NAME = "Compare"
    DEFAULT_CSS = """
    Compare Input { margin: 1 1 0 1; }
    Compare #result { padding: 0 1; height: auto; }
    Compare SettingList { margin: 0 1; }
    """
    KEYS = [("Enter", "compare, explain", "open"), ("↓", "to the list", "list"), ("F1", "keys", "keys"),
            ("Esc", "back", "leave")]
    BINDINGS = [Binding("down", "list", "To what was found"), Binding("tab", "list", show=False)]

    def __init__(self) -> None:
        super().__init__()
        self.findings: list[tuple[Finding, Result]] = []
        self.file = ""

    def compose(self) -> ComposeResult:
        yield Head("Compare", "an fstab beside the recommended settings")
        yield Input("/etc/fstab", compact=True)
        yield Static("Enter reads the file and judges it by your answers.", id="result", markup=False)
        yield SettingList()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def show_session(self) -> None:
        if self.file:
            self._compare(self.file)

    @on(Input.Submitted)
    def _read(self, event: Input.Submitted) -> None:
        event.stop()
        self._compare(event.value.strip())
        if self.query_one(SettingList).rows:
            self.query_one(SettingList).focus()

    def _compare(self, file: str) -> None:
        result = self.query_one("#result", Static)
        self.file = file
        try:
            content = user_files.read_bytes(os.path.expanduser(file), LIMIT)  # noqa: PTH111  (pathlib raises where there is no home)
        except user_files.UserFileError as error:
            result.update(Content.styled(str(error), BAD))
            self.query_one(SettingList).fill([])
            return
        try:
            self._judge(content.decode("utf-8", "surrogateescape"), file)
        except SectionError as error:
            result.update(Content.styled(str(error), BAD))
            self.query_one(SettingList).fill([])

    def _judge(self, text: str, file: str) -> None:
        from advisor.lint.run import lint_text  # noqa: PLC0415
        from advisor.today.fstab import compare_lines  # noqa: PLC0415

        app = self.wizard
        known = state.combined_answers(app.base, app.session)
        advice = state.advice_for(app.base, known._replace(mounts=()))
        result = lint_text(text, file, app.base, advice.answers.facts, sections=known.mounts)
        self.findings = [(one, result) for one in result.findings if not one.policy]
        rows = [ListRow(None, Content.styled(f"Findings ({len(self.findings)})", HEAD))] if self.findings else []
        rows += [
            ListRow(("finding", str(place)), Content.assemble(
                (f"{one.severity:<8}", STYLES.get(one.severity, DIM)), (f"line {one.line:<4}", DIM), one.message,
            )) for place, (one, _) in enumerate(self.findings)
        ]
        compared = compare_lines(app.base, advice, text, file, known.mounts)
        differing = [row for row in compared if row.verdict == "differs"]
        if differing:
            rows.append(ListRow(None, Content.styled(f"Otherwise than advised ({len(differing)})", HEAD)))
        rows += [
            ListRow(("setting", row.tunable), Content.assemble(
                (f"line {row.line:<4}", DIM), f"{row.target}  ", (row.today or f"no {row.tunable.partition('.')[2]}",
                                                                 WARN), " → ", (row.advised, GOOD),
            )) for row in differing
        ]
        depends = f"; {counted(len(result.open), 'setting')} not judged, open questions settle them" if (
            result.open) else ""
        self.query_one("#result", Static).update(Content.styled(
            f"{counted(result.nfs_lines, 'NFS line')}, {counted(len(self.findings), 'finding')}{depends}",
            DIM if self.findings else GOOD,
        ))
        self.query_one(SettingList).fill(rows)

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        key = self.query_one(SettingList).key
        if key is None:
            return
        if key[0] == "finding":
            from advisor.wizard.explanation import of_finding  # noqa: PLC0415

            self.wizard.push_screen(of_finding(self.wizard, *self.findings[int(key[1])]))
        else:
            self.wizard.explain(*key)
