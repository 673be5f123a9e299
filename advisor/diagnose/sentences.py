"""Sentences, and whether they state or deny something: the symptoms and facts that users describe."""

from __future__ import annotations

from advisor.diagnose.text import QUOTES, lower_case, tokens
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_NEGATIONS = frozenset((
    "not", "no", "without", "never", "neither", "nor", "isnt", "arent", "doesnt", "dont", "didnt", "wasnt",
))
_IS = frozenset(("is", "are", "was", "were", "ha", "have", "been", "turn", "switch", "now"))
_OFF = frozenset(("disabl", "off", "stop", "inactiv", "remov", "not", "unus"))
"""Stems that deny, after one of _IS or at once ("firewall off")."""
_OF_ERRORS = frozenset(("permit", "support", "allow", "found", "known", "respond", "register", "availabl", "implement"))
"""Stems of words with which error texts begin after their "not"."""
_NEAR = 3
"""Words before and after that are searched for a negation."""
_ENDS = (". ", "? ", "! ", "; ")
SENTENCE = 1000
"""Characters of a sentence that are read."""


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


class Sentence(NamedTuple):
    """`stems` in order; `line`: the number of the line where it begins."""

    stems: list[str]
    line: int
    text: str


class Vocabulary:
    """Stems words, and replaces synonyms by the word that the rule base uses."""

    def __init__(self, synonyms: Sequence[Sequence[str]]) -> None:
        self._single: dict[str, str] = {}
        self._several: dict[str, list[tuple[list[str], list[str]]]] = {}
        for first, *others in synonyms:
            target = [stem(word) for word in _words(first)]
            for other in others:
                parts = [stem(word) for word in _words(other)]
                if len(parts) == 1 and len(target) == 1:
                    self._single[parts[0]] = target[0]
                elif parts:
                    self._several.setdefault(parts[0], []).append((parts, target))

    def stems(self, words: Iterable[str]) -> list[str]:
        """The stems of words, and behind a row of them that has a synonym, that one."""
        plain = [stem(word) for word in words]
        stems: list[str] = []
        for at, word_stem in enumerate(plain):
            stems.append(self._single.get(word_stem, word_stem))
            for parts, target in self._several.get(word_stem, ()):
                if plain[at : at + len(parts)] == parts:
                    stems += target
        return stems

    def group(self, words: Iterable[str]) -> list[list[list[str]]]:
        """A group ready for searching: for each word, the rows of stems that count as it."""
        return [[self.stems(_words(alternative)) for alternative in word.split("|")] for word in words]

    def sentences(self, lines: Iterable[tuple[int, str]]) -> Iterator[Sentence]:
        """The sentences of numbered lines. A sentence ends with its mark, or with a line that is empty."""
        held: list[tuple[int, str]] = []
        for number, text in (*lines, (0, "")):
            if not text.strip():
                yield from self._split(held)
                held = []
            else:
                held.append((number, text))

    def _split(self, held: list[tuple[int, str]]) -> Iterator[Sentence]:
        begun, first = "", 0
        for number, text in held:
            rest = text.strip() + " "
            while rest:
                ends = [at + 1 for mark in _ENDS if (at := rest.find(mark)) >= 0]
                end = min(ends, default=len(rest))
                first = first or number
                if len(begun) < SENTENCE:
                    begun += rest[:end]
                rest = rest[end:].lstrip()
                if ends:
                    yield self._sentence(begun, first)
                    begun, first = "", 0
            if len(begun) >= SENTENCE:
                yield self._sentence(begun, first)
                begun, first = "", 0
        if begun.strip():
            yield self._sentence(begun, first)

    def _sentence(self, text: str, line: int) -> Sentence:
        return Sentence(self.stems(_words(text[:SENTENCE])), line, text.strip())


def _words(text: str) -> list[str]:
    return tokens(lower_case(text.translate(QUOTES)))


def find_group(sentence: Sentence, group: list[list[list[str]]]) -> list[int] | None:
    """Where the words of a group are in a sentence; None if one of them is missing."""
    places = []
    for rows in group:
        place = next((at for row in rows if (at := _find(sentence.stems, row)) >= 0), -1)
        if place < 0:
            return None
        places.append(place)
    return places


def _find(stems: list[str], row: list[str]) -> int:
    start = 0
    while row:
        try:
            start = stems.index(row[0], start)
        except ValueError:
            return -1
        if stems[start : start + len(row)] == row:
            return start
        start += 1
    return -1


def is_negated(sentence: Sentence, group: list[list[list[str]]], at: list[int]) -> bool:
    """Whether the sentence denies what the group says; False for a group that contains a negation. `at`: the places of
    its words."""
    own = {word_stem for rows in group for row in rows for word_stem in row}
    if own & _NEGATIONS:
        return False
    if _is_denied(sentence.stems, max(0, min(at) - _NEAR), min(at)):
        return True
    after = sentence.stems[max(at) + 1 : max(at) + 1 + _NEAR]
    if _IS.intersection(after[:1]):
        return bool(_OFF.intersection(after))
    return bool((_OFF - {"stop", "remov", "not"}).intersection(after[:1]))


def _is_denied(stems: list[str], start: int, end: int) -> bool:
    """Whether these stems have a negation, other than that of an error's text ("operation not permitted in Docker")."""
    return any(
        word_stem in _NEGATIONS and stems[at + 1] not in _OF_ERRORS
        for at, word_stem in enumerate(stems[start:end], start)
    )
