"""Splits a pasted text into lines and finds the messages of the rule base in them; and redacts text before it is shown:
secrets always, addresses, host names and users on request.

A line is matched only against messages whose rarest word it contains. Instead of regular expressions, literal pieces
are searched, and the text between two of them must be of the field's kind. The work is linear in the line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from advisor.named_tuple import NamedTuple
from advisor.regex import regex
from advisor.rulebase.model import Message, NamedTable, RuleBase
from advisor.rulebase.words import (
    FoldedLine,
    Folding,
    PatternRow,
    is_word_char,
    lower_case,
    plain_stems,
    printable,
    tokens,
)

_TIMES = (
    regex(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d"),
    regex(r"(?:[A-Z][a-z][a-z] )?[A-Z][a-z][a-z] [ \d]?\d \d\d:\d\d:\d\d(?: \d{4})?"),
    regex(r"\[ {0,8}\d{1,9}\.\d{6}\]"),
)
"""ISO 8601; syslog, journalctl and dmesg -T; dmesg."""
_PROMPTS = ("#", "$", "%")
_LEAD = 80
"""Characters in which a line's time or prompt ends."""
_SECRET = regex(r"(?i)\b(pass(?:word|wd|phrase)?|pw|secret|token|credentials?|api[_-]?key|sig)([=:] ?)[^\s,;&]+")
_IPV4 = regex(r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b")
_IPV6 = regex(r"\b[0-9A-Fa-f]{1,4}:[0-9A-Fa-f:]{2,34}\b|(?<![\w:])::[0-9A-Fa-f]{1,4}\b")
_NAME = regex(r"[\w.-]+")
_SOURCE = regex(r"(?<![\w.:/-])([A-Za-z0-9][\w-]{0,62})(?=:/)")
_USER = regex(r"\b[\w.-]{1,40}@(?=[\w.-])|(?<=/home/)[\w.-]{1,40}")
_KEPT = (
    "mount.", "umount.", "rpc.", "nfs-", "nfsd.", "kernel.", "exports.", "idmapd.conf", "nfs.conf", "nfsmount.conf",
)
"""Programs, files and settings that look like the name of a host."""
_FORMS = (("user", _USER), ("address", _IPV4), ("address", _IPV6), ("server", _SOURCE), ("host", _NAME))
_TIME = regex(r"\d{1,2}:\d\d(?::\d\d)?")
_MASKS = ("address-", "host-", "user-")


class PastedLine(NamedTuple):
    """`number`: in the text, from 1. `text`: of the line, cleaned. `fenced`: it is in a block of code."""

    number: int
    text: str
    fenced: bool = False


def pasted_lines(text: str) -> Iterator[PastedLine]:
    """The lines of a text. What a program has put into one line with \\n is several, with one number."""
    fenced = False
    for number, raw in enumerate(text.splitlines(), 1):
        line = printable(raw)
        while line.startswith(("> ", ">>")) or line == ">":  # of mail; a redirection has a command before it
            line = line[1:].removeprefix(" ")
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            yield PastedLine(number, "", fenced)
            continue
        parts = line.replace("\\r", "").replace('\\"', '"').split("\\n") if "\\n" in line else [line]
        for part in parts:
            yield PastedLine(number, without_prompt(part).rstrip(), fenced)


def without_prompt(line: str) -> str:
    """The line without a shell's prompt. A lone number sign is kept, because it begins a comment in files."""
    bare = line.lstrip()
    if bare.startswith("$ "):
        return bare[2:]
    head, bracket, rest = bare[:_LEAD].partition("]") if bare.startswith("[") else ("", "", bare)
    if bracket and "@" in head and rest[:1] in _PROMPTS:
        return bare[len(head) + 2 :].lstrip()  # [root@host ~]#
    user, _, place = bare[:_LEAD].partition("@")
    end = min((position for mark in _PROMPTS if (position := place.find(mark)) >= 0), default=-1)
    if end >= 0 and ":" in place[:end] and not any(map(str.isspace, user + place[:end])):
        return place[end + 1 :].lstrip() + bare[_LEAD:]  # root@host:~#
    return line


def time_of(line: str) -> str | None:
    """The time at the start of a line, as written; None if there is none."""
    head = line[:_LEAD]
    for form in _TIMES:
        match = form.search(head)
        if match:
            return match[0].strip("[] ")
    return None


def _is_host(name: str) -> bool:
    """Whether a word looks like a host name: parts between dots, the last of letters."""
    parts = name.split(".")
    known = name.lower().startswith(_KEPT)
    return len(parts) > 1 and all(parts) and parts[-1].isalpha() and len(parts[-1]) > 1 and not known


def without_secrets(text: str) -> str:
    """The text without what follows password=, token= and the like."""
    return _SECRET.sub(r"\1\2…", text)


class Masks:
    """Masks addresses, hosts and users, the same one with the same mask in the whole report. `names`: further host
    names, which do not look like one."""

    def __init__(self, names: Iterable[str]) -> None:
        self._given: dict[str, dict[str, str]] = {}
        self._names = {name.lower() for name in names}

    def __call__(self, text: str) -> str:
        """The text with users, hosts and addresses masked."""
        text = without_secrets(text)
        for kind, form in _FORMS:
            text = form.sub(self._masked(kind), text)
        return text

    def _masked(self, kind: str) -> Callable[[re.Match[str]], str]:
        def mask(match: re.Match[str]) -> str:
            name = match[0]
            if name.startswith(_MASKS):
                return name
            if kind == "host" and name.lower() not in self._names and not _is_host(name):
                return name
            if kind == "address" and _TIME.fullmatch(name):
                return name
            word = "host" if kind == "server" else kind
            known = self._given.setdefault(word, {})
            mask = known.setdefault(name.lower().rstrip("@"), f"{word}-{len(known) + 1}")
            return mask + ("@" if name.endswith("@") else "")

        return mask


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
    """A text of a message, for matching. `errors`: the folded texts of system errors."""

    __slots__ = ("_errors", "_fields", "_literals", "message", "stems", "weight", "words")

    def __init__(self, row: PatternRow, errors: Mapping[str, str]) -> None:
        self.message, self.weight, self._fields, self._literals, self.words, self.stems = row
        self._errors = errors

    @property
    def fields(self) -> int:
        """How many fields it has."""
        return len(self._fields)

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
        elif place and is_word_char(low[place - 1]) and is_word_char(low[place]):
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
        if last and end < len(low) and is_word_char(low[end]) and (is_word_char(last) or last == "/"):
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
        self.folding = Folding(base.reading["errors"], base.foreign)
        self.messages = base.messages
        self._reading = base.reading
        self._by_word: Mapping[str, Sequence[str]] = base.reading["words"]
        self._patterns: Mapping[str, TextPattern] = NamedTable(
            lambda row: TextPattern(row, self.folding.errors), base.patterns
        )

    def texts(self) -> list[list[str]]:
        """The words of each message that is not generic, with those of its program's name."""
        patterns = (self._patterns[number] for numbers in self._by_word.values() for number in numbers)
        told = ((pattern.words, self.messages[pattern.message]) for pattern in patterns if pattern.words)
        return [[*words, *tokens(lower_case(message.program))] for words, message in told if not message.generic]

    def hits(self, line: FoldedLine) -> list[MessageHit]:
        """The messages in a line, the strongest first. Of two that overlap the weaker is dropped, unless both have the
        same text."""
        tried = [*self._by_word[""]]
        for word in dict.fromkeys(tokens(line.low)):
            tried += self._by_word.get(word, ())
        by_message: dict[str, MessageHit] = {}
        for pattern in map(self._patterns.__getitem__, tried):
            match = pattern.match(line)
            if match is not None:
                weight = pattern.weight + _error_letters(match)
                hit = MessageHit(self.messages[pattern.message], match, weight, pattern.weight)
                if line.low.find(lower_case(hit.message.program), 0, match.start) >= 0:
                    hit = hit._replace(weight=hit.weight + _NAMED)
                best = by_message.get(pattern.message)
                if best is None or best.weight < hit.weight:
                    by_message[pattern.message] = hit
        return _outermost(sorted(by_message.values(), key=_strength, reverse=True))

    def near(self, line: FoldedLine) -> list[MessageHit]:
        """The messages of which a sentence of a line has most words, in their order and near each other: those with the
        rarest ones, and of them those with the fewest fields."""
        found: dict[str, tuple[float, int]] = {}
        of_stem, rarity_of = self._reading["stems"], self._reading["rarity"]
        least = _NEARLY if line.low.count(" ") < _PROSE else _NEARLY_IN_PROSE
        for sentence in line.low.replace("; ", ". ").split(". "):
            said = plain_stems(sentence)[:_MOST_WORDS]
            shared: Counter[str] = Counter()
            for word in set(said):
                for number in of_stem.get(word, ()):
                    shared[number] += round(100 * rarity_of[word])
            for number, rarity in shared.most_common(_TRIES):
                pattern = self._patterns[number]
                own = pattern.stems
                needed = max(_RARE, least * sum(rarity_of[word] for word in own))
                most = _in_order(said, own, rarity_of, 2 + pattern.fields) if rarity >= 100 * _RARE else 0.0
                if most >= needed:
                    found[pattern.message] = max((most, -pattern.fields), found.get(pattern.message, (0.0, 0)))
        best = max(found.values(), default=(0.0, 0))
        nowhere = TextMatch(0, 0, 0, {})
        return [MessageHit(self.messages[name], nowhere, 0, 0, True) for name in found if found[name] == best]


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
            and not (other.weight == hit.weight and (
                hit.message.id in other.message.same_text or other.message.id in hit.message.same_text
            ))
            for other in kept
        ):
            kept.append(hit)
    return kept


def _in_order(said: list[str], own: Sequence[str], rarity_of: Mapping[str, float], slack: int) -> float:
    """The greatest rarity of a few words of a message, the rarest one among them, that follow each other with at
    most `slack` others between them."""
    rarest = max(own, key=rarity_of.__getitem__)
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
                    count, rarity = count + 1, rarity + rarity_of[wanted]
            most = max(most, rarity * (count >= _FEW_WORDS))
    return most
