"""Whether a tunable can have a value, as rules, pins and answers write it."""

from __future__ import annotations

import re

from advisor.rulebase.values import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model import Tunable

_WORD = r"[A-Za-z0-9_./:@+][A-Za-z0-9_./:@+=-]*"
"""Text that means nothing but itself to a shell, in an option list, and in every file that a setting is written to."""
_PROSE = r"[A-Za-z0-9][A-Za-z0-9 ,./+-]*"
_TIME = r"[0-9]+(?:\.[0-9]+)?[a-z]*|infinity"
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_UNIT = r"(?:us|usec|ms|msec|s|sec|seconds?|m|min|minutes?|hr?|hours?|d|days?|w|weeks?|M|months?|y|years?)"
_AFTER = rf"(?:{_UNIT}\s*|\s+(?:{_UNIT}\s*)?)"  # blanks or a unit: digits alone would read as one number or as several
TIME_SPAN = rf"infinity|\s*{_NUMBER}(?:{_AFTER}{_NUMBER})*{_AFTER}?"
"""As systemd reads it."""
_VERSION = r"(?:[<>]=?|==)?[A-Za-z0-9][A-Za-z0-9.+~^:_-]*"
_WHOLE, _MEASURES = ("uint", "int"), ("number", "size", "seconds")


def unfit(tunable: Tunable, value: object) -> str | None:
    """Why a tunable cannot have this value, in a sentence without its stop; None where it can.

    `value`: as rules and pins write it, no bound and none of the words that name no value. What has passed here may
    stand in every file and command: text holds no character that any of them would take for its own."""
    name, kind = tunable.id, tunable.type
    if any(form.means is not None and same(form.means, value) for form in tunable.forms):
        return None
    if kind == "flag":
        return None if isinstance(value, bool) else f"{name} is on, off, or omit; {value!r} is not one of these"
    if kind in _WHOLE or (kind in _MEASURES and not isinstance(value, str)):
        return _unfit_number(tunable, value)
    if not isinstance(value, str):
        return None if value in (tunable.values or ()) else f"{name} is text; {value!r} is not one of its values"
    if kind in ("enum", "list"):
        return _unfit_words(tunable, value)
    if tunable.fields:
        parts, fields = value.split(" "), tunable.fields
        whole = len(parts) == len(fields) and all(part.isascii() and part.isdigit() for part in parts)
        return None if whole else f"{name} is {len(fields)} whole numbers with blanks between them; {value!r} is not"
    if _fits(tunable, value):
        return None
    return f"{value!r} is not a value of {name}; write letters, digits and . / : @ + = - _ only"


def _fits(tunable: Tunable, text: str) -> bool:
    if tunable.type == "prose":
        return re.fullmatch(_PROSE, text) is not None
    if tunable.type == "seconds":
        return re.fullmatch(_TIME, text) is not None
    if tunable.type == "version":
        return re.fullmatch(_VERSION, text) is not None
    if re.fullmatch(_WORD, text) is None:
        return False
    return tunable.type != "pattern" or re.fullmatch(tunable.pattern or "", text) is not None


def _unfit_number(tunable: Tunable, value: object) -> str | None:
    numbers = (int,) if tunable.type in _WHOLE else (int, float)
    if isinstance(value, bool) or not isinstance(value, numbers):
        return f"{tunable.id} is a {'whole ' if len(numbers) == 1 else ''}number; {value!r} is not"
    low, high = tunable.minimum, tunable.maximum
    if low is None and tunable.type != "int":
        low = 0
    if (low is None or value >= low) and (high is None or value <= high):
        return None
    limits = f"{'any' if low is None else low} to {'any' if high is None else high}"
    return f"{tunable.id} is {value}; it can be {limits} {tunable.unit or ''}".rstrip()


def _unfit_words(tunable: Tunable, value: str) -> str | None:
    words = [str(word) for word in tunable.values or ()]
    words += [str(word) for form in tunable.forms for word in form.values or ()]
    parts = value.split(tunable.separator) if tunable.type == "list" else [value]
    strange = next((part for part in parts if part not in words), None)
    if strange is None:
        return None
    return f"{strange!r} is not a value of {tunable.id}; its values are {', '.join(words)}"
