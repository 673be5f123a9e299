"""The screens that judge what there is: a file or a line, beside the advice; this host; another environment. A finding
can be explained, fixed, or accepted with a reason."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, OptionList

from advisor.advice.answers import FSTAB, Answers
from advisor.pages.phrases import counted
from advisor.sections import SectionError
from advisor.user_files import UserFileError
from advisor.wizard import advice_cache, files, mounts, steps
from advisor.wizard.dialogs import Confirm, Prompt
from advisor.wizard.explanation import ExplanationScreen
from advisor.wizard.row_lists import SettingList
from advisor.wizard.rows import ListRow, comparison_rows, finding_row, heading, list_row
from advisor.wizard.screen import FieldScreen, ListScreen, bindings
from advisor.wizard.texts import LINE, NO_NFS, NOT_ACCEPTED, NOT_FIXED, CheckedText, explained
from advisor.wizard.widgets import BAD, DIM, GOOD, WARN, Head, LineField

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.lint.fix import JudgedFile
    from advisor.rulebase.model import RuleBase


class CheckScreen(FieldScreen):
    """A field for a file or a line, and its findings."""

    NAME = "Check"
    PLACE = "check"
    BINDINGS = bindings(PLACE)

    def __init__(self, checked: CheckedText | None = None, first: Finding | None = None) -> None:
        """`checked`: a text of a checked host, with the facts of that host; `first`: the finding to highlight."""
        super().__init__()
        self.checked, self._first = checked, first
        self._on_host = checked is not None
        """Whether the text is judged by its own facts instead of those of the session."""

    def recreate(self) -> CheckScreen:
        screen = CheckScreen(self.checked)
        screen._on_host, screen.left_text = self._on_host, self.query_one(Input).value
        return screen

    def compose(self) -> ComposeResult:
        checked = self.checked
        text = FSTAB if checked is None else checked.text if checked.name == LINE else checked.name
        about = "a file of NFS settings, or one line of fstab"
        yield from self.parts(LineField(text, compact=True), "What to check; Enter does", "Findings", about)

    def on_mount(self) -> None:
        super().on_mount()
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

    @property
    def _answers(self) -> Answers:
        return mounts.combined_answers(self.wizard.base, self.wizard.session)

    @on(Input.Submitted)
    def _read(self, event: Input.Submitted) -> None:
        event.stop()
        self._on_host = False
        try:
            self.checked = CheckedText.read(self.wizard.base, event.value.strip(), {})
        except UserFileError as error:
            self.checked = None
            self.show_problem(error)
            return
        self.show_session()
        if self.findings:
            self.query_one(SettingList).focus()

    def show_session(self) -> None:
        checked = self.checked
        if checked is None:
            return
        if not self._on_host:
            mounts.judge_by_answers(self.wizard.base, self.wizard.session, checked)
        try:
            result = checked.check()
        except (ValueError, SectionError) as error:
            self.show_problem(error)
            return
        self._show_fix()
        parts = [counted(len(checked.findings), "finding") if checked.findings else "Nothing to object to"]
        if result.open:
            parts.append(f"{counted(len(result.open), 'setting')} not judged, questions settle them")
        if checked.past:
            parts.append(f"{counted(len(checked.past), 'change')} not saved")
        self.show_result("; ".join(parts), DIM if checked.findings else GOOD)
        self.query_one(SettingList).fill([
            *(finding_row(("finding", str(place)), finding, fixable=finding.fix is not None)
              for place, finding in enumerate(checked.findings)),
            *([] if self._on_host or not self.wizard.session.touched else
              difference_rows(self.wizard.base, self._answers, checked)),
        ])

    @on(OptionList.OptionHighlighted)
    def _show_fix(self) -> None:
        """Shows what the fix of the highlighted finding would write; without one, the line that is checked."""
        checked, finding = self.checked, self.finding
        changed = checked.fixed_lines(finding) if checked is not None and finding is not None else []
        text = [
            Content.assemble(("f writes  ", DIM), (f"− {before}\n", BAD), (f"          + {after}", GOOD))
            for before, after in changed
        ]
        if not text and checked is not None and checked.name == LINE:
            text = [Content(checked.text)]
        self.show_line("note", Content("\n").join(text))

    @property
    def finding(self) -> Finding | None:
        kind, place = self.query_one(SettingList).key or ("", "")
        return self.findings[int(place)] if kind == "finding" and int(place) < len(self.findings) else None

    def open_row(self, kind: str, name: str) -> None:
        if kind != "finding":
            super().open_row(kind, name)
        elif self.checked is not None and self.checked.result is not None:
            finding, result = self.findings[int(name)], self.checked.result
            self.wizard.push_screen(ExplanationScreen(partial(explained, self.wizard.base, finding, result)))

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

    @property
    def unsaved(self) -> str:
        return f"{self.checked.unsaved}; s saves." if self.checked is not None and self.checked.past else ""

    def leave(self) -> None:
        """Asks for confirmation if there are unsaved changes."""
        if not self.unsaved:
            self.KEEPS = not self._on_host
            super().leave()
            return

        def done(chosen: str | None) -> None:
            if chosen == steps.LOSE:
                self.dismiss(None)

        self.wizard.push_screen(Confirm("Leave?", self.unsaved, [steps.STAY, steps.LOSE]), done)

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


def difference_rows(base: RuleBase, answers: Answers, checked: CheckedText) -> list[ListRow]:
    """Where an fstab differs from the advice."""
    from advisor.advice.beside_fstab import compare_lines  # noqa: PLC0415

    if checked.name == LINE or not checked.is_fstab:
        return []
    advice = advice_cache.advice_for(base, answers._replace(mounts=(), facts=dict(checked.facts)))
    compared = compare_lines(base, advice, checked.text, checked.name, checked.sections)
    differing = [
        list_row(
            ("setting", one.tunable), (f"line {one.line:<3}  ", DIM), f"{one.target}  ",
            (one.today or f"no {one.tunable.partition('.')[2]}", WARN), " → ", (one.advised, GOOD),
        ) for one in compared if one.verdict == "differs"
    ]
    return [heading(f"Differs from the advice ({len(differing)})"), *differing] if differing else []


class HostScreen(ListScreen):
    """All findings on this host."""

    NAME = "This host"
    PLACE = "host"
    BINDINGS = bindings(PLACE)

    def __init__(self) -> None:
        super().__init__()
        self.findings: list[tuple[JudgedFile, Finding]] = []

    def compose(self) -> ComposeResult:
        yield Head(self.NAME, "its files, and what is in effect")
        yield from self.listing("Findings", "Looking at this host: its files, and what is in effect … Esc leaves.")

    def on_mount(self) -> None:
        self.query_one(SettingList).focus()
        self.run_worker(self._look())

    async def _look(self) -> None:
        app = self.wizard
        if app.check_host is None:
            self.show_result("advisor check looks at a whole host.", DIM)
            return
        try:
            files = await asyncio.to_thread(app.check_host, mounts.host_facts(app.base, app.session))
        except (ValueError, OSError) as error:
            self.show_problem(error)
            return
        self._fill(files)
        number = counted(len(self.findings), "finding") if self.findings else "Nothing to object to"
        self.show_result(number if files else NO_NFS, GOOD if files and not self.findings else DIM)

    def _fill(self, files: list[JudgedFile]) -> None:
        from advisor.lint.finding import together  # noqa: PLC0415

        rows: list[ListRow] = []
        for file in files:
            rows.append(heading(f"{file.result.name}  {file.area}"))
            for finding in together(file.findings):
                rows.append(finding_row(
                    ("finding", str(len(self.findings))), finding, line=file.written,
                    fixable=file.written and finding.fix is not None,
                ))
                self.findings.append((file, finding))
        finding_list = self.query_one(SettingList)
        finding_list.fill(rows)
        if finding_list.has_focus:
            finding_list.action_first()

    @property
    def finding(self) -> tuple[JudgedFile, Finding] | None:
        key = self.query_one(SettingList).key
        return self.findings[int(key[1])] if key is not None else None

    def open_row(self, kind: str, name: str) -> None:  # noqa: ARG002  all its rows are findings
        file, finding = self.findings[int(name)]
        self.wizard.push_screen(ExplanationScreen(partial(explained, self.wizard.base, finding, file.result)))

    def action_fix(self) -> None:
        if self.finding is None:
            return
        file, finding = self.finding
        if file.written:
            text = CheckedText(self.wizard.base, file.result.name, file.result.text, file.facts)
            self.wizard.push_screen(CheckScreen(text, finding))
        else:
            self.notify("This is what is in effect, not a file: Enter says what to do.", timeout=6, markup=False)


class EnvironmentsScreen(FieldScreen):
    """A field for an answers file or a session's name, and the settings that differ."""

    NAME = "Environments"
    PLACE = "environments"

    def compose(self) -> ComposeResult:
        names = files.session_names(self.wizard.path)
        saved = f"Sessions: {', '.join(names)}." if names else ""
        field = LineField(placeholder="an answers file (answers.yaml), or the name of a session", compact=True)
        label = "With which answers? Enter compares"
        yield from self.parts(field, label, "What differs", "this session beside another one", result=saved)

    @on(Input.Submitted)
    def _read(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            self._compare(files.find_answers(self.wizard.base, self.wizard.path, event.value.strip()))
        except ValueError as error:
            self.show_problem(error)

    def _compare(self, other: Answers) -> None:
        app = self.wizard
        answers, settings = files.compare_answers(app.base, app.session, other)
        rows = comparison_rows(app.base, answers, settings)
        self.show_result(
            f"{counted(len(answers), 'answer')} and {counted(len(settings), 'setting')} differ: here → there", DIM
        )
        self.query_one(SettingList).fill(rows)
        if rows:
            self.query_one(SettingList).focus()
