"""Counts the messages in a log of any size, in constant memory.

Lines that differ only in digits are matched once. Lines without any of a few words are skipped."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from advisor.diagnose.evidence import UNKNOWN, Reader, TextEvidence, is_about_nfs
from advisor.diagnose.text import PastedLine, printable, time_of, without_prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from advisor.diagnose.messages import MessageHit, MessageIndex

BLOCK = 1 << 20
"""Bytes that are read at once."""
SHAPES = 50_000
"""Shapes of lines (without digits) that are cached."""
_WORDS = 16
"""Words that decide whether a line is matched at all."""
_SHORT = ("nfs", "rpc")
_EVERYWHERE = frozenset((
    "failed", "error", "unable", "invalid", "cannot", "could", "server", "kernel", "client", "request", "unknown",
    "warning", "connection", "address", "service", "socket", "process", "system", "would", "which", "found", "reading",
    "create", "while", "number", "memory", "there", "using", "unexpected", "systemd", "kubelet", "application",
    "connect", "known", "already", "daemon", "activate", "alloc", "dropping", "respond", "starting", "started",
    "session", "stopping", "stopped", "docker", "state", "entry", "trying", "option", "device", "directory",
))
_MANY = 100
"""If a block has more lines of new shapes, the words are searched in all of them together."""
_DIGITS = b"0123456789"
Hits = tuple["MessageHit", ...]


def _triggers(index: MessageIndex) -> list[bytes]:
    """A few words in lower case, one of which is in nearly every line with a message and its program's name, but not in
    most other lines."""
    texts = [" ".join(words) for words in index.texts()]
    words = {word for text in texts for word in text.split() if len(word) > 4 or word in _SHORT} - _EVERYWHERE
    chosen: list[str] = []
    while texts and words and len(chosen) < _WORDS:
        best = max(sorted(words), key=lambda word: sum(word in text for text in texts))
        left = [text for text in texts if best not in text]
        if len(left) == len(texts):
            break
        chosen.append(best)
        texts = left
    return [word.encode() for word in chosen]


def read_log(reader: Reader, read: Callable[[int], bytes], evidence: TextEvidence | None = None) -> TextEvidence:
    """The evidence in a log. `read`: returns at most the given number of bytes, b"" at the end. `evidence`: what to
    add it to."""
    log = _Log(reader, evidence or TextEvidence())
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
    return log.found


class _Log:
    def __init__(self, reader: Reader, evidence: TextEvidence) -> None:
        self.index = reader.index
        self.triggers = _triggers(reader.index)
        self.found = evidence
        self.lines = 0
        self.shapes: dict[bytes, Hits] = {}

    def block(self, raw: bytes) -> None:
        """Match whole lines."""
        low = raw.lower()
        if not self._wanted(low):
            self.lines += low.count(b"\n") + 1
            return
        lines = raw.split(b"\n")
        shapes = low.translate(None, _DIGITS).split(b"\n")
        known: list[Hits | None] = list(map(self.shapes.get, shapes))
        new = [at for at, hits in enumerate(known) if hits is None]
        if len(new) > _MANY:
            new = [new[number] for number in self._wanted_of([shapes[at] for at in new])]
        for at in new:
            hits = self.shapes.get(shapes[at])
            known[at] = self._match(shapes[at], lines[at], self.lines + at + 1) if hits is None else hits
        self._count(known, lines)
        self.lines += len(lines)

    def _wanted(self, low: bytes) -> bool:
        for word in self.triggers:  # noqa: SIM110  a generator takes three times as long, for each line of the log
            if word in low:
                return True
        return False

    def _wanted_of(self, shapes: list[bytes]) -> list[int]:
        """The numbers of the shapes that have one of the words; all are searched together, not one by one."""
        ends = list(accumulate(len(shape) + 1 for shape in shapes))
        whole = b"\n".join(shapes)
        numbers: set[int] = set()
        for word in self.triggers:
            at = whole.find(word)
            while at >= 0:
                number = bisect_right(ends, at)
                numbers.add(number)
                at = whole.find(word, ends[number])
        return sorted(numbers)

    def _match(self, shape: bytes, raw: bytes, number: int) -> Hits:
        """The messages in a line of a new shape."""
        if len(self.shapes) >= SHAPES:
            self.shapes.clear()
        self.shapes[shape] = ()
        if not self._wanted(shape):
            return ()
        text = without_prompt(printable(raw.decode("utf-8", "replace")[:8192]))
        folded = self.index.folding.line(text)
        hits = tuple(self.index.hits(folded))
        self.shapes[shape] = hits
        if not hits and is_about_nfs(folded.low):
            self.found.unknown_count += 1
            if len(self.found.unknown) < UNKNOWN:
                self.found.unknown.append(PastedLine(number, text))
        return hits

    def _count(self, known: Sequence[Hits | None], lines: Sequence[bytes]) -> None:
        """Add the messages of a block, each shape once for all of its lines."""
        places: dict[int, list[int]] = {}
        for at in [at for at, hits in enumerate(known) if hits]:
            places.setdefault(id(known[at]), []).append(at)
        for ats in places.values():
            first, last = (lines[at].decode("utf-8", "replace")[:8192] for at in (ats[0], ats[-1]))
            for hit in known[ats[0]] or ():
                text = printable(first).strip()
                self.found.add(hit, self.lines + ats[0] + 1, text, (time_of(first), time_of(last)), len(ats))
