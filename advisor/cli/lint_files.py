"""The files that `advisor lint` is asked to look at: which they are, and of what kind."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from advisor import user_files
from advisor.cli.common import CannotRun
from advisor.document.escape import visible
from advisor.named_tuple import NamedTuple
from advisor.readers.kinds import BY_ID, JUDGED, identify

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from advisor.lint.read_together import Beside
    from advisor.render.formats.summary import NotJudged



STDIN = "<stdin>"


def asked_for(args: argparse.Namespace) -> list[str]:
    """The files that the command line names. CannotRun if it cannot be meant."""
    if args.stdin_filename is None:
        return expand(args.files or ["/etc/fstab"])
    if args.files not in ([], ["-"]):
        raise CannotRun("--stdin-filename is the name of standard input: give - as the only file, or no file")
    return [STDIN]


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
    """What is in a file of `expand`. CannotRun says why it cannot be read."""
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


LOOKED_AT = 1 << 18
"""Bytes that are read to recognise the kind of a file."""


class Passed(NamedTuple):
    """A file that was not judged. `kind`: None if it is unknown. `alone`: a drop-in without its unit."""

    name: str
    kind: str | None
    alone: bool = False

    def why(self) -> str:
        """In words, what it is taken for and what can be done."""
        if self.alone:
            return "not checked, because the mount unit that it changes is not among the files; name both"
        if self.kind is None:
            kinds = ", ".join(JUDGED)
            return f"not checked, because it does not look like any known kind of file; use --kind ({kinds}, …)"
        return (
            f"not checked: it looks like {BY_ID[self.kind].title}, which advisor does not read yet; "
            "if it is something else, use --kind"
        )


def kind_of(name: str, content: bytes, said: str | None) -> str | None:
    """The kind of a file: as it was `said`, or told by its name and content."""
    if said is not None:
        return said
    return identify(content[:LOOKED_AT].decode("utf-8", "surrogateescape"), "" if name == STDIN else name)


def together_with(files: Sequence[tuple[str, bytes, str | None]]) -> list[Beside]:
    """What the files of a run say to one another; nothing if there is one file. `files`: name, content, kind."""
    if len(files) < 2 or all(kind in (None, "fstab") for _, _, kind in files):
        return []
    from advisor.lint.read_together import TOGETHER, Beside

    return [
        Beside(kind, name, data.decode("utf-8", "surrogateescape"))
        for name, data, kind in files if kind is not None and kind in TOGETHER
    ]


def alone(name: str, data: bytes, kind: str | None, beside: Sequence[Beside]) -> bool:
    """Whether this is a drop-in of a mount unit that is not among the files, so that what it mounts is unknown."""
    if kind != "systemd-mount":
        return False
    from advisor.lint.read_together import without_unit

    return without_unit(name, data.decode("utf-8", "surrogateescape"), beside)


def tell(passed: list[Passed]) -> None:
    """Say on standard error which files were not judged."""
    for one in passed:
        print(f"advisor: {visible(one.name)}: {one.why()}", file=sys.stderr)


def listed(passed: list[Passed]) -> list[NotJudged]:
    """The same, ready for JSON."""
    return [{"file": one.name, "kind": one.kind, "reason": one.why()} for one in passed]
