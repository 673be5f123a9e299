"""The screens with a list of the whole session: all answers, pins and settings; the mounts; the files to export. The
page with a file or a text to copy; and the card of what one gets, with the report behind it."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Iterable
from functools import partial
from math import inf
from pathlib import Path
from time import strftime

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from advisor import __version__
from advisor.advice.answers import NAMES
from advisor.advice.model import Advice
from advisor.advice.verdict import AdviceVerdict, names_of
from advisor.pages import wording
from advisor.pages.blocks import plain
from advisor.pages.card import installing
from advisor.pages.layout import lines
from advisor.pages.phrases import counted
from advisor.pages.style import visible, wrap
from advisor.regex import regex
from advisor.wizard import ending, files, mounts, questions, state, steps
from advisor.wizard.advice_cache import AllMounts, Request, Work
from advisor.wizard.hero import Hero, badge, gauge_cells, shown_line
from advisor.wizard.risks import gauge_texts, left_word, risks
from advisor.wizard.row_lists import SettingList
from advisor.wizard.rows import heading, list_row, mount_rows, session_rows
from advisor.wizard.screen import FieldScreen, ListScreen, SubScreen, WizardApp, bindings
from advisor.wizard.state import Session
from advisor.wizard.theme import STRENGTH
from advisor.wizard.widgets import BAD, DIM, GOOD, HEAD, WARN, Head, KeyBar, LineField, screen


class ReviewScreen(ListScreen):
    """All answers, pins and settings; Enter changes an answer or explains a setting."""

    NAME = "Review"
    PLACE = "review"
    BINDINGS = bindings(PLACE)

    def compose(self) -> ComposeResult:
        yield Head()
        yield Hero()
        yield from self.listing("Answers and settings")

    def on_mount(self) -> None:
        self.query_one(SettingList).focus()

    def on_resize(self) -> None:
        self.show_session()

    def show_session(self) -> None:
        app = self.wizard
        advice = mounts.mount_advice(app.base, app.session)
        counts = wording.progress_text(questions.counts(advice))
        told = f"{files.number_of_answers(app.session)}; {counts}", counts
        about = steps.scope_text(app.base, app.session, None)
        named = (*(f"{about}; {one}" for one in told), about) if about else ()
        self.query_one(Head).update_with("Review", *named, *told)
        verdict = ending.session_verdict(app.base, app.session)
        self.query_one(Hero).show(app.base, ending.judged(app.base, advice), verdict)
        self.query_one(SettingList).fill(session_rows(app.base, app.session, self.size.width - 8))

    def action_forget(self) -> None:
        app, key = self.wizard, self.query_one(SettingList).key
        if key is None:
            return
        if key[0] == "answer":
            app.change(lambda: state.forget(app.base, app.session, key[1]))
        else:
            app.change(lambda: state.unpin(app.base, app.session, key[1]))

    def action_pin(self) -> None:
        key = self.query_one(SettingList).key
        if key is not None and key[0] == "setting":
            self.wizard.pin(key[1])


class MountsScreen(FieldScreen):
    """A field for one more mount, and the list. `written`: a mount to add."""

    NAME = "Mounts"
    PLACE = "mounts"
    WAITS_FOR = AllMounts
    BINDINGS = bindings(PLACE)

    def __init__(self, written: str = "") -> None:
        super().__init__()
        self.given = written

    def compose(self) -> ComposeResult:
        yield from self.parts(
            LineField(self.given, placeholder=mounts.EXAMPLE, compact=True),
            "One more mount of this host, as in fstab; Enter adds it", "Mounts",
        )

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.show_session()
        if self.given.strip():
            self._write()

    def show_session(self) -> None:
        app = self.wizard
        named = [mount for mount in app.session.mounts if mount.answers.names]
        self.query_one(Head).update_with("Mounts", f"{counted(len(named), 'mount')} of this host")
        rows = [heading("In this session (Enter goes there)")] if named else []
        rows += mount_rows(app.base, app.session)
        labels = {mounts.mount_label(mount.answers) for mount in app.session.mounts}
        labelled = [(mounts.label_of(*line.mount), line.mount.place) for line in app.mounts]
        rows.append(heading("To add (Enter adds it)"))
        rows += [
            list_row(("line", str(number)), "  ", label, (f"  {place}", DIM))
            for number, (label, place) in enumerate(labelled) if label not in labels
        ]
        rows.append(list_row(("file", ""), "  A line of another fstab …"))
        self.query_one(SettingList).fill(rows)

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

    def action_open(self) -> None:
        if self.query_one(Input).has_focus:
            self._write()
        else:
            super().action_open()

    def open_row(self, kind: str, name: str) -> None:
        app = self.wizard
        if kind == "mount":
            app.set_session(mounts.go_to_mount(app.base, state.go(app.session, None), int(name)))
            self.dismiss(None)
        elif kind == "line":
            self._change(partial(mounts.add_lines, app.base, app.session, [app.mounts[int(name)]]))
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


STATUS_STYLES = {"new": GOOD, "changed": GOOD, "kept": WARN, "stale": WARN}
"""Status of an exported file → style."""


class ExportScreen(FieldScreen):
    """A field for the folder; below it the names that the files contain, and the files. `painted`: when they could be
    read: Enter that was typed before that writes them then."""

    NAME = "Export"
    PLACE = "export"
    WAITS_FOR = Work
    KEEPS = asks = False
    BINDINGS = bindings(PLACE)
    DEFAULT_CSS = "ExportScreen #result { max-height: 50vh; }"  # the commands whole

    def __init__(self) -> None:
        super().__init__()
        self.written: dict[str, str] = {}
        self.painted = inf

    def compose(self) -> ComposeResult:
        yield from self.parts(
            LineField(self.wizard.session.folder or files.FOLDER, compact=True),
            "Into which folder? Enter writes the files", "Names and files",
            "what is settled now; nothing on this host changes", "nothing on this host changes",
            result="Making the files …",
        )

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self.show_session)

    def show_computed(self, request: Request | Work) -> None:
        if self.painted == inf:  # else it would be drawn over what was said of the files that were written
            super().show_computed(request)

    def show_session(self) -> None:
        app = self.wizard
        known = self.made_files()
        if known is None:
            self.painted = inf
            self.show_result("Making the files …", DIM)
            return
        made, beware, problem = known
        self.call_after_refresh(self._show_painted)
        self.show_line("note", Content.styled("\n".join(beware), BAD))
        self.show_result(problem)
        scope = steps.scope_text(app.base, app.session, None)
        rows = [heading(f"Names in the files{', ' * bool(scope)}{scope} (Enter changes one)")]
        given = app.session.answers.names
        names = dict.fromkeys((*names_of(questions.preview(app.base, app.session)), *given))
        widest = max(len(given.get(name) or NAMES[name]) for name in names)
        for name in names:
            own = given.get(name)
            text = (own or NAMES[name]).ljust(widest)
            said = f"  {name:<9}{text}{'' if own else '  placeholder'}"
            rows.append(list_row(("name", name), f"  {name:<9}", (text, "bold" if own else WARN),
                ("" if own else "  placeholder", WARN), (self._note(said, mounts.NAME_HELP[name]), DIM)))
        rows.append(heading(f"Files ({len(made)})"))
        wide = min(max((len(artefact.path) for artefact in made), default=0), 44)
        for artefact in sorted(made, key=lambda artefact: self.written.get(artefact.path) not in files.KEPT):
            status = self.written.get(artefact.path, "")
            said = f"  {artefact.path:<{wide}}"
            note = self._note(said, files.STATUS_TEXT.get(status, "") or artefact.title)
            rows.append(list_row(("file", artefact.path), said, (note, STATUS_STYLES.get(status, DIM))))
        self.query_one(SettingList).fill(rows)

    def _note(self, said: str, note: str) -> str:
        """The note, on the same line as the text if it fits there, else wrapped on the lines below."""
        room = self.size.width - 9
        return f"  {note}" if len(said) + len(note) + 2 <= room else "\n" + "\n".join(wrap(note, room, "    ", "    "))

    @on(Input.Submitted)
    def action_write(self) -> None:
        self._write(False)

    def action_copy(self) -> None:
        app, folder = self.wizard, self.query_one(Input).value.strip() or files.FOLDER
        try:
            commands = files.install_commands(app.base, app.session, folder)
        except ValueError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        if commands:
            app.push_screen(copy_screen("The commands that install the written files", "\n".join(commands), "were"))
        else:
            self.notify("There is nothing to install yet.", timeout=4)

    def action_force(self) -> None:
        self._write(True)

    def _write(self, force: bool) -> None:
        if self.painted < inf:
            self.show_result("Writing the files …", DIM)
            self.run_worker(self._write_all(force), exclusive=True)

    async def _write_all(self, force: bool) -> None:
        app = self.wizard
        folder = self.query_one(Input).value.strip()
        try:
            written = await to_thread(files.write_export, app.base, app.session, folder, force)
        except ValueError as error:
            self.written = {}
            self.show_session()
            self.show_result(str(error))
            return
        self.written = {file.path: file.status for file in written}
        self.show_session()
        app.set_session(app.session._replace(folder=folder))
        app.exported = app.session
        kept = sum(file.status in files.KEPT for file in written)
        place = str(Path(folder).expanduser())
        verdict = ending.known_verdict(app.base, app.session)
        made = {file.path: file.lines for file in files.artefacts(app.base, app.session)}
        server = questions.preview(app.base, app.session).server
        first, commands = installing(verdict, made, place, server=server)
        said = plain(commands)
        copies = "Copy the folder to each host. " if " client sudo" in said or " node sudo" in said else ""
        note = ". The head of nfs-group.sh says what each … is" if "=…" in said else ""
        self.show_line("result", Content.assemble(
            badge(verdict), (f" {verdict.beside};" if verdict.beside else "", WARN),
            (f" {counted(len(written) - kept, 'file')} in {folder}", GOOD),
            (f"; {kept} kept as edited, f overwrites" if kept else "", WARN),
            *((f". {copies}{first.capitalize() or 'To install: '}", (said, "bold"), note) if commands else ()),
            (". Esc goes back, Ctrl+Q ends the wizard", DIM),
        ))
        self.query_one(SettingList).focus()

    def open_row(self, kind: str, name: str) -> None:
        app = self.wizard
        if kind == "name":
            self.ask_names([name])
        else:
            artefact = next(artefact for artefact in files.artefacts(app.base, app.session) if artefact.path == name)
            app.push_screen(TextScreen(artefact.path, artefact.title, artefact.text))


class TextScreen(SubScreen):
    """A text, to be read or selected. `copy`: it is also sent to the terminal's clipboard (OSC 52)."""

    NAME = "Text"
    PLACE = "text"
    DEFAULT_CSS = """
    TextScreen #head { height: auto; padding: 0 1; }
    TextScreen VerticalScroll { padding: 1 0; }
    """

    def __init__(self, title: str, note: str, text: str, *, copy: bool = False) -> None:
        super().__init__()
        self.head, self.note, self.text, self.copy = title, note, text, copy

    def recreate(self) -> None:
        return None

    def compose(self) -> ComposeResult:
        yield Static(Content.assemble((self.head, HEAD), (f"  {self.note}", DIM)), id="head", markup=False)
        with VerticalScroll():
            yield Static(Content("\n".join(map(visible, self.text.splitlines()))), markup=False)
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        if self.copy:
            self.wizard.copy_to_clipboard(self.text)


