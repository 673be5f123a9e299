"""What an unknown file system type may have been meant to be. Loaded only where the source of a line is host:/path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.words import one_slip


def meant(fstype: str, told: Mapping[str, Any]) -> str | None:
    """The type that a slip stands for (`NFS`, `nfsv4.1`), None for another file system's. `told`: the tunable."""
    word = fstype.lower()
    if word in told["lookalikes"]:
        return None
    if word.rstrip("0123456789.-_").removesuffix("v").rstrip("-_") == told["values"][0] and word not in told["values"]:
        return str(told["values"][0])
    return next((str(known) for known in told["values"] if one_slip(word, known)), None)
