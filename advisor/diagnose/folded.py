"""Lines as they are compared: without colours, quotation marks and double blanks, in small letters; system errors in
English."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from advisor.rulebase.model import ErrorTexts

WIDTH = 8192
"""Characters of a line that are looked at; no message is that long, and no line may keep the program busy."""
_QUOTES = dict.fromkeys(map(ord, "'\"`´‘’‚‛“”„‟«»‹›"), None)
_SEPARATORS = {n: " " for n in range(128) if not (chr(n).isalnum() or chr(n) == "_")}
_SEPARATORS.update(dict.fromkeys(map(ord, "…–—·•│├└─、。，．：；！？（）「」"), " "))


class FoldedLine(NamedTuple):
    """`text`: with single blanks, in the letters as written. `low`: the same in small letters, of the same length."""

    text: str
    low: str


def plain(text: str) -> str:
    """The text without escape codes and other control characters; a tab is a blank."""
    if "\x1b" in text or "\x9b" in text:
        text = _uncoloured(text)
    if not text.isprintable():
        text = "".join(one if one.isprintable() else " " for one in text)
    return text


def _uncoloured(text: str) -> str:
    """Without the codes that move a terminal's cursor and set its colours: ESC [ … letter, and ESC ] … BEL."""
    parts = text.replace("\x9b", "\x1b[").split("\x1b")
    kept = [parts[0]]
    for part in parts[1:]:
        if part.startswith("["):
            at = 1
            while at < len(part) and not "@" <= part[at] <= "~":
                at += 1
            kept.append(part[at + 1 :])
        elif part.startswith("]"):
            kept.append(part.partition("\x07")[2])
        else:
            kept.append(part[1:])
    return "".join(kept)


def small(text: str) -> str:
    """The text in lower case, and as long as before: a letter whose lower-case form has several characters stays as it
    is."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(a if len(a.lower()) != 1 else a.lower() for a in text)


def tokens(low: str) -> list[str]:
    """The words of a folded line; letters, digits and the underscore make them. Chinese and Japanese are written
    without blanks, so each of their letters is a word of its own."""
    if not low.isascii():
        low = "".join(f" {one} " if "\u3040" <= one <= "\u9fff" else one for one in low)
    return low.translate(_SEPARATORS).split()


class Folding:
    """Folds lines. `errors`: the texts of system errors; each becomes the first English one."""

    def __init__(self, errors: Iterable[ErrorTexts]) -> None:
        self.errors: dict[str, str] = {}
        """Every English text, folded → the error's name."""
        self._foreign: dict[str, list[tuple[str, str]]] = {}
        """The longest word of each other text → the texts, each with the English one."""
        for one in errors:
            english = [_folded(text) for text in one.texts.get("en", ())]
            if not english:
                continue
            self.errors[small(english[0])] = one.id
            self.errors[small(one.id)] = one.id
            foreign = (text for language, texts in one.texts.items() if language != "en" for text in texts)
            others = [*english[1:], *map(_folded, foreign)]
            for text in dict.fromkeys(map(small, others)):
                words = tokens(text)
                if words and text != small(english[0]):
                    self._foreign.setdefault(max(words, key=len), []).append((text, english[0]))

    def line(self, raw: str) -> FoldedLine:
        """A line for comparison."""
        text = _folded(plain(raw[:WIDTH]))
        low = small(text)
        known = self._foreign.keys() & tokens(low)
        found = [pair for word in known for pair in self._foreign[word]] if known else []
        for other, english in sorted(found, key=lambda pair: (-len(pair[0]), pair[0])):
            at = low.find(other)
            if at >= 0:
                text = text[:at] + english + text[at + len(other) :]
                low = small(text)
        return FoldedLine(text, low)

    def literal(self, text: str) -> str:
        """A literal piece of a message in the same form; blanks at its ends stay."""
        bare = text.translate(_QUOTES)
        head = " " if bare[:1].isspace() else ""
        tail = " " if bare[-1:].isspace() else ""
        inner = self.line(text).low
        return f"{head}{inner}{tail}" if inner else head


def _folded(text: str) -> str:
    return " ".join(text.translate(_QUOTES).split())
