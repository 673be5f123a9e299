"""How text is split into clauses and terms, the same way for the texts of an index and for what is looked up in it; and
the texts of messages, the lines that are compared with them, in one form, and the index of all messages, which is made
when the rule base is compiled.

Folded lines have no quotes, repeated spaces and upper case, and texts of system errors are translated to English. A
term is a word without its ending. A negated word becomes a separate term: `no:hang`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import log

from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from advisor.rulebase.model.kb import ErrorTexts, Message

    class FoldingTables(TypedDict):
        """`errors`: every English text, folded → the error's name; `foreign`: the longest word of each other text → the
        texts, each with the English one."""

        errors: dict[str, str]
        foreign: dict[str, list[tuple[str, str]]]

    class MessageWords(FoldingTables):
        """`words`: rarest word → the numbers of its patterns, "" for those without a whole word, which are tried with
        each line; `stems`: stem → the patterns that can be known by most of their words; `rarity`: of each stem;
        `described`: the messages that people describe in words."""

        words: dict[str, list[str]]
        stems: dict[str, list[str]]
        rarity: dict[str, float]
        described: list[str]

QUOTES = dict.fromkeys(map(ord, "'\"`´‘’‚‛“”„‟«»‹›"), None)
_SEPARATORS = {n: " " for n in range(128) if not (chr(n).isalnum() or chr(n) == "_")}
_SEPARATORS.update(dict.fromkeys(map(ord, "…–—·•│├└─、。，．：；！？（）「」"), " "))
NEGATIONS = frozenset((
    "not", "no", "without", "never", "neither", "nor", "isnt", "arent", "doesnt", "dont", "didnt", "wasnt", "cannot",
    "cant", "wont", "couldnt", "nothing", "hasnt", "havent",
))
_ENDS = ".,;:!?)"
_TURNS = frozenset(("but", "while", "however", "whereas", "although"))
"""Words with which a clause begins."""
_NOBODY = frozenset(("nobody", "niemand"))
_OF_ITSELF = frozenset((
    "can", "could", "cannot", "knows", "knew", "has", "is", "will", "may", "understands", "gets", "got", "else", "sees",
    "weiß", "kann", "was", "had", "did", "uses", "use", "changed", "touched", "hat", "ever", "understand", "get",
    "see", "know",
))
"""After "nobody" these show that nobody is meant, not the user of that name."""
_REACH = 3
"""Words after a negation that it denies."""
_COMMON = frozenset((
    "a", "an", "the", "of", "to", "in", "on", "at", "is", "it", "be", "and", "or", "i", "my", "we", "our", "with",
    "for", "from", "this", "that", "as", "by", "me", "have", "ha", "had", "do", "doe", "did", "you", "your", "are",
    "was", "were", "there", "here", "so", "then", "if", "when", "which", "can", "could", "would", "should", "will",
    "just", "about", "into", "out", "some", "any", "also", "same", "all", "after", "before", "only", "other", "than",
    "like", "get", "got", "these", "those", "they", "them", "it", "im", "ive", "he", "she", "one", "two", "am",
    "been", "hi", "hello", "thank", "please", "has", "does",
))
_NUMBERS = frozenset((
    "3", "4", "v3", "v4", "nfs3", "nfs4", "nfsv2", "nfsv3", "nfsv4", "nfsv41", "nfsv42", "2049", "111", "1023",
    "1024", "krb5", "krb5i", "krb5p", "127", "4294967294", "65534", "32",
))
"""Words with digits that tell something; others are addresses, times and sizes."""
_WRITTEN = 400
"""Words of a line that are read."""
_SATURATION, _LENGTH = 2.0, 0.6
"""How much repetition of a term in a text adds, and how much the text's length takes away (BM25)."""
SCALE = 100


