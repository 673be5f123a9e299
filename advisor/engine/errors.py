"""What the engine refuses, and why."""

from __future__ import annotations

from collections.abc import Iterable

Path = tuple["str | int", ...]
"""Where in the data given to `build` a fault lies: ("decisions", id, "rules", rule id, "when", "all", 0)."""
_ALIKE = 0.6
"""How much of two words has to be the same for one to be meant by the other."""


class EngineError(Exception):
    """The rule base is at fault, or a query asks for something that it does not have.

    `message` says what is wrong, `path` where in the data given to `build`, `witness` in which case (as text)."""

    def __init__(self, message: str, path: Path = (), witness: str = "") -> None:
        self.message = message
        self.path = path
        self.witness = witness
        place = ": ".join(part for part in (" > ".join(map(str, path)), message) if part)
        super().__init__(f"{place}, for example where {witness}" if witness else place)


class TooBigError(EngineError):
    """A condition or a query has more cases than the engine is willing to look at."""


class FactError(EngineError):
    """An answer that cannot be: no such fact, a value outside its domain, or two answers that contradict each other."""

    def __init__(self, fact: str, value: object, message: str, suggestions: Iterable[str] = ()) -> None:
        self.fact = fact
        self.value = value
        self.suggestions = tuple(suggestions)
        hint = f"; did you mean {word_list(self.suggestions)}?" if self.suggestions else ""
        super().__init__(f"{fact}: {message}{hint}")
        self.message = message


def word_list(words: Iterable[object], conjunction: str = "or") -> str:
    """ "3", "3 or 4.1", "3, 4.1 or 4.2"."""
    items = [str(word) for word in words]
    return f" {conjunction} ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))


def operand(value: object) -> str:
    """A value, or those that are possible, for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return word_list(map(operand, value)) if isinstance(value, list) else str(value)


def near(word: object, words: Iterable[object]) -> list[str]:
    """Up to three of `words` that look like `word`, the likeliest first, and none much less likely than that."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - only a refusal needs it

    matcher = SequenceMatcher(b=str(word).lower())  # what is b is prepared once
    ratios = []
    for text in map(str, words):
        matcher.set_seq1(text.lower())
        if matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE:
            ratios.append((matcher.ratio(), text))
    best = max(_ALIKE, max(ratios, default=(0.0, ""))[0] * 0.9)
    return [text for ratio, text in sorted(ratios, reverse=True) if ratio >= best][:3]
