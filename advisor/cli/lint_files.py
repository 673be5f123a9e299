"""The files that `advisor lint` is asked to look at."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

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
                raise CannotRun(f"{name}: no file fits this pattern")
            found += files
        else:
            found.append(name)
    return list(dict.fromkeys(found))


def content(name: str) -> bytes:
    """What stands in a file of `expand`. CannotRun says why it cannot be read."""
    if name == STDIN:
        return sys.stdin.buffer.read()
    try:
        with open(name, "rb") as file:
            return file.read()
    except IsADirectoryError:
        raise CannotRun(f"{name}: is a directory; name a file such as {name.rstrip('/')}/fstab") from None
    except FileNotFoundError:
        raise CannotRun(f"{name}: there is no such file") from None
    except ValueError as error:  # a NUL byte in the name
        raise CannotRun(f"{name!r}: is no file name: {error}") from None
    except OSError as error:
        raise CannotRun(f"{name}: cannot be read: {error.strerror}") from None
