"""Sentences and clauses: what a report says happened, to whom, where, and what it denies.

A clause ends at a comma, a bracket, or a word such as "but"; what leads into it ("with vers=3, …") belongs to it. Its
words become concepts of kb/concepts.yaml, and these become features: an outcome with its polarity ("works", "fails",
"not:hangs"), and the same with what it is about ("fails:write", "works:v3", "denied:root:chown"), so that the same
trouble in other words has the same features."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.named_tuple import NamedTuple, grouped
from advisor.regex import regex
from advisor.rulebase.model import Concept
from advisor.rulebase.words import means_no_one, stem, words_of

Group = list[list[list[str]]]
"""For each word, the rows of stems that count as it."""
SENTENCE = 1000
"""Characters of a sentence that are read."""
_ENDS = (". ", "? ", "! ", "; ")
_BREAK = regex(r"[,;:] | [-–—] |[()]|\b(?:but|while|whereas|although|though|however|yet)\b")
"""What ends a clause inside a sentence."""
_SHORT = 3
"""A part of so few words belongs to what follows it."""
_REACH = 3
"""Words before an outcome that are searched for its negation."""
_FEATURES = 40
"""Features of one clause that count."""


class Sentence(NamedTuple):
    """`stems` in order; `clauses`: number of the clause of each of them; `line`: the number of the line where it
    begins."""

    stems: list[str]
    clauses: list[int]
    line: int
    text: str


class Feature(NamedTuple):
    """What a clause says. `clause`: its number in the text."""

    name: str
    line: int
    clause: int


class Vocabulary:
    """Stems words, replaces synonyms by the word that the rule base uses, and knows the concepts. That of the rule base
    is made when it is compiled."""

    def __init__(self, synonyms: Sequence[Sequence[str]], concepts: Iterable[Concept]) -> None:
        self._single: dict[str, str] = {}
        self._several: dict[str, list[tuple[list[str], list[str]]]] = {}
        for first, *others in synonyms:
            target = [stem(word) for word in words_of(first)]
            for other in others:
                parts = [stem(word) for word in words_of(other)]
                if len(parts) == 1 and len(target) == 1:
                    self._single[parts[0]] = target[0]
                elif parts:
                    self._several.setdefault(parts[0], []).append((parts, target))
        self._outcomes: dict[str, list[tuple[list[str], str]]] = {}
        self._others: dict[str, list[tuple[list[str], str]]] = {}
        self._opposite: dict[str, str] = {}
        self.part: dict[str, str] = {}
        """Concept → what it is in a clause."""
        listed = list(concepts)
        self.lists = _lists({
            concept.id: [word.replace("␣", " ") for word in concept.words]
            for concept in listed if concept.part == "grammar"
        })
        """Words of one use in a text, as kb/concepts.yaml has them; none in a rule base without that list."""
        for concept in listed:
            if concept.part == "grammar":
                continue
            self.part[concept.id] = concept.part
            if concept.opposite is not None:
                self._opposite[concept.id] = concept.opposite
            rows = self._outcomes if concept.part == "outcome" else self._others
            for words in concept.words:
                row = self._content(self.stems(words_of(words)))
                if row:
                    rows.setdefault(row[0], []).append((row, concept.id))
        for table in (self._outcomes, self._others):
            for found in table.values():
                found.sort(key=lambda pair: (-len(pair[0]), pair[1]))

    def tables(self) -> dict[str, object]:
        """What `from_tables` makes it of, JSON-ready."""
        return {**vars(self), "lists": {name: sorted(words) for name, words in self.lists.items()}}

    @classmethod
    def from_tables(cls, *, lists: Mapping[str, Iterable[str]], **tables: object) -> Vocabulary:
        vocabulary = cls.__new__(cls)
        vars(vocabulary).update(tables, lists=_lists(lists))
        return vocabulary

    def stems(self, words: Iterable[str]) -> list[str]:
        """The stems of words, and behind a row of them that has a synonym, that one."""
        known = list(words)
        pairs = zip(known, [*known[1:], ""])
        plain = ["noone" if means_no_one(word, following) else stem(word) for word, following in pairs]
        stems: list[str] = []
        for at, word_stem in enumerate(plain):
            stems.append(self._single.get(word_stem, word_stem))
            for parts, target in self._several.get(word_stem, ()):
                if plain[at : at + len(parts)] == parts:
                    stems += target
        return stems

    def group(self, words: Iterable[str]) -> Group:
        """A group ready for searching."""
        return [[self.stems(words_of(alternative)) for alternative in word.split("|")] for word in words]

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
        stems: list[str] = []
        clauses: list[int] = []
        number, open_ = 0, False
        for part in _BREAK.split(text[:SENTENCE]):
            found = self.stems(words_of(part))
            if not found:
                continue
            if stems and not open_:
                number += 1
            stems += found
            clauses += [number] * len(found)
            content = self._content(found)
            outcome = self._rows(content, self._outcomes) or found[-1] in self.lists["negations"]
            open_ = not outcome and (found[0] in self.lists["leads"] or len(content) <= _SHORT)
        return Sentence(stems, clauses, line, text.strip())

    def features(self, sentences: Iterable[Sentence]) -> Iterator[Feature]:
        """What the clauses of sentences say, each feature once a clause."""
        number = 0
        for sentence in sentences:
            for stems in _clauses(sentence):
                number += 1
                for name in list(dict.fromkeys(self._says(self._content(stems))))[:_FEATURES]:
                    yield Feature(name, sentence.line, number)

    def supposes(self, clause: Sentence, group: Group) -> bool:
        """Whether a clause only tries what a group says ("with the firewall off it works"), so that it is not so."""
        if not clause.stems or clause.stems[0] not in self.lists["conditions"]:
            return False
        own = {row[0] for rows in group for row in rows if row}
        content = self._content(clause.stems)
        tried = ("works",) if clause.stems[0] == "as" else ("works", "fails")  # "as root I cannot" is so
        return any(name in tried and content[at] not in own for at, _, name in self._rows(content, self._outcomes))

    def _says(self, content: list[str]) -> Iterator[str]:
        outcomes = [self._resolved(content, at, name) for at, _, name in self._rows(content, self._outcomes)]
        about: dict[str, list[str]] = {}
        for at, end, name in self._rows(content, self._others):
            part = self.part[name]
            if part in ("setting", "event") and self._is_off(content, at, end):
                about.setdefault(part, []).append(f"no-{name}")
                continue
            if part == "deed" and not outcomes and self.lists["negations"].intersection(content[max(0, at - 2) : at]):
                outcomes.append("fails")  # "no client boots"
            about.setdefault(part, []).append(name)
        if not outcomes and (("noone" in content and "know" not in content) or content[-1:] in (["not"], ["cannot"])):
            outcomes.append("fails")  # "enabled it does not"
        arguments = [name for part in ("deed", "event", "actor", "setting") for name in about.get(part, ())]
        yield from outcomes
        for outcome in outcomes:
            for argument in arguments:
                yield f"{outcome}:{argument}"
            for actor in about.get("actor", ()):
                for deed in about.get("deed", ()):
                    yield f"{outcome}:{actor}:{deed}"
        yield from arguments

    def _rows(self, content: list[str], table: dict[str, list[tuple[list[str], str]]]) -> list[tuple[int, int, str]]:
        """(start, end, concept) of each concept of a table, the longest row at each place; a word is of one row."""
        found: list[tuple[int, int, str]] = []
        at = 0
        while at < len(content):
            longest = 0
            for row, name in table.get(content[at], ()):
                if len(row) < longest:
                    break
                if content[at : at + len(row)] == row:
                    longest = len(row)
                    found.append((at, at + longest, name))
            at += max(longest, 1)
        return found

    def _resolved(self, content: list[str], at: int, outcome: str) -> str:
        """The outcome, its opposite where the clause negates it, or `not:` it."""
        before = content[max(0, at - _REACH) : at]
        denied = any(word in self.lists["negations"] for word in before) or (
            outcome == "works" and any(word in self.lists["modal"] for word in before)
        )
        if not denied:
            return outcome
        return self._opposite.get(outcome, f"not:{outcome}")

    def _content(self, stems: list[str]) -> list[str]:
        """The stems without the words that only hold a sentence together, each form of a negation as one."""
        content: list[str] = []
        for word in stems:
            if word in self.lists["contracted"]:
                content.append("not")
            elif word in ("cant", "couldnt"):
                content.append("cannot")
            elif word == "not" and content and content[-1] == "can":
                content[-1] = "cannot"
            elif word == "longer" and content and content[-1] == "no":
                content[-1] = "not"
            elif word not in self.lists["fillers"]:
                content.append(word)
        return content

    def _is_off(self, content: list[str], start: int, end: int) -> bool:
        around = (*content[max(0, start - 2) : start], *content[end : end + 2])
        off = not self.lists["off"].isdisjoint(around)
        return off or content[start - 1 : start] in (["no"], ["not"], ["without"])

    def is_negated(self, sentence: Sentence, group: Group, at: list[int]) -> bool:
        """Whether the sentence denies what the group says; False for a group that contains a negation. `at`: the places
        of its words. A negation belongs to the word that it stands by, in the same clause."""
        own = {word_stem for rows in group for row in rows for word_stem in row}
        if own & (self.lists["negations"] | self.lists["contracted"]):
            return False
        first, last = min(at), max(at)
        if any(self._is_denied(sentence, place, _REACH if place == first else 1) for place in at):
            return True
        after = sentence.stems[last + 1 : last + 1 + _REACH]
        if self.lists["copulas"].intersection(after[:1]):
            return bool((self.lists["off"] | {"not"}).intersection(after))
        return bool((self.lists["off"] - {"stop", "remov", "without"}).intersection(after[:1]))

    def _is_denied(self, sentence: Sentence, place: int, reach: int) -> bool:
        """Whether one of `reach` words before a place is a negation, other than that of an error's text ("operation not
        permitted in Docker")."""
        stems, clauses = sentence.stems, sentence.clauses
        at = place - 1
        while at >= 0 and reach and clauses[at] == clauses[place]:
            of_error = stems[at + 1] in self.lists["of-errors"]
            if stems[at] in self.lists["contracted"] or (stems[at] in self.lists["negations"] and not of_error):
                return True
            reach -= stems[at] not in self.lists["fillers"]
            at -= 1
        return False


