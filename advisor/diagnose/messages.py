"""Finds the messages of the rule base in lines, and in sentences the symptoms and facts that users describe, stated or
denied.

A line is matched only against messages whose rarest word it contains. Instead of regular expressions, literal pieces
are searched, and the text between two of them must be of the field's kind. The work is linear in the line."""

from __future__ import annotations

from collections import Counter
from math import log

from advisor.diagnose.text import FoldedLine, Folding
from advisor.named_tuple import NamedTuple
from advisor.rulebase.words import count_letters, lower_case, message_pieces, plain_stems, stem, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from advisor.rulebase.model import Message, RuleBase

_TRIES = 8
"""How many places of a repeated piece are tried, and how many messages of which a sentence has some words."""
_TRAILING = ".,;:)]}>"
_HEX = frozenset("0123456789abcdef")
_NAMED = 3
"""The weight that a program's name before its message adds."""
_NEARLY, _NEARLY_IN_PROSE, _PROSE = 0.62, 0.85, 20
"""The share of a message's words, each by its rarity, that a line must have to tell of it; more in a line of so many
words, which has many of all."""
_FEW_WORDS, _RARE, _MOST_WORDS = 3, 11.0, 100
"""So many words, of such rarity together: common ones are in many messages. Of a sentence so many are read."""


class TextMatch(NamedTuple):
    """The place of a message in a line, and the texts of its fields, in the case of the line. `own_end`: where a last
    field begins that can be anything, such as the message of another program; else `end`."""

    start: int
    end: int
    own_end: int
    fields: dict[str, str]


class TextPattern:
    """A message's text, prepared for matching. `weight`: its letters outside of fields; `words`: words that each line
    with it contains, as `tokens` returns them."""

    __slots__ = ("_errors", "_fields", "_literals", "message", "weight", "words")

    def __init__(self, message: str, text: str, folding: Folding) -> None:
        parts = message_pieces(text)
        self.message = message
        self.weight = count_letters(parts)
        self._errors = folding.errors
        self._fields = [field for _, field in parts[1:]]
        self._literals = [folding.literal(literal) for literal, _ in parts]
        self._literals[0] = self._literals[0].lstrip()
        self._literals[-1] = self._literals[-1].rstrip().rstrip(".") if self._fields else self._literals[-1].strip(" .")
        self.words = self._whole_words()

    @property
    def fields(self) -> int:
        """How many fields it has."""
        return len(self._fields)

    def _whole_words(self) -> list[str]:
        whole_words: list[str] = []
        last = len(self._literals) - 1
        for number, literal in enumerate(self._literals):
            words = tokens(literal)
            if number and words and _is_word_char(literal[0]):
                words = words[1:]
            if number < last and words and _is_word_char(literal[-1]):
                words = words[:-1]
            whole_words += words
        return whole_words

    def match(self, line: FoldedLine) -> TextMatch | None:
        first = self._literals[0]
        at = 0 if first else 1
        anchor = self._literals[at]
        if not anchor.strip() and len(self._literals) > at + 1:
            return None
        place = -1
        for _ in range(_TRIES):
            place = line.low.find(anchor, place + 1)
            if place < 0:
                return None
            match = self._around(line, at, place)
            if match is not None:
                return match
        return None

    def _around(self, line: FoldedLine, at: int, place: int) -> TextMatch | None:
        """The match whose literal number `at` is at `place`."""
        low = line.low
        start, fields = place, dict[str, str]()
        if at:
            start = self._begin(line, self._fields[0], place)
            if start >= place:
                return None
            fields[self._fields[0]] = line.text[start:place].strip()
        elif place and _is_word_char(low[place - 1]) and _is_word_char(low[place]):
            return None
        own_end = end = place + len(self._literals[at])
        for number in range(at + 1, len(self._literals)):
            field, literal = self._fields[number - 1], self._literals[number]
            stop = self._stop(line, field, literal, end)
            if stop < 0:
                return None
            fields[field] = line.text[end:stop].strip()
            own_end = end if not literal and field.startswith("any") else stop + len(literal)
            end = stop + len(literal)
        last = low[end - 1] if self._literals[-1] else ""
        if last and end < len(low) and _is_word_char(low[end]) and (_is_word_char(last) or last == "/"):
            return None
        return TextMatch(start, end, own_end, fields)

    def _begin(self, line: FoldedLine, field: str, end: int) -> int:
        """Where the field that ends at `end` begins; `end` itself where it cannot."""
        kind = field.rstrip("0123456789")
        if kind == "any":
            return 0
        before = line.low[:end]
        if kind == "errno":
            fits = [error for error in self._errors if before.endswith(error)]
            return end - max(map(len, fits)) if fits else end
        start = before.rfind(" ") + 1
        return start if self._fits(kind, before[start:end]) else end

    def _stop(self, line: FoldedLine, field: str, literal: str, start: int) -> int:
        """Where the field that begins at `start` ends, with the literal behind it; -1 if it cannot."""
        kind = field.rstrip("0123456789")
        low = line.low
        if not literal:
            return self._tail(low, kind, start)
        stop = start - 1
        for _ in range(_TRIES):
            stop = low.find(literal, stop + 1)
            if stop < 0:
                return -1
            if self._fits(kind, low[start:stop]):
                return stop
            if kind not in ("any", "errno") and " " in low[start:stop].strip():
                return -1
        return -1

    def _tail(self, low: str, kind: str, start: int) -> int:
        """The end of the field with which the text ends."""
        if kind == "any":
            return len(low)
        if kind == "errno":
            rest = low[start : start + 80]
            fits = [error for error in self._errors if rest.startswith(error)]
            return start + max(map(len, fits)) if fits else -1
        stop = low.find(" ", start)
        stop = len(low) if stop < 0 else stop
        while stop > start and low[stop - 1] in _TRAILING and not self._fits(kind, low[start:stop]):
            stop -= 1
        while stop - start > 1 and low[stop - 1] in ".,;:":
            stop -= 1
        return stop if stop > start and self._fits(kind, low[start:stop]) else -1

    def _fits(self, kind: str, text: str) -> bool:
        """Whether a text fits a field of this kind; a placeholder such as "<nas>" does too."""
        if kind == "any":
            return True
        if kind == "errno":
            return text in self._errors or text.startswith("unknown error")
        if " " in text or not text:
            return kind == "server" and not text  # none was given: "Failed to resolve server : …"
        if kind == "number":
            digits = text.lstrip("+-")
            digits = digits[2:] if digits.startswith("0x") else digits
            return bool(digits) and (digits.isdigit() or (_HEX.issuperset(digits) and text.lstrip("+-")[:2] == "0x"))
        if kind == "version":
            return text[0].isdigit() or (text[0] == "v" and text[1:2].isdigit())
        if kind == "server":
            return "/" not in text or text[0] in "<[{"
        if kind == "path":
            return "/" in text or text[0] in "<[{$."
        return True


