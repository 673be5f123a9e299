"""All messages against one line: only those are tried of which a rare word stands in it."""

from __future__ import annotations

from collections import Counter

from advisor.diagnose.folded import FoldedLine, Folding, small, tokens
from advisor.diagnose.pattern import TextMatch, TextPattern
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from advisor.rulebase.model import Message, RuleBase


_NAMED = 3
"""What a program's name before its message adds to the letters by which it is known."""


class MessageHit(NamedTuple):
    """A message that stands in a line. `weight`: letters by which it is known."""

    message: Message
    match: TextMatch
    weight: int
    own: int
    """Those that are the message's own, in no field."""


class MessageIndex:
    """The messages of a rule base by the rarest of their words."""

    def __init__(self, base: RuleBase) -> None:
        self.folding = Folding(base.errno.values())
        self.messages = {name: one for name, one in base.messages.items() if one.text}
        self._programs = {name: small(one.program) for name, one in self.messages.items()}
        patterns = [
            TextPattern(one.id, text, self.folding)
            for one in self.messages.values() for text in (one.text or "", *one.also)
        ]
        often = Counter(word for pattern in patterns for word in set(pattern.words))
        self.by_word: dict[str, list[TextPattern]] = {}
        self.wordless: list[TextPattern] = []
        """Those that have no whole word; they are tried with each line."""
        for pattern in patterns:
            if pattern.words:
                rarest = min(pattern.words, key=lambda word: (often[word], -len(word)))
                self.by_word.setdefault(rarest, []).append(pattern)
            else:
                self.wordless.append(pattern)

    def texts(self) -> list[list[str]]:
        """The words of each message that can be known by itself, and of its program's name."""
        patterns = (pattern for patterns in self.by_word.values() for pattern in patterns)
        return [
            [*one.words, *tokens(self._programs[one.message])]
            for one in patterns if not self.messages[one.message].generic
        ]

    def hits(self, line: FoldedLine) -> list[MessageHit]:
        """The messages in a line, those with most words of their own first. Of two that overlap, the
        weaker is left out; of two that look alike neither is, where nothing tells them apart."""
        tried = [*self.wordless]
        for word in dict.fromkeys(tokens(line.low)):
            tried += self.by_word.get(word, ())
        found: dict[str, MessageHit] = {}
        for pattern in tried:
            match = pattern.match(line)
            if match is not None:
                weight = pattern.weight + _of_errors(match)
                hit = MessageHit(self.messages[pattern.message], match, weight, pattern.weight)
                if line.low.find(self._programs[pattern.message], 0, match.start) >= 0:
                    hit = hit._replace(weight=hit.weight + _NAMED)
                best = found.get(pattern.message)
                if best is None or best.weight < hit.weight:
                    found[pattern.message] = hit
        return _outermost(sorted(found.values(), key=_strength, reverse=True))


def _strength(hit: MessageHit) -> tuple[int, int, int]:
    """What is known by more letters is stronger, then what has more of its own, then what is longer."""
    return hit.weight - hit.message.legacy, hit.own, hit.match.end - hit.match.start


def _of_errors(match: TextMatch) -> int:
    """The letters of system errors in a match: unlike other fields they are words that can be known."""
    errors = [text for field, text in match.fields.items() if field.startswith("errno")]
    return sum(one.isalpha() for text in errors for one in text)


def _outermost(hits: Iterable[MessageHit]) -> list[MessageHit]:
    kept: list[MessageHit] = []
    for hit in hits:
        inside = [
            other for other in kept
            if other.match.start <= hit.match.end and hit.match.start <= other.match.end
            and not (other.weight == hit.weight and _alike(other.message, hit.message))
        ]
        if not inside:
            kept.append(hit)
    return kept


def _alike(one: Message, other: Message) -> bool:
    return other.id in one.same_text or one.id in other.same_text