def lower_case(text: str) -> str:
    """The text in lower case, of the same length: a letter whose lower case has several characters is kept."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(a if len(a.lower()) != 1 else a.lower() for a in text)


def tokens(low: str) -> list[str]:
    """The words of a folded line, of letters, digits and underscores. Chinese and Japanese have no spaces between
    words, so each of their characters is a word of its own."""
    if not low.isascii():
        low = "".join(f" {character} " if "\u3040" <= character <= "\u9fff" else character for character in low)
    return low.translate(_SEPARATORS).split()


def words_of(text: str) -> list[str]:
    """The words of a text as it was written, in lower case, without quotation marks."""
    return tokens(lower_case(text.translate(QUOTES)))


def stem(word: str) -> str:
    """The word without its ending, the same for mount, mounts, mounted and mounting."""
    if len(word) > 4:
        for ending in ("ing", "ed", "es", "ly", "s"):
            if word.endswith(ending) and len(word) - len(ending) > 2 and not word.endswith("ss"):
                word = word[: -len(ending)]
                break
        if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl":
            word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def means_no_one(word: str, following: str) -> bool:
    """Whether "nobody" means no person here, not the user of that name."""
    return word in _NOBODY and following in _OF_ITSELF


def clauses(line: str) -> Iterator[list[str]]:
    """The terms of each clause of a line, common words left out."""
    terms: list[str] = []
    denied, before = 0, ""
    for written in lower_case(line.translate(QUOTES)).split(None, _WRITTEN)[:_WRITTEN]:
        if written in _TURNS:
            if terms:
                yield terms
            terms, denied = [], 0
            continue
        for word in tokens(written):
            if word in NEGATIONS:
                denied = _REACH + 1
            elif means_no_one(before, word) and terms:
                terms.pop()
            elif word == "longer" and before == "no":
                pass  # "no longer" negates the word after it
            elif word not in _COMMON and (word in _NUMBERS or not any(map(str.isdigit, word))):
                terms.append(f"no:{stem(word)}" if denied else stem(word))
            denied, before = max(0, denied - 1), word
        if written[-1] in _ENDS:
            if terms:
                yield terms
            terms, denied = [], 0
    if terms:
        yield terms


def plain_stems(low: str) -> list[str]:
    """The stems of a folded line, without common words."""
    return [stem(word) for word in tokens(low) if word not in _COMMON]


def terms_of(texts: Iterable[str]) -> list[str]:
    return [term for text in texts for line in text.splitlines() for clause in clauses(line) for term in clause]


def term_index(documents: Mapping[str, Iterable[str]]) -> dict[str, dict[str, int]]:
    """Term → name of each document with it → what it adds there to a score (BM25), in hundredths. `documents`: the
    texts of each."""
    counts = {name: Counter(terms_of(texts)) for name, texts in documents.items()}
    lengths = {name: sum(terms.values()) for name, terms in counts.items()}
    mean = sum(lengths.values()) / max(len(lengths), 1)
    found = Counter(term for terms in counts.values() for term in terms)
    index: dict[str, dict[str, int]] = {term: {} for term in sorted(found)}
    for name, terms in counts.items():
        whole = _SATURATION * (1 - _LENGTH + _LENGTH * lengths[name] / mean)
        for term, count in terms.items():
            rarity = log(1 + (len(counts) - found[term] + 0.5) / (found[term] + 0.5))
            index[term][name] = round(SCALE * rarity * count * (_SATURATION + 1) / (count + whole))
    return index


def message_pieces(text: str) -> list[tuple[str, str]]:
    """Each literal piece of a message's text with the field before it: "" for the first. A literal may be empty.

    Raises ValueError for a brace that is not closed."""
    pieces: list[tuple[str, str]] = []
    literal, field, at = "", "", 0
    while True:
        opened = text.find("{", at)
        if opened < 0:
            return [*pieces, (literal + text[at:].replace("}}", "}"), field)]
        literal += text[at:opened].replace("}}", "}")
        if text.startswith("{{", opened):
            literal += "{"
            at = opened + 2
            continue
        closed = text.find("}", opened)
        if closed < 0:
            raise ValueError("a field is not closed")
        pieces.append((literal, field))
        literal, field, at = "", text[opened + 1 : closed], closed + 1


def count_letters(pieces: list[tuple[str, str]]) -> int:
    """Letters and digits of a message outside its fields: "error -512" says more than "error"."""
    return sum(character.isalnum() for literal, _ in pieces for character in literal)


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

    def __init__(self, errors: Mapping[str, str], foreign: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self.errors = errors
        self._foreign = foreign

    def line(self, raw: str) -> FoldedLine:
        text = _folded(printable(raw[:WIDTH]))
        low = lower_case(text)
        pairs = [pair for word in {*tokens(low)} if word in self._foreign for pair in self._foreign[word]]
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
    folding = Folding(**tables)
    rows = [
        prepared(message.id, text, folding, not message.generic and message.kind != "information")
        for message in messages if message.text for text in (message.text, *message.also)
    ]
    often = Counter(word for row in rows for word in set(row.words))
    index: MessageWords = {
        **tables, "words": {"": []}, "stems": {}, "described": [one.id for one in messages if one.words],
        "rarity": {stem(word): log(len(rows) / often[word]) for word in sorted(often)},
    }
    for number, row in enumerate(rows):
        rarest = min(row.words, key=lambda word: (often[word], -len(word)), default="")
        index["words"].setdefault(rarest, []).append(str(number))
        for word in dict.fromkeys(row.stems):
            index["stems"].setdefault(word, []).append(str(number))
    return rows, index
