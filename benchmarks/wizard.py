"""Plays real keys to the wizard on a pseudo-terminal, and measures until what they change is painted:
`python benchmarks/wizard.py [RUNS]`; prints a Markdown table. `--goals`: instead the three figures that
`benchmarks/run.py` shows, each in milliseconds and beside what.

Painted means: on the screen, as a terminal would show it, stand the next question and all options that the answer
brought to the mount line. Without pauses the next key is sent at once; else after THINKING seconds, in which the wizard
works ahead. Times are of the processor: of the thread that draws, and of all threads; nothing is hidden in a pause, and
a busy machine does not count."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from advisor.advice.answers_file import answers_text
from advisor.advice.rows import mount_options
from advisor.rulebase.base import load
from advisor.rulebase.model import Fact, RuleBase
from advisor.wizard import mounts, questions, state

ROOT = Path(__file__).resolve().parent.parent
PLATFORMS = (1, 5, 6, 8, 9)
"""Which answers to the first question are tried."""
ANSWERS = 8
MOUNTS = 5
ROWS, COLUMNS = 40, 120
THINKING = 0.6
"""Seconds between two keys, where somebody thinks."""
LIMIT = 20
"""Seconds after which what should be painted is missing."""
CODES = re.compile(
    r"\x1b\[([0-9;?<>=]*)([a-zA-Z~])|\x1b[\]P^_].*?(?:\x07|\x1b\\)|\x1b[()].|\x1b.|[\r\n]|[^\x1b\r\n]+", re.DOTALL
)


COMPILED = str(Path(tempfile.gettempdir(), f"advisor-benchmark-{os.getuid()}"))
"""Where the interpreter keeps compiled modules."""
EMPTY = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("nothing else")
    def on_key(self):
        self.query_one(Static).update("another line")
Empty().run()
"""
"""The least that a program of Textual does: a budget of milliseconds means something beside it only."""


class Cost(NamedTuple):
    """Milliseconds of the processor: of the thread that draws, and of all."""

    drawing: float
    all: float


class Screen:
    """What a terminal shows of what is written to it."""

    def __init__(self) -> None:
        self.rows = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self._rest = ""

    def feed(self, text: str) -> None:
        text = self._rest + text
        cut = text.rfind("\x1b", max(len(text) - 32, 0))
        self._rest = text[cut:] if cut >= 0 and not re.match(r"\x1b\[[0-9;?<>=]*[a-zA-Z~]", text[cut:]) else ""
        for match in CODES.finditer(text[: len(text) - len(self._rest)]):
            given, kind = match[1], match[2]
            if kind == "H":
                row, _, column = given.partition(";")
                self.row, self.column = int(row or 1) - 1, int(column or 1) - 1
            elif kind == "J" and given == "2":
                self.rows = [[" "] * COLUMNS for _ in range(ROWS)]
            elif match[0] == "\r":
                self.column = 0
            elif match[0] == "\n":
                self.row += 1
            elif match[0][0] != "\x1b":
                self._put(match[0])

    def _put(self, text: str) -> None:
        for char in text:
            if self.row < ROWS and self.column < COLUMNS:
                self.rows[self.row][self.column] = char
            self.column += 1

    @property
    def text(self) -> str:
        return "\n".join("".join(row).rstrip() for row in self.rows)


