"""The commands of the wizard, in one list: screens bind their keys and show them at the bottom and on the page of keys,
the command palette and the first question offer them, and the numbered prompts read their words. And the owner of the
session, which the application and the prompts are: it runs those that change it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from advisor.rulebase.model import RuleBase
from advisor.wizard import advice_cache, files, mounts, questions, state
from advisor.wizard.state import Found, Refused, Session

if TYPE_CHECKING:
    from pathlib import Path

    from advisor.lint.evidence import NfsLine
    from advisor.lint.fix import LookAtHost
    from advisor.wizard.advice_cache import AdviceChange
    from advisor.wizard.files import SavedSession

Change = Callable[[RuleBase, Session], Session]
NO_MORE = "No more answers in that direction."
ANOTHER_HOST = "Your answer is about another host: values found on this one are no longer offered."
LOST = "Left out, because the rules have changed:"
NO_OTHER_SIDE = "There is no other side: such storage has no server that you configure."
NO_SERVER = "The answers are about a server already, or about storage that has none that you configure."


class Command(NamedTuple):
    """`name`: of the action of a screen (`action_` and the name), and of the prompts (`do_` and the name). `on`: the
    places that have it, each a screen or a part of one; it is offered only there.

    Screens: `keys`, as Textual names them, with commas between them; `hidden`: further ones, which the page of keys
    leaves out; `label`: at the bottom; `says`: on the page of keys; `title`: in the command palette; `urgent`: it comes
    before the keys of the widget that has the focus.
    Prompts: `words` that a line may begin with, the shortest first; `usage`: the word and its argument; `help`: what
    `?` says of it.
    `change`: what it does to the session, if that is all; `otherwise`: what is said if nothing changes; `told`: what is
    said of the change of a session. `screen`: the module and the class of the screen that it opens, which is imported
    then."""

    name: str
    on: str
    keys: str = ""
    label: str = ""
    says: str = ""
    words: str = ""
    help: str = ""
    usage: str = ""
    title: str = ""
    change: Change | None = None
    otherwise: str = ""
    told: Callable[[RuleBase, Session], str] | None = None
    screen: str = ""
    hidden: str = ""
    urgent: bool = False

    @property
    def task(self) -> bool:
        """Whether it is something else than a question, so that a question is asked again after it."""
        return "tasks" in self.on.split()


def _more(_: RuleBase, session: Session) -> Session:
    return session._replace(fine=not session.fine, at=None)


def _told_more(_: RuleBase, session: Session) -> str:
    return ("The questions that could only fine-tune are left out again." if session.fine else
            "Questions that could only fine-tune are asked too; m leaves them out again.")


def _told_undo(base: RuleBase, session: Session) -> str:
    undone = " ".join(questions.last_answer(base, session))
    return f"Undone: {undone}" if undone.strip() else "The last change is undone."


COMMANDS = (
    Command("keys", "everywhere", "question_mark,f1", "keys", "The keys of this screen", title="Keys"),
    Command("find", "session", "slash,f3", "find", "Find an answer, question, setting, rule, claim or source",
            title="Find", screen="explanation:FindScreen"),
    Command("quit", "session", "q,ctrl+q", "quit", "Quit; asks if the answers are not saved", "q quit exit", "quit"),
    Command("start", "session", "g", "start", "The first screen, with all tasks"),
    Command("jump", "session", "j,ctrl+o", "", "Jump to a pane: each shows the letter that goes there"),
    Command("picture", "session", "S", "save picture", "Save this screen as a picture (SVG)"),
    Command("undo", "session", "u,ctrl+z", "undo", "Undo the last change", "u undo", "undo the last change",
            change=lambda _, session: state.undo(session), otherwise="There is nothing to undo.", told=_told_undo),
    Command("redo", "session", "U,ctrl+y", "", "Redo what was undone", "r redo", "redo what was undone",
            change=lambda _, session: state.redo(session), otherwise="There is nothing to redo."),
    Command("leave", "sub", "escape", "back", "Back"),
    # The first screen, and the questions at the prompts.
    Command("unknown", "question", "d", "don't know", "I don't know",
            "d dont-know unknown", "I don't know", hidden="D"),
    Command("along(-1)", "question", "left", "", "Along the line, to the option before"),
    Command("along(1)", "question", "right", "", "Along the line, to the next option"),
    Command("back", "question", "alt+left,b", "back", "Back to the answer before", "b back",
            "back to the answer before", change=lambda _, session: state.back(session), otherwise=NO_MORE),
    Command("forward", "question", "alt+right", "", "Forward, to the next open question at the end", "f forward",
            "forward again", change=lambda _, session: state.forward(session), otherwise=NO_MORE),
    Command("other", "question", "tab", "settings", "Between the question and the settings", hidden="shift+tab"),
    Command("question", "question", "escape", "question",
            "One step back: out of a field or list, else to the answer before"),
    Command("down", "question", label="choices", hidden="down", urgent=True),
    Command("review", "question", "r,f2", "review", "Review all answers and settings", "s show",
            "the settled settings, and the mount line", title="Review", screen="lists:ReviewScreen"),
    Command("rest", "question", "o", "the rest", "Show or hide what is open, optional or fine without a change",
            "o waiting", "the open settings, and what settles them"),
    Command("why", "question", words="w why", help="why a setting has its value: w nconnect", usage="w NAME"),
    Command("explain", "question", "w", "why", "Why: the whole argument for the option or setting under the cursor"),
    Command("why_not", "explanation", "w", "why not …", "Why the setting has no other value"),
    Command("what_if", "question explanation", "i", "what if", "What would have to be different for another value"),
    Command("pin", "question explanation review", "p", "pin", "Pin the setting to a value", "p pin",
            "pin a setting to a value; p NAME= unpins it", "p NAME=VALUE"),
    Command("name", "question result", "n", "names", "Name the server, the export and what else the files lack", "name",
            "a name for the files: server, export, target or clients", "name WHAT=TEXT"),
    Command("answer", "question explanation", "a", "answer",
            "Answer the question that settles the setting, or that it rests on", "a answer",
            "answer a fact at once, also one that is assumed: a mount.sec", "a FACT"),
    Command("mounts", "question review", "l,f7", "mounts", "The mounts of this host: add one, go to one, remove one",
            "l mounts", "the mounts; l 2 goes to the second, l -2 removes it, l nas1:/data /mnt/data adds one more",
            "l", title="Mounts", screen="lists:MountsScreen"),
    Command("side", "question", "s", "", "The other side: the server of these clients, or the clients of this server",
            "side", "the other side: the server of these clients, or the clients of this server",
            change=mounts.go_to_other_side, otherwise=NO_OTHER_SIDE),
    Command("more", "question", "m,f6", "more", "Also the questions that could only fine-tune, or not these", "m more",
            "also the questions that could only fine-tune, or not these", change=_more, told=_told_more),
    Command("again", "question", words="h question", help="the question again, with all its choices"),
    Command("forget", "question", "x", "", "Delete the answer to this question"),
    Command("copy", "question", "y", "copy", "Copy the mount line"),
    Command("copy_command", "question"),
    Command("export", "question review result", "e,f5", "export", "Export what is settled, at any time", "x export",
            "write the files to install, a report and the answers into a folder", "x FOLDER", title="Export",
            screen="lists:ExportScreen"),
    Command("result", "question review", "R", "result", "The result: what you get, for the ticket", title="Result",
            screen="lists:ResultScreen"),
    Command("app.next_theme", "question", "t", "", "Next theme: dark, light, the terminal's own colours"),
    # The other tasks: below the mounts at the first question, in the palette, and at the prompts.
    Command(
        "serve", "tasks", says="exports, its services, a failover pair", words="server", usage="server",
        title="Configure a server", help="configure a server, or the one of these clients",
        change=mounts.configure_server, otherwise=NO_SERVER,
    ),
    Command(
        "diagnose", "tasks", says="a message or a log: causes, the next check",
        words="wrong diagnose", usage="wrong WHAT", title="Something is wrong", screen="diagnose:DiagnoseScreen",
        help="something is wrong: a message, or a file that contains it, and what causes it",
    ),
    Command(
        "check", "tasks question", "c,f4", "check", "a file or a line: explained, fixed, accepted", words="check",
        usage="check WHAT", title="Check what I have", screen="check:CheckScreen",
        help="check a file or a line of fstab: each finding explained, fixed or accepted",
    ),
    Command(
        "check_host", "tasks", says="its NFS files, and what is in effect", words="host",
        usage="host", title="Check this host", screen="check:HostScreen",
        help="check this host: its files, and what is in effect",
    ),
    Command(
        "environments", "tasks", says="this session and another, setting by setting", words="compare",
        usage="compare WHAT", title="Compare two environments", screen="check:EnvironmentsScreen",
        help="an answers file or another session beside this one",
    ),
    Command(
        "watch", "tasks", says="what each does now, and what limits it", words="watch", usage="watch TIME",
        title="Watch my mounts", help="what the mounts of this host do, and what limits them: watch 30s",
    ),
    Command("keys", "prompts", words="? help", help="these commands"),
    # The other screens.
    Command("more", "explanation", "m", "more", "All rules and sources about it, for all platforms"),
    Command("list", "list", "down", "", "To the list"),
    Command("list", "list", "tab", "", "Between the field and the list"),
    Command("explain", "finding", help="explains a finding", usage="A number"),
    Command("fix", "check finding", "f", "fix", "Fix the finding, in memory", "f", "fixes the second", "f 2"),
    Command("accept", "check finding", "a", "accept",
            "Accept the finding, with a reason that is written into the file", "a",
            "accepts it with a reason that is written into the file", "a 2 REASON"),
    Command("undo", "check finding", "ctrl+z,u", "undo", "Undo the last fix or acceptance", "u", "undoes", "u"),
    Command("save", "check finding", "s", "save", "Save the fixed text under another name", "s",
            "saves the text under that name", "s FILE"),
    Command("fix", "host", "f,a", "fix or accept in its file",
            "Go to the file, to fix the finding there or to accept it with a reason"),
    Command("run", "diagnose", "f2", "diagnose", "Diagnose the text; Enter does so too, Alt+Enter begins a line"),
    Command("undo", "diagnose", "u", "undo", "Undo the last outcome"),
    Command("forget", "diagnose", "x,delete", "new text", "Drop this text, and begin with another"),
    Command("copy", "export", "f6,y", "copy commands", "Copy the commands that install the files"),
    Command("copy", "result", "y", "copy line", "Copy the mount line"),
    Command("copy_card", "result", "Y", "copy card", "Copy the card"),
    Command("report", "result", "r", "report", "Read the report"),
    Command("force", "export", "f", "", "Overwrite files that were edited since"),
    Command("remove", "mounts", "x,delete", "remove", "Remove the mount from the session"),
    Command("forget", "review", "x,delete", "delete", "Delete the answer, or unpin the setting"),
    # The counters of mounts, while they change.
    Command("app.pause", "live", "space,p", "pause", "Pause, and continue"),
    Command("app.pace(1)", "live", "plus,equals_sign", "interval", "Read less often"),
    Command("app.pace(-1)", "live", "minus", "", "Read more often"),
    Command("app.next_theme", "live", "t", "", "Other colours"),
    Command("app.quit", "live", "ctrl+q,ctrl+c", "", "Quit", urgent=True),  # else Ctrl+C copies
    Command("quit", "live", "q", "quit", "Quit"),
    Command("quit", "live-list", "q", "quit", "Quit", hidden="escape"),
    Command("open", "live-list", "enter", "all about it", "All about the mount"),
    Command("next_sort", "live-list", "s", "sort", "Sort by the next column"),
    Command("leave", "live-mount", "escape", "back", "Back to the list"),
    Command("other(-1)", "live-mount", "left", "", "The mount before this one", urgent=True),
    Command("other(1)", "live-mount", "right", "other mounts", "The next mount", urgent=True),  # else the text takes it
)
Key = tuple[str, str, str]
"""A key as it is shown, its label, and the action of the screen."""
_LEAVE: tuple[str | Key, ...] = ("keys", "leave")
BARS: dict[str, tuple[str | Key, ...]] = {
    "question": (
        ("Enter", "choose", "enter"), ("Esc", "back", "question"), "unknown", "other", "keys", "undo", "explain",
        "find", "export", "copy", "review", "start", "mounts", "more", "check", "quit",
    ),
    "field": (
        ("Enter", "take it", "enter"), ("↓", "choices", "down"), ("Esc", "leave the field", "question"), "export",
        "keys", "other", ("Ctrl+Q", "quit", "quit"),
    ),
    "start": (("Enter", "choose", "enter"), "find", "keys", "quit"),
    "settings": (
        ("Enter", "why", "enter"), "pin", "what_if", "answer", "rest", ("Tab", "question", "other"),
        "export", "keys", "quit",
    ),
    "explanation": ("why_not", "what_if", "pin", "answer", "more", *_LEAVE),
    "page": ("find", "leave"),
    "check": (
        ("Enter", "check, explain", "open"), "fix", "accept", "undo", "save", ("Tab", "field, findings", "list"),
        *_LEAVE,
    ),
    "host": (("Enter", "explain", "open"), "fix", *_LEAVE),
    "environments": (("Enter", "compare, explain", "open"), ("Tab", "field, settings", "list"), *_LEAVE),
    "diagnose": (
        ("Enter", "diagnose, choose", "enter"), "undo", "forget",
        ("Tab", "text, answer, outcomes", "app.focus_next"), *_LEAVE,
    ),
    "export": (
        ("Enter", "write the files, change or open it", "enter"), ("↓", "names and files", "list"), "copy", *_LEAVE,
    ),
    "result": (("e", "write files", "command('export')"), "name", "copy", "copy_card", "report", "picture", *_LEAVE),
    "text": _LEAVE,
    "key-page": ("leave",),
    "find": (("Enter", "open", "open"), ("↓", "to the list", "list"), "leave"),
    "mounts": (("Enter", "add, go to", "open"), ("↓", "list", "list"), "remove", "undo", *_LEAVE),
    "review": (
        ("Enter", "change, explain", "open"), "forget", "pin", "export", "mounts", "undo", *_LEAVE,
    ),
    "live-list": ("open", "next_sort", "app.pause", ("+ -", "interval", "app.pace(1)"), "keys", "quit"),
    "live-mount": (("← →", "other mounts", "other(1)"), "app.pause", ("+ -", "interval", "app.pace(1)"), *_LEAVE),
}
"""The keys at the bottom of a screen, or of a part of one, the most useful first; the last one leaves it."""
_GENERAL = ("live", "sub", "session", "everywhere", "tasks", "question")
PLACES = {"field": "question", "settings": "question"}
"""Part of a screen → the screen."""
_LEFT_ALONE = ("escape", "tab", "down")
"""Keys that a field does not take, beside those with Ctrl and Alt and F1 to F12."""
KEY_NAMES = {
    "question_mark": "?", "slash": "/", "left": "←", "right": "→", "up": "↑", "down": "↓", "escape": "Esc",
    "enter": "Enter", "tab": "Tab", "U": "Shift+U", "space": "Space", "plus": "+", "equals_sign": "=", "minus": "-",
}


def commands_of(place: str) -> list[Command]:
    """The commands of a place alone, without those that are everywhere."""
    return [command for command in COMMANDS if place in command.on.split()]


def command_at(name: str, place: str) -> Command:
    """The command of that name that a place has: its own, before those that all have."""
    return next(
        command for where in (PLACES.get(place, place), *_GENERAL) for command in commands_of(where)
        if command.name == name
    )


def action_of(command: Command) -> str:
    """The action of a screen, as Textual writes it."""
    return f"command({command.name!r})" if command.change or command.screen else command.name


def bar(place: str, *, typing: bool = False) -> list[Key]:
    """`typing`: a field has the focus and takes letters, so that only keys that it leaves alone are shown."""
    keys: list[Key] = []
    for entry in BARS[place]:
        if isinstance(entry, str):
            command = command_at(entry, place)
            shown = _shown(command.keys.split(","), typing)
            keys += [(shown, command.label, action_of(command))] if shown else []
        else:
            keys.append(entry)
    return keys


def _shown(keys: list[str], typing: bool) -> str:
    """The key to show of those of a command; "" if a field takes all of them."""
    other = [key for key in keys if "+" in key or key[1:].isdigit()]
    plain = [key for key in keys if key not in other]
    left = [*other, *(key for key in plain if key in _LEFT_ALONE)] if typing else [*plain, *other]
    return key_name(left[0]) if left else ""


def key_name(key: str) -> str:
    """"ctrl+z" → "Ctrl+Z", "slash" → "/"."""
    *before, last = key.split("+")
    capital = before or (last[0] == "f" and last[1:].isdigit())
    return "+".join([part.capitalize() for part in before] + [KEY_NAMES.get(last, last.upper() if capital else last)])


def key_page(places: list[str]) -> list[tuple[str, str]]:
    """(keys, what they do) of all commands of these places."""
    said: dict[str, list[str]] = {}
    for place in places:
        for command in commands_of(place):
            if command.says and command.keys:
                said.setdefault(command.says, []).extend(map(key_name, command.keys.split(",")))
    return [(" ".join(dict.fromkeys(names)), says) for says, names in said.items()]


PROMPTS = [command for command in COMMANDS if command.words and "finding" not in command.on.split()]
"""The commands of the numbered prompts."""
BY_NAME = {command.name: command for command in PROMPTS}
BY_WORD = {word: command for command in PROMPTS for word in command.words.split()}


def usage(command: Command) -> str:
    """The word and the argument, as `?` lists them."""
    return command.usage or command.words.split()[0]


class SessionOwner:
    """What has the session, and changes it. `found`: facts that were read on this host; `mounts`: NFS lines to choose
    from. `path`: where the session is saved; None: it is not saved. `check_host`: checks this host. `may_watch`: its
    mounts can be watched. `news`: how the latest answer changed the advice. `earlier`: the saved session that the first
    save replaces, unless it is continued; `exported`: the session when its files were written."""

    base: RuleBase
    session: Session
    found: Found
    mounts: list[NfsLine]
    path: Path | None
    check_host: LookAtHost | None
    may_watch: bool
    news: list[AdviceChange]
    earlier: SavedSession | None = None
    exported: Session | None = None

    @property
    def is_exported(self) -> bool:
        """Whether the files that were written have all answers."""
        return self.exported is not None and all(
            getattr(self.exported, part) == getattr(self.session, part) for part in ("answers", "others", "other_side"))

    @abstractmethod
    def inform(self, text: str) -> None:
        """Tells the user something that asks for nothing."""

    @abstractmethod
    def set_session(self, changed: Session) -> None:
        """Replaces the session by one that is already checked, shows and saves it."""

    @abstractmethod
    def change(self, step: Callable[[], Session]) -> Refused | None:
        """Applies a change, or tells why it is refused."""

    @property
    def tasks(self) -> list[Command]:
        """The other tasks, which the first question offers below the mounts."""
        return [task for task in commands_of("tasks") if task.name != "watch" or self.may_watch]

    def continue_saved(self, saved: SavedSession) -> None:
        """Continues a saved session; if it cannot, says why and leaves the file alone."""
        try:
            resumed = files.from_text(self.base, saved.text)
        except ValueError as error:
            self.inform(f"It cannot be continued: {error}")
            return
        self.session, self.path, self.earlier = resumed.session, saved.path, None
        if resumed.lost:
            self.inform(" ".join([LOST, *resumed.lost]))

    def save_in(self, path: Path, session: Session) -> str | None:
        """Saves a session, and keeps the one that it replaces; returns what went wrong."""
        problem = files.save_session(path, files.to_text(session), self.earlier)
        if problem is None:
            self.earlier = None
        return problem

    def apply(self, step: Callable[[], Session]) -> None:
        """Applies a change, and says once that values found on this host are no longer offered. Raises Refused if it
        contradicts earlier answers."""
        before, advice = self.session, questions.preview(self.base, self.session)
        changed = step()
        if changed.view != before.view:
            self.news = []
        elif changed.answers != before.answers:
            self.news = advice_cache.changes(advice, questions.preview(self.base, changed))
        self.set_session(changed)
        was_another, is_another = (
            questions.about_another_host(self.base, session, self.found) for session in (before, changed)
        )
        if is_another and not was_another:
            self.inform(ANOTHER_HOST)

    def do(self, command: Command) -> None:
        before, change = self.session, command.change
        if change is not None:
            self.change(lambda: change(self.base, before))
        if self.session == before:
            self.inform(command.otherwise)
        elif command.told is not None:
            self.inform(command.told(self.base, before))
