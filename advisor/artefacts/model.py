"""What a written file is."""

from __future__ import annotations

from typing import NamedTuple


class Artefact(NamedTuple):
    """A file. `path`: below the folder that it is written to; `install`: where it belongs on the host, "" for one that
    is run or read where it lies. `apply`, `verify`, `undo`: commands, names quoted for a shell."""

    path: str
    text: str
    title: str
    install: str = ""
    apply: tuple[str, ...] = ()
    verify: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()
    mode: int = 0o644


class Unwritable(ValueError):
    """A name that a format has no way to write; the text says which and why."""
