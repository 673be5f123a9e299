"""`advisor lint --watch`: lint again whenever one of the files changes."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Optional

from advisor.cli.common import CannotRun

INTERVAL = 0.5
"""Seconds between two polls of the named files. Polling works on every file system."""
CLEAR = "\x1b[2J\x1b[3J\x1b[H"

Mark = Optional[tuple[int, int, int]]


def watch(
    files: Sequence[str], look: Callable[[], object], wait: Callable[[float], None] = time.sleep,
    rounds: int | None = None,
) -> int:
    """Call `look` now, and again after each change of one of the files. A file that is missing or cannot be read for a
    moment, as while an editor replaces it, does not end this; Ctrl-C does, with exit code 130.

    `wait` and `rounds` (how often the files are looked at) are for tests."""
    gc.enable()
    seen: list[Mark] | None = None
    try:
        while rounds is None or rounds > 0:
            if rounds is not None:
                rounds -= 1
            now = [mark(file) for file in files]
            if now != seen:
                seen = now
                _round(look)
            wait(INTERVAL)
    except KeyboardInterrupt:
        return 130
    return 0


def _round(look: Callable[[], object]) -> None:
    if sys.stdout.isatty():
        sys.stdout.write(CLEAR)
    try:
        look()
    except CannotRun as error:
        for line in error.lines:
            print(f"advisor: {line}", file=sys.stderr)
    sys.stdout.flush()


def mark(file: str) -> Mark:
    """A value that changes when the file does: (mtime, size, inode); None if it has no status."""
    try:
        status = Path(file).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