def copy_screen(what: str, text: str, verb: str = "was", *, lacks: Iterable[str] = ()) -> TextScreen:
    """Copies a text and shows it, because a terminal does not report whether it copied it. `lacks`: what is said of it
    first."""
    note = f"{what} {verb} sent to the terminal's clipboard. If the clipboard does not have it, select it here."
    return TextScreen("Copied", " ".join((*lacks, note)), text, copy=True)


def copy_mount_line(app: WizardApp) -> bool:
    """Copies the mount line, and shows what it lacks; False without one."""
    lines = ending.mount_lines(app.base, app.session)
    if lines:
        lacks = ending.incomplete_notes(app.base, app.session)
        app.push_screen(copy_screen("The mount line", "\n".join(lines), lacks=lacks))
    return bool(lines)


WIDEST = 124
"""Columns of the card at most."""
WORD = regex(r"[^\s,()]+")


def in_colour(card: Content, advice: Advice, found: AdviceVerdict) -> Content:
    """The card with the verdict as a badge, and each option of the line in the colour of its strength."""
    looks = {option.text: STRENGTH.get(option.look, "") for option in shown_line(advice).options}
    card = card.stylize(badge(found)[1], 0, len(found.badge))
    start = 0
    for line in card.plain.partition("Files:")[0].split("\n"):
        for word in WORD.finditer(line) if line[:4] == "    " or "→" in line else ():
            card = card.stylize(looks.get(word[0], ""), start + word.start(), start + word.end())
        start += len(line) + 1
    install = card.plain.rfind("Install:")
    return card.stylize("bold $action", install + len("Install:")) if install > 0 else card


