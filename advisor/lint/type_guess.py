"""What an unknown file system type may have been meant to be. Loaded only where the source of a line is host:/path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def meant(fstype: str, told: Mapping[str, Any]) -> str | None:
    """The type that a slip stands for (`NFS`, `nfsv4.1`), None for another file system's. `told`: the tunable."""
    word = fstype.lower()
    if word in told["lookalikes"]:
        return None
    if word.rstrip("0123456789.-_").removesuffix("v").rstrip("-_") == told["values"][0] and word not in told["values"]:
        return str(told["values"][0])
    return next((str(known) for known in told["values"] if _one_slip(word, known)), None)


def _one_slip(word: str, known: str) -> bool:
    """Equal, or but for one letter too many or too few, two that changed places, or, in a longer word, a wrong one."""
    if len(word) == len(known):
        wrong = [at for at, (one, other) in enumerate(zip(word, known, strict=True)) if one != other]
        if len(wrong) == 2:
            return wrong[1] == wrong[0] + 1 and sorted(word) == sorted(known)
        return not wrong or (len(wrong) == 1 and len(known) > len("nfs"))
    longer, shorter = (word, known) if len(word) > len(known) else (known, word)
    cut = (longer[:at] + longer[at + 1 :] for at in range(len(longer)))
    return len(longer) == len(shorter) + 1 and shorter in cut
