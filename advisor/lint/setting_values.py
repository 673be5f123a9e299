"""The value of one setting of a file of `name = value`: text in, value out, or what is wrong with it."""

from __future__ import annotations

from advisor.lint.settings_grammar import Name, near
from advisor.named_tuple import NamedTuple
from advisor.options.words import MAX_DIGITS, reader, told
from advisor.rulebase.model import Form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Scalar, Value

_NUMBERS = ("uint", "int")


class Wrong(NamedTuple):
    """What a value should be, and what becomes of this one, in words."""

    expected: str
    so: str = ""


def read(name: Name, text: str) -> tuple[Value, Wrong | None]:
    """The value, and what is wrong with it."""
    tunable = name.tunable
    words = list(tunable.values or ())
    if words and tunable.type in ("enum", "list"):
        parts = text.split(tunable.separator or ",") if tunable.type == "list" else [text]
        found = [_word(name, part.strip(" \t"), words) for part in parts]
        if None not in found:
            return (found[0] if len(found) == 1 else (tunable.separator or ",").join(map(str, found))), None
        like = near(parts[found.index(None)].strip(" \t"), map(str, words))
        if tunable.others and not like:
            return text, None
        return None, Wrong(told(words), f" (did you mean {like}?)" if like else _becomes(name, text))
    word = reader(tunable, Form(spelling=name.key, takes="value"))(text)
    if word.wrong is None:
        return word.value, None
    number = tunable.type in _NUMBERS
    expected = told(word.expected) + (f" {tunable.unit}" if number and tunable.unit else "")
    return None, Wrong(expected, "" if word.wrong == "out-of-range" else _becomes(name, text))


def _word(name: Name, text: str, words: list[Scalar]) -> Scalar | None:
    """The word of the tunable that is meant; case counts where it does in names."""
    fold = text.lower() if name.file.ignores_case else text
    known = {str(word).lower() if name.file.ignores_case else str(word): word for word in words}
    other = {**name.file.synonyms, **name.tunable.synonyms}.get(fold)
    return known.get(fold, other if other in words else None)


def _becomes(name: Name, text: str) -> str:
    """What the program makes of a value that is none."""
    misread, default = name.file.misread, name.tunable.default
    if name.tunable.type in _NUMBERS:
        digits = text[:len(text) - len(text.lstrip("0123456789"))][:MAX_DIGITS] or "0"
        return f", so {misread.number.format(digits=digits)}" if misread.number else ""
    return f", so {misread.word.format(default=default)}" if misread.word and default is not None else ""
