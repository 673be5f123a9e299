"""What an unknown file system type may have been meant to be. Loaded only where the source of a line is host:/path."""

from __future__ import annotations

from advisor.rulebase.model import Tunable
from advisor.rulebase.words import one_slip


def meant(fstype: str, told: Tunable) -> str | None:
    """The type that a slip stands for (`NFS`, `nfsv4.1`), None for another file system's. `told`: the tunable."""
    word = fstype.lower()
    if word in told.lookalikes:
        return None
    known = [str(one) for one in told.values or ()]
    if word.rstrip("0123456789.-_").removesuffix("v").rstrip("-_") == known[0] and word not in known:
        return known[0]
    return next((one for one in known if one_slip(word, one)), None)
