"""The evidence in a log of any size, in constant memory: lines that differ only in digits are matched once, and lines
without any of a few words are skipped. The first lines of an input are read as text, and so are
later ones that do not repeat an earlier line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable

from advisor.diagnose.evidence import SHOWN, Reader, TextEvidence
from advisor.diagnose.messages import MessageHit, MessageIndex, PastedLine, time_of, without_prompt
from advisor.named_tuple import NamedTuple
from advisor.regex import regex
from advisor.rulebase.words import printable

BLOCK = 1 << 20
"""Bytes that are read at once."""
SHAPES = 50_000
"""Shapes of lines (without digits) that are cached."""
HEAD = 256 << 10
"""Bytes of an input in which lines are read as text."""
FIRST, _TWICE = 60, 2
"""So many lines are text, whatever they are; after them a logged line of a shape is, so many times."""
_LOGGED = regex(rb"(?<![\w:.])(?:\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\d(?![\w:])|\[ {0,8}\d{1,9}\.\d{6}\]")
"""The time of a line in a log."""
_SIGNS = (b":", b"[")
"""Each time has one of them."""
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


class Rest(NamedTuple):
    """What of an input is not read as text. `again`: repetitions, each in its line, with empty lines for the text;
    `read`: reads what follows, as for `read_log`."""

    again: bytes
    read: Callable[[int], bytes]


def split_input(read: Callable[[int], bytes]) -> tuple[bytes, Rest]:
    """The lines of an input that are read as text, with empty ones for its repetitions; and the rest. `read`: as for
    `read_log`."""
    head = read(HEAD)
    end = len(head) if len(head) < HEAD else head.rfind(b"\n") + 1 or HEAD
    often: Counter[bytes] = Counter()
    text, again = [], []
    for number, line in enumerate(head[:end].split(b"\n")):
        shape = line.lower().translate(None, _DIGITS) if _LOGGED.search(line, 0, 80) else b""
        often[shape] += 1
        repeats = bool(shape) and number >= FIRST and often[shape] > _TWICE
        text.append(b"" if repeats else line)
        again.append(line if repeats else b"")
    waiting = [head[end:]]
    return b"\n".join(text), Rest(b"\n".join(again), lambda size: (waiting and waiting.pop()) or read(size))


def read_rest(reader: Reader, rest: Rest, evidence: TextEvidence, before: int) -> None:
    """Add the evidence in the rest of an input. `before`: the number of the line before it."""
    log = _Log(reader, evidence)
    log.lines = before
    if rest.again:
        log.block(rest.again.removesuffix(b"\n"), _SIGNS, near=True)
    _read(log, rest.read)


def read_log(reader: Reader, read: Callable[[int], bytes], evidence: TextEvidence | None = None) -> TextEvidence:
    """The evidence in a log. `read`: returns at most the given number of bytes, b"" at the end. `evidence`: what to
    add it to."""
    return _read(_Log(reader, evidence or TextEvidence(reader.vocabulary.lists)), read)


def _read(log: _Log, read: Callable[[int], bytes]) -> TextEvidence:
    rest, skipping = b"", False
    words: list[bytes] = []
    while block := read(BLOCK):
        words = words or _triggers(log.index, log.everywhere)
        if skipping:  # the rest of a line that was cut
            _, end, block = block.partition(b"\n")
            skipping = not end
        whole, end, rest = (rest + block).rpartition(b"\n")
        if end:
            log.block(whole, words)
        if len(rest) > BLOCK:
            log.block(rest[:BLOCK], words)
            rest, skipping = b"", True
    if rest:
        log.block(rest, words)
    log.found.read_lines = max(log.found.read_lines, log.lines)
    return log.found


class _Log:
    def __init__(self, reader: Reader, evidence: TextEvidence) -> None:
        self.index = reader.index
        self.everywhere = reader.vocabulary.lists["everywhere"]
        self.found = evidence
        self.lines = evidence.read_lines
        self.shapes: dict[bytes, Hits] = {}
        self.said = 0

    def block(self, raw: bytes, words: Iterable[bytes], near: bool = False) -> None:
        """Match whole lines with one of the words, and count each message once for all of its lines. `near`: also
        messages of which a line has only most words, as in a text."""
        low = raw.lower()
        ends = _with_one_of(words, low)
        self.found.named |= b"nfs" in low
        found: dict[int, tuple[Hits, list[tuple[int, int]]]] = {}
        number, before = self.lines + 1, 0
        for start in sorted(ends):
            number += low.count(b"\n", before, start)
            before = start
            shape = low[start : ends[start]].translate(None, _DIGITS)
            hits = self.shapes.get(shape)
            if hits is None:
                hits = self._match(shape, raw[start : ends[start]], number, near)
            if hits:
                found.setdefault(id(hits), (hits, []))[1].append((start, number))
        self.lines += low.count(b"\n") + 1
        for hits, places in found.values():
            first, last = (raw[at : ends[at]].decode("utf-8", "replace")[:8192] for at, _ in (places[0], places[-1]))
            text, times = printable(first).strip(), (time_of(first), time_of(last))
            for hit in hits:
                if self.found.named or not hit.message.generic:
                    self.found.add(hit, places[0][1], text, times, len(places))

    def _match(self, shape: bytes, raw: bytes, number: int, near: bool) -> Hits:
        """The messages in a line of a new shape."""
        if len(self.shapes) >= SHAPES:
            self.shapes.clear()
        text = without_prompt(printable(raw.decode("utf-8", "replace")[:8192]))
        folded = self.index.folding.line(text)
        hits = tuple(self.index.hits(folded))
        if near and not hits and self.found.named and not self.found.is_of_others(folded.low):
            hits = tuple(self.index.near(folded))
        self.shapes[shape] = hits
        if hits and self.said < SHOWN:
            self.said += 1
            self.found.say(number, text, True)
        if not hits:
            self.found.leave(PastedLine(number, text), folded.low)
        return hits


def _with_one_of(words: Iterable[bytes], low: bytes) -> dict[int, int]:
    """Where each line begins, and ends, that has one of the words."""
    ends: dict[int, int] = {}
    for word in words:
        at = low.find(word)
        while at >= 0:
            end = low.find(b"\n", at)
            end = len(low) if end < 0 else end
            ends[low.rfind(b"\n", 0, at) + 1] = end
            at = low.find(word, end)
    return ends
