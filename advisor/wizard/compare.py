"""Screens that compare an fstab with the advice, or this session with another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from advisor.advice.answers import FSTAB
from advisor.pages import wording
from advisor.pages.phrases import counted
from advisor.pages.screen import DIM, GOOD, HEAD, WARN
from advisor.sections import SectionError
from advisor.user_files import UserFileError
from advisor.wizard import advice_cache, mounts, saved_sessions
from advisor.wizard.bars import Head, KeyBar
from advisor.wizard.explanation import finding_screen, finding_text
from advisor.wizard.row_list import ListRow, SettingList
from advisor.wizard.screen import FieldScreen
from advisor.wizard.texts import read_file

if TYPE_CHECKING:
    from advisor.advice.answers import Answers
    from advisor.lint.finding import Finding
    from advisor.lint.lines import Result


class CompareScreen(FieldScreen):
    """A field for an fstab; its findings, and the settings that differ from the advice."""

    NAME = "Compare"
    DEFAULT_CSS = """
    CompareScreen Input { margin: 1 1 0 1; }
    CompareScreen #result { padding: 0 1; height: auto; }
    CompareScreen SettingList { margin: 0 1; }
    """
    KEYS = [("Enter", "compare, explain", "open"), ("↓", "to the list", "list"), ("F1", "keys", "keys"),
            ("Esc", "back", "leave")]
    BINDINGS = [Binding("down", "list", "To the findings"), Binding("tab", "list", show=False)]

    def __init__(self) -> None:
        super().__init__()
        self.findings: list[tuple[Finding, Result]] = []
        self.file = ""

    def compose(self) -> ComposeResult:
        yield Head("Compare", "an fstab beside the recommended settings")
        yield Input(FSTAB, compact=True)
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
        self.file = file
        try:
            self._judge(read_file(file), file)
        except (UserFileError, SectionError) as error:
            self.show_result(str(error))
            self.query_one(SettingList).fill([])

    def _judge(self, text: str, file: str) -> None:
        from advisor.advice.beside_fstab import compare_lines  # noqa: PLC0415
        from advisor.lint.run import lint_text  # noqa: PLC0415

        app = self.wizard
        known = mounts.combined_answers(app.base, app.session)
        advice = advice_cache.advice_for(app.base, known._replace(mounts=()))
        result = lint_text(text, file, app.base, advice.answers.facts, sections=known.mounts)
        self.findings = [(finding, result) for finding in result.findings if not finding.policy]
        rows = [ListRow(None, Content.styled(f"Findings ({len(self.findings)})", HEAD))] if self.findings else []
        rows += [
            ListRow(("finding", str(place)), finding_text(finding)) for place, (finding, _) in enumerate(self.findings)
        ]
        compared = compare_lines(app.base, advice, text, file, known.mounts)
        differing = [row for row in compared if row.verdict == "differs"]
        if differing:
            rows.append(ListRow(None, Content.styled(f"Differs from the advice ({len(differing)})", HEAD)))
        rows += [
            ListRow(("setting", row.tunable), Content.assemble(
                (f"line {row.line:<4}", DIM), f"{row.target}  ",
                (row.today or f"no {row.tunable.partition('.')[2]}", WARN), " → ", (row.advised, GOOD),
            )) for row in differing
        ]
        parts = [f"{counted(result.nfs_lines, 'NFS line')}, {counted(len(self.findings), 'finding')}"]
        if result.open:
            parts.append(f"{counted(len(result.open), 'setting')} not judged, open questions settle them")
        self.show_result("; ".join(parts), DIM if self.findings else GOOD)
        self.query_one(SettingList).fill(rows)

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        key = self.query_one(SettingList).key
        if key is None:
            return
        if key[0] == "finding":
            self.wizard.push_screen(finding_screen(self.wizard, *self.findings[int(key[1])]))
        else:
            self.wizard.explain(*key)


class EnvironmentsScreen(FieldScreen):
    """A field for an answers file or a session's name, and the settings that differ."""

    NAME = "Environments"
    DEFAULT_CSS = """
    EnvironmentsScreen Input { margin: 0 1; }
    EnvironmentsScreen #result { padding: 0 1; height: auto; }
    EnvironmentsScreen SettingList { margin: 0 1; }
    """
    KEYS = [("Enter", "compare, explain", "open"), ("Tab", "field, settings", "list"), ("F1", "keys", "keys"),
            ("Esc", "back", "leave")]
    BINDINGS = [Binding("down", "list", "To the settings"),
                Binding("tab", "list", "Between the field and the settings")]

    def compose(self) -> ComposeResult:
        yield Head("Environments", "this session beside another one")
        yield Input(placeholder="an answers file (answers.yaml), or the name of a session", compact=True)
        names = saved_sessions.session_names(self.wizard.path)
        saved = f" Sessions: {', '.join(names)}." if names else ""
        yield Static(f"Enter compares it with the answers of this session.{saved}", id="result", markup=False)
        yield SettingList()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _read(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            self._compare(saved_sessions.find_answers(self.wizard.base, self.wizard.path, event.value.strip()))
        except ValueError as error:
            self.show_result(str(error))
            self.query_one(SettingList).fill([])

    def _compare(self, other: Answers) -> None:
        app = self.wizard
        answers, settings = saved_sessions.compare_answers(app.base, app.session, other)
        rows = [ListRow(None, Content.styled(f"Different answers ({len(answers)})", HEAD))] if answers else []
        rows += [
            ListRow(("answer", answer.fact), Content.assemble(
                f"  {wording.question(app.base, answer.fact)} ", (answer.here, WARN), " → ", (answer.there, GOOD),
            )) for answer in answers
        ]
        rows += [ListRow(None, Content.styled(f"Different advice there ({len(settings)})", HEAD))] if settings else []
        rows += [
            ListRow(("setting", change.tunable), Content.assemble(
                f"  {wording.label(app.base.tunables[change.tunable])}: ", (change.before, WARN), " → ",
                (change.after, GOOD), (f"\n    {change.why}", DIM),
            )) for change in settings
        ]
        self.show_result(
            f"{counted(len(answers), 'answer')} and {counted(len(settings), 'setting')} differ: here → there", DIM
        )
        self.query_one(SettingList).fill(rows)
        if rows:
            self.query_one(SettingList).focus()

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        key = self.query_one(SettingList).key
        if key is not None and key[0] == "answer":
            self.wizard.go_to_question(key[1])
        elif key is not None:
            self.wizard.explain(*key)
