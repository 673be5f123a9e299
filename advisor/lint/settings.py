"""Files of `name = value` against the rule base: names by the tunables of the kinds that stand in such a file
(kb/kinds.yaml says which), values by their types, and then the decisions and checks."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from advisor.lint.certain import State, certain
from advisor.lint.finding import Finding, at, from_check
from advisor.named_tuple import NamedTuple
from advisor.options.words import MAX_DIGITS, Setting, reader, told
from advisor.readers.placeholders import has_markup
from advisor.readers.settings import Assignment, Assignments
from advisor.readers.spans import Span
from advisor.rulebase.model import Form, Reading, SettingsFile, Tunable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex
    from advisor.rulebase.model.types import Value, Values

LONGEST = 40
"""Letters of a word for which a similar name is looked for."""


class _Name(NamedTuple):
    """A name that is known in this kind of file."""

    tunable: Tunable
    file: SettingsFile
    section: str
    key: str


Place = tuple[str, str]
"""Section and name, in the case in which they are compared."""
Said = tuple[Span, Finding]


def judge(index: RuleIndex, settings: Assignments) -> list[Finding]:
    """The findings of one file, in no order."""
    return [at(finding, settings.name, span) for span, finding in _Judge(index, settings).all()]


class _Judge:
    def __init__(self, index: RuleIndex, settings: Assignments) -> None:
        self.index, self.settings = index, settings
        files = (kind.file for kind in index.rulebase.kinds.values() if kind.file)
        self.files = [file for file in files if index.kind in file.kinds]
        self.folds = any(file.ignores_case for file in self.files)
        self.known = {self.fold(one.section, one.key): one for one in self._names()}
        self.sections = {place[0] for place in self.known}
        self.free = {free.lower() if self.folds else free for file in self.files for free in file.free}

    def _names(self) -> Iterator[_Name]:
        for tunable in self.index.tunables.values():
            kind = self.index.rulebase.kinds[tunable.kind]
            if kind.file is not None and self.index.kind in kind.file.kinds and tunable.id.startswith(kind.file.prefix):
                name = tunable.id[len(kind.file.prefix):]
                section, _, key = name.partition(".") if kind.file.sections else ("", "", name)
                yield _Name(tunable, kind.file, section, key)

    def fold(self, section: str, key: str) -> Place:
        """The place of a name, as two of them are compared."""
        return (section.lower(), key.lower()) if self.folds else (section, key)

    def all(self) -> Iterator[Said]:
        yield from self._ignored()
        for span, words in self.settings.bad:
            yield from self.said("setting-line-skipped", span, None, None, words=words)
        unread = next((file.unread for file in self.files if file.unread), None)
        strange = set()
        for heading in self.settings.sections:
            name = self.fold(heading.text, "")[0]
            if unread and name not in self.sections | self.free and not has_markup(heading.text):
                strange.add(name)
                near = _near(name, [one.section for one in self.known.values()])
                yield from self.said(
                    "setting-section-unknown", heading.span, None, unread, section=heading.text, near=near,
                    hint=f" (did you mean [{near}]?)" if near else "",
                )
        held: dict[Place, Assignment] = {}
        for one in self.settings.settings:
            place = self.fold(one.section, one.key.text)
            if place in self.known and one.value.text:
                if place in held:
                    yield from self._twice(held[place], one)
                held[place] = one
            elif place in self.known:
                yield from self._empty(one, self.known[place])
            elif unread and place[0] not in strange | self.free and not has_markup(one.key.text):
                yield from self._unknown(one, place, unread)
        found: dict[str, Setting] = {}
        for place, one in held.items():
            value, wrong = self._value(one, self.known[place])
            yield from wrong
            if value is not None:
                text = f"{one.key.text}={one.value.text}"
                found[self.known[place].tunable.id] = Setting(value, "value", 0, len(text), text)
        spans = {self.known[place].tunable.id: one.value.span for place, one in held.items()}
        for finding in certain(self.index, found, "", self._state(found), self._of):
            if finding.tunable in spans:
                yield spans[finding.tunable], finding

    def _ignored(self) -> Iterator[Said]:
        """A file of a directory of which only some are read."""
        path, _, name = self.settings.name.rpartition("/")
        folder = next((file.folder for file in self.files if file.folder), None)
        if folder and path.endswith(".d") and (name.startswith(".") or not name.endswith(folder.ending)):
            yield from self.said("setting-file-ignored", Span(1, 1, 1), None, folder, name=name, ending=folder.ending)

    def _of(self, tunable: str) -> State:
        return self._state([tunable])

    def _state(self, tunables: list[str] | dict[str, Setting]) -> State:
        """What is known where these are set."""
        sections = {self.fold(one.section, "")[0] for one in self.known.values() if one.tunable.id in tunables}
        known: dict[str, Values] = {}
        for saying in (saying for file in self.files for saying in file.says):
            if not sections.isdisjoint(self.fold(section, "")[0] for section in saying.sections):
                known = {**saying.holds, **known}
        state = self.index.engine.state({**known, **self.index.known})
        return state if self.index.agrees(state) else self.index.state

    def _twice(self, first: Assignment, one: Assignment) -> Iterator[Said]:
        known = self.known[self.fold(one.section, one.key.text)]
        if first.value.text != one.value.text and not has_markup(first.value.text + one.value.text):
            yield from self.said(
                "setting-twice", first.key.span, known, known.file.twice, value=first.value.text,
                key=first.key.text, other=one.value.text, other_line=str(one.key.span.line),
            )

    def _empty(self, one: Assignment, known: _Name) -> Iterator[Said]:
        if known.file.empty is not None:
            yield from self.said("setting-empty", one.key.span, known, known.file.empty, key=one.key.text)

    def _unknown(self, one: Assignment, place: Place, unread: Reading) -> Iterator[Said]:
        """A name that nothing reads: misspelt, or known in other sections only."""
        elsewhere = [known for known in self.known.values() if self.fold("", known.key)[1] == place[1]]
        here = [known for known in self.known.values() if self.fold(known.section, "")[0] == place[0]]
        known = next((known for known in here if place[1] in known.tunable.misspellings), None)
        near = known.key if known else _near(place[1], [known.key for known in here])
        name = one.key.text
        if elsewhere and not near:
            sections = " or ".join(f"[{known.section}]" for known in elsewhere)
            yield from self.said(
                "setting-section-wrong", one.key.span, None, unread, key=name, section=one.section, sections=sections,
                text=f"{name}={one.value.text}",
            )
            return
        yield from self.said(
            "setting-unknown", one.key.span, None, unread, key=name, near=near or "",
            section=f" of [{one.section}]" if one.section else "",
            hint=f" (did you mean {near}?)" if near else "",
            todo=f"Write {near}={one.value.text}." if near else "Remove the line, or correct the name.",
        )

    def _value(self, one: Assignment, known: _Name) -> tuple[Value, list[Said]]:
        """The value that a setting has, None where it has none that is known; and what is wrong with it."""
        text, tunable, misread = one.value.text, known.tunable, known.file.misread
        if has_markup(text):
            return None, []
        word = self.fold("", text)[1]
        if tunable.values and word in known.file.synonyms and known.file.synonyms[word] in tunable.values:
            return known.file.synonyms[word], []
        words = {self.fold("", str(value))[1]: value for value in tunable.values or ()}
        if word in words and tunable.type == "enum":
            return words[word], []
        read = reader(tunable, Form(spelling=one.key.text, takes="value"))(text)
        if read.wrong is None:
            return read.value, []
        digits = len(text) - len(text.lstrip("0123456789"))
        number = tunable.type in ("uint", "int")
        becomes = misread.number if number else misread.word if tunable.default is not None else None
        if read.wrong == "out-of-range" or not becomes:
            so = ""
        else:
            so = f", so {becomes.format(digits=text[:digits][:MAX_DIGITS] or '0', default=tunable.default)}"
        expected = told(read.expected)
        return None, list(self.said(
            "setting-value", one.value.span, known, misread, value=text, expected=expected, so=so,
            text=f"{one.key.text}={text}", key=one.key.text, unit=f" {tunable.unit}" if tunable.unit and number else "",
        ))

    def said(
        self, slug: str, span: Span, known: _Name | None, reading: Reading | None, value: Value = None, **words: str
    ) -> Iterator[Said]:
        """The words of a check; why, and who says so, as the kind of file has it."""
        check = self.index.builtin.get(slug)
        if check is not None:
            yield span, from_check(
                check, Setting(value, "value", 0, 0, ""), tunable=known.tunable.id if known else None, value=value,
                why=reading.why if reading else None, cites=tuple(reading.cites) if reading else None, figures=words,
            )


def _near(word: str, names: list[str]) -> str:
    """The name that looks most like a word; "" for none."""
    lower = {name.lower(): name for name in names if name}
    near = get_close_matches(word.lower(), lower, 1) if 0 < len(word) <= LONGEST else []
    return lower[near[0]] if near else ""
