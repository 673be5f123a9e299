"""How the value of one mount option is written: text in, value out, or what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.readers.fstab.libmount import integer
from advisor.rulebase import values
from advisor.rulebase.model import Becomes, Form, Tunable
from advisor.rulebase.values import TIME_SPAN

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Scalar, Value, Values

_UINT_MAX = 0xFFFFFFFF
MAX_DIGITS = 20
"""More than any number has that somebody meant; Python refuses to convert thousands of them."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_FACTORS = {
    "bytes": {"k": 1 << 10, "K": 1 << 10, "m": 1 << 20, "M": 1 << 20, "g": 1 << 30, "G": 1 << 30},
    "deciseconds": {"s": 10},
    "seconds": {"s": 1},
    "minutes": {"m": 1},
}


class ReadValue(NamedTuple):
    """A value that was read. `wrong`: None, "bad-value", "missing-value" or "out-of-range"; `expected`: in words."""

    value: Value
    wrong: str | None = None
    expected: Values | None = None


Reader = Callable[[str], ReadValue]


def c_number(text: str) -> int | None:
    """The kernel's reading of an unsigned 32-bit number: 0x4 and 04 are 4, 08 and -1 are nothing."""
    digits = text.removeprefix("+")
    if not digits.isascii() or not digits.isalnum():
        return None
    if digits[:2] in ("0x", "0X"):
        digits, base = digits[2:], 16
    elif len(digits) > 1 and digits[0] == "0":
        base = 8
    else:
        base = 10
    try:
        number = int(digits, base)
    except ValueError:
        return None
    return number if number <= _UINT_MAX else None


def suffixed(text: str, unit: str | None) -> int | None:
    """What someone meant by 1M or 60s: the number in the option's own unit; None when it cannot be told."""
    factors = _FACTORS.get(unit or "", {})
    if 1 < len(text) <= MAX_DIGITS and text[-1] in factors and text[:-1].isascii() and text[:-1].isdigit():
        return int(text[:-1]) * factors[text[-1]]
    return None


def reader(tunable: Tunable, form: Form) -> Reader:
    """The function that reads the value of this form of an option."""
    kind = tunable.type
    synonyms = tunable.synonyms
    words = list(form.values or tunable.values or ())
    if kind in ("uint", "int"):
        return _number(tunable, form, c_number if kind == "uint" else _decimal)
    if words and kind == "list":
        return _list(words, synonyms, tunable.separator or ":")
    if words:
        known = {str(word): word for word in words} | {**synonyms}
        return lambda text: ReadValue(known[text]) if text in known else ReadValue(None, *_wrong(text, words))
    if kind == "seconds":
        return _formed(lambda text: re.fullmatch(TIME_SPAN, text), "a time span such as 30 or 5min")
    if kind == "pattern":
        pattern = tunable.pattern or ""
        return _formed(lambda text: re.fullmatch(pattern, text), tunable.unit or "another form")
    return ReadValue


def told(expected: object) -> str:
    """In words what a value has to be: "1 to 16", "all, none or positive"."""
    if isinstance(expected, list):
        *others, last = map(str, expected)
        return f"{', '.join(others)} or {last}" if others else last
    parts = str(expected).split()
    if len(parts) == 2 and parts[0].startswith(">=") and parts[1].startswith("<="):
        return f"a number from {parts[0][2:]} to {parts[1][2:]}"
    return str(expected).replace(">=", "a number from ").replace("<=", "a number up to ")


def _wrong(text: str, expected: Values) -> tuple[str, Values]:
    return ("bad-value" if text else "missing-value", expected)


def _decimal(text: str) -> int | None:
    return integer(text) if text.isascii() and _WHOLE.fullmatch(text) else None


def _number(tunable: Tunable, form: Form, convert: Callable[[str], int | None]) -> Reader:
    low, high = tunable.minimum, tunable.maximum if form.maximum is None else form.maximum
    kept = [change.range for change in tunable.becomes]
    bound = " ".join([f">={low}"] * (low is not None) + [f"<={high}"] * (high is not None))

    def read(text: str) -> ReadValue:
        number = convert(text)
        if number is None:
            return ReadValue(None, *_wrong(text, bound or "a number"))
        fits = (low is None or number >= low) and (high is None or number <= high)
        if fits or any(values.inside(number, one) for one in kept):
            return ReadValue(number)
        return ReadValue(number, "out-of-range", bound)

    return read


def _list(words: list[Scalar], synonyms: Mapping[str, Scalar], separator: str) -> Reader:
    known = {str(word): word for word in words} | dict(synonyms)

    def read(text: str) -> ReadValue:
        if not text:
            return ReadValue(None, "missing-value", list(words))
        parts = [part for part in text.split(separator) if part]
        if any(part not in known for part in parts):
            return ReadValue(None, "bad-value", list(words))
        return ReadValue(separator.join(dict.fromkeys(str(known[part]) for part in parts)) or None)

    return read


def _formed(fits: Callable[[str], re.Match[str] | None], expected: str) -> Reader:
    return lambda text: ReadValue(text) if fits(text) else ReadValue(None, *_wrong(text, expected))


def changed(tunable: Tunable, number: Value) -> tuple[Value, Becomes | None]:
    """What the client makes of an accepted number, and the entry of `becomes` that says so (None: left as it is)."""
    if not isinstance(number, int):
        return number, None
    for change in tunable.becomes:
        if not values.inside(number, change.range):
            continue
        result: Value
        if change.value is not None:
            result = change.value
        elif change.multiple_of:
            result = number - number % change.multiple_of
        elif change.power_of_two:
            result = power_below(number)
        else:
            return number, change
        return (number, None) if result == number else (result, change)
    return number, None


def power_below(number: int) -> int:
    """The largest power of two that is no larger than the number; 0 for 0."""
    return 1 << number.bit_length() >> 1


def meant(change: Becomes, number: int) -> int | None:
    """The power of two that somebody meant who wrote a number close to it (65535, or 1000000 for a mebibyte)."""
    below = power_below(number)
    near = min(below, 2 * below, key=lambda power: abs(power - number))
    return near if abs(near - number) * 100 <= (-1 if change.meant is None else change.meant) * number else None
