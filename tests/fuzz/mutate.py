"""Changes a text as typing errors, other programs and ill will change it; equal random numbers change it alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

LONGEST = 40_000
"""Bytes beyond which a text is cut off."""
HUGE = b"9" * 4301
"""One digit more than Python converts."""
HOSTILE = (
    b"\0", b"\n", b"\r", b"\t", b"\f", b"\v", b"\b", b"\x7f", b"\x1b[2J", b"\x1b]0;x\x07", b"\x80", b"\xff\xfe",
    b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", "e\u0301\u0301\u0301".encode(), "\U000e0041".encode(),
    *(char.encode() for char in "\u6f22\x85\x9b\u2028\u2029\u202e\u2066\u200b\u00a0\u0130\u0663\u00bd\ufeff"),
    HUGE, b"-" + HUGE, b"0x" + b"f" * 300, b"1e999", b"-0", b"nan", b"0.1", b"18446744073709551616", b"2001-99-99",
    b"x" * 5000, b"," * 2000, b" " * 500, b"a " * 500, b'"' * 9, b"'", b"\\", b"\\054", b"\\0", b"%s%n", b"{}",
    b"{value}", b"{0.__class__}", b"${x", b"{{ x }}", b"<!--", b"]]>", b"|", b"`", b"$(id)", b"; id", b"*", b"[" * 60,
    b"(" * 60, b"../..", b"#", b"=", b":", b"-", b"--", b"&a [*a]", b"!!python/object:x", b"? ", b"- ", b"~", b"@",
    b"[]",
)
"""What a reader, a terminal, a shell or another format may take for something else."""
_WORD = re.compile(rb"[^\s,=:]+")


class Mutator:
    """`seeds`: the texts to begin with; `words`: what may stand in them."""

    def __init__(self, random: Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> None:
        self.random, self.seeds, self.words = random, seeds, words
        self.usual = (
            self.insert, self.drop, self.again, self.reword, self.reword, self.swap, self.splice, self.other_line
        )
        self.odd = (
            self.hostile, self.hostile, self.hostile, self.byte, self.many_lines, self.many_words, self.encoded
        )

    def text(self) -> bytes:
        """One of the seeds, changed in none to eight places."""
        text = self.random.choice(self.seeds)
        for _ in range(self.random.choice((0, 1, 1, 2, 2, 3, 5, 8))):
            text = self.random.choice(self.random.choice((self.usual, self.usual, self.usual, self.odd)))(text)
        return text[:LONGEST]

    def insert(self, text: bytes) -> bytes:
        return self._put(text, self.random.choice(self.words))

    def hostile(self, text: bytes) -> bytes:
        return self._put(text, self.random.choice(HOSTILE))

    def drop(self, text: bytes) -> bytes:
        start, end = self._span(text)
        return text[:start] + text[end:]

    def again(self, text: bytes) -> bytes:
        start, end = self._span(text)
        return text[:end] + text[start:end] * self.random.choice((1, 1, 2, 9)) + text[end:]

    def byte(self, text: bytes) -> bytes:
        at = self.random.randrange(len(text) + 1)
        return text[:at] + bytes([self.random.randrange(256)]) + text[at + 1 :]

    def reword(self, text: bytes) -> bytes:
        start, end = self.random.choice(self._words(text) or [(0, 0)])
        return text[:start] + self.random.choice(self.words) + text[end:]

    def swap(self, text: bytes) -> bytes:
        places = self._words(text)
        if len(places) < 2:
            return text
        (a, b), (c, d) = sorted(self.random.sample(places, 2))
        return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]

    def splice(self, text: bytes) -> bytes:
        other = self.random.choice(self.seeds)
        return text[: self.random.randrange(len(text) + 1)] + other[self.random.randrange(len(other) + 1) :]

    def other_line(self, text: bytes) -> bytes:
        lines = text.split(b"\n")
        other = self.random.choice(self.random.choice(self.seeds).split(b"\n"))
        lines.insert(self.random.randrange(len(lines) + 1), other)
        return b"\n".join(lines)

    def many_lines(self, text: bytes) -> bytes:
        """A line again and again, each time with other numbers."""
        line = self.random.choice(text.split(b"\n"))[:300]
        count = self.random.choice((3, 10, 10, 50))
        return b"\n".join([text, *(re.sub(rb"[0-9]", b"%d" % i, line, count=3) for i in range(count))])

    def many_words(self, text: bytes) -> bytes:
        """Two words again and again, each time with another number."""
        two = [self.random.choice(self.words)[:40] for _ in range(2)]
        count = self.random.choice((5, 20, 200))
        return self._put(text, b",".join(self.random.choice(two) + b"%d" % i for i in range(count)))

    def encoded(self, text: bytes) -> bytes:
        way = self.random.choice(("utf-16", "utf-16-le", "utf-8-sig", "latin-1", "\r\n", "\r"))
        if way.startswith("\r"):
            return text.replace(b"\n", way.encode())
        return text.decode("utf-8", "replace").encode(way, "replace")

    def _put(self, text: bytes, word: bytes) -> bytes:
        at = self.random.randrange(len(text) + 1)
        return text[:at] + word + text[at:]

    def _span(self, text: bytes) -> tuple[int, int]:
        start = self.random.randrange(len(text) + 1)
        return start, min(len(text), start + self.random.choice((0, 1, 1, 2, 5, 20, 100)))

    @staticmethod
    def _words(text: bytes) -> list[tuple[int, int]]:
        return [found.span() for found in _WORD.finditer(text)]