class Terminal:
    """A program in `folder`, on a terminal. `command`: what follows the interpreter."""

    def __init__(self, folder: str, *command: str) -> None:
        self.screen = Screen()
        pid, self.handle = pty.fork()
        if not pid:
            os.chdir(folder)
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", PYTHONPATH=str(ROOT))
            os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # nobody who uses the program compiles it at each start
            os.environ["PYTHONPYCACHEPREFIX"] = COMPILED
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.execv(sys.executable, [sys.executable, *command])
        self.pid, self.spent = pid, Cost(0, 0)

    def processor(self) -> Cost:
        spent = {
            task.name: int((task / "schedstat").read_text(encoding="ascii").split()[0]) / 1e6
            for task in Path(f"/proc/{self.pid}/task").iterdir()
        }
        return Cost(spent[str(self.pid)], sum(spent.values()))

    def press(self, key: str) -> None:
        self.spent = self.processor()
        os.write(self.handle, key.encode())

    def wait(self, *wanted: str, gone: str = "") -> Cost:
        """Until all of these are painted, and `gone` is painted over, from the start or the last key."""
        end = time.perf_counter() + LIMIT
        while time.perf_counter() < end:
            if select.select([self.handle], [], [], 0.2)[0]:
                self.screen.feed(os.read(self.handle, 65536).decode("utf-8", "replace"))
                shown = self.screen.text
                asked = [row for row in shown.split("\n") if "answered: " not in row]  # that row has the last question
                if all(one in shown for one in wanted) and not (gone and any(gone in row for row in asked)):
                    now = self.processor()
                    return Cost(now.drawing - self.spent.drawing, now.all - self.spent.all)
        raise SystemExit(f"not painted within {LIMIT} s: {wanted}; the screen:\n{self.screen.text}")

    def think(self) -> None:
        until = time.perf_counter() + THINKING
        while (left := until - time.perf_counter()) > 0:
            if select.select([self.handle], [], [], left)[0]:
                self.screen.feed(os.read(self.handle, 65536).decode("utf-8", "replace"))

    def end(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        os.close(self.handle)
        os.waitpid(self.pid, 0)


class Costs(NamedTuple):
    """The costs of all sessions, by what was done."""

    first: list[Cost]
    platform: list[Cost]
    keys: list[Cost]
    export: list[Cost]
    written: list[Cost]


class Press(NamedTuple):
    """A key, and what it paints. `question`: what stood there before, or "" for what has none."""

    key: str
    paints: Sequence[str]
    question: str


def script(base: RuleBase, session: state.Session, place: int) -> Iterator[Press]:
    """The first frame, with the key "", and ANSWERS answers beginning with the platform number `place`."""
    session = state.go(session, None)
    fact = str(questions.current_question(base, session))
    yield Press("", [*asked(base, fact), *line(base, session)], "")
    for step in range(ANSWERS):
        if fact not in base.facts:
            break  # nothing that matters is left to ask
        key, value = key_for(base, session, base.facts[fact], place if not step else 1)
        before, question = {*line(base, session)}, asked(base, fact)[0]
        session = state.answer(base, session, fact, value)
        fact = str(questions.current_question(base, session))
        news = (option for option in line(base, session) if option not in before)
        yield Press(key, [*asked(base, fact), *news], question)


def play(base: RuleBase, session: state.Session, place: int, costs: Costs, *, thinks: bool) -> None:
    """One session: a script, and the export."""
    presses = [*script(base, session, place)]  # before anything runs: what this takes would be a pause
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder, "answers.yaml")
        answers.write_text(answers_text(mounts.combined_answers(base, session)), encoding="utf-8")
        terminal = Terminal(folder, "-m", "advisor", "wizard", "--no-save", "--no-host", f"--answers={answers}")
        for cost, press in zip((costs.first, costs.platform, *[costs.keys] * ANSWERS), presses):
            if thinks and press.key:
                terminal.think()
            if press.key:
                terminal.press(press.key)
            cost.append(terminal.wait(*press.paints, gone=press.question))
        if thinks:
            terminal.think()
        terminal.press("e")
        costs.export.append(terminal.wait("nfs-config", " mount.sh"))
        terminal.think()  # Enter that comes before the files are painted writes nothing
        terminal.press("\r")
        costs.written.append(terminal.wait(" files in nfs-config"))
        if not Path(folder, "nfs-config", "apply.sh").exists():
            raise SystemExit("nothing was written")
        terminal.end()


def asked(base: RuleBase, fact: str) -> list[str]:
    """The beginning of a question, which no screen wraps."""
    return [(base.facts[fact].ask or "")[:24]] if fact in base.facts else []