def _is_word_char(character: str) -> bool:
    return character.isalnum() or character == "_"


class MessageHit(NamedTuple):
    """A message in a line. `weight`: number of matched letters; `own`: those outside of fields; `nearly`: only most of
    its words are there."""

    message: Message
    match: TextMatch
    weight: int
    own: int
    nearly: bool = False

    @property
    def own_end(self) -> int:
        """Where a message of another program can begin in it. A generic one is never known by what it quotes."""
        return self.match.end if self.message.generic else self.match.own_end


class MessageIndex:
    """The messages of a rule base by the rarest of their words."""

    def __init__(self, base: RuleBase) -> None:
        self.folding = Folding(base.errno.values())
        self.messages = {name: message for name, message in base.messages.items() if message.text}
        self._programs = {name: lower_case(message.program) for name, message in self.messages.items()}
        patterns = [
            TextPattern(message.id, text, self.folding)
            for message in self.messages.values() for text in (message.text or "", *message.also)
        ]
        often = Counter(word for pattern in patterns for word in set(pattern.words))
        self.by_word: dict[str, list[TextPattern]] = {}
        self.wordless: list[TextPattern] = []
        """Those without a whole word, which are tried with each line."""
        for pattern in patterns:
            if pattern.words:
                rarest = min(pattern.words, key=lambda word: (often[word], -len(word)))
                self.by_word.setdefault(rarest, []).append(pattern)
            else:
                self.wordless.append(pattern)
        self._rarity = {stem(word): log(len(patterns) / often[word]) for word in often}
        self._own: dict[TextPattern, list[str]] = {}
        """The stems of the messages that can be known by most of their words."""
        self._stems: dict[str, list[TextPattern]] = {}
        for pattern in patterns:
            message = self.messages[pattern.message]
            if not message.generic and message.kind != "information":
                self._own[pattern] = plain_stems(" ".join(pattern.words))
                for word in set(self._own[pattern]):
                    self._stems.setdefault(word, []).append(pattern)

    def texts(self) -> list[list[str]]:
        """The words of each message that is not generic, with those of its program's name."""
        patterns = (pattern for patterns in self.by_word.values() for pattern in patterns)
        return [
            [*pattern.words, *tokens(self._programs[pattern.message])]
            for pattern in patterns if not self.messages[pattern.message].generic
        ]

    def hits(self, line: FoldedLine) -> list[MessageHit]:
        """The messages in a line, the strongest first. Of two that overlap the weaker is dropped, unless both have the
        same text."""
        tried = [*self.wordless]
        for word in dict.fromkeys(tokens(line.low)):
            tried += self.by_word.get(word, ())
        by_message: dict[str, MessageHit] = {}
        for pattern in tried:
            match = pattern.match(line)
            if match is not None:
                weight = pattern.weight + _error_letters(match)
                hit = MessageHit(self.messages[pattern.message], match, weight, pattern.weight)
                if line.low.find(self._programs[pattern.message], 0, match.start) >= 0:
                    hit = hit._replace(weight=hit.weight + _NAMED)
                best = by_message.get(pattern.message)
                if best is None or best.weight < hit.weight:
                    by_message[pattern.message] = hit
        return _outermost(sorted(by_message.values(), key=_strength, reverse=True))


    def near(self, line: FoldedLine) -> list[MessageHit]:
        """The messages of which a sentence of a line has most words, in their order and near each other: those with the
        rarest ones, and of them those with the fewest fields."""
        found: dict[str, tuple[float, int]] = {}
        least = _NEARLY if line.low.count(" ") < _PROSE else _NEARLY_IN_PROSE
        for sentence in line.low.replace("; ", ". ").split(". "):
            said = plain_stems(sentence)[:_MOST_WORDS]
            shared: Counter[TextPattern] = Counter()
            for word in set(said):
                for pattern in self._stems.get(word, ()):
                    shared[pattern] += round(100 * self._rarity[word])
            for pattern, rarity in shared.most_common(_TRIES):
                own = self._own[pattern]
                needed = max(_RARE, least * sum(self._rarity[word] for word in own))
                if rarity >= 100 * _RARE and (most := self._in_order(said, own, 2 + pattern.fields)) >= needed:
                    found[pattern.message] = max((most, -pattern.fields), found.get(pattern.message, (0.0, 0)))
        best = max(found.values(), default=(0.0, 0))
        nowhere = TextMatch(0, 0, 0, {})
        return [MessageHit(self.messages[name], nowhere, 0, 0, True) for name in found if found[name] == best]

    def _in_order(self, said: list[str], own: list[str], slack: int) -> float:
        """The greatest rarity of a few words of a message, the rarest one among them, that follow each other with at
        most `slack` others between them."""
        rarest = max(own, key=self._rarity.__getitem__)
        most = 0.0
        for start, word in enumerate(said):
            if word in own:
                stretch = said[start : start + len(own) + slack]
                if rarest not in stretch:
                    continue
                at, count, rarity = 0, 0, 0.0
                for wanted in own:
                    if wanted in stretch[at:]:
                        at = stretch.index(wanted, at) + 1
                        count, rarity = count + 1, rarity + self._rarity[wanted]
                most = max(most, rarity * (count >= _FEW_WORDS))
        return most


def _strength(hit: MessageHit) -> tuple[int, int, int]:
    """Order of hits: by weight, then by letters of their own, then by length."""
    return hit.weight - hit.message.legacy, hit.own, hit.match.end - hit.match.start


def _error_letters(match: TextMatch) -> int:
    """The letters of system errors in a match: unlike other fields they are words that can be known."""
    errors = [text for field, text in match.fields.items() if field.startswith("errno")]
    return sum(character.isalpha() for text in errors for character in text)


def _outermost(hits: Iterable[MessageHit]) -> list[MessageHit]:
    """Those that do not overlap with a stronger one, unless both have the same text; the strongest come first."""
    kept: list[MessageHit] = []
    for hit in hits:
        if not any(
            other.match.start < hit.own_end and hit.match.start < other.own_end
            and not (other.weight == hit.weight and _have_same_text(other.message, hit.message))
            for other in kept
        ):
            kept.append(hit)
    return kept


def _have_same_text(one: Message, other: Message) -> bool:
    return other.id in one.same_text or one.id in other.same_text
