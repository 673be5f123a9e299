"""Access to this host for a sweep: commands with a time limit, and files of the kernel; tests replace it. And the
journal of changes that are not undone yet.

Every command runs in a separate session, so that Ctrl-C reaches only the sweep, and dies with the sweep. The sweep
itself never touches a path on a mount: a server that is down hangs a command, which is killed, but not the sweep.

Each change is written to the journal, on disk, before it is made, so that after a kill or a power failure the next
start can undo it."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import FrameType
from typing import NamedTuple

_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1
_END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GRACE = 10.0
"""Seconds that a killed command gets to end. One that hangs in the kernel is left behind."""
FOLDER = "/var/lib/nfs-advisor/sweep"
"""On disk, because what a sweep made on the server outlasts a reboot of this host."""


class Done(NamedTuple):
    """How a command ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def message(self) -> str:
        """The last line that it printed about an error, or its exit code."""
        lines = (self.err.strip() or self.out.strip()).splitlines()
        return lines[-1].strip() if lines else f"exit code {self.code}"


class TooSlow(Exception):
    """A command did not end in `seconds` and was killed."""

    def __init__(self, command: tuple[str, ...], seconds: float) -> None:
        super().__init__(f"{command[0]} did not end in {seconds:g} s")
        self.command = command
        self.seconds = seconds


class Signalled(Exception):
    """A signal asks the sweep to end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class System:
    """This host."""

    def run(self, *command: str, within: float, feed: str = "") -> Done:
        """Run a command with `feed` as its standard input. Raises TooSlow; OSError if it cannot be started."""
        process = subprocess.Popen(  # noqa: S603  no shell; every command is of the program's own making
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
            start_new_session=True, preexec_fn=_DieWith(os.getpid()), env={**os.environ, "LC_ALL": "C"},  # noqa: PLW1509
        )
        try:
            out, err = process.communicate(feed, timeout=within)
        except subprocess.TimeoutExpired:
            raise TooSlow(command, within) from None
        finally:
            if process.poll() is None:  # too slow, or a signal came
                _kill(process)
        return Done(process.returncode, out, err)

    def hold(self, *command: str) -> int:
        """Start a command that ends when its standard input does, and so with this process. Returns its process id."""
        process = subprocess.Popen(  # noqa: S603  no shell; every command is of the program's own making
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True, preexec_fn=_DieWith(os.getpid()),  # noqa: PLW1509
        )
        self._held = process
        return process.pid

    def release(self) -> None:
        """End what `hold` started."""
        _kill(self._held)

    def text(self, path: str) -> str:
        """A file of the kernel. Raises OSError."""
        return Path(path).read_text(errors="surrogateescape")

    def put(self, path: str, text: str) -> None:
        """Write a file of the kernel. Raises OSError."""
        with open(path, "w") as file:  # noqa: PTH123  never creates one: these folders hold the kernel's files alone
            file.write(text)

    def names(self, folder: str) -> list[str]:
        try:
            return sorted(os.listdir(folder))  # noqa: PTH208
        except OSError:
            return []

    def linked(self, path: str) -> str:
        """Where a link points, "" if it cannot be read."""
        try:
            return str(Path(path).readlink())
        except OSError:
            return ""

    def has(self, program: str) -> bool:
        return shutil.which(program) is not None

    def now(self) -> float:
        return time.monotonic()

    def date(self) -> str:
        """As 2026-11-22T20:15:00Z."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def listen(self) -> None:
        """From here on INT, TERM and HUP raise Signalled."""
        for number in _END_SIGNALS:
            signal.signal(number, _end)

    def finish(self) -> None:
        """From here on they are ignored: what is still running ends in bounded time."""
        for number in _END_SIGNALS:
            signal.signal(number, lambda *_: None)  # unlike SIG_IGN, commands do not inherit it

    def is_root(self) -> bool:
        return os.geteuid() == 0


def _end(number: int, _frame: FrameType | None) -> None:
    raise Signalled(number)


class _DieWith:
    """Called in a child before its program starts: the kernel kills it when the sweep ends, whatever ends it."""

    def __init__(self, parent: int) -> None:
        self._parent = parent

    def __call__(self) -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self._parent:  # it ended in between
            os._exit(1)


def _kill(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)


class JournalError(Exception):
    """The journal cannot be used; the text says why."""


class JournalStep(NamedTuple):
    """One change: its kind, what was changed, and what is needed to undo it."""

    kind: str
    what: str
    detail: str = ""


class Journal:
    """The steps that are not undone yet. Only one sweep at a time can open it."""

    def __init__(self, folder: str = FOLDER) -> None:
        """Opens and locks the journal, and reads what an earlier sweep left. Raises JournalError."""
        self.path = Path(folder, "journal.jsonl")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise JournalError(f"{self.path}: cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise JournalError("another sweep is running on this host; wait until it has ended") from None
        self._open: dict[int, JournalStep] = {}
        self._number = 0
        self._read()

    def pending(self) -> list[JournalStep]:
        """The steps to undo, the last one first."""
        return list(reversed(self._open.values()))

    def begin(self, step: JournalStep) -> None:
        """Call it before the step."""
        self._number += 1
        self._open[self._number] = step
        self._write({"number": self._number, **step._asdict()})

    def undone(self, step: JournalStep) -> None:
        for number, begun in reversed(self._open.items()):
            if begun == step:
                del self._open[number]
                break
        else:
            return
        if self._open:
            self._write({"undone": number})
        else:
            os.ftruncate(self._file, 0)
            os.fsync(self._file)

    def close(self) -> None:
        os.close(self._file)

    def _write(self, row: dict[str, str | int]) -> None:
        os.write(self._file, json.dumps(row).encode() + b"\n")
        os.fsync(self._file)

    def _read(self) -> None:
        with os.fdopen(os.dup(self._file), encoding="utf-8", errors="replace") as file:
            file.seek(0)
            text = file.read()
            if text and not text.endswith("\n"):
                os.write(self._file, b"\n")
            for line in text.splitlines():
                try:
                    row = json.loads(line)
                    self._replay(row)
                except (ValueError, KeyError, TypeError, AttributeError):
                    continue  # cut off where the power failed: the step that it announces was not begun

    def _replay(self, row: dict[str, str | int]) -> None:
        if "undone" in row:
            self._open.pop(int(row["undone"]), None)
            return
        number = int(row["number"])
        self._open[number] = JournalStep(str(row["kind"]), str(row["what"]), str(row["detail"]))
        self._number = max(self._number, number)
