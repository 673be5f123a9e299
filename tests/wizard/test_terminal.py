"""`advisor wizard` on the command line, on a pseudo-terminal, and in tmux as a user would go through it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shlex
import shutil
import struct
import subprocess
import sys
import termios
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.advice.answers_file import read_answers
from advisor.rulebase.base import load
from tests.tiers import thorough

ADVISOR = [sys.executable, "-m", "advisor"]
ROOT = Path(__file__).parents[2]


def test_without_a_terminal_it_says_so_and_never_waits() -> None:
    for args in (["wizard"], ["wizard", "--quick"]):
        ran = subprocess.run([*ADVISOR, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20,
                             cwd=ROOT, check=False)
        assert ran.returncode == 2
        assert "needs a terminal" in ran.stderr
        assert "--plain" in ran.stderr


def test_alone_without_a_terminal_it_prints_the_usage() -> None:
    ran = subprocess.run(ADVISOR, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, cwd=ROOT,
                         check=False)
    assert ran.returncode == 2
    assert "usage: advisor COMMAND" in ran.stdout


def test_on_a_terminal_it_starts_answers_and_keeps_the_answers(tmp_path: Path) -> None:
    read, pid, handle = b"", *pty.fork()
    if not pid:
        os.environ.update(TERM="xterm-256color", XDG_STATE_HOME=str(tmp_path), PYTHONPATH=str(ROOT), LC_ALL="C")
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execv(sys.executable, ADVISOR)

    def until(wanted: bytes) -> None:
        nonlocal read
        end = time.monotonic() + 30
        while wanted not in read and time.monotonic() < end:
            if select.select([handle], [], [], 0.5)[0]:
                read += os.read(handle, 65536)
        assert wanted in read
        assert read.isascii(), "the locale has no UTF-8"
        read = b""

    until(b"Configure a mount")
    os.write(handle, b"1")
    until(b"leave the field")  # what follows was then painted after Escape
    os.write(handle, b"\x1b")
    until(b"don't know")
    os.write(handle, b"d")
    until(b"Where does the data live?")
    os.write(handle, b"1")
    until(b"volume set up for")
    os.write(handle, b"q")
    _, status = os.waitpid(pid, 0)
    os.close(handle)
    assert os.waitstatus_to_exitcode(status) == 0
    assert (tmp_path / "advisor" / "wizard.json").exists()


needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not here")
PATIENCE = 60.0
"""Seconds after which what is waited for will not come any more; nothing is measured."""
OURS = ("TMUX", "TMUX_PANE", "TMUX_TMPDIR", "COLUMNS", "LINES")
"""Of the terminal that the tests run in, not of those that they open."""


class Terminal:
    """A terminal of one size in a tmux server of its own."""

    def __init__(self, columns: int, rows: int, folder: Path, *args: str) -> None:
        self.name = f"advisor-{uuid.uuid4().hex[:12]}"
        command = shlex.join([
            "env", f"XDG_STATE_HOME={folder}/state", f"PYTHONPATH={ROOT}", "COLORTERM=truecolor",
            sys.executable, "-m", "advisor", "wizard", *args,
        ])
        self._tmux(
            "new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(folder),
            # the wizard's end leaves its exit code to be read
            f"{command}; echo \"ended: $?\"; sleep 600", ";", "set", "status", "off",
            ";", "set", "-s", "escape-time", "1",
        )

    def _tmux(self, *args: str, check: bool = True) -> str:
        ran = subprocess.run(
            ["tmux", "-L", self.name, "-f", "/dev/null", "-u", *args], capture_output=True, text=True, check=check,
            timeout=PATIENCE, env={name: text for name, text in os.environ.items() if name not in OURS},
        )
        return ran.stdout

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def write(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)

    def sees(self, *texts: str, without: str = "") -> None:
        """Waits until all of these can be read at once, wherever lines are broken, and `without` cannot."""
        end = time.monotonic() + PATIENCE
        while True:
            seen = " ".join(self.screen().replace("│", " ").split())
            if all(text in seen for text in texts) and not (without and without in seen):
                return
            assert time.monotonic() < end, f"waited in vain for {texts} without {without!r}:\n{self.screen()}"
            time.sleep(0.05)

    def close(self) -> None:
        self._tmux("kill-server", check=False)


@pytest.fixture(params=[(80, 24), (120, 40)], ids=["80x24", "120x40"])
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    return request.param


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for one in opened:
        one.close()


@thorough
@needs_tmux
def test_from_the_first_question_to_the_files(size, tmp_path: Path, terminals: list[Terminal]) -> None:
    terminal = Terminal(*size, tmp_path)
    terminals.append(terminal)

    terminal.sees("What to do", "Configure a mount")
    terminal.press("1")
    terminal.sees("Which mount is this for?", "OPEN")
    terminal.press("Escape")
    terminal.sees("d don't know")
    terminal.press("d")
    terminal.sees("Where does the data live?", "Azure NetApp Files", "of about")

    terminal.press("1")  # Azure NetApp Files
    terminal.sees("Which NFS version is the volume set up for?", "NFSv4.1")
    terminal.sees("changed", "Why it is asked")
    terminal.press("1")
    terminal.sees("What uses the data?", "vers=3")
    terminal.press("M-Left")
    terminal.sees("Which NFS version is the volume set up for?", "Your answer: NFSv3")
    terminal.press("M-Right")
    terminal.sees("What uses the data?")

    terminal.press("/")
    terminal.sees("Find in")
    terminal.write("nconnect")
    terminal.sees("setting", "Number of connections to the server")
    terminal.press("Enter")
    terminal.sees("Explanation", "Open: the known facts", "nconnect=8")
    terminal.press("p")
    terminal.sees("Pin nconnect to")
    terminal.write("4")
    terminal.press("Enter")
    terminal.sees("nconnect=4", "pinned by you", without="Pin nconnect to")
    terminal.press("Escape")
    terminal.sees("Find in")
    terminal.press("Escape")
    terminal.sees("nconnect=4", *["pinned"] * (size[0] >= 100), "What uses the data?", without="Find in")
    terminal.press("u")
    terminal.sees("What uses the data?", "nconnect=?")
    terminal.sees(*["was nconnect=4"] * (size[0] >= 100), "What uses the data?", without="pinned")
    terminal.press("U")
    terminal.sees(*["pinned"] * (size[0] >= 100), "nconnect=4", without="was nconnect=4")

    terminal.press("e")
    terminal.sees("Into which folder?", "answers.yaml")
    terminal.press("C-u")
    terminal.sees("Into which folder?", without="nfs-config")
    terminal.write("out")
    terminal.press("Enter")
    terminal.sees("files in", "written")
    answers = read_answers(load(), str(tmp_path / "out/answers.yaml"))
    assert answers.facts == {"storage.platform": "anf", "storage.volume_protocol": "3"}
    assert answers.pins == {"mount.nconnect": 4}
    terminal.press("Escape")
    terminal.sees("What uses the data?", without="Into which folder?")
    terminal.press("q")
    terminal.sees("ended: 0")

    again = Terminal(*size, tmp_path)
    terminals.append(again)
    again.sees("1 Continue with the saved answers", "2 answers", "anew; the saved answers are kept")
    again.press("1")
    again.sees("What uses the data?", "nconnect=4")


@thorough
@needs_tmux
def test_answers_given_at_the_start_are_there(size, tmp_path: Path, terminals: list[Terminal]) -> None:
    terminal = Terminal(*size, tmp_path, "--set", "storage.platform=azure-files", "--no-save")
    terminals.append(terminal)
    terminal.sees("What uses the data?")
    terminal.press("?")
    terminal.sees("Keys: Questions", "I don't know")
    terminal.press("End")
    terminal.sees("Undo the last change")
    terminal.press("Escape")
    terminal.sees("What uses the data?", without="Undo the last change")
    terminal.press("r")
    terminal.sees("Review", "Azure Files (NFS share)")