def line(base: RuleBase, session: state.Session) -> list[str]:
    return [option.text for option in mount_options(questions.preview(base, session))]


def key_for(base: RuleBase, session: state.Session, told: Fact, place: int) -> tuple[str, object]:
    """What is pressed or typed, and the answer that it is."""
    values = [one.value for one in questions.values_to_choose(base, session, told.id)]
    if values:
        return str(place), values[place - 1]
    typed = "5.14" if told.type == "version" else "64"
    return f"{typed}\r", typed if told.type == "version" else 64


def one_mount(base: RuleBase) -> state.Session:
    return state.mount(base, state.start(), {"server": "nas0", "export": "/vol0", "target": "/mnt/0"})


def several_mounts(base: RuleBase) -> state.Session:
    session = state.start()
    for number in range(MOUNTS):
        names = {"server": f"nas{number // 2}", "export": f"/vol{number}", "target": f"/mnt/{number}"}
        session = mounts.add(base, session, names)
    return session


def main() -> None:
    base = load()
    if sys.argv[1:] == ["--goals"]:
        print(json.dumps(goals(base)))
        return
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    print("| what | budget | the thread that draws: median | most | all threads: median | most |")
    print("|---|---|---|---|---|---|")
    play(base, one_mount(base), 1, Costs([], [], [], [], []), thinks=False)  # compiles the modules
    empty, _ = of_textual(runs)
    print(row("an empty program of Textual, first frame", "", empty), flush=True)
    for thinks, start, mounted in (
        (False, one_mount, ""), (True, one_mount, f", {THINKING} s after the last"),
        (False, several_mounts, f", {MOUNTS} mounts"),
    ):
        costs = played(base, start, runs, thinks=thinks)
        for what, budget, times in (
            ("first frame with the mount line", 500, costs.first), ("the platform's key", 80, costs.platform),
            ("each further key", 80, costs.keys), ("export: until its files are shown", 300, costs.export),
            ("export: until all files are written", 300, costs.written),
        ):
            if thinks and times is costs.first:
                continue
            print(row(f"{what}{mounted}", f"{budget} ms", times), flush=True)


def of_textual(runs: int = 1) -> tuple[list[Cost], list[Cost]]:
    """What the first frame of an empty program costs, and a key in it."""
    frames, keys = [], []
    for _ in PLATFORMS * runs:
        terminal = Terminal(".", "-c", EMPTY)
        frames.append(terminal.wait("nothing else"))
        terminal.think()
        terminal.press("x")
        keys.append(terminal.wait("another line"))
        terminal.end()
    return frames, keys


def played(
    base: RuleBase, start: Callable[[RuleBase], state.Session], runs: int = 1, *, thinks: bool = False
) -> Costs:
    costs = Costs([], [], [], [], [])
    for place in PLATFORMS * runs:
        play(base, start(base), place, costs, thinks=thinks)
    return costs


def goals(base: RuleBase) -> list[tuple[float, float | None]]:
    """(ours, the other's) of the first frame, of a key after a pause, and of the slowest key without; all by all
    threads, the first two by the median."""
    frames, keys = of_textual()
    played(base, one_mount)  # compiles the modules
    fast, slow = played(base, one_mount), played(base, one_mount, thinks=True)
    return [
        (middle(fast.first), middle(frames)), (middle([*slow.platform, *slow.keys]), middle(keys)),
        (max(cost.all for cost in [*fast.platform, *fast.keys]), None),
    ]


def middle(costs: Sequence[Cost]) -> float:
    return statistics.median(cost.all for cost in costs)


def row(what: str, budget: str, times: list[Cost]) -> str:
    figures = [f"{round(number)} ms" for each in zip(*times) for number in (statistics.median(each), max(each))]
    return f"| {what} ({len(times)}) | {budget} | {' | '.join(figures)} |"


if __name__ == "__main__":
    main()