class ResultScreen(SubScreen):
    NAME = "Result"
    PLACE = "result"
    WAITS_FOR = Work
    DEFAULT_CSS = "ResultScreen .pane { max-width: 124; height: auto; }"
    BINDINGS = bindings(PLACE)

    def compose(self) -> ComposeResult:
        yield Head(self.NAME, "what you get, for the ticket")
        with VerticalScroll():
            yield Static("Making the files …", id="card", markup=False, classes="pane -lit")
            details = Static(id="details", markup=False, classes="pane")
            details.border_title, details.display = "All of it", False
            yield details
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_session)

    def show_session(self) -> None:
        app, columns = self.wizard, min(self.size.width, WIDEST) - 6
        if self.made_files() is not None:
            card = ending.result(app.base, app.session, columns, fold=True)
            advice = ending.judged(app.base, questions.preview(app.base, app.session))
            pane, every = self.query_one("#card", Static), risks(advice)
            found = ending.session_verdict(app.base, app.session)
            pane.update(in_colour(screen(card, columns), advice, found))
            room = columns - 2 * len(every)
            said = next(said for said in gauge_texts(every, left_word(found)) if len(said) <= max(room, 0))
            pane.border_title = Content.assemble(*gauge_cells(every), said)
            pane.border_subtitle = f"advisor {__version__} · rules {app.base.hash[:8]} · {strftime('%Y-%m-%d')}"
            details = self.query_one("#details", Static)
            details.update(screen(ending.result_details(app.base, app.session, columns), columns))
            details.display = True

    def _text(self) -> str:
        """The card, its mount line whole."""
        card = ending.result(self.wizard.base, self.wizard.session, WIDEST)
        return "\n".join("".join(plain(line)) for line in lines(card, WIDEST, whole=False))

    def action_copy(self) -> None:
        if not copy_mount_line(self.wizard):
            self.action_copy_card()

    def action_copy_card(self) -> None:
        self.wizard.push_screen(copy_screen("The card", self._text()))

    def action_report(self) -> None:
        made = files.made_files(self.wizard.base, self.wizard.session).artefacts
        report = next((one for one in made if one.path.endswith(".md") and one.title.startswith("Report")), None)
        if report is not None:
            self.wizard.push_screen(TextScreen(report.path, report.title, report.text))
