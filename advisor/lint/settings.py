"""Judge files of `name = value`: the names by the tunables that such a file may set (kb/kinds.yaml), the values by
their types, and then all of them by the decisions and checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.engine import consistent, word_list
from advisor.files.kinds import plain_name
from advisor.files.patterns import name_fits, name_parts
from advisor.files.placeholders import has_markup, is_live, is_of_template, placeholders
from advisor.files.records import UNHEADED, Assignment, Assignments, Block, Setting, Span, Token
from advisor.files.settings_grammar import (
    NEARLY_ALIKE,
    UNKNOWN,
    HeldSetting,
    Name,
    Scope,
    Settings,
    SettingsGrammar,
    Wrong,
    descent,
    near,
    read,
    scopes,
)
from advisor.lint import lifetimes
from advisor.lint.checks import certain
from advisor.lint.compare import LineSettings
from advisor.lint.finding import SEVERITY_OF, Edit, Finding, Fix
from advisor.lint.kind_rules import MAX_TESTED
from advisor.lint.lines import LEFT
from advisor.lint.rule_index import FEW, Key, RuleIndex, State
from advisor.named_tuple import grouped
from advisor.rulebase import values
from advisor.rulebase.model import Reading, Value

MAX_ADDING = 20
"""Lines that add to one setting of which each is looked at by itself."""
_SOURCED = ("nfs-defaults", "autofs-defaults")
"""Kinds of files that are shell scripts."""


def judge(
    index: RuleIndex, written: Assignments, beyond: Settings | None = None, whole: bool | None = None,
    *, live: bool = False,
) -> list[Finding]:
    """The findings of one file, unsorted. `beyond`: what the files of blocks that are read with it set in single ones.
    `whole`: whether nothing else is read with them; None if only the file itself can tell. `live`: nothing fills in
    placeholders any more."""
    return list(_Judge(index, written, beyond, whole, live).findings())


class _Judge:
    def __init__(
        self, index: RuleIndex, written: Assignments, beyond: Settings | None, whole: bool | None, live: bool
    ) -> None:
        self.index, self.written, self.beyond, self.whole, self.live = index, written, beyond, whole, live
        self.grammar = index.rulebase.ready(SettingsGrammar, index.kind)
        self.lines = written.text.split("\n")
        self.spellings: dict[str, set[str]] = {}
        """Beginning of ids of tunables → the names with which these are written."""
        self.adding: dict[str, list[HeldSetting]] = {}
        """Tunable that several lines add to → what each adds."""

    def findings(self) -> Iterator[Finding]:
        yield from self._ignored()
        for span, words in self.written.bad:
            clause = self._home(span) if words == UNHEADED else ""
            yield from self.report("setting-line-skipped", span, None, self.grammar.skipped, words=f"{words}{clause}")
        for slip in self.written.slips:
            if not slip.section or self.grammar.has(slip.section):
                slug = slip.by_name if slip.by_name and self.grammar.by_name(slip.section) else slip.slug
                yield from self.index.report(
                    slug, slip.span, value=slip.words.get("value"), section=slip.section, figures=slip.words
                )
        yield from self._sections()
        named: list[HeldSetting] = []
        readable: list[HeldSetting] = []
        items = list(self._held())
        state = self._state([name.tunable.id for _, name in items if name])
        for item, name in items:
            yield from self._comment(item, name)
            if name is None:
                yield from self._unknown(item)
                continue
            yield from self._unread(item, name, state)
            if _is_dropped(item, name):
                continue
            if self._is_left(item):
                yield from self._left(item, name)
                named.append(HeldSetting(item, name, UNKNOWN))
                continue
            value, wrong = (None, None) if has_markup(item.value.text) else read(name, item.value.text)
            text, disorder = f"{item.key.text}={item.value.text}", None if value is None else descent(name, value)
            known = value is not None and wrong is None and not disorder
            entry = HeldSetting(item, name, Setting(value, "value", 0, len(text), text) if known else UNKNOWN)
            named.append(entry)
            if wrong is not None:
                yield from self._misread(item, name, wrong)
                continue
            readable.append(entry)
            if disorder:
                yield from self.report(
                    "setting-order", item.value.span, name, None, value=value, text=text, words=disorder
                )
        yield from self._replaced()
        yield from self._late(readable)
        yield from self._blocks(named)
        adding = (entry for entry in named if entry.name.tunable.repeat == "adds" and entry.setting is not UNKNOWN)
        self.adding = grouped((entry.name.tunable.id, entry) for entry in adding)
        for scope in scopes(self.grammar, self.written, named, self.beyond, self.whole):
            yield from self._certain(scope, state)

    def _home(self, span: Span) -> str:
        """Where an assignment in front of all headings belongs, as a clause from the semicolon on; "" if unknown."""
        sections = self.grammar.elsewhere(self.lines[span.line - 1].partition("=")[0].strip())
        called = (self.grammar.files[0].called.format(section=section) for section in sections)
        return f"; write {' or '.join(called)} above it" if sections else ""

    def _certain(self, scope: Scope, state: State) -> Iterator[Finding]:
        """What decisions and checks find in settings that count together."""
        known = () if state is self.index.state else tuple(state.items())
        found = self.index.found
        exact: Key = (known, *scope.settings.items())
        alike = (known, *self._alike(scope.settings)) if len(found) >= FEW else exact
        key = alike if alike in found else exact
        if key not in found:
            if len(found) >= MAX_TESTED:
                found.clear()
            line = LineSettings(scope.settings)
            findings = [*certain(self.index, line, state, lambda tunable: self._state([tunable]))]
            key = exact if findings else alike  # what is found quotes the settings
            found[key] = findings
        for first in found[key]:
            place = scope.places.get(first.tunable or "")
            if place is None or place.setting is UNKNOWN:
                continue
            finding, place = self._of_one_line(first, place, scope, state)
            if place.name.tunable.lives and finding.rule == f"{finding.tunable}/needs":
                continue  # the version that it needs was named
            item, name = place.assignment, place.name
            if name.tunable.id != finding.tunable:  # inherited: decisions report the default where it is set
                if finding.expected is None:
                    yield _at(item.value.span, finding, finding.remedy, None)
            else:
                fix = None if isinstance(finding.expected, list) else self._fix(item.value, finding.expected)
                yield _at(item.value.span, finding, self._remedy(finding, item, name), fix)

    def _of_one_line(
        self, finding: Finding, place: HeldSetting, scope: Scope, state: State
    ) -> tuple[Finding, HeldSetting]:
        """The finding on a setting that several lines add to, as the first line has it that has it alone, and where."""
        name, block = place.name.tunable.id, place.assignment.block
        lines = [one for one in self.adding.get(name, ())[:MAX_ADDING] if one.assignment.block == block]
        for one in lines if len(lines) > 1 else ():
            alone = certain(self.index, LineSettings({**scope.settings, name: one.setting}), state,
                            lambda tunable: self._state([tunable]))
            for found in alone:
                if found.rule == finding.rule:
                    return found, one
        return finding, place

    def _alike(self, settings: Mapping[str, Setting]) -> Iterator[Key]:
        """Keys that are equal for settings which no test tells apart."""
        rules = self.index.rules
        for name, setting in settings.items():
            yield name, setting if name in rules.weighed else rules.passed(name, setting.value)

    def _remedy(self, finding: Finding, item: Assignment, name: Name) -> str:
        """What to write, in the form of this kind of file, to follow a decision; a check's remedy stays as it is."""
        wanted = finding.expected
        if wanted is None or isinstance(wanted, list):
            return finding.remedy
        if wanted in ("omit", "n/a"):
            return f"Remove {item.key.text}."
        number = values.nearest(wanted, finding.value) if values.is_bound(wanted) else wanted
        if number is None:
            return values.advise(name.tunable, wanted, f"{item.key.text}=")
        others = f", or another number {values.in_words(wanted)}" if values.is_bound(wanted) else ""
        return f"Write {self.grammar.written(name.file, item.section, item.key.text, number)}{others}."

    def _fix(self, token: Token, wanted: Value) -> Fix | None:
        """The fix that replaces the token. None for a wanted value that cannot be written, and for a token that the
        file does not have letter for letter (it goes over several lines, or was unquoted)."""
        line, column, end = token.span
        simple = wanted is not None and wanted not in ("omit", "n/a") and not values.is_bound(wanted)
        if not simple or self.lines[line - 1][column - 1:end - 1] != token.text:
            return None
        return Fix("unsafe", (Edit(line, column, end, str(wanted)),))

    def _comment(self, item: Assignment, name: Name | None) -> Iterator[Finding]:
        """Text behind the value that its author took for a comment."""
        reading = next((file.comment for file in self.grammar.files if file.comment), None)
        is_known = name is not None or (self.grammar.has(item.section) if item.section else not item.key.text)
        if item.aside is not None and reading is not None and is_known:
            yield from self.report("setting-trailing-comment", item.aside.span, name, reading, comment=item.aside.text)

    def _late(self, held: list[HeldSetting]) -> Iterator[Finding]:
        """Settings that are applied before their kernel module is loaded, grouped by module."""
        late = next((file.late for file in self.grammar.files if file.late), None)
        if late is None or self.index.holds("quiet:setting-before-module", self.index.state):
            return
        of_module: dict[str, list[tuple[Assignment, Name]]] = {}
        for item, name, _ in held:
            for pattern, module in late.modules.items():
                if name_fits(item.key.text, name_parts(pattern)):
                    of_module.setdefault(module, []).append((item, name))
                    break
        for module, settings in of_module.items():
            lines = [line for item, name in settings for line in self._as_parameter(name, item, late.kind)]
            todo = f"Write into a file in /etc/modprobe.d: {', '.join(lines)}." if lines else (
                f"Write {module} into a file in /etc/modules-load.d, so that it is loaded before."
            )
            yield from self.report(
                "setting-before-module", settings[0][0].key.span, settings[0][1], late, module=module, todo=todo,
                keys=", ".join(item.key.text for item, _ in settings), are="are" if len(settings) > 1 else "is",
            )

    def _as_parameter(self, name: Name, item: Assignment, kind: str) -> Iterator[str]:
        """The line that sets the same variable in time, by a tunable of this kind."""
        file = self.index.rulebase.kinds[kind].file
        for tunable in self.index.rulebase.of_kinds(kind).values():
            if file is not None and tunable.same_as == name.tunable.id:
                section, _, key = tunable.id[len(file.prefix):].partition(".")
                yield file.written.format(section=section, key=key, value=item.value.text)

    def _ignored(self) -> Iterator[Finding]:
        """A file that is not read because of its name: of a directory, only names with a given ending are."""
        written = self.written.name
        if plain_name(written) != written and not is_live(written, ""):  # a template may get any name
            return
        path, _, name = written.rpartition("/")
        folder = next((file.folder for file in self.grammar.files if file.folder), None)
        if folder and folder.kinds and self.index.kind not in folder.kinds:
            return
        if folder and path.endswith(".d") and (name.startswith(".") or not name.endswith(folder.ending)):
            yield from self.report("setting-file-ignored", Span(1, 1, 1), None, folder, file=name, ending=folder.ending)

    def _sections(self) -> Iterator[Finding]:
        for heading in self.written.sections:
            if not self.grammar.has(heading.text) and not has_markup(heading.text):
                like, file = near(heading.text, self.grammar.sections), self.grammar.files[0]
                yield from self.report(
                    "setting-section-unknown", heading.span, None, self.grammar.unread, fix=self._fix(heading, like),
                    division=file.division, section=file.called.format(section=heading.text),
                    hint=f" (did you mean {file.called.format(section=like)}?)" if like else "",
                )

    def _held(self) -> Iterator[tuple[Assignment, Name | None]]:
        """The assignments that no later one replaces, each with its name, None if that is unknown."""
        named = [(item, self.grammar.find(item.section, item.key.text)) for item in self.written.settings]
        last = {
            self.grammar.fold(item.section, item.key.text): item for item, name in named if _replaces(item, name)
        }
        for item, name in named:
            counts = name is None or name.file.twice is None or name.tunable.repeat == "adds"
            refused = item.value.text and not _replaces(item, name)
            if counts or refused or item is last.get(self.grammar.fold(item.section, item.key.text)):
                yield item, name

    def _replaced(self) -> Iterator[Finding]:
        """Assignments without effect: empty ones, and those that another one replaces."""
        before: dict[tuple[str, str], Assignment] = {}
        for item in self.written.settings:
            name, place = self.grammar.find(item.section, item.key.text), self.grammar.fold(item.section, item.key.text)
            if name is None:
                continue
            if not item.value.text:
                empty = name.file.empty
                if empty is not None and _is_dropped(item, name):
                    so = (empty.refused or "the line has no effect").format(section=item.section)
                    yield from self.report("setting-empty", item.key.span, name, empty, key=item.key.text, so=so)
                continue
            if not _replaces(item, name):
                continue
            first = before.get(place) if name.file.twice and name.tunable.repeat != "adds" else None
            before[place] = item
            if first and first.value.text != item.value.text and not has_markup(first.value.text + item.value.text):
                yield from self.report(
                    "setting-twice", first.key.span, name, name.file.twice, value=first.value.text,
                    key=first.key.text, other=item.value.text, other_line=str(item.key.span.line),
                )

    def _state(self, tunables: list[str]) -> State:
        """The known facts, with those that follow from these tunables being set at all."""
        says = self.grammar.says(tunables)
        if says.keys() <= self.index.known.keys():
            return self.index.state
        state = self.index.engine.judging({**says, **self.index.known})
        return state if consistent(self.index.engine, state) else self.index.state

    def _unknown(self, item: Assignment) -> Iterator[Finding]:
        """A name that nothing reads: misspelled, or known only in other sections."""
        key, file = item.key.text, self.grammar.files[0]
        gaps = placeholders(self.lines[item.key.span.line - 1]) if self.live else ()
        if any(gap.start() < item.key.span.column <= gap.end() and is_of_template(gap[0]) for gap in gaps):
            return  # a word of a placeholder
        if not key or has_markup(key) or not self.grammar.has(item.section) or self.grammar.exists(item.section, key):
            return
        like, sections = self.grammar.like(item.section, key), self.grammar.elsewhere(key)
        if sections and not (like and near(key, [like], NEARLY_ALIKE)):  # one written so is likelier meant
            where = word_list(file.called.format(section=section) for section in sections)
            yield from self.report(
                "setting-section-wrong", item.key.span, None, self.grammar.unread, key=key, sections=where,
                section=file.called.format(section=item.section), text=f"{key}={item.value.text}",
            )
        elif like or self.grammar.knows_all(item.section, key):
            hint, todo = "", "Remove the line, or correct the name."
            confused = file.confused is not None and self._is_spelling(file.confused.prefix, key)
            newest, is_newer = lifetimes.newest_known(self.index, file.versions, self._state([]))
            unread = self.grammar.unread
            refused = unread is not None and unread.consequence == "mount-fails"
            if like and not confused:
                todo = f"Write {self.grammar.written(file, item.section, like, item.value.text)}."
                hint = f" (did you mean {like}?)"
            elif file.confused and confused:
                text = f"{key}={item.value.text}" if item.value.text else key
                hint, todo = f" ({file.confused.hint})", file.confused.todo.format(text=text)
            elif newest:
                todo = f"Correct the name, or remove the line if this host has nothing newer than {newest}."
            yield from self.report(
                "setting-not-known-here" if is_newer else "setting-unknown", item.key.span, None, unread,
                fix=None if is_newer else self._fix(item.key, like), key=key, newest=newest, hint=hint, todo=todo,
                section=f" of {file.called.format(section=item.section)}" if item.section else "", thing=file.thing,
                so=f" up to {newest}" if newest and not hint else "" if refused else " and is ignored",
            )

    def _is_spelling(self, prefix: str, key: str) -> bool:
        """Whether a tunable whose id begins so is written with this name."""
        if prefix not in self.spellings:
            self.spellings[prefix] = {
                word for name, tunable in self.index.tunables.items() if name.startswith(prefix)
                for word in (name[len(prefix):], *(form.spelling for form in tunable.forms))
            }
        return key in self.spellings[prefix]

    def _unread(self, item: Assignment, name: Name, state: State) -> Iterator[Finding]:
        """A setting that this host does not read, or may not read."""
        yield from lifetimes.findings(self.index, name.tunable, state, item.key.span, item.key.text)
        tunable, kind = name.tunable, self.index.rulebase.kinds[name.tunable.kind]
        without, read = tunable.without or kind.without, self.index.verdict(tunable.needs, state)
        if read or without is None or not without.why or tunable.id in self.index.rulebase.decisions:
            return
        if item.value.text in ("", *tunable.shipped):
            return
        slug = "setting-not-read" if read is False else "setting-perhaps-not-read"
        reading = Reading(why=without.why, cites=without.cites or tunable.cites)
        yield from self.report(slug, item.key.span, name, reading, key=item.key.text)

    def _misread(self, item: Assignment, name: Name, wrong: Wrong) -> Iterator[Finding]:
        yield from self.report(
            "setting-value", item.value.span, name, name.file.misread, value=item.value.text, key=item.key.text,
            expected=wrong.expected, so=wrong.so, text=f"{item.key.text}={item.value.text}",
        )

    def _is_left(self, item: Assignment) -> bool:
        """Whether nothing fills in what a value has of a template. The files of variables are scripts, in which
        `command` is none; the mount of a unit is judged as such."""
        text = item.value.text.replace("`", "") if self.index.kind in _SOURCED else item.value.text
        return self.live and is_of_template(text) and item.section != "Mount"

    def _left(self, item: Assignment, name: Name) -> Iterator[Finding]:
        """A placeholder, and what the program makes of it."""
        _, wrong = read(name, item.value.text)
        reading = name.file.misread if wrong is not None else None
        yield from self.index.report(
            LEFT, item.value.span, tunable=name.tunable.id, words=item.value.text,
            figures={"so": wrong.so if wrong and wrong.so else ", so it is used literally"},
            severity=SEVERITY_OF[reading.strength if reading and reading.strength else "should"],
            consequence=reading.consequence if reading and reading.consequence else "ignored",
        )

    def _blocks(self, held: Sequence[HeldSetting]) -> Iterator[Finding]:
        """Findings on misplaced blocks of a file."""
        grammar, written = self.grammar, self.written
        for block, inside in _misplaced(grammar, written):
            where = f"inside {word_list(inside)}" if inside else "outside of other blocks"
            yield from self.report(
                "setting-block-misplaced", block.heading.span, None, grammar.unread, block=block.heading.text,
                where=where,
            )
        for block, first_block in _again(grammar, written):
            yield from self.report(
                "setting-block-repeated", block.heading.span, None, None, block=block.heading.text,
                other_line=str(first_block.heading.span.line),
            )
        bare = {grammar.fold(*name.partition(".")[::2]) for file in grammar.files for name in file.bare}
        for assignment in written.settings:
            name = (
                grammar.find(assignment.section, assignment.key.text)
                if grammar.fold(assignment.section, assignment.key.text) in bare else None
            )
            for value in assignment.values if name is not None else ():
                if value.text[0] in "\"'":
                    yield from self.report(
                        "setting-quoted", value.span, name, None, key=assignment.key.text, value=value.text
                    )
        for assignment, first, name in _repeated(grammar, written):
            yield from self.report(
                "setting-repeated", assignment.key.span, name, name.file.repeated, key=assignment.key.text,
                other_line=str(first.key.span.line), so=name.file.becomes_of(name.section),
            )
        for late, early in _shared(grammar, held):
            assignment, name = late.assignment, late.name
            yield from self.report(
                "setting-shared", assignment.value.span, name, name.file.repeated, value=assignment.value.text,
                key=assignment.key.text, so=name.file.becomes_of(name.section),
                other_line=str(early.assignment.value.span.line),
            )

    def report(
        self, slug: str, span: Span, name: Name | None, reading: Reading | None, *,
        value: Value = None, fix: Fix | None = None, **words: str,
    ) -> Sequence[Finding]:
        """The finding of a built-in check, with the reason, severity and sources that `reading` (what the program makes
        of such a mistake) has for this kind of file. Nothing if the rule base or the profiles leave the check out."""
        strength = reading.strength if reading else None
        return self.index.report(
            slug, span, tunable=name.tunable.id if name else None, value=value, why=reading.why if reading else None,
            cites=reading.cites if reading else None, severity=SEVERITY_OF[strength] if strength else None,
            consequence=reading.consequence if reading else None, fix=fix, figures=words,
        )


