"""The files that `advisor lint` checks: their names, contents and kinds."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from advisor import user_files
from advisor.cli.terminal import CannotRun
from advisor.files.kinds import BY_ID, JUDGED, identify

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from advisor.files.read_together import Beside

STDIN = "<stdin>"
SAMPLE_BYTES = 1 << 18
"""Bytes that are read to recognise the kind of a file."""


def requested_files(args: argparse.Namespace) -> list[str]:
    """The names of the files to lint, STDIN for standard input. CannotRun for options that do not go together."""
    if args.stdin_filename is None:
        return expand(args.files or ["/etc/fstab"])
    if args.files not in ([], ["-"]):
        raise CannotRun("--stdin-filename is the name of standard input: give - as the only file, or no file")
    return [STDIN]


def expand(names: Iterable[str]) -> list[str]:
    """The names, with patterns that no shell has expanded replaced by the files that match. CannotRun if none does."""
    expanded: list[str] = []
    for name in names:
        if name == "-":
            expanded.append(STDIN)
        elif any(sign in name for sign in "*?[") and not os.path.lexists(name):
            from glob import glob

            fitting = sorted(glob(name, recursive=True))  # noqa: PTH207  names stay as they were written
            files = [path for path in fitting if not os.path.isdir(path)]  # noqa: PTH112
            if not files:
                raise CannotRun(f"{name}: no file matches this pattern")
            expanded += files
        else:
            expanded.append(name)
    return list(dict.fromkeys(expanded))


def content(name: str) -> bytes:
    """The content of a file, or of standard input for STDIN. CannotRun if it cannot be read."""
    try:
        if name != STDIN:
            return user_files.read_bytes(name)
        if sys.stdin is None:
            raise CannotRun("standard input is closed")
        return user_files.read_bounded(sys.stdin.buffer, STDIN)
    except user_files.UserFileError as error:
        raise CannotRun(str(error)) from None
    except OSError as error:  # a folder, for instance
        raise CannotRun(f"{STDIN}: cannot be read: {error.strerror}") from None


def fstab_text(name: str) -> str:
    """The text of an fstab that an option names; "-" is standard input. CannotRun says why it cannot be read."""
    return content(STDIN if name == "-" else name).decode("utf-8", "surrogateescape")


def kind_of(name: str, content: bytes, given_kind: str | None) -> str | None:
    """The kind of a file: `given_kind` if there is one, else what its name and content show; None if that is
    unknown."""
    if given_kind is not None:
        return given_kind
    return identify(content[:SAMPLE_BYTES].decode("utf-8", "surrogateescape"), "" if name == STDIN else name)


def files_beside(files: Sequence[tuple[str, bytes, str | None]]) -> list[Beside]:
    """The files that are read together with others; none for a single file. `files`: (name, content, kind)."""
    if len(files) < 2 or all(kind in (None, "fstab") for _, _, kind in files):
        return []
    from advisor.files.read_together import TOGETHER, Beside

    return [
        Beside(kind, name, data.decode("utf-8", "surrogateescape"))
        for name, data, kind in files if kind is not None and kind in TOGETHER
    ]


def why_not_judged(name: str, data: bytes, kind: str | None, beside: Sequence[Beside]) -> str:
    """Why a file cannot be judged, and what to do; "" if it can. `beside`: the files that it is read with."""
    if kind is None:
        kinds = ", ".join(JUDGED)
        return f"not checked, because it does not look like any known kind of file; use --kind ({kinds}, …)"
    if kind not in JUDGED:
        return (f"not checked: it looks like {BY_ID[kind].title}, which advisor does not read yet; if it is something "
                "else, use --kind")
    if kind == "systemd-mount":
        from advisor.files.read_together import without_unit

        if without_unit(name, data.decode("utf-8", "surrogateescape"), beside):
            return "not checked, because the mount unit that it changes is not among the files; name both"
    return ""
