"""The evidence in a log of any size, in constant memory: lines that differ only in digits are matched once, and lines
without any of a few words are skipped."""

from __future__ import annotations

from collections import Counter

from advisor.diagnose.evidence import SHOWN, TextEvidence
from advisor.diagnose.text import PastedLine, printable, time_of, without_prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from advisor.diagnose.evidence import Reader
    from advisor.diagnose.messages import MessageHit, MessageIndex

BLOCK = 1 << 20
"""Bytes that are read at once."""
SHAPES = 50_000
"""Shapes of lines (without digits) that are cached."""
_WORDS, _OFTEN = 16, 4
"""So many words, each of a few messages, decide whether a line is matched at all."""
_SHORT = ("nfs", "rpc")
_DIGITS = b"0123456789"
Hits = tuple["MessageHit", ...]


def _triggers(index: MessageIndex, everywhere: Container[str]) -> list[bytes]:
    """A few words in lower case, one of which is in nearly every line with a message and its program's name, but not in
    most other lines."""
    texts = [" ".join(words) for words in index.texts()]
    often = Counter(word for text in texts for word in set(text.split()) if len(word) > 4 or word in _SHORT)
    words = sorted(word for word in often if often[word] >= _OFTEN and word not in everywhere)
    of_word = {word: {at for at, text in enumerate(texts) if word in text} for word in words}
    chosen: list[str] = []
    covered: set[int] = set()
    while len(chosen) < _WORDS:
        chosen.append(max(words, key=lambda word: len(of_word[word] - covered)))
        covered |= of_word[chosen[-1]]
    return [word.encode() for word in chosen]


def read_log(reader: Reader, read: Callable[[int], bytes], evidence: TextEvidence | None = None) -> TextEvidence:
    """The evidence in a log. `read`: returns at most the given number of bytes, b"" at the end. `evidence`: what to
    add it to."""
    log = _Log(reader, evidence or TextEvidence(reader.vocabulary.lists))
    rest, skipping = b"", False
    while block := read(BLOCK):
        if skipping:  # the rest of a line that was cut
            _, end, block = block.partition(b"\n")
            skipping = not end
        whole, end, rest = (rest + block).rpartition(b"\n")
        if end:
            log.block(whole)
        if len(rest) > BLOCK:
            log.block(rest[:BLOCK])
            rest, skipping = b"", True
    if rest:
        log.block(rest)
    log.found.read_lines = log.lines
    return log.found


class _Log:
    def __init__(self, reader: Reader, evidence: TextEvidence) -> None:
        self.index = reader.index
        self.triggers = _triggers(reader.index, reader.vocabulary.lists["everywhere"])
        self.found = evidence
        self.lines = evidence.read_lines
        self.shapes: dict[bytes, Hits] = {}
        self.said = 0

    def block(self, raw: bytes) -> None:
        """Match whole lines, and count each message once for all of its lines."""
        low = raw.lower()
        ends = self._wanted(low)
        found: dict[int, tuple[Hits, list[tuple[int, int]]]] = {}
        number, before = self.lines + 1, 0
        for start in sorted(ends):
            number += low.count(b"\n", before, start)
            before = start
            shape = low[start : ends[start]].translate(None, _DIGITS)
            hits = self.shapes.get(shape)
            if hits is None:
                hits = self._match(shape, raw[start : ends[start]], number)
            if hits:
                found.setdefault(id(hits), (hits, []))[1].append((start, number))
        self.lines += low.count(b"\n") + 1
        for hits, places in found.values():
            first, last = (raw[at : ends[at]].decode("utf-8", "replace")[:8192] for at, _ in (places[0], places[-1]))
            text, times = printable(first).strip(), (time_of(first), time_of(last))
            for hit in hits:
                self.found.add(hit, places[0][1], text, times, len(places))

    def _wanted(self, low: bytes) -> dict[int, int]:
        """Where each line begins, and ends, that has one of the words."""
        ends: dict[int, int] = {}
        for word in self.triggers:
            at = low.find(word)
            while at >= 0:
                end = low.find(b"\n", at)
                end = len(low) if end < 0 else end
                ends[low.rfind(b"\n", 0, at) + 1] = end
                at = low.find(word, end)
        return ends

    def _match(self, shape: bytes, raw: bytes, number: int) -> Hits:
        """The messages in a line of a new shape."""
        if len(self.shapes) >= SHAPES:
            self.shapes.clear()
        text = without_prompt(printable(raw.decode("utf-8", "replace")[:8192]))
        folded = self.index.folding.line(text)
        hits = tuple(self.index.hits(folded))
        self.shapes[shape] = hits
        if hits and self.said < SHOWN:
            self.said += 1
            self.found.say(number, text, True)
        if not hits:
            self.found.leave(PastedLine(number, text), folded.low)
        return hits
