"""Files of `name = value` against the rule base: names by the tunables of the kinds that stand in such a file
(kb/kinds.yaml says which), values by their types, and then the decisions and checks."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.lint.certain import State, certain
from advisor.lint.finding import Finding, at, from_check
from advisor.lint.setting_values import Wrong, read
from advisor.lint.settings_grammar import Name, SettingsGrammar, near
from advisor.options.words import Setting
from advisor.readers.placeholders import has_markup
from advisor.readers.settings import Assignment, Assignments
from advisor.readers.spans import Span
from advisor.rulebase.model import Reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex
    from advisor.rulebase.model.types import Value, Values

Said = tuple[Span, Finding]


def judge(index: RuleIndex, written: Assignments) -> list[Finding]:
    """The findings of one file, in no order."""
    return [at(finding, written.name, span) for span, finding in _Judge(index, written).all()]


class _Judge:
    def __init__(self, index: RuleIndex, written: Assignments) -> None:
        self.index, self.written = index, written
        self.grammar = SettingsGrammar(index.rulebase, index.kind)

    def all(self) -> Iterator[Said]:
        yield from self._ignored()
        for span, words in self.written.bad:
            yield from self.said("setting-line-skipped", span, None, self.grammar.skipped, words=words)
        yield from self._sections()
        settings: dict[str, Setting] = {}
        spans: dict[str, Span] = {}
        held = list(self._held())
        state = self._state([name.tunable.id for _, name in held if name])
        for one, name in held:
            if name is None:
                yield from self._unknown(one)
                continue
            spans.setdefault(name.tunable.id, one.value.span)
            yield from self._unread(one, name, state)
            value, wrong = (None, None) if has_markup(one.value.text) else read(name, one.value.text)
            if wrong is not None:
                yield from self._misread(one, name, wrong)
            elif value is not None:
                text = f"{one.key.text}={one.value.text}"
                settings.setdefault(name.tunable.id, Setting(value, "value", 0, len(text), text))
        yield from self._replaced()
        for finding in certain(self.index, settings, "", state, lambda tunable: self._state([tunable])):
            if finding.tunable in spans:
                yield spans[finding.tunable], finding

    def _ignored(self) -> Iterator[Said]:
        """A file of a directory of which only some are read."""
        path, _, name = self.written.name.rpartition("/")
        folder = next((file.folder for file in self.grammar.files if file.folder), None)
        if folder and path.endswith(".d") and (name.startswith(".") or not name.endswith(folder.ending)):
            yield from self.said("setting-file-ignored", Span(1, 1, 1), None, folder, file=name, ending=folder.ending)

    def _sections(self) -> Iterator[Said]:
        for heading in self.written.sections:
            if not self.grammar.has(heading.text) and not has_markup(heading.text):
                like = near(heading.text, self.grammar.sections)
                yield from self.said(
                    "setting-section-unknown", heading.span, None, self.grammar.unread, section=heading.text,
                    hint=f" (did you mean [{like}]?)" if like else "",
                )

    def _held(self) -> Iterator[tuple[Assignment, Name | None]]:
        """The assignments that hold, each with its name where that is known."""
        last = {self.grammar.fold(one.section, one.key.text): one for one in self.written.settings if one.value.text}
        for one in self.written.settings:
            name = self.grammar.find(one.section, one.key.text)
            if name is None or one is last.get(self.grammar.fold(one.section, one.key.text)):
                yield one, name

    def _replaced(self) -> Iterator[Said]:
        """Assignments that hold nothing: empty ones, and those that another one replaces."""
        before: dict[tuple[str, str], Assignment] = {}
        for one in self.written.settings:
            name, place = self.grammar.find(one.section, one.key.text), self.grammar.fold(one.section, one.key.text)
            if name is None:
                continue
            if not one.value.text:
                if name.file.empty is not None:
                    yield from self.said("setting-empty", one.key.span, name, name.file.empty, key=one.key.text)
                continue
            first = before.get(place)
            before[place] = one
            if first and first.value.text != one.value.text and not has_markup(first.value.text + one.value.text):
                yield from self.said(
                    "setting-twice", first.key.span, name, name.file.twice, value=first.value.text,
                    key=first.key.text, other=one.value.text, other_line=str(one.key.span.line),
                )

    def _state(self, tunables: list[str]) -> State:
        """What is known where these are set."""
        known: dict[str, Values] = {**self.grammar.says(tunables), **self.index.known}
        state = self.index.engine.state(known)
        return state if self.index.agrees(state) else self.index.state

    def _unknown(self, one: Assignment) -> Iterator[Said]:
        """A name that nothing reads: misspelt, or known in other sections only."""
        if has_markup(one.key.text) or not self.grammar.has(one.section):
            return
        key = one.key.text
        like, sections = self.grammar.like(one.section, key), self.grammar.elsewhere(key)
        if sections and not like:
            where = " or ".join(f"[{section}]" for section in sections)
            yield from self.said(
                "setting-section-wrong", one.key.span, None, self.grammar.unread, key=key, section=one.section,
                sections=where, text=f"{key}={one.value.text}",
            )
        elif like or not self.grammar.others:
            yield from self.said(
                "setting-unknown", one.key.span, None, self.grammar.unread, key=key,
                section=f" of [{one.section}]" if one.section else "",
                hint=f" (did you mean {like}?)" if like else "",
                todo=f"Write {like}={one.value.text}." if like else "Remove the line, or correct the name.",
            )

    def _unread(self, one: Assignment, name: Name, state: State) -> Iterator[Said]:
        """A setting that this host does not read, for all that is known."""
        told, kind = name.tunable, self.index.rulebase.kinds[name.tunable.kind]
        if told.id in self.index.rulebase.decisions or self.index.verdict(told.needs, state) is not False:
            return
        without = told.without or kind.without
        if without is not None and without.why:
            reading = Reading(why=without.why, cites=without.cites or told.cites)
            yield from self.said("setting-not-read", one.key.span, name, reading, key=one.key.text)

    def _misread(self, one: Assignment, name: Name, wrong: Wrong) -> Iterator[Said]:
        yield from self.said(
            "setting-value", one.value.span, name, name.file.misread, value=one.value.text, key=one.key.text,
            expected=wrong.expected, so=wrong.so, text=f"{one.key.text}={one.value.text}",
        )

    def said(
        self, slug: str, span: Span, name: Name | None, reading: Reading | None, value: Value = None, **words: str
    ) -> Iterator[Said]:
        """The words of a check; why, and who says so, as the kind of file has it."""
        check = self.index.builtin.get(slug)
        if check is not None:
            yield span, from_check(
                check, Setting(value, "value", 0, 0, ""), tunable=name.tunable.id if name else None, value=value,
                why=reading.why if reading else None, cites=tuple(reading.cites) if reading else None, figures=words,
            )