def _at(span: Span, finding: Finding, remedy: str, fix: Fix | None) -> Finding:
    """A finding on a setting at its place in the file."""
    line, column, end_column = span
    return finding._replace(
        line=line, column=column, end_column=end_column, field="", joint=None, remedy=remedy, fix=fix
    )


def _is_dropped(item: Assignment, name: Name) -> bool:
    """Whether an assignment without a value sets nothing."""
    no_word = not (name.tunable.values and "" in name.file.synonyms)
    return not item.value.text and name.file.empty is not None and no_word


def _replaces(item: Assignment, name: Name | None) -> bool:
    """Whether the program takes the value in place of an earlier one: it passes over one that it refuses."""
    text = item.value.text
    if name is None or name.file.misread.refused is None or has_markup(text):
        return bool(text)
    return not _is_dropped(item, name) and read(name, text)[1] is None


def _again(grammar: SettingsGrammar, written: Assignments) -> Iterator[tuple[Block, Block]]:
    """Outermost blocks that repeat an earlier one although only one is read, each with the first."""
    several = {grammar.fold(name, "")[0] for file in grammar.files for name in file.inherits}
    first: dict[str, Block] = {}
    for block in written.blocks:
        name = grammar.fold(block.heading.text, "")[0]
        if block.inside is None and name not in several and grammar.names(name):
            before = first.setdefault(name, block)
            if before is not block:
                yield block, before


