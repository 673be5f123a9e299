"""What the screens stand on: their base classes, with the keys, a page that explains them, and drawing the session
after a change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from math import inf
from pathlib import Path
from time import monotonic

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static

from advisor import user_files
from advisor.advice.answers import NAMES
from advisor.pages.blocks import Block, Document
from advisor.rulebase.model import Values
from advisor.wizard import commands, ending, mounts, state
from advisor.wizard.advice_cache import Request, Work
from advisor.wizard.commands import Key
from advisor.wizard.dialogs import Jump, Prompt
from advisor.wizard.files import MadeFiles, SavedSession, known_files, made_files
from advisor.wizard.row_lists import SettingList
from advisor.wizard.schedule import Prefetcher
from advisor.wizard.theme import ThemedApp
from advisor.wizard.widgets import BAD, Closable, Head, KeyBar, LineField, Sections

EXIT_TO_WATCH = 70
"""The exit code that asks the caller to show `advisor.wizard.live` and then to start the wizard again."""
WRITE: Key = ("Enter", "write in it", "enter")
COMMON_KEYS: tuple[tuple[str, str], ...] = (
    ("↑ ↓ PgUp PgDn", "Move in a list or a text"), ("Enter", "Choose, or explain the line"),
    ("1 … 9", "Choose what has this digit before it, or begin a number"), ("Ctrl+P", "All commands"),
    ("F1 … F7", "The same as the letters, while a field takes what is typed"),
    ("A word", "Pasted or sent at once, it is text: it goes into the field of the question, else it is searched for"),
    ("Mouse", "Click on an answer, a setting or a key"),
)


def bindings(*places: str) -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    found: list[Binding | tuple[str, str] | tuple[str, str, str]] = []
    for place in places:
        for command in commands.commands_of(place):
            action = commands.action_of(command)
            if command.keys:
                found.append(Binding(command.keys, action, command.says, priority=command.urgent))
            if command.hidden:
                found.append(Binding(command.hidden, action, show=False, priority=command.urgent))
    return found


class KeyedScreen(Screen[None]):
    """`NAME`: its title; `PLACE`: its commands in the list of all; `EVERYWHERE`: (keys, description) of all screens."""

    NAME = ""
    PLACE = "everywhere"
    EVERYWHERE = COMMON_KEYS
    BINDINGS = bindings(PLACE)
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (100, "-wide"), (160, "-broad")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-short"), (30, "-tall")]

    def on_compose(self) -> None:
        """Sets the classes of the size before anything is laid out; Textual would do it after that."""
        for size, breakpoints in zip(self.app.size, (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS)):
            self.add_class(max(point for point in breakpoints if point[0] <= size)[1], update=False)

    def bar(self) -> list[Key]:
        """The keys for KeyBar."""
        return self.bar_of(self.PLACE)

    def bar_of(self, place: str) -> list[Key]:
        """The keys of a part of the screen, as far as what has the focus leaves them alone."""
        closed = isinstance(self.focused, Closable) and not self.focused.opened
        keys = commands.bar(place, typing=isinstance(self.focused, (Input, Closable)) and not closed)
        return on_screen([WRITE, *(key for key in keys if key[0] != WRITE[0])] if closed else keys)

    @on(events.DescendantFocus)
    def _show_keys(self) -> None:
        for field in self.query("Input, TextArea"):
            if field is not self.focused and isinstance(field, Closable):
                field.opened = field.reopened = False
        for bar in self.query(KeyBar):
            bar.show(self.bar())

    def key_page_text(self) -> Iterable[Block]:
        """The blocks above the keys on their page."""
        return ()

    def action_keys(self) -> None:
        self.app.push_screen(KeyPage(self))

    def action_leave(self) -> None:
        self.dismiss(None)

    def places(self) -> list[str]:
        return [vars(kind)["PLACE"] for kind in type(self).__mro__ if "PLACE" in vars(kind)]

    def key_lines(self) -> list[tuple[str, str]]:
        """(keys, what they do) of the screen."""
        return commands.key_page(self.places())

    def commands(self) -> list[commands.Command]:
        """All that has a key here."""
        return [each for place in self.places() for each in commands.commands_of(place) if each.says and each.keys]


def on_screen(keys: Iterable[Key]) -> list[Key]:
    """The keys with the actions that a click on one runs."""
    return [(key, says, action if action.startswith("app.") else f"screen.{action}") for key, says, action in keys]


class PageScreen(KeyedScreen):
    """A screen with a document, which Esc leaves."""

    def compose(self) -> ComposeResult:
        yield Head(self.NAME)
        yield Sections()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(Sections).focus()


class KeyPage(PageScreen):
    """Explains the keys of a screen."""

    PLACE = "key-page"
    BINDINGS = bindings("sub")

    def __init__(self, of: KeyedScreen) -> None:
        super().__init__()
        self.of, self.NAME = of, f"Keys: {of.NAME}"

    def on_resize(self) -> None:
        page = Document()
        page.add(self.of.key_page_text())
        page.heading("On this screen")
        page.pairs(self.of.key_lines())
        page.heading("Everywhere")
        page.pairs(self.of.EVERYWHERE)
        self.query_one(Sections).show(page.blocks)

    action_keys = KeyedScreen.action_leave


class WizardApp(commands.SessionOwner, ThemedApp):
    """What the screens know of the application, which is Wizard."""

    saved: tuple[SavedSession, ...]
    wanted_answer: dict[str, Values]
    left: list[SessionScreen]
    kept: dict[type[SessionScreen], SessionScreen]
    drawn: bool
    reading: bool
    prefetcher: Prefetcher
    ask_for_fstab: Callable[[], None]
    return_to_left_screens: Callable[[], None]
    show_question: Callable[[], None]
    show_start: Callable[[], None]
    pause_prefetching: Callable[[], None]
    first_frame: Callable[[], None]
    ask_to_leave: Callable[..., None]
    resume: Callable[[SavedSession | None], None]
    explain: Callable[..., None]
    pin: Callable[..., None]
    go_to_question: Callable[..., None]
    leave: Callable[..., None]


class SessionScreen(KeyedScreen):
    """A screen that shows the session. `LASTS`: after an answer to a question that was opened from it, Esc still
    returns to it."""

    PLACE = "session"
    LASTS = True
    BINDINGS = bindings(PLACE)
    painted = 0.0
    """When what Enter or a digit may confirm was painted; until then they wait."""
    asks = True
    """Whether it is a question that nobody expects, so that no key typed before it answers it."""

    @property
    def wizard(self) -> WizardApp:
        return self.app  # type: ignore[return-value]

    @property
    def unsaved(self) -> str:
        """A sentence on what would be lost with the screen, or ""."""
        return ""

    def hold_keys(self) -> None:
        """Lets no key that was typed before what is shown now is painted confirm it."""
        self.painted = inf
        self.call_after_refresh(self._show_painted)

    def _show_painted(self) -> None:
        self.painted = min(self.painted, monotonic())

    def show_session(self) -> None:
        """Draws the current session."""

    def show_computed(self, request: Request | Work) -> None:
        """Draws a result of the prefetch thread."""

    def recreate(self) -> SessionScreen | None:
        """A new screen with the same content, to return to after `Wizard.go_to_question`; None to return to none."""
        return None

    def on_screen_resume(self) -> None:
        if self.wizard.drawn:
            self.show_session()

    def action_watch(self) -> None:
        """Ends the application, because `advisor.wizard.live` is another one; the caller starts the wizard again."""
        self.wizard.ask_to_leave(EXIT_TO_WATCH)

    def action_command(self, name: str, *args: str) -> None:
        """Runs a command. `args`: of the screen that it opens."""
        command = commands.command_at(name, self.PLACE)
        if command.change:
            self.wizard.do(command)
            if command.task:
                self.wizard.resume(None)
                self.wizard.show_question()
        elif command.screen:
            module, _, kind = command.screen.partition(":")
            screen = getattr(import_module(f"advisor.wizard.{module}"), kind)
            kept = None if args else self.wizard.kept.pop(screen, None)
            self.wizard.push_screen(kept or screen(*args))
        else:
            getattr(self, f"action_{name}")()

    def begin_text(self) -> None:
        """Lets a word that is typed while no field is open be searched for."""
        self.action_command("find")

    def action_enter(self) -> None:
        """Does in the focused widget what Enter does there."""
        focused = self.focused
        if isinstance(focused, Closable) and not focused.opened:
            focused.open(again=True)
        elif isinstance(focused, OptionList):
            focused.action_select()
        elif isinstance(focused, Input):
            self.run_worker(focused.action_submit())

    def action_name(self) -> None:
        """Asks for the names that the files lack."""
        missing = ending.known_verdict(self.wizard.base, self.wizard.session).unnamed
        self.ask_names(missing)
        if not missing:
            self.notify("No name is missing; the export (e) shows and changes them.", markup=False)

    def ask_names(self, names: Sequence[str], problem: str = "") -> None:
        """Asks for one after the other, again for one that is refused; all of them can be written at once."""
        app = self.wizard
        if not names:
            return

        def done(text: str | None) -> None:
            if text is None:
                return
            words = text.replace(":/", " /").split() if len(names) > 1 else [text]
            words = words if len(words) == len(names) else [text]
            for place, word in enumerate(words):
                refused = app.change(partial(state.name, app.base, app.session, names[place], word))
                if refused:
                    self.ask_names(names[place:], str(refused))
                    return
            self.ask_names(names[len(words):])

        whole = f" Or all at once: {' '.join(map(NAMES.__getitem__, names))}" if len(names) > 1 else ""
        app.push_screen(Prompt(
            f"{names[0]}: {mounts.NAME_HELP[names[0]]}",
            problem or f"It stands in the files. Empty: a placeholder.{whole}",
            app.session.answers.names.get(names[0], ""),
        ), done)

    def action_quit(self) -> None:
        self.wizard.ask_to_leave()

    def action_start(self) -> None:
        if self.PLACE != "start":
            self.wizard.show_start()

    def action_jump(self) -> None:
        panes = [
            widget for widget in self.query("Input, TextArea, OptionList, VerticalScroll")
            if widget.focusable and widget.region.area
        ]
        self.wizard.push_screen(Jump(panes), lambda chosen: chosen.focus() if chosen is not None else None)

    def action_picture(self) -> None:
        """Saves a picture of the screen under a name that is asked for."""
        picture = self.app.export_screenshot(title="advisor").encode()

        def done(name: str | None) -> None:
            if not name:
                return
            try:
                user_files.save(name, picture, 0o644)
            except (OSError, user_files.WriteError) as error:
                self.notify(str(error), severity="warning", markup=False)
            else:
                self.notify(f"Saved as {Path(name).absolute()}", markup=False)

        self.wizard.push_screen(Prompt("Save this screen as", "A picture (SVG). An existing file is replaced.",
                                       f"advisor-{self.NAME.lower().replace(' ', '-')}.svg"), done)


class SubScreen(SessionScreen):
    """A screen that Esc leaves. `WAITS_FOR`: the kind of result of the prefetch thread with which it is drawn again.
    `KEEPS`: what was written is kept for the next time."""

    PLACE = "sub"
    WAITS_FOR: type | None = None
    KEEPS = False
    BINDINGS = bindings(PLACE)

    def action_leave(self) -> None:
        """One step back: out of a field that Enter has opened, else from the screen."""
        if isinstance(self.focused, Closable) and self.focused.reopened:
            self.focused.close()
        else:
            self.leave()

    def leave(self) -> None:
        """Leaves the screen. What was written there is there again when it is opened the next time."""
        again = self.recreate() if self.KEEPS else None
        if again is not None:
            self.wizard.kept[type(self)] = again
        self.dismiss(None)

    def show_computed(self, request: Request | Work) -> None:
        if type(request) is self.WAITS_FOR:
            self.show_session()

    def recreate(self) -> SessionScreen | None:
        return type(self)()

    def made_files(self) -> MadeFiles | None:
        """The files of the session; None until the thread has made them, which `show_computed` is told."""
        app = self.wizard
        known = known_files(app.base, app.session)
        if known is None and not app.prefetcher.stopped:
            app.prefetcher.request([Work(partial(made_files, session=app.session))])
            return None
        return known or made_files(app.base, app.session)

    def open_row(self, kind: str, name: str) -> None:
        """Opens what a row of a list is about: the question for an answer, else an explanation."""
        if kind == "answer":
            self.wizard.go_to_question(name)
        else:
            self.wizard.explain(kind, name)


class ListScreen(SubScreen):
    """A screen with a list of rows; Enter opens the highlighted one."""

    DEFAULT_CSS = "ListScreen #note, ListScreen #result { padding: 0 1; height: auto; max-height: 6; }"

    def listing(self, listed: str, result: str = "") -> ComposeResult:
        """The list and what belongs to it. `listed`: what it has; `result`: the line before there is one."""
        for name, text in (("note", ""), ("result", result)):
            line = Static(text, id=name, markup=False)
            line.display = bool(text)
            yield line
        yield SettingList(listed)
        yield KeyBar(self.bar())

    def show_line(self, name: str, text: Content) -> None:
        """Shows a text in the line of that name, which takes no room without one."""
        line = self.query_one(f"#{name}", Static)
        line.display = bool(text)
        line.update(text)

    def show_result(self, text: str, style: str = BAD) -> None:
        self.show_line("result", Content.styled(text, style))

    def show_problem(self, problem: Exception) -> None:
        """Shows it instead of a result, and an empty list."""
        self.show_result(str(problem))
        self.query_one(SettingList).fill([])

    @on(OptionList.OptionSelected)
    def action_open(self) -> None:
        key = self.query_one(SettingList).key
        if key is not None:
            self.open_row(*key)


class FieldScreen(ListScreen):
    """A screen with a field, a line for the result, and a list."""

    DEFAULT_CSS = """
    FieldScreen #field { height: auto; }
    FieldScreen #label { display: none; height: auto; color: $quiet; }
    FieldScreen.-low #label, FieldScreen.-tiny #label { display: block; }
    """
    PLACE = "list"
    BINDINGS = bindings(PLACE)

    KEEPS = True
    left_text = ""
    """What was in the field when the screen was left."""

    def recreate(self) -> SessionScreen | None:
        again = type(self)()
        again.left_text = self.query_one(LineField).value
        return again

    def parts(self, field: LineField, label: str, listed: str, *about: str, result: str = "") -> ComposeResult:
        """`label`: what to write in the field; `about`: beside the name, the longest first; else as for `listing`."""
        yield Head(self.NAME, *about)
        with Vertical(id="field", classes="pane") as pane:
            pane.border_title = label
            yield Static(label, id="label", markup=False)
            field.value = self.left_text or field.value
            yield field
        yield from self.listing(listed, result)

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def bar(self) -> list[Key]:
        """Of "in the field, in the list", what Enter does where the focus is."""
        typing = isinstance(self.focused, Input)
        return [(key, says.split(", ")[0 if typing else -1] if key == "Enter" else says, action)
                for key, says, action in super().bar()]

    @on(events.DescendantFocus)
    def _show_enter(self) -> None:
        self.query_one(KeyBar).show(self.bar())

    def action_list(self) -> None:
        """Moves the focus between the field and the list."""
        setting_list = self.query_one(SettingList)
        (self.query_one(Input) if setting_list.has_focus or not setting_list.rows else setting_list).focus()
