"""The journal of changes that a sweep has not undone yet. Each is written to disk before it is made, so that after a
kill or a power failure the next start can undo it."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import NamedTuple

FOLDER = "/var/lib/nfs-advisor/sweep"
"""On disk, because what a sweep made on the server outlasts a reboot of this host."""


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
