"""Where compiled and parsed rule bases are kept: in the checkout, else in a private folder of the temporary one.

Standard library only. Nothing here is ever an error: what cannot be kept is made again."""

from __future__ import annotations

import os
from binascii import crc32
from collections.abc import Iterator

from advisor.rulebase.tree import digest

CACHE = ".advisor-cache"


def kept(root: str, name: str) -> Iterator[bytes]:
    """What was written under `name` for the rule base at `root`, in every place where it can be, if it is whole."""
    for folder in _folders(root):
        try:
            with open(f"{folder}/{name}", "rb") as stream:  # noqa: PTH123  pathlib costs 15 ms at import
                head, _, content = stream.read().partition(b"\n")
            if head == _sum(content):
                yield content
        except OSError:
            continue


def keep(root: str, name: str, content: bytes) -> bool:
    """Keep `content`, whole or not at all; False when no folder can be written to."""
    try:  # noqa: SIM105  contextlib costs milliseconds at import
        os.mkdir(_private(), 0o700)  # noqa: PTH102
    except OSError:
        pass
    for folder in _folders(root):
        try:
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103
            _sweep(folder, name)
            part = f"{folder}/{name}.{os.getpid()}.part"
            with open(part, "wb") as stream:  # noqa: PTH123
                stream.write(_sum(content) + b"\n" + content)
            os.replace(part, f"{folder}/{name}")  # noqa: PTH105
            return True
        except OSError:
            continue
    return False


def _sum(content: bytes) -> bytes:
    """What tells that a file is as it was written: a disk may have been full, or a machine gone down."""
    return b"%08x" % crc32(content)


def _sweep(folder: str, name: str) -> None:
    """Remove what runs left that ended while they were writing. One that is writing now just keeps nothing."""
    for left in os.listdir(folder):  # noqa: PTH208
        if left.startswith(f"{name}.") and left.endswith(".part"):
            os.unlink(f"{folder}/{left}")  # noqa: PTH108


def _private() -> str:
    return f"{os.environ.get('TMPDIR') or '/tmp'}/advisor-{os.getuid()}"  # noqa: S108  see below


def _folders(root: str) -> Iterator[str]:
    if os.path.exists(f"{root}/pyproject.toml"):  # noqa: PTH110  a source checkout; other folders are left as they are
        yield f"{root}/{CACHE}"
    try:
        status = os.lstat(_private())
    except OSError:
        return
    # Somebody else's folder, a link, or one that others can write to could feed us a rule base of theirs.
    if status.st_uid == os.getuid() and status.st_mode & 0o170077 == 0o040000:
        yield f"{_private()}/{digest(os.fsencode(root))}"
