"""The files that `advisor lint` is asked to look at."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from advisor import given
from advisor.cli.common import CannotRun

STDIN = "<stdin>"


def expand(names: Iterable[str]) -> list[str]:
    """The files that are meant: patterns that no shell has expanded are expanded here. CannotRun for one that fits
    nothing."""
    found: list[str] = []
    for name in names:
        if name == "-":
            found.append(STDIN)
        elif any(sign in name for sign in "*?[") and not os.path.lexists(name):
            from glob import glob

            fitting = sorted(glob(name, recursive=True))  # noqa: PTH207  names stay as they were written
            files = [one for one in fitting if not os.path.isdir(one)]  # noqa: PTH112
            if not files:
                raise CannotRun(f"{name}: no file matches this pattern")
            found += files
        else:
            found.append(name)
    return list(dict.fromkeys(found))


def content(name: str) -> bytes:
    """What stands in a file of `expand`. CannotRun says why it cannot be read."""
    try:
        if name != STDIN:
            return given.content(name)
        if sys.stdin is None:
            raise CannotRun("standard input is closed")
        return given.bounded(sys.stdin.buffer, STDIN)
    except given.GivenError as error:
        raise CannotRun(str(error)) from None
    except OSError as error:  # a folder, for instance
        raise CannotRun(f"{STDIN}: cannot be read: {error.strerror}") from None


def fstab_text(name: str) -> str:
    """The text of an fstab that an option names; "-" is standard input. CannotRun says why it cannot be read."""
    return content(STDIN if name == "-" else name).decode("utf-8", "surrogateescape")
