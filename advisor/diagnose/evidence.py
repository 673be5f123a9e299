"""The evidence in a text: messages and their counts, symptoms, facts that were read, and facts that sentences state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from advisor.diagnose.configuration import MAX_LINES, PastedConfiguration, export_facts, lint_pasted, mounts
from advisor.diagnose.faults import ChangedSetting, ChangeFinder, FaultFinder, FoundFault
from advisor.diagnose.messages import MessageHit, MessageIndex, PastedLine, pasted_lines, time_of
from advisor.diagnose.versions import Version, VersionReader, hosts, version_facts
from advisor.named_tuple import NamedTuple
from advisor.regex import regex
from advisor.rulebase.clauses import Feature, Sentence, Vocabulary, find_group, groups_in, in_clauses
from advisor.rulebase.model import Message, RuleBase, Values
from advisor.rulebase.words import FoldedLine, clauses, lower_case

_OWN_HOST = ("127.", "localhost")
_PLAIN = regex(r"[\w.:/-]+")
SHOWN = 200
"""Lines of a text that can be shown again."""
_STORY = 12
"""A text of so many different terms tells of trouble, whatever it calls it."""
UNKNOWN = 20
"""Unknown lines that are kept; further ones are only counted."""
FEW = 60
"""In a text of at most this many lines, messages that do not name NFS count too."""
_NAMED = ("server", "source", "address")
LONG = 76
"""A line of at least this length may have been broken inside a word."""


Times = tuple["str | None", "str | None"]


class SeenMessage:
    """A message or symptom that was found. `line`, `text`: the first line with it; `count`: how many lines have it;
    `first`, `last`: times, as written."""

    def __init__(self, message: Message, line: int, text: str) -> None:
        self.message = message
        self.line = line
        self.text = text
        self.nearly = True
        """Every line has only most of its words."""
        self.count = 0
        self.first: str | None = None
        self.last: str | None = None

    def count_lines(self, times: Times, count: int) -> None:
        """Count more lines with it. `times`: of the first and the last of these."""
        self.count += count
        self.first = self.first or times[0]
        self.last = times[1] or self.last


class StatedFact(NamedTuple):
    """A fact with its value, and the line that gives it."""

    fact: str
    value: Values
    line: int


class TextEvidence:
    """All that was taken from a text. `read`: facts from output and configuration; `stated`: facts from sentences.
    `lists`: of a Vocabulary."""

    def __init__(self, lists: Mapping[str, frozenset[str]] | None = None) -> None:
        self._lists = lists or {}
        self.seen: dict[str, SeenMessage] = {}
        self.read: list[StatedFact] = []
        self.stated: list[StatedFact] = []
        self.features: list[Feature] = []
        self.configuration = PastedConfiguration([], {}, frozenset(), {}, ())
        self.versions: list[Version] = []
        self.faults: list[FoundFault] = []
        self.changes: list[ChangedSetting] = []
        self.unknown: list[PastedLine] = []
        self.unknown_count = 0
        self.names: set[str] = set()
        """Hosts that fields of messages name."""
        self.mounts: list[tuple[str, str, str]] = []
        """Server, path and the word after it, which may be a mount point, in the order of the text."""
        self.read_lines = 0
        self.lines: list[PastedLine] = []
        """The first lines, to show what was understood of them."""
        self.terms: Counter[str] = Counter()
        self.known_terms = 0
        """Terms in lines that have a message."""
        self.words: dict[str, int] = {}
        """Term → the first line with it."""
        self.names_trouble = self.all_recognised = self.of_others = False
        self.named = True
        """Messages that do not name NFS count too."""

    def add(self, hit: MessageHit, line: int, text: str, times: Times, count: int = 1) -> None:
        """Add `count` lines with a message; `line`, `text`: the first of them."""
        self._count(hit.message, line, text, times, count)
        self.seen[hit.message.id].nearly &= hit.nearly
        known = {(read.fact, str(read.value)) for read in self.read} if hit.message.holds else ()
        self.read += [fact for fact in _facts(hit, line) if (fact.fact, str(fact.value)) not in known]
        self.names |= _hosts(hit)

    def add_probed(self, proved: Mapping[str, Values]) -> None:
        """Take what a server proved that was asked."""
        self.read += [StatedFact(name, value, 0) for name, value in proved.items()]

    def take(self, other: TextEvidence) -> bool:
        """Take what another text shows and says, but not its words. Returns False if it shows nothing."""
        lines = [*self.lines, *other.lines]
        other.read += [StatedFact(known.fact, known.value, 0) for known in export_facts(lines) if known.sure]
        self.read += other.read
        self.stated += other.stated
        self.features += other.features
        self.configuration.findings.extend(other.configuration.findings)
        self.mounts += other.mounts
        self.lines = lines
        self.names |= other.names
        for seen in other.seen.values():
            self._count(seen.message, seen.line, seen.text, (seen.first, seen.last), seen.count)
            self.seen[seen.message.id].nearly &= seen.nearly
        return bool(other.read or other.seen or other.stated or other.configuration.findings)

    def describe(self, symptom: Message, line: int, text: str) -> None:
        self._count(symptom, line, text, (None, None), 1)

    def _count(self, message: Message, line: int, text: str, times: Times, count: int) -> None:
        if message.id not in self.seen:
            self.seen[message.id] = SeenMessage(message, line, text)
        if line < self.seen[message.id].line:
            self.seen[message.id].line, self.seen[message.id].text = line, text
        self.seen[message.id].count_lines(times, count)

    def say(self, line: int, text: str, known: bool) -> None:
        """Take the words of a line. `known`: it has a message."""
        for example in self._lists.get("examples", ()):
            text = text.replace(example, "")
        for clause in clauses(text):
            self.terms.update(clause)
            self.known_terms += len(clause) * known
            for term in clause:
                self.words.setdefault(term, line)
        self.mounts += mounts(text)
        low = lower_case(text)
        self.of_others |= self._any("others", low)
        self.names_trouble |= self._any("trouble", low)

    def known_share(self) -> float:
        """The share of the text that is messages."""
        return self.known_terms / max(1, sum(self.terms.values()))

    def is_elsewhere(self) -> bool:
        """Whether it names another file system or service, and nothing that only NFS has."""
        return self.of_others and not self._has("topics-own")

    def names_nfs(self) -> bool:
        """Whether it is about files over a network."""
        return self._has("topics-own") or self._has("topics") or ("server" in self.terms and self._has("topics-files"))

    def _has(self, name: str) -> bool:
        terms = self._lists.get(name, frozenset())
        return not terms.isdisjoint(term.partition("no:")[2] or term for term in self.terms)

    def _any(self, name: str, low: str) -> bool:
        return any(piece in low for piece in self._lists.get(name, ()))

    def leave(self, line: PastedLine, low: str) -> None:
        """Keep a line without a message, `low` in lower case, if it seems to be about a problem with NFS."""
        if self._any("nfs-lines", low) and self._any("trouble", low):
            self.unknown_count += 1
            if len(self.unknown) < UNKNOWN:
                self.unknown.append(line)

    def is_of_others(self, low: str) -> bool:
        """Whether a line names another file system or service."""
        return self._any("others", low)

    def places(self) -> dict[str, str]:
        """SERVER, PATH and MOUNTPOINT → the names in the text, if they need no quoting in a shell."""
        found: dict[str, str] = {}
        for server, path, target in self.mounts:
            if _PLAIN.fullmatch(f"{server}{path}") and not server.startswith(_OWN_HOST):
                found.setdefault("SERVER", server)
                if server == found["SERVER"] and path != "/":
                    found.setdefault("PATH", path)
                if target.startswith("/") and _PLAIN.fullmatch(target):
                    found.setdefault("MOUNTPOINT", target)
        if "SERVER" not in found and len(self.names) == 1 and _PLAIN.fullmatch(min(self.names)):
            found["SERVER"] = min(self.names)
        return found

    def all_features(self) -> dict[str, int]:
        """What is said, seen and stated → the first line of it."""
        features = dict(self.words)
        for feature in self.features:
            features.setdefault(f"says:{feature.name}", feature.line)
        features.update((f"message:{seen.message.id}", seen.line) for seen in self.problems())
        for stated in self.stated:
            values = stated.value if isinstance(stated.value, (list, tuple)) else [stated.value]
            features[f"fact:{stated.fact}={'/'.join(map(str, values))}"] = stated.line
        return features

    def is_about_trouble(self) -> bool:
        """Whether it is about files over a network, and about something that is wrong with them."""
        if self.seen and not self.problems() and self.all_recognised:
            return False
        if self.is_elsewhere():
            return False
        files = self._has("topics-files") or self._has("topics-own")
        own = any(not seen.message.generic or files for seen in self.problems())
        wrong = any(pasted.finding.severity == "error" for pasted in self.configuration.findings)
        if own or wrong or any(fault.weight > 0 for fault in self.faults) or self.changes:
            return True
        is_story = len(self.terms) >= _STORY and bool(self.features)  # and more than configuration
        return self.names_nfs() and (self.names_trouble or is_story)

    def in_order(self) -> list[SeenMessage]:
        """What was found, in the order of the lines where it is first."""
        return sorted(self.seen.values(), key=lambda seen: seen.line)

    def problems(self) -> list[SeenMessage]:
        """What was found, without mere information."""
        return [seen for seen in self.in_order() if seen.message.kind != "information"]


class Reader:
    """Takes evidence from texts. It takes a moment to make, and serves for any number of them."""

    def __init__(self, base: RuleBase) -> None:
        self.base = base
        self.index = MessageIndex(base)
        self.vocabulary = Vocabulary.from_tables(**base.reading["vocabulary"])
        self.bad = {name for name, part in self.vocabulary.part.items() if part == "outcome"} - {"works"}
        self._described = base.reading["described"]
        self._symptom_groups = base.reading["symptoms"]
        self.versions = VersionReader(base.facts.get("client.distro"), self.vocabulary.lists)
        self.faults = FaultFinder(base)
        self.changes = ChangeFinder(base, self.vocabulary.lists)
        self._told = [*zip(base.phrases, base.reading["unless"])]
        self._phrase_groups = base.reading["phrases"]

    def read(self, text: str, known: Mapping[str, Values] | None = None) -> TextEvidence:
        """The evidence in a text. `known`: facts that were given with it."""
        evidence = TextEvidence(self.vocabulary.lists)
        pasted = list(pasted_lines(text))
        evidence.read += [StatedFact(fact, value, 0) for fact, value in (known or {}).items()]
        evidence.versions = self.versions.read(pasted)
        known_versions = hosts(self.base, evidence.versions, self.vocabulary.lists["version-ships"])
        evidence.versions = [version for version in evidence.versions if not version.bare]
        evidence.configuration = lint_pasted(self.base, pasted, {**known_versions, **(known or {})})
        evidence.read += [StatedFact(fact, values_, 0) for fact, values_ in evidence.configuration.facts.items()]
        evidence.stated += [StatedFact(fact, values_, 0) for fact, values_ in evidence.configuration.said.items()]
        for export_fact in export_facts(pasted[:MAX_LINES]):
            (evidence.read if export_fact.sure else evidence.stated).append(
                StatedFact(export_fact.fact, export_fact.value, export_fact.line)
            )
        for version, fact, value in version_facts(self.base, evidence.versions):
            (evidence.read if version.printed else evidence.stated).append(StatedFact(fact, value, version.line))
        printed = self._messages(evidence, pasted)
        evidence.all_recognised = all(not line.text.strip() or line.number in printed for line in pasted)
        evidence.read_lines = pasted[-1].number if pasted else 0
        evidence.lines = pasted[:SHOWN]
        for line in filter(lambda line: line.text, pasted[:MAX_LINES]):
            evidence.say(line.number, line.text, line.number in printed)
        prose = [line for line in pasted[:MAX_LINES] if line.number not in evidence.configuration.numbers]
        said = list(self.vocabulary.sentences((line.number, printed.get(line.number, line.text)) for line in prose))
        self._symptoms(evidence, said)
        evidence.features += self.vocabulary.features(said)
        bad = any(feature.name in self.bad for feature in evidence.features)
        evidence.names_trouble |= bad
        evidence.all_recognised &= not bad
        for told in (((line.number, line.text) for line in prose), evidence.configuration.options):
            self._phrases(evidence, list(self.vocabulary.sentences(told)))
        evidence.changes = self.changes.find(prose, known_versions, evidence.configuration.findings)
        evidence.faults = self.faults.find(
            pasted[:MAX_LINES], evidence.versions, {stated.fact: stated.value for stated in evidence.read}
        )
        return evidence

    def _messages(self, evidence: TextEvidence, pasted: Sequence[PastedLine]) -> dict[int, str]:
        """Add the messages. Returns line number → the line without the message, so that the words of a message are not
        read as a sentence of the user."""
        printed: dict[int, str] = {}
        folded = [self.index.folding.line(line.text) for line in pasted]
        named = evidence.named = len(pasted) <= FEW or any("nfs" in line.low for line in folded)
        before: set[str] = set()
        for at, line in enumerate(pasted):
            hits = self.index.hits(folded[at]) if folded[at].low else []
            if at + 1 < len(pasted) and pasted[at + 1].text and line.text:
                hits = _merge_hits(hits, self._joined(line, folded[at], pasted[at + 1]))
            hits = [hit for hit in hits if (named or not hit.message.generic) and hit.message.id not in before]
            before = {hit.message.id for hit in hits if hit.match.end > len(folded[at].low)}
            for hit in hits:
                evidence.add(hit, line.number, line.text.strip(), (time_of(line.text),) * 2)
            for hit in hits:
                whole = hit.match.end >= len(folded[at].text.rstrip())  # else a sentence may quote the message
                if (whole or hit.message.kind != "information") and not hit.message.generic:
                    text = folded[at].text
                    printed[line.number] = f"{text[: hit.match.start]}. {text[hit.match.end :]}"
                    if before:
                        printed[pasted[at + 1].number] = ""
            known = line.number in evidence.configuration.numbers or line.number in printed
            if not hits and folded[at].low and not known:
                near = self.index.near(folded[at]) if named and not evidence.is_of_others(folded[at].low) else []
                for hit in near:
                    evidence.add(hit, line.number, line.text.strip(), (time_of(line.text),) * 2)
                if not near:
                    evidence.leave(line, folded[at].low)
        return printed

    def _joined(self, line: PastedLine, low: FoldedLine, following: PastedLine) -> list[MessageHit]:
        """The messages that extend over a line and the next one, because a terminal or mail program has broken the
        line."""
        fold = self.index.folding.line
        if time_of(following.text) is not None:
            return []
        pairs = [fold(f"{line.text} {following.text}")]
        if len(line.text) >= LONG:
            pairs.append(fold(line.text + following.text.lstrip()))
        ends = len(low.low)
        return [
            hit for pair in pairs for hit in self.index.hits(pair)
            if hit.match.start < ends < hit.match.end - 1 and not hit.message.generic
        ]

    def _symptoms(self, evidence: TextEvidence, said: Sequence[Sentence]) -> None:
        for sentence in said:
            last = -1
            for number, group, at in groups_in(sentence, *self._symptom_groups):
                if number != last and not self.vocabulary.is_negated(sentence, group, at):
                    last = number
                    evidence.describe(self.base.messages[self._described[number]], sentence.line, sentence.text)

    def _phrases(self, evidence: TextEvidence, said: Sequence[Sentence]) -> None:
        for sentence in said:
            for clause in in_clauses(sentence):
                last = -1
                for number, group, at in groups_in(clause, *self._phrase_groups):
                    name, unless = self._told[number]
                    if number == last or any(find_group(sentence, other) is not None for other in unless):
                        continue
                    if self.vocabulary.supposes(clause, group):
                        continue
                    last = number
                    negated, phrase = self.vocabulary.is_negated(clause, group, at), self.base.phrases[name]
                    holds = phrase.opposite if negated else phrase.holds
                    evidence.stated += [StatedFact(fact, value, sentence.line) for fact, value in holds.items()]


def _merge_hits(alone: list[MessageHit], joined: list[MessageHit]) -> list[MessageHit]:
    """The hits of a line, and of the line joined with the next one; a longer hit replaces those within it."""
    kept = list(alone)
    for hit in joined:
        if any(other.message.id == hit.message.id or other.weight >= hit.weight for other in kept):
            continue
        kept = [other for other in kept if other.match.end <= hit.match.start] + [hit]
    return kept


def _hosts(hit: MessageHit) -> set[str]:
    hosts = {text.partition(":/")[0] for field, text in hit.match.fields.items() if field.startswith(_NAMED)}
    return {name for name in hosts if name and "/" not in name}


def _facts(hit: MessageHit, line: int) -> list[StatedFact]:
    """The facts that a message gives; `{field}` stands for the text of a field."""
    facts: list[StatedFact] = []
    for fact, value in hit.message.holds.items():
        field = value[1:-1] if isinstance(value, str) and value.startswith("{") and value.endswith("}") else None
        if field is None:
            facts.append(StatedFact(fact, value, line))
        elif field in hit.match.fields:
            facts.append(StatedFact(fact, hit.match.fields[field], line))
    return facts
