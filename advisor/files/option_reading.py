"""The results of reading a list of mount options, and the functions that read the value of one option."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from advisor.files.fstab.libmount import integer
from advisor.named_tuple import NamedTuple
from advisor.rulebase import values
from advisor.rulebase.model import Becomes, Form, Tunable
from advisor.rulebase.values import TIME_SPAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Scalar, Value, Values


class Setting(NamedTuple):
    """A tunable's value in one place. `value`: as used, None if unknown. `field`: the field of the line that contains
    it. `start`, `end`: offsets in the text of the field. `text`: as written. `order`: index in its option list."""

    value: Value
    field: str
    start: int
    end: int
    text: str
    tunable: str = ""
    order: int = -1


class OptionProblem(NamedTuple):
    """What is wrong with one option. `kind`: a stable name. `text`: the option as written. `start`: its offset in the
    list. `suggestion`: what to write instead, "" to remove it, None if that is not known. `condition`: the open
    condition on which the problem depends, None if it is certain."""

    kind: str
    text: str
    start: int
    tunable: str | None
    value: Value
    expected: Values | None
    message: str
    why: str
    consequence: str
    cites: tuple[str, ...]
    suggestion: str | None = None
    condition: str | None = None


class OptionList:
    """The settings and problems of one list of options.

    `effective`: written settings in effect, by tunable. `implied`: settings that these or the type imply. `every`: all
    written settings, in order. `overridden`: (setting, the one that overrides it). `problems` depend on no facts;
    `pending` ones depend on a condition, each with the verdict that makes it a problem (None: any but True). `around`:
    the values of other fields of the line. `tried`: tunable → value that is negotiated in this attempt (4.1 for
    `vers=4`), which takes precedence."""

    __slots__ = ("around", "effective", "every", "implied", "overridden", "pending", "problems", "tried")

    def __init__(self, around: Mapping[str, Value], tried: Mapping[str, Value]) -> None:
        self.around = around
        self.tried = tried
        self.effective: dict[str, Setting] = {}
        self.implied: dict[str, Setting] = {}
        self.every: list[Setting] = []
        self.overridden: list[tuple[Setting, Setting]] = []
        self.problems: list[OptionProblem] = []
        self.pending: list[tuple[OptionProblem, bool | None]] = []

    def value(self, tunable: str) -> Value:
        """The value in effect: tried, written or implied; None if the line sets none."""
        return self.tried[tunable] if tunable in self.tried else self.written(tunable)

    def written(self, tunable: str) -> Value:
        """The value that is written or implied, whatever is tried; None if the line sets none."""
        setting = self.effective.get(tunable) or self.implied.get(tunable)
        return self.around.get(tunable) if setting is None else setting.value

    @property
    def refusal(self) -> OptionProblem | None:
        """The first problem with which the mount certainly fails."""
        return next((problem for problem in self.problems if problem.consequence == "mount-fails"), None)


_UINT_MAX = 0xFFFFFFFF
MAX_DIGITS = 20
"""Longest number that is read; nobody means a longer one, and Python refuses thousands of digits."""
_WHOLE = r"[+-]?[0-9]+"
_FACTORS = {
    "bytes": {"k": 1 << 10, "K": 1 << 10, "m": 1 << 20, "M": 1 << 20, "g": 1 << 30, "G": 1 << 30},
    "deciseconds": {"s": 10},
    "seconds": {"s": 1},
    "minutes": {"m": 1},
}


class ReadValue(NamedTuple):
    """A value that was read. `wrong`: None, "bad-value", "missing-value" or "out-of-range". `expected`: the right
    words, or a bound."""

    value: Value
    wrong: str | None = None
    expected: Values | None = None


Reader = Callable[[str], ReadValue]


def c_number(text: str, most: int = _UINT_MAX) -> int | None:
    """An unsigned number as the kernel reads it, or None: 0x4 and 04 are 4, and 08 and -1 are no numbers."""
    digits = text.removeprefix("+")
    if not digits.isascii() or not digits.isalnum() or len(digits) > MAX_DIGITS:
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
    return number if number <= most else None


def parse_suffixed(text: str, unit: str | None) -> int | None:
    """A number with a suffix (1M, 60s) in the option's own unit; None if the suffix means nothing for it."""
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
        return _matching(lambda text: re.fullmatch(TIME_SPAN, text), "a time span such as 30 or 5min")
    if kind == "pattern":
        pattern = tunable.pattern or ""
        return _matching(lambda text: re.fullmatch(pattern, text), tunable.unit or "another form")
    return ReadValue


def expectation(expected: object) -> str:
    """What a value has to be, in words: "a number from 1 to 16", "all, none or positive"."""
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
    return integer(text) if text.isascii() and re.fullmatch(_WHOLE, text) else None


def _number(tunable: Tunable, form: Form, convert: Callable[[str], int | None]) -> Reader:
    low, high = tunable.minimum, tunable.maximum if form.maximum is None else form.maximum
    kept = [change.range for change in tunable.becomes]
    bound = " ".join([f">={low}"] * (low is not None) + [f"<={high}"] * (high is not None))

    def read(text: str) -> ReadValue:
        number = convert(text)
        if number is None:
            return ReadValue(None, *_wrong(text, bound or "a number"))
        fits = (low is None or number >= low) and (high is None or number <= high)
        if fits or any(values.inside(number, bounds) for bounds in kept):
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


def _matching(fits: Callable[[str], re.Match[str] | None], expected: str) -> Reader:
    return lambda text: ReadValue(text) if fits(text) else ReadValue(None, *_wrong(text, expected))


def value_in_use(tunable: Tunable, number: Value) -> tuple[Value, Becomes | None]:
    """The number that the client uses for an accepted one, and the entry of `becomes` for that, None if unchanged."""
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


def nearby_power(change: Becomes, number: int) -> int | None:
    """The power of two that a number close to it was meant to be (65535, or 1000000 for a mebibyte), or None."""
    below = power_below(number)
    near = min(below, 2 * below, key=lambda power: abs(power - number))
    return near if abs(near - number) * 100 <= (-1 if change.meant is None else change.meant) * number else None
