"""Files whose settings are in blocks: which settings count together, and what blocks may not have in common.

A block that may occur several times is judged by itself, together with the settings of the blocks around it, of the
block of defaults and of the single blocks. Linear in the number of settings: each block is visited once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from advisor.engine.errors import word_list
from advisor.files.records import Assignment, Assignments, Block, Setting
from advisor.lint.setting_values import read
from advisor.lint.settings_grammar import Name, SettingsGrammar
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import SettingsFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from advisor.lint.finding import Finding

    Settings: TypeAlias = Mapping[str, Setting]

UNKNOWN = Setting(None, "value", 0, 0, "")
"""A setting that another file may make, or whose value is not known."""


class HeldSetting(NamedTuple):
    """An assignment that nothing replaces, its name, and its value (`UNKNOWN` if it could not be read)."""

    assignment: Assignment
    name: Name
    setting: Setting


class Scope(NamedTuple):
    """Settings that count together, by tunable. `places`: where to report them; findings on a setting that the block of
    defaults sets are reported at the first setting of the block that inherits it."""

    settings: Settings
    places: Mapping[str, HeldSetting]


def stands_alone(written: Assignments) -> bool:
    """Whether the program reads nothing but this file: it includes no other, and is not a list of exports that another
    file includes."""
    path, _, name = written.name.rpartition("/")
    outer = {block.heading.text.lower() for block in written.blocks if block.inside is None}
    return not written.includes and (outer != {"export"} or not path or name == "ganesha.conf")


def scopes(
    grammar: SettingsGrammar, written: Assignments, held: Sequence[HeldSetting],
    others: Sequence[Assignments] = (), whole: bool | None = None,
) -> Iterator[Scope]:
    """The scopes to judge one by one. `others`: files read together with this one. `whole`: whether nothing else is
    read; None to ask the file itself."""
    file = grammar.files[0] if grammar.files else None
    if file is None or not file.inherits or not written.blocks:
        is_part = bool(written.includes or written.filled_in)
        names = (name for section in grammar.sections if is_part for name in grammar.names(section))
        elsewhere = dict.fromkeys((name.tunable.id for name in names), UNKNOWN)
        yield Scope({**elsewhere, **_values(entry for entry in held if entry.setting is not UNKNOWN)}, _places(held))
        return
    of_block: dict[int, list[HeldSetting]] = {}
    for entry in held:
        of_block.setdefault(entry.assignment.block or 0, []).append(entry)
    own = {number: _values(entries) for number, entries in of_block.items()}
    alone = (stands_alone(written) if whole is None else whole) and None not in written.filled_in
    beyond = _joined(_of_another(grammar, other) for other in others)
    for block in written.filled_in:
        if block is not None:
            own[block] = {**_written_by_template(grammar, written.blocks[block]), **own.get(block, {})}
    blocks = _Blocks(grammar, written.blocks, own, beyond, whole=alone)
    single = [entry for number in of_block if not blocks.several(number) for entry in of_block[number]]
    yield Scope(blocks.general, _places(single))
    for number in blocks.numbers():
        entries = of_block.get(number, ())
        by_default = dict.fromkeys(blocks.inherited(number), entries[0]) if entries else {}
        yield Scope(blocks.around(number), {**by_default, **_places(entries)})


def _written_by_template(grammar: SettingsGrammar, block: Block) -> Settings:
    """What a template may write in a block, or in blocks inside it."""
    section = grammar.fold(block.heading.text, "")[0]
    inner = (
        name for file in grammar.files for name, around in file.nested.items()
        if section in (grammar.fold(heading, "")[0] for heading in around)
    )
    names = (name for heading in (block.heading.text, *inner) for name in grammar.names(heading))
    return dict.fromkeys((name.tunable.id for name in names), UNKNOWN)


class _Blocks:
    def __init__(
        self, grammar: SettingsGrammar, blocks: Sequence[Block], own: Mapping[int, Settings], beyond: Settings, *,
        whole: bool,
    ) -> None:
        file = grammar.files[0]
        self.grammar, self.blocks, self.own = grammar, blocks, own
        self.inherits = {grammar.fold(name, "")[0]: grammar.fold(usual, "")[0] for name, usual in file.inherits.items()}
        self.children: dict[int, list[int]] = {}
        for number, block in enumerate(blocks):
            if block.inside is not None:
                self.children.setdefault(block.inside, []).append(number)
        self.outer: list[int] = []
        """The outermost block around each, which may be itself."""
        for number, block in enumerate(blocks):
            self.outer.append(number if block.inside is None else self.outer[block.inside])
        single = [own.get(number, {}) for number in range(len(blocks)) if not self.several(number)]
        self.general = _joined([*single, beyond, {} if whole else self._elsewhere(file)])
        self._usual = {name: self._defaults(name, usual) for name, usual in self.inherits.items()}
        self._below = {number: _joined(own.get(child, {}) for child in mine) for number, mine in self.children.items()}

    def _elsewhere(self, file: SettingsFile) -> Settings:
        """What other files may set in single blocks."""
        inner = {self.grammar.fold(name, "")[0] for name in (*file.inherits, *file.nested)}
        names = (name for section in self.grammar.sections for name in self.grammar.names(section))
        return {name.tunable.id: UNKNOWN for name in names if self.grammar.fold(name.section, "")[0] not in inner}

    def _section(self, number: int) -> str:
        return self.grammar.fold(self.blocks[number].heading.text, "")[0]

    def several(self, number: int) -> bool:
        """Whether a block, or the one around it, may occur several times."""
        return self._section(self.outer[number]) in self.inherits

    def numbers(self) -> Iterator[int]:
        """The numbers of the blocks that may occur several times."""
        return (number for number in range(len(self.blocks)) if self.several(number))

    def around(self, number: int) -> Settings:
        """What counts in a block: its own settings, those of the blocks in it and around it, and the defaults."""
        outer = self.outer[number]
        near = [self.own.get(number, {}), self._below.get(number, {}), self.own.get(outer, {})]
        return _joined([*near, self._usual.get(self._section(outer), {}), self.general])

    def inherited(self, number: int) -> Iterable[str]:
        """The tunables that an outermost block gets from the block of defaults."""
        own = {**self._below.get(number, {}), **self.own.get(number, {})}
        usual = self._usual.get(self._section(number), {}) if self.outer[number] == number else {}
        return (name for name in usual if name not in own)

    def _defaults(self, section: str, usual: str) -> Settings:
        """What the block `usual` sets, as settings of the block `section`, which inherits them."""
        inherited: dict[str, Setting] = {}
        for default in self.grammar.names(usual):
            name = self.grammar.find(section, default.key)
            if name is not None and default.tunable.id in self.general:
                inherited[name.tunable.id] = self.general[default.tunable.id]
        return inherited


def _of_another(grammar: SettingsGrammar, written: Assignments) -> Settings:
    """What another file sets in single blocks."""
    several = {grammar.fold(name, "")[0] for file in grammar.files for name in (*file.inherits, *file.nested)}
    settings: dict[str, Setting] = {}
    for assignment in written.settings:
        name = grammar.find(assignment.section, assignment.key.text)
        if name is not None and grammar.fold(assignment.section, "")[0] not in several:
            value, wrong = read(name, assignment.value.text)
            known = value is not None and wrong is None
            setting = Setting(value, "value", 0, 0, assignment.value.text) if known else UNKNOWN
            settings.setdefault(name.tunable.id, setting)
    return settings


def _joined(many: Iterable[Settings]) -> dict[str, Setting]:
    """The settings of all; of one set twice, the first counts."""
    joined: dict[str, Setting] = {}
    for settings in many:
        for name, setting in settings.items():
            joined.setdefault(name, setting)
    return joined


def _values(held: Iterable[HeldSetting]) -> dict[str, Setting]:
    settings: dict[str, Setting] = {}
    for entry in held:
        settings.setdefault(entry.name.tunable.id, entry.setting)
    return settings


def _places(held: Iterable[HeldSetting]) -> dict[str, HeldSetting]:
    by_tunable: dict[str, HeldSetting] = {}
    for entry in held:
        by_tunable.setdefault(entry.name.tunable.id, entry)
    return by_tunable


def mistakes(
    grammar: SettingsGrammar, written: Assignments, held: Sequence[HeldSetting],
    report: Callable[..., Sequence[Finding]],
) -> Iterator[Finding]:
    """What is wrong with the blocks of a file. `report` makes the finding of a built-in check (settings.judge)."""
    for block, inside in _misplaced(grammar, written):
        where = f"inside {word_list(inside)}" if inside else "outside of other blocks"
        yield from report(
            "setting-block-misplaced", block.heading.span, None, grammar.unread, block=block.heading.text, where=where,
        )
    for block, first_block in _again(grammar, written):
        yield from report(
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
                yield from report("setting-quoted", value.span, name, None, key=assignment.key.text, value=value.text)
    for assignment, first, name in _repeated(grammar, written):
        yield from report(
            "setting-repeated", assignment.key.span, name, name.file.repeated, key=assignment.key.text,
            other_line=str(first.key.span.line), so=name.file.becomes_of(name.section),
        )
    for late, early in _shared(grammar, held):
        assignment, name = late.assignment, late.name
        yield from report(
            "setting-shared", assignment.value.span, name, name.file.repeated, value=assignment.value.text,
            key=assignment.key.text, so=name.file.becomes_of(name.section),
            other_line=str(early.assignment.value.span.line),
        )


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
    nested = {
        grammar.fold(name, "")[0]: inside for file in grammar.files for name, inside in file.nested.items()
    }
    for block in written.blocks:
        name = grammar.fold(block.heading.text, "")[0]
        if not grammar.has(block.heading.text):
            continue
        around = "" if block.inside is None else grammar.fold(written.blocks[block.inside].heading.text, "")[0]
        wanted = nested.get(name, ())
        if around not in [grammar.fold(heading, "")[0] for heading in wanted] and (around or wanted):
            yield block, wanted
