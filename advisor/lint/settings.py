"""Files of `name = value` against the rule base: names by the tunables of the kinds that stand in such a file
(kb/kinds.yaml says which), values by their types, and then the decisions and checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.globs import fits, parts
from advisor.lint.checks import State, certain
from advisor.lint.finding import SEVERITY_OF, Edit, Finding, Fix, at, from_check
from advisor.lint.setting_blocks import UNKNOWN, HeldSetting, Scope, mistakes, scopes
from advisor.lint.setting_values import Wrong, descent, read
from advisor.lint.settings_grammar import NEARLY_ALIKE, Name, SettingsGrammar, near
from advisor.options.reading import Setting
from advisor.readers.placeholders import has_markup
from advisor.readers.spans import Span
from advisor.readers.tables import Assignment, Assignments, Token
from advisor.rulebase import values
from advisor.rulebase.model import Reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.rule_index import RuleIndex
    from advisor.rulebase.model.types import Value, Values

Said = tuple[Span, Finding]


def judge(
    index: RuleIndex, written: Assignments, others: Sequence[Assignments] = (), whole: bool | None = None,
) -> list[Finding]:
    """The findings of one file, in no order. `others`: files of blocks that are read with it; `whole`: with these it is
    all that is read, None where only the file itself can tell."""
    found = _Judge(index, written, others, whole).all()
    return [at(finding, written.name, span)._replace(fix=finding.fix) for span, finding in found]


class _Judge:
    def __init__(
        self, index: RuleIndex, written: Assignments, others: Sequence[Assignments], whole: bool | None,
    ) -> None:
        self.index, self.written, self.others, self.whole = index, written, others, whole
        self.grammar = index.rulebase.ready(SettingsGrammar, index.kind)
        self.lines = written.text.split("\n")
        self.once: set[str] = set()
        """Checks that have said what they say once a file."""

    def all(self) -> Iterator[Said]:
        yield from self._ignored()
        for span, words in self.written.bad:
            yield from self.said("setting-line-skipped", span, None, self.grammar.skipped, words=words)
        for slip in self.written.slips:
            if not slip.section or self.grammar.has(slip.section):
                slug = slip.by_name if slip.by_name and self.grammar.by_name(slip.section) else slip.slug
                yield from self.said(slug, slip.span, None, None, section=slip.section, **slip.words)
        yield from self._sections()
        good: list[HeldSetting] = []
        read_so: list[HeldSetting] = []
        held = list(self._held())
        state = self._state([name.tunable.id for _, name in held if name])
        for one, name in held:
            yield from self._comment(one, name)
            if name is None:
                yield from self._unknown(one)
                continue
            yield from self._unread(one, name, state)
            if _is_dropped(one, name):
                continue
            value, wrong = (None, None) if has_markup(one.value.text) else read(name, one.value.text)
            text, disorder = f"{one.key.text}={one.value.text}", None if wrong else descent(name, value)
            known = value is not None and wrong is None and not disorder
            mine = HeldSetting(one, name, Setting(value, "value", 0, len(text), text) if known else UNKNOWN)
            good.append(mine)
            if wrong is not None:
                yield from self._misread(one, name, wrong)
                continue
            read_so.append(mine)
            if disorder:
                yield from self.said("setting-order", one.value.span, name, None, value, text=text, words=disorder)
        yield from self._replaced()
        yield from self._late(read_so)
        yield from mistakes(self.grammar, self.written, good, self.said)
        for scope in scopes(self.grammar, self.written, good, self.others, self.whole):
            yield from self._certain(scope, state)

    def _certain(self, scope: Scope, state: State) -> Iterator[Said]:
        """What decisions and checks say of settings that count together."""
        for finding in certain(self.index, scope.settings, "", state, lambda tunable: self._state([tunable])):
            place = scope.places.get(finding.tunable or "")
            if place is None or place.setting is UNKNOWN:
                continue
            one, name = place.assignment, place.name
            if name.tunable.id != finding.tunable:  # inherited: a decision speaks where it is set
                if finding.expected is None:
                    yield one.value.span, finding._replace(fix=None)
            else:
                fix = None if isinstance(finding.expected, list) else self._fix(one.value, finding.expected)
                yield one.value.span, finding._replace(remedy=self._remedy(finding, one, name), fix=fix)

    def _remedy(self, finding: Finding, one: Assignment, name: Name) -> str:
        """What to write in a file of this kind for what a decision asks for; checks have words of their own."""
        wanted = finding.expected
        if wanted is None or isinstance(wanted, list):
            return finding.remedy
        if wanted in ("omit", "n/a"):
            return f"Remove {one.key.text}."
        number = values.nearest(wanted, finding.value) if values.is_bound(wanted) else wanted
        if number is None:
            return values.advise(name.tunable, wanted, f"{one.key.text}=")
        others = f", or another number {values.in_words(wanted)}" if values.is_bound(wanted) else ""
        return f"Write {self.grammar.written(name.file, one.section, one.key.text, number)}{others}."

    def _fix(self, token: Token, wanted: Value) -> Fix | None:
        """The fix that writes something else there; None for what no file holds, or does not hold letter for letter."""
        line, column, end = token.span
        plain = wanted is not None and wanted not in ("omit", "n/a") and not values.is_bound(wanted)
        if not plain or self.lines[line - 1][column - 1:end - 1] != token.text:
            return None
        return Fix("unsafe", (Edit(line, column, end, str(wanted)),))

    def _mended(self, said: Iterator[Said], token: Token, wanted: Value) -> Iterator[Said]:
        """The same, with the fix that writes something else there."""
        for span, finding in said:
            yield span, finding._replace(fix=self._fix(token, wanted))

    def _comment(self, one: Assignment, name: Name | None) -> Iterator[Said]:
        """What its author took for a comment."""
        reading = next((file.comment for file in self.grammar.files if file.comment), None)
        ours = name is not None or (self.grammar.has(one.section) if one.section else not one.key.text)
        if one.aside is not None and reading is not None and ours:
            yield from self.said("setting-trailing-comment", one.aside.span, name, reading, comment=one.aside.text)

    def _late(self, good: list[HeldSetting]) -> Iterator[Said]:
        """Settings that are applied before their kernel module is loaded, grouped by module."""
        late = next((file.late for file in self.grammar.files if file.late), None)
        if late and self.index.holds("unless:setting-before-module", self.index.state):
            return
        of: dict[str, list[tuple[Assignment, Name]]] = {}
        for one, name, _ in good if late else ():
            for pattern, module in late.modules.items() if late else ():
                if fits(one.key.text, parts(pattern)):
                    of.setdefault(module, []).append((one, name))
                    break
        for module, mine in of.items():
            lines = [line for one, name in mine for line in self._as_parameter(name, one, late.kind if late else "")]
            todo = f"Write into a file in /etc/modprobe.d: {', '.join(lines)}." if lines else (
                f"Write {module} into a file in /etc/modules-load.d, so that it is loaded before."
            )
            yield from self.said(
                "setting-before-module", mine[0][0].key.span, mine[0][1], late, module=module, todo=todo,
                keys=", ".join(one.key.text for one, _ in mine), are="are" if len(mine) > 1 else "is",
            )

    def _as_parameter(self, name: Name, one: Assignment, kind: str) -> Iterator[str]:
        """The line that sets the same variable in time, by a tunable of this kind."""
        file = self.index.rulebase.kinds[kind].file
        for tunable in self.index.rulebase.of_kinds(kind).values() if file else ():
            if tunable.same_as == name.tunable.id and file:
                section, _, key = tunable.id[len(file.prefix):].partition(".")
                yield file.written.format(section=section, key=key, value=one.value.text)

    def _ignored(self) -> Iterator[Said]:
        """A file of a directory of which only some are read."""
        path, _, name = self.written.name.rpartition("/")
        folder = next((file.folder for file in self.grammar.files if file.folder), None)
        if folder and folder.kinds and self.index.kind not in folder.kinds:
            return
        if folder and path.endswith(".d") and (name.startswith(".") or not name.endswith(folder.ending)):
            yield from self.said("setting-file-ignored", Span(1, 1, 1), None, folder, file=name, ending=folder.ending)

    def _sections(self) -> Iterator[Said]:
        for heading in self.written.sections:
            if not self.grammar.has(heading.text) and not has_markup(heading.text):
                like, file = near(heading.text, self.grammar.sections), self.grammar.files[0]
                yield from self._mended(self.said(
                    "setting-section-unknown", heading.span, None, self.grammar.unread, division=file.division,
                    section=file.called.format(section=heading.text),
                    hint=f" (did you mean {file.called.format(section=like)}?)" if like else "",
                ), heading, like)

    def _held(self) -> Iterator[tuple[Assignment, Name | None]]:
        """The assignments that hold, each with its name where that is known."""
        last = {self.grammar.fold(one.section, one.key.text): one for one in self.written.settings if one.value.text}
        for one in self.written.settings:
            name = self.grammar.find(one.section, one.key.text)
            held = name is None or name.file.twice is None or name.tunable.repeat == "adds"
            if held or one is last.get(self.grammar.fold(one.section, one.key.text)):
                yield one, name

    def _replaced(self) -> Iterator[Said]:
        """Assignments without effect: empty ones, and those that another one replaces."""
        before: dict[tuple[str, str], Assignment] = {}
        for one in self.written.settings:
            name, place = self.grammar.find(one.section, one.key.text), self.grammar.fold(one.section, one.key.text)
            if name is None:
                continue
            if not one.value.text:
                empty = name.file.empty
                if empty is not None and _is_dropped(one, name):
                    so = (empty.refused or "the line has no effect").format(section=one.section)
                    yield from self.said("setting-empty", one.key.span, name, empty, key=one.key.text, so=so)
                continue
            first = before.get(place) if name.file.twice and name.tunable.repeat != "adds" else None
            before[place] = one
            if first and first.value.text != one.value.text and not has_markup(first.value.text + one.value.text):
                yield from self.said(
                    "setting-twice", first.key.span, name, name.file.twice, value=first.value.text,
                    key=first.key.text, other=one.value.text, other_line=str(one.key.span.line),
                )

    def _state(self, tunables: list[str]) -> State:
        """What is known where these are set."""
        known: dict[str, Values] = {**self.grammar.says(tunables), **self.index.known}
        state = self.index.engine.judging(known)
        return state if self.index.agrees(state) else self.index.state

    def _unknown(self, one: Assignment) -> Iterator[Said]:
        """A name that nothing reads: misspelt, or known in other sections only."""
        key, file = one.key.text, self.grammar.files[0]
        if not key or has_markup(key) or not self.grammar.has(one.section) or self.grammar.exists(one.section, key):
            return
        like, sections = self.grammar.like(one.section, key), self.grammar.elsewhere(key)
        if sections and not (like and near(key, [like], NEARLY_ALIKE)):  # the very name goes before a like one
            where = " or ".join(file.called.format(section=section) for section in sections)
            yield from self.said(
                "setting-section-wrong", one.key.span, None, self.grammar.unread, key=key, sections=where,
                section=file.called.format(section=one.section), text=f"{key}={one.value.text}",
            )
        elif like or self.grammar.knows_all(one.section, key):
            hint, todo = "", "Remove the line, or correct the name."
            if like:
                todo = f"Write {self.grammar.written(file, one.section, like, one.value.text)}."
                hint = f" (did you mean {like}?)"
            elif file.confused and f"{file.confused.prefix}{key}" in self.index.tunables:
                text = f"{key}={one.value.text}" if one.value.text else key
                hint, todo = f" ({file.confused.hint})", file.confused.todo.format(text=text)
            yield from self._mended(self.said(
                "setting-unknown", one.key.span, None, self.grammar.unread, key=key, hint=hint, todo=todo,
                section=f" of {file.called.format(section=one.section)}" if one.section else "", thing=file.thing,
            ), one.key, like)

    def _unread(self, one: Assignment, name: Name, state: State) -> Iterator[Said]:
        """A setting that this host does not read, or may not read for all that is known; the latter is said of the
        first such setting only."""
        tunable, kind = name.tunable, self.index.rulebase.kinds[name.tunable.kind]
        without, read = tunable.without or kind.without, self.index.verdict(tunable.needs, state)
        if read or without is None or not without.why or tunable.id in self.index.rulebase.decisions:
            return
        if one.value.text in tunable.shipped:
            return
        slug = "setting-not-read" if read is False else "setting-perhaps-not-read"
        if read is False or slug not in self.once:
            self.once.add(slug)
            reading = Reading(why=without.why, cites=without.cites or tunable.cites)
            yield from self.said(slug, one.key.span, name, reading, key=one.key.text)

    def _misread(self, one: Assignment, name: Name, wrong: Wrong) -> Iterator[Said]:
        yield from self.said(
            "setting-value", one.value.span, name, name.file.misread, value=one.value.text, key=one.key.text,
            expected=wrong.expected, so=wrong.so, text=f"{one.key.text}={one.value.text}",
        )

    def said(
        self, slug: str, span: Span, name: Name | None, reading: Reading | None, value: Value = None, **words: str
    ) -> Iterator[Said]:
        """The words of a check; why, how bad, and who says so, as the kind of file has it."""
        check = self.index.builtin(slug)
        if check is not None:
            strength = reading.strength if reading else None
            yield span, from_check(
                check, Setting(value, "value", 0, 0, ""), tunable=name.tunable.id if name else None, value=value,
                why=reading.why if reading else None, cites=tuple(reading.cites) if reading else None, figures=words,
                severity=SEVERITY_OF[strength] if strength else None,
                consequence=reading.consequence if reading else None,
            )


def _is_dropped(one: Assignment, name: Name) -> bool:
    """Whether an assignment without a value holds nothing."""
    no_word = not (name.tunable.values and "" in name.file.synonyms)
    return not one.value.text and name.file.empty is not None and no_word
