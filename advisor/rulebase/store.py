"""Where compiled and parsed rule bases are kept: in the checkout, else in a private folder of the temporary one.

Standard library only. Nothing here is ever an error: what cannot be kept is made again."""

from __future__ import annotations

import os
from collections.abc import Iterator

from advisor.rulebase.tree import digest

CACHE = ".advisor-cache"


def read(root: str, name: str) -> str | None:
    """What was last written under `name` for the rule base at `root`; None when there is nothing."""
    for folder in _folders(root):
        try:
            with open(f"{folder}/{name}", encoding="utf-8") as stream:  # noqa: PTH123  pathlib costs 15 ms at import
                return stream.read()
        except (OSError, ValueError):
            continue
    return None


def write(root: str, name: str, text: str) -> bool:
    """Keep `text`, whole or not at all; False when no folder can be written to."""
    for folder in _folders(root):
        part = f"{folder}/{name}.{os.getpid()}.part"
        try:
            os.makedirs(folder, mode=0o755 if folder.endswith(CACHE) else 0o700, exist_ok=True)  # noqa: PTH103
            with open(part, "w", encoding="utf-8") as stream:  # noqa: PTH123
                stream.write(text)
            os.replace(part, f"{folder}/{name}")  # noqa: PTH105
            return True
        except OSError:
            continue
    return False


def _folders(root: str) -> Iterator[str]:
    if os.path.exists(f"{root}/pyproject.toml"):  # noqa: PTH110  a source checkout; other folders are left as they are
        yield f"{root}/{CACHE}"
    own = f"{os.environ.get('TMPDIR') or '/tmp'}/advisor-{os.getuid()}"  # noqa: S108  made private below
    try:
        if not os.path.lexists(own):
            os.mkdir(own, 0o700)  # noqa: PTH102
        status = os.lstat(own)
    except OSError:
        return
    # Somebody else's folder, a link, or one that others can write to could feed us a rule base of theirs.
    if status.st_uid == os.getuid() and status.st_mode & 0o170077 == 0o040000:
        yield f"{own}/{digest(os.fsencode(root))}"
