"""`advisor wizard` on the command line, and on a real pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

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
        os.environ.update(TERM="xterm-256color", XDG_STATE_HOME=str(tmp_path), PYTHONPATH=str(ROOT))
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execv(sys.executable, ADVISOR)

    def until(wanted: bytes) -> None:
        nonlocal read
        end = time.monotonic() + 30
        while wanted not in read and time.monotonic() < end:
            if select.select([handle], [], [], 0.5)[0]:
                read += os.read(handle, 65536)
        assert wanted in read
        read = b""

    until(b"Which mount is this for?")
    until(b"open")
    os.write(handle, b"\r")
    until(b"Where does the data live?")
    os.write(handle, b"1")
    until(b"Just changed")
    os.write(handle, b"q")
    _, status = os.waitpid(pid, 0)
    os.close(handle)
    assert os.waitstatus_to_exitcode(status) == 0
    assert (tmp_path / "advisor" / "wizard.json").exists()
