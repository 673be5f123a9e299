"""The texts of messages and the lines that are compared with them, in one form; and the index of all messages, which
is made when the rule base is compiled.

Folded lines have no quotes, repeated spaces and upper case, and texts of system errors are translated to English."""

from __future__ import annotations

from collections import Counter
from math import log

from advisor.named_tuple import NamedTuple
from advisor.rulebase.words import QUOTES, count_letters, lower_case, message_pieces, plain_stems, stem, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import TypedDict

    from advisor.rulebase.model.kb import ErrorTexts, Message

    class FoldingTables(TypedDict):
        """`errors`: every English text, folded → the error's name; `foreign`: the longest word of each other text → the
        texts, each with the English one."""

        errors: dict[str, str]
        foreign: dict[str, list[tuple[str, str]]]

    class MessageWords(TypedDict):
        """`words`: rarest word → the numbers of its patterns, "" for those without a whole word, which are tried with
        each line; `stems`: stem → the patterns that can be known by most of their words; `rarity`: of each stem;
        `symptoms`: the messages that people describe in words."""

        words: dict[str, list[str]]
        stems: dict[str, list[str]]
        rarity: dict[str, float]
        symptoms: list[str]
        folding: FoldingTables

WIDTH = 8192
"""Characters of a line that are read; no message is that long, and no line may keep the program busy."""


class PatternRow(NamedTuple):
    """A text of a message, prepared for matching. `weight`: its letters outside of `fields`; `words`: words that each
    line with it contains, as `tokens` returns them; `stems`: of a message that can be known by most of its words."""

    message: str
    weight: int
    fields: list[str]
    literals: list[str]
    words: list[str]
    stems: list[str]


class FoldedLine(NamedTuple):
    """`text`: with single spaces, in the letters as written. `low`: the same in lower case, of the same length."""

    text: str
    low: str


def printable(text: str) -> str:
    """The text without escape codes and other control characters; a tab becomes a space."""
    if "\x1b" in text or "\x9b" in text:
        text = _without_escape_codes(text)
    if not text.isprintable():
        text = "".join(character if character.isprintable() else " " for character in text)
    return text


def _without_escape_codes(text: str) -> str:
    """The text without the terminal's escape codes: ESC [ … letter, and ESC ] … BEL."""
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


class Folding:
    """Folds lines; each text of a system error becomes the first English one."""

    def __init__(self, tables: FoldingTables) -> None:
        self.errors = tables["errors"]
        self._foreign = tables["foreign"]

    def line(self, raw: str) -> FoldedLine:
        text = _folded(printable(raw[:WIDTH]))
        low = lower_case(text)
        known = self._foreign.keys() & tokens(low)
        pairs = [pair for word in known for pair in self._foreign[word]] if known else []
        for other, english in sorted(pairs, key=lambda pair: (-len(pair[0]), pair[0])):
            at = low.find(other)
            if at >= 0:
                text = text[:at] + english + text[at + len(other) :]
                low = lower_case(text)
        return FoldedLine(text, low)

    def literal(self, text: str) -> str:
        """A literal piece of a message in the same form; spaces at its ends stay."""
        bare = text.translate(QUOTES)
        head = " " if bare[:1].isspace() else ""
        tail = " " if bare[-1:].isspace() else ""
        inner = self.line(text).low
        return f"{head}{inner}{tail}" if inner else head


def folding_tables(errors: Iterable[ErrorTexts]) -> FoldingTables:
    tables: FoldingTables = {"errors": {}, "foreign": {}}
    for error in errors:
        english = [_folded(text) for text in error.texts.get("en", ())]
        if not english:
            continue
        tables["errors"][lower_case(english[0])] = error.id
        tables["errors"][lower_case(error.id)] = error.id
        foreign = (text for language, texts in error.texts.items() if language != "en" for text in texts)
        others = [*english[1:], *map(_folded, foreign)]
        for text in dict.fromkeys(map(lower_case, others)):
            words = tokens(text)
            if words and text != lower_case(english[0]):
                tables["foreign"].setdefault(max(words, key=len), []).append((text, english[0]))
    return tables


def _folded(text: str) -> str:
    return " ".join(text.translate(QUOTES).split())


def is_word_char(character: str) -> bool:
    """Whether a character can be inside a word."""
    return character.isalnum() or character == "_"


def prepared(message: str, text: str, folding: Folding, known_by_words: bool = False) -> PatternRow:
    parts = message_pieces(text)
    fields = [field for _, field in parts[1:]]
    literals = [folding.literal(literal) for literal, _ in parts]
    literals[0] = literals[0].lstrip()
    literals[-1] = literals[-1].rstrip().rstrip(".") if fields else literals[-1].strip(" .")
    words: list[str] = []
    for number, literal in enumerate(literals):
        whole = tokens(literal)
        if number and whole and is_word_char(literal[0]):
            whole = whole[1:]
        if number < len(fields) and whole and is_word_char(literal[-1]):
            whole = whole[:-1]
        words += whole
    stems = plain_stems(" ".join(words)) if known_by_words else []
    return PatternRow(message, count_letters(parts), fields, literals, words, stems)


def index_messages(
    messages: Collection[Message], errors: Iterable[ErrorTexts]
) -> tuple[list[PatternRow], MessageWords]:
    """All texts, and the numbers of those to try with a line."""
    tables = folding_tables(errors)
    folding = Folding(tables)
    rows = [
        prepared(message.id, text, folding, not message.generic and message.kind != "information")
        for message in messages if message.text for text in (message.text, *message.also)
    ]
    often = Counter(word for row in rows for word in set(row.words))
    index: MessageWords = {
        "words": {"": []}, "stems": {}, "folding": tables, "symptoms": [one.id for one in messages if one.words],
        "rarity": {stem(word): log(len(rows) / often[word]) for word in sorted(often)},
    }
    for number, row in enumerate(rows):
        rarest = min(row.words, key=lambda word: (often[word], -len(word)), default="")
        index["words"].setdefault(rarest, []).append(str(number))
        for word in dict.fromkeys(row.stems):
            index["stems"].setdefault(word, []).append(str(number))
    return rows, index
