"""Measures the wizard on a real pseudo-terminal: `python benchmarks/wizard.py [RUNS]`; prints a Markdown table.

First frame: from the start of the process until the first question can be read. Key press: from the key that gives an
answer until the next question, the progress line and what has just changed can all be read; once with one mount, and
once with several, whose settings of the host follow when nobody types."""

from __future__ import annotations

import fcntl
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
from pathlib import Path
from typing import NamedTuple

from advisor.advice.answers_file import answers_text
from advisor.pages import wording
from advisor.rulebase.base import load
from advisor.rulebase.model import Fact, RuleBase
from advisor.wizard import advice_cache, mounts, questions, state
from advisor.wizard.mounts import TITLE

ROOT = Path(__file__).resolve().parent.parent
PLATFORMS = (1, 2, 4, 6, 8)
"""Which answers to the first question are tried."""
ANSWERS = 12
MOUNTS = 5
SIZE = (40, 120)
THINKING = 0.6
"""Seconds between two keys: nobody reads a question faster."""
ESCAPES = re.compile(rb"\x1b\[[0-9;?<>=]*[a-zA-Z~]")


class Cost(NamedTuple):
    """Milliseconds: as somebody waits, and on the processor."""

    waited: float
    worked: float


class Terminal:
    """The wizard, on a terminal that only remembers what was written to it."""

    def __init__(self, *options: str) -> None:
        self.start, self.spent = time.perf_counter(), 0.0
        pid, self.handle = pty.fork()
        if not pid:
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", PYTHONPATH=str(ROOT))
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
            os.execv(sys.executable, [
                sys.executable, "-m", "advisor", "wizard", "--no-save", "--no-host", *options,
            ])
        self.pid = pid

    def processor(self) -> float:
        """Milliseconds that the thread which draws has had the processor: also on a busy machine what a key costs."""
        return int(Path(f"/proc/{self.pid}/task/{self.pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e6

    def press(self, key: str) -> None:
        self.start, self.spent = time.perf_counter(), self.processor()
        os.write(self.handle, key.encode())

    def wait(self, *wanted: str, limit: float = 5) -> Cost:
        """Until all of these were written, from the start or the last key."""
        seen, text = b"", ""
        while time.perf_counter() - self.start < limit:
            if select.select([self.handle], [], [], 0.2)[0]:
                seen += os.read(self.handle, 65536)
                text = ESCAPES.sub(b"", seen).decode("utf-8", "replace")
                if all(one in text for one in wanted):
                    return Cost((time.perf_counter() - self.start) * 1000, self.processor() - self.spent)
        raise SystemExit(f"not seen within {limit} s: {wanted}; it has: {text[-2000:]}")

    def idle(self) -> None:
        """Reads, and forgets, what is written while somebody thinks."""
        until = time.perf_counter() + THINKING
        while (left := until - time.perf_counter()) > 0:
            if select.select([self.handle], [], [], left)[0]:
                os.read(self.handle, 65536)

    def end(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        os.close(self.handle)
        os.waitpid(self.pid, 0)


def walk(base: RuleBase, platform: int, first: list[Cost], keys: list[Cost]) -> None:
    """One session about one mount: the first frame, then ANSWERS answers."""
    session = state.go(state.start(), None)
    terminal = Terminal()
    first.append(terminal.wait(TITLE))
    terminal.idle()
    terminal.press("\r")  # no mount is named
    _answer(base, terminal, session, platform, keys)


def walk_several(base: RuleBase, platform: int, keys: list[Cost]) -> None:
    """One session about several mounts: ANSWERS answers."""
    session = state.start()
    for number in range(MOUNTS):
        names = {"server": f"nas{number // 2}", "export": f"/vol{number}", "target": f"/mnt/{number}"}
        session = mounts.add(base, session, names)
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder, "answers.yaml")
        answers.write_text(answers_text(mounts.combined_answers(base, session)), encoding="utf-8")
        terminal = Terminal(f"--answers={answers}")
        _answer(base, terminal, state.go(session, None), platform, keys)


def _answer(
    base: RuleBase, terminal: Terminal, session: state.Session, platform: int, keys: list[Cost]
) -> None:
    """Gives ANSWERS answers, beginning with the platform, and adds the time of each key to `keys`."""
    fact = str(questions.current_question(base, session))
    terminal.wait(base.facts[fact].ask or "")
    for step in range(ANSWERS):
        if fact not in base.facts:
            break  # nothing that matters is left to ask
        terminal.idle()
        told = base.facts[fact]
        key, value = key_for(base, session, told, platform if not step else 1)
        if told.type in ("int", "version"):
            os.write(terminal.handle, key.encode())
            terminal.idle()
            key = "\r"
        before = questions.preview(base, session)
        session = state.answer(base, session, fact, value)
        after = questions.preview(base, session)
        fact = str(questions.current_question(base, session))
        news = advice_cache.changes(before, after)
        asked = (base.facts[fact].ask or "")[:30] if fact in base.facts else "is complete"
        now, then = (wording.progress_text(questions.counts(one)) for one in (after, before))
        wanted = [asked, *([now] if now != then else [])]  # what stays as it was is not drawn again
        wanted += [f"Just changed ({len(news)})"] if news else []
        terminal.press(key)
        keys.append(terminal.wait(*wanted))
    terminal.end()


def key_for(base: RuleBase, session: state.Session, told: Fact, place: int) -> tuple[str, object]:
    """What is pressed or typed, and the answer that it is."""
    values = [one.value for one in questions.values_to_choose(base, session, told.id)]
    if values:
        return questions.choice_keys(values)[place - 1], values[place - 1]
    if told.type == "version":
        return "5.14", "5.14"
    return "64", 64


def high(ranked: list[float]) -> float:
    """The 95th percentile."""
    return ranked[min(int(len(ranked) * 0.95), len(ranked) - 1)]


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    base = load()
    first: list[Cost] = []
    keys: list[Cost] = []
    several: list[Cost] = []
    for _ in range(runs):
        for platform in PLATFORMS:
            walk(base, platform, first, keys)
            walk_several(base, platform, several)
    print("| what | median | 95th percentile | most | budget | on the processor: median | 95th percentile |")
    print("|---|---|---|---|---|---|---|")
    for name, times, budget in (
        ("first frame", first, 500), ("key press to updated preview", keys, 50),
        (f"the same with {MOUNTS} mounts", several, 50),
    ):
        waited, worked = sorted(one.waited for one in times), sorted(one.worked for one in times)
        print(f"| {name} ({len(times)}) | {statistics.median(waited):.0f} ms | {high(waited):.0f} ms "
              f"| {waited[-1]:.0f} ms | {budget} ms | {statistics.median(worked):.0f} ms | {high(worked):.0f} ms |")


if __name__ == "__main__":
    main()
