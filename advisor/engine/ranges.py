"""Ranges of numbers and versions as people write them: ">=5.3 <5.11", and versions that stand for more than one."""

from __future__ import annotations

OPERATORS = (">=", "<=", "==", "!=", ">", "<")


def comparisons(text: str) -> list[tuple[str, str]]:
    """ ">=5.3 <5.11" as [(">=", "5.3"), ("<", "5.11")]; empty for a text that is not a range. May raise ValueError."""
    if not text.lstrip().startswith(("<", ">", "=", "!")):
        return []
    found: list[tuple[str, str]] = []
    words = text.split()
    while words:
        word = words.pop(0)
        operator = next((sign for sign in OPERATORS if word.startswith(sign)), "")
        constant = word[len(operator) :] or (words.pop(0) if words else "")
        if not operator or not constant or any(sign in constant for sign in "<>=!"):
            raise ValueError(f"{text!r} is not a range; write comparisons with spaces between them, such as >=3 <8")
        found.append((operator, constant))
    return found


def following(version: str) -> str:
    """The first version after all that a version stands for. Where it is all numbers it stands for whatever begins so,
    4.18.0 for every build of 4.18.0 and 8 for 8.0 to 8.10. Empty for one build, such as 4.18.0-240.el8."""
    head = version.rstrip("0123456789")
    last = version[len(head) :]
    if not 0 < len(last) < 20 or head.strip("0123456789.:-"):
        return ""
    return head + str(int(last) + 1).zfill(len(last))
