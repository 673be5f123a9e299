"""Read the value of one setting of a file of `name = value`, or say what is wrong with it."""

from __future__ import annotations

import re

from advisor.files.option_table import MAX_DIGITS, c_number, expectation, reader
from advisor.lint.settings_grammar import Name, near
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Scalar, Value

_NUMBERS = ("uint", "int")
_LEADING = re.compile(r"[+-]?[0-9]+")
"""The part of a text that atoi reads."""
_ULONG_MAX = (1 << 64) - 1


class Wrong(NamedTuple):
    """`expected`: what the value should be. `so`: what the program makes of this one, a clause from the comma on."""

    expected: str
    so: str = ""


def read(name: Name, text: str) -> tuple[Value, Wrong | None]:
    """The value and None, or None and what is wrong with it."""
    tunable = name.tunable
    if tunable.fields:
        return _several(name, text)
    if tunable.type == "uint" and tunable.maximum is None:
        long = c_number(text, _ULONG_MAX)
        if long is not None and long >= (tunable.minimum or 0):
            return long, None
    words = list(tunable.values or ())
    if words and tunable.type in ("enum", "list"):
        parts = text.split(tunable.separator or ",") if tunable.type == "list" else [text]
        values = [_word(name, part.strip(" \t"), words) for part in parts]
        if None not in values:
            return (values[0] if len(values) == 1 else (tunable.separator or ",").join(map(str, values))), None
        like = near(parts[values.index(None)].strip(" \t"), map(str, words))
        if tunable.others and not like:
            return text, None
        return None, Wrong(expectation(words), f" (did you mean {like}?)" if like else _becomes(name, text))
    word = reader(tunable, Form(spelling=name.key, takes="value"))(text)
    if word.wrong is None:
        return word.value, None
    expected = expectation(word.expected)
    unit = tunable.unit if tunable.type in _NUMBERS and tunable.unit != name.key else None
    if tunable.type in _NUMBERS and tunable.maximum is None:
        least = f" of {tunable.minimum} or more" if tunable.minimum else " of" if unit else ""
        expected = " ".join(filter(None, (f"a number{least}", unit)))
    elif unit:
        expected += f" {unit}"
    return None, Wrong(expected, _becomes(name, text, word.wrong == "out-of-range"))


def _several(name: Name, text: str) -> tuple[Value, Wrong | None]:
    """A value that consists of several numbers."""
    tunable, misread = name.tunable, name.file.misread
    low, high = tunable.minimum or 0, tunable.maximum
    numbers = [c_number(word, _ULONG_MAX) for word in text.split()]
    fit = all(number is not None and low <= number and (high is None or number <= high) for number in numbers)
    if fit and len(numbers) == len(tunable.fields):
        return " ".join(map(str, numbers)), None
    bound = f" from {low} to {high}" if high is not None else ""
    expected = f"{len(tunable.fields)} numbers{bound} ({', '.join(tunable.fields)}), separated by spaces"
    if fit and misread.few and 0 < len(numbers) < len(tunable.fields):
        return None, Wrong(expected, f", so {misread.few.format(count=len(numbers))}")
    return None, Wrong(expected, _becomes(name, text))


def descent(name: Name, value: Value) -> str | None:
    """That one of several numbers is above the next one, in words; None if none is, or if the setting is one number."""
    fields = name.tunable.fields
    parts = [(field, int(word)) for field, word in zip(fields, str(value).split())] if fields else []
    for (field, number), (other, following) in zip(parts, parts[1:]):
        if number > following:
            return f"the {field}, {number}, is above the {other}, {following}"
    return None


def _word(name: Name, text: str, words: list[Scalar]) -> Scalar | None:
    """The word of the tunable that is meant, or None; case counts if it does in names."""
    fold = text.lower() if name.file.ignores_case else text
    known = {str(word).lower() if name.file.ignores_case else str(word): word for word in words}
    other = {**name.file.synonyms, **name.tunable.synonyms}.get(fold)
    return known.get(fold, other if other in words else None)


def _is_switch(name: Name) -> bool:
    """Whether it is either on or off."""
    return set(name.tunable.values or ()) == {"true", "false"}


def _becomes(name: Name, text: str, out_of_range: bool = False) -> str:
    """What the program makes of a value that it refuses, as a clause from the comma on, or ""."""
    misread, default = name.file.misread, name.tunable.default
    falls_back = misread.word and name.tunable.values and not _is_switch(name)
    if misread.refused and not falls_back:
        return f", so {misread.refused.format(section=name.section, fails=name.file.becomes_of(name.section))}"
    if out_of_range:
        return ""
    if name.tunable.type in _NUMBERS:
        leading = _LEADING.match(text)
        digits = leading[0][:MAX_DIGITS] if leading else "0"
        return f", so {misread.number.format(digits=digits)}" if misread.number else ""
    return f", so {misread.word.format(default=default)}" if misread.word and default is not None else ""