def _repeated(grammar: SettingsGrammar, written: Assignments) -> Iterator[tuple[Assignment, Assignment, Name]]:
    """Assignments that repeat a name within their block, each with the first one."""
    first: dict[tuple[int | None, str], Assignment] = {}
    for assignment in written.settings:
        name = grammar.find(assignment.section, assignment.key.text)
        if name is None or name.tunable.repeat == "adds" or name.file.repeated is None:
            continue
        before = first.setdefault((assignment.block, grammar.fold("", assignment.key.text)[1]), assignment)
        if before is not assignment:
            yield assignment, before, name


def _shared(grammar: SettingsGrammar, held: Iterable[HeldSetting]) -> Iterator[tuple[HeldSetting, HeldSetting]]:
    """Settings whose value no two blocks may have, each with the first that has it."""
    alone = {grammar.fold(*pattern.partition(".")[::2]) for file in grammar.files for pattern in file.alone}
    first: dict[tuple[str, object], HeldSetting] = {}
    for entry in held:
        key = grammar.fold(entry.assignment.section, entry.assignment.key.text)
        value = entry.setting.value
        if key not in alone or value is None:
            continue
        same = value.rstrip("/") or "/" if isinstance(value, str) else value
        before = first.setdefault((entry.name.tunable.id, same), entry)
        if before.assignment.block != entry.assignment.block:
            yield entry, before


def _misplaced(grammar: SettingsGrammar, written: Assignments) -> Iterator[tuple[Block, Sequence[str]]]:
    """Blocks where nothing reads them, each with the blocks in which it belongs; () for an outermost one."""
    nested = {grammar.fold(name, "")[0]: inside for file in grammar.files for name, inside in file.nested.items()}
    for block in written.blocks:
        name = grammar.fold(block.heading.text, "")[0]
        if not grammar.has(block.heading.text):
            continue
        around = "" if block.inside is None else grammar.fold(written.blocks[block.inside].heading.text, "")[0]
        wanted = nested.get(name, ())
        if around not in [grammar.fold(heading, "")[0] for heading in wanted] and (around or wanted):
            yield block, wanted