def _lists(lists: Mapping[str, Iterable[str]]) -> defaultdict[str, frozenset[str]]:
    return defaultdict(frozenset, {name: frozenset(words) for name, words in lists.items()})


def _clauses(sentence: Sentence) -> list[list[str]]:
    clauses: list[list[str]] = []
    for word, number in zip(sentence.stems, sentence.clauses):
        while len(clauses) <= number:
            clauses.append([])
        clauses[number].append(word)
    return clauses


def find_group(sentence: Sentence, group: Group) -> list[int] | None:
    """Where the words of a group are in a sentence; None if one of them is missing."""
    places = []
    for rows in group:
        place = next((at for row in rows if (at := _find(sentence.stems, row)) >= 0), -1)
        if place < 0:
            return None
        places.append(place)
    return places


def groups_in(
    sentence: Sentence, groups: Sequence[tuple[int, Group]], of: Mapping[str, Sequence[int]]
) -> Iterator[tuple[int, Group, list[int]]]:
    """Each group in a sentence, in order: what it belongs to, the group, and the places of its words. `groups`, `of`:
    as `group_tables` returns them."""
    for at in sorted({at for word in set(sentence.stems) for at in of.get(word, ())}):
        number, group = groups[at]
        places = find_group(sentence, group)
        if places is not None:
            yield number, group, places


def group_tables(groups: Iterable[tuple[int, Group]]) -> tuple[list[tuple[int, Group]], dict[str, list[int]]]:
    """The groups, each with the number of what it belongs to, and word → the places of those that it is the rarest of:
    a sentence is searched only for those that it may contain."""
    listed = list(groups)
    first = [[{row[0] for row in rows if row} for rows in group] for _, group in listed]
    often = Counter(word for words in first for of in words for word in of)
    return listed, grouped(
        (word, at) for at, words in enumerate(first)
        for word in sorted(min(words, key=lambda of: sum(often[word] for word in of), default=()))
    )


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


def in_clauses(sentence: Sentence) -> list[Sentence]:
    return [Sentence(stems, [0] * len(stems), sentence.line, sentence.text) for stems in _clauses(sentence)]
