"""What somebody has written to be checked: the name of a file, or a line; and what was mended, written somewhere."""

from __future__ import annotations

import os
from pathlib import Path

from advisor import atomic, user_files

LIMIT = 5_000_000
LINE = "the line"
"""The name of a text that is not a file."""
FIXED = ".fixed"
"""Added to the name under which a fixed file is offered to be saved."""


def read(written: str) -> tuple[str, str]:
    """Its name and its text. Raises UserFileError for a file that cannot be read."""
    if len(written.split()) > 1:  # no path of a file that is judged has blanks in it
        return LINE, written
    content = user_files.read_bytes(os.path.expanduser(written), LIMIT)  # noqa: PTH111  (pathlib raises where there is no home)
    return written, content.decode("utf-8", "surrogateescape")


def usual_name(name: str) -> str:
    """Under which the fixed text is offered to be saved."""
    return f"{'fstab' if name in ('', LINE) else name.rsplit('/', 1)[-1]}{FIXED}"


def save(path: str, text: str) -> Path:
    """Where it lies now. Raises ValueError, with the reason, where nothing was written."""
    try:
        place = Path(path).expanduser()
        if os.path.lexists(place):
            raise ValueError(f"{path} is there already; choose another name")
        atomic.save(str(place), text.encode("utf-8", "surrogateescape"), 0o644)
    except (OSError, RuntimeError, atomic.WriteError) as error:
        raise ValueError(str(error)) from None
    return place.absolute()
