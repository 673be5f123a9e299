"""What the owning program makes of a file of `name = value`: the names that a kind of file knows, which are those of
the tunables that it may set; their values; and which settings count together.

A block that may occur several times counts by itself, together with the settings of the blocks around it, of the block
of defaults and of the single blocks. Linear in the number of settings: each block is visited once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache

from advisor.files.kinds import plain_name
from advisor.files.option_table import MAX_DIGITS, c_number, expectation, reader
from advisor.files.patterns import name_fits, name_parts
from advisor.files.records import Assignment, Assignments, Block, Setting
from advisor.named_tuple import NamedTuple, grouped
from advisor.regex import regex
from advisor.rulebase.model import Form, Reading, RuleBase, Scalar, SettingsFile, Tunable, Value, Values
from advisor.rulebase.spelling import one_slip

LONGEST = 60
"""Letters of the longest word for which a similar name is searched: the search is slow."""
MAX_NAMES = 1000
"""Names that the rule base does not have, of which is remembered whether a program reads them."""
UNKNOWN = Setting(None, "value", 0, 0, "")
"""A setting that another file may make, or whose value is not known."""
Settings = Mapping[str, Setting]
"""By tunable."""
_ALIKE, NEARLY_ALIKE = 0.6, 0.88
"""Least similarity (difflib ratio) of a suggested name: if all names are known, and if an unknown one may be meant."""
_NUMBERS = ("uint", "int")
_LEADING = regex(r"[+-]?[0-9]+")
"""The part of a text that atoi reads."""
_ULONG_MAX = (1 << 64) - 1


class Name(NamedTuple):
    """A name that this kind of file knows. `section`: "" in a file without sections. `key`: "*" for any name."""

    tunable: Tunable
    file: SettingsFile
    section: str
    key: str


class SettingsGrammar:
    """The names of one kind of file (advisor.files.kinds), by section."""

    def __init__(self, rulebase: RuleBase, kind: str) -> None:
        self._kind = kind
        self.files = [steps.file for steps in rulebase.kinds.values() if steps.file and kind in steps.file.kinds]
        self.folds = any(file.ignores_case for file in self.files)
        self.others = any(file.others for file in self.files)
        self._names = {self.fold(name.section, name.key): name for name in self._all(rulebase, kind)}
        self.sections = list(dict.fromkeys(name.section for name in self._names.values()))
        self._sections = {self.fold(section, "")[0] for section in self.sections}
        self._complete = [self._pattern(pattern) for file in self.files for pattern in file.complete]
        self._of_others = {
            section: [self._pattern(name) for name in names]
            for file in self.files for section, names in file.of_others.items()
        }
        self._exist = [self._pattern(pattern) for file in self.files for pattern in file.exist]
        self.exists = lru_cache(MAX_NAMES)(self._exists)
        """Whether a program reads this name of a section, even if the rule base has no entry for it."""

    def _pattern(self, pattern: str) -> Sequence[str]:
        return name_parts(pattern.lower() if self.folds else pattern)

    @staticmethod
    def _all(rulebase: RuleBase, kind: str) -> Iterator[Name]:
        for tunable in rulebase.tunables.values():
            file = rulebase.kinds[tunable.kind].file
            if file is not None and kind in file.kinds and tunable.id.startswith(file.prefix):
                name = tunable.id[len(file.prefix):]
                section, _, key = name.partition(".") if file.sections else ("", "", name)
                for spelling in [form.spelling for form in tunable.forms] or [key]:
                    yield Name(tunable, file, section, spelling)

    @property
    def unread(self) -> Reading | None:
        """What the program does with an unknown name."""
        return next((file.unread for file in self.files), None)

    @property
    def skipped(self) -> Reading | None:
        """What the program does with a line that it cannot read."""
        return next((file.skipped for file in self.files), None)

    def written(self, file: SettingsFile, section: str, key: str, value: object) -> str:
        """A setting as text, in the form of this kind of file."""
        return file.written_in.get(self._kind, file.written).format(section=section, key=key, value=value)

    def fold(self, section: str, key: str) -> tuple[str, str]:
        """Section and name in the form in which they are compared: lower case if the file ignores case."""
        return (section.lower(), key.lower()) if self.folds else (section, key)

    def has(self, section: str) -> bool:
        """Whether a section is known."""
        whole = _whole(*self.fold(section, ""))
        return section in self._of_others or self.fold(section, "")[0] in self._sections or any(
            name_fits(whole, pattern) for pattern in (*self._complete, *self._exist)
        )

    def by_name(self, section: str) -> bool:
        """Whether the section is a kernel module that is loaded by its own name."""
        return any(section in file.loaded_by_name for file in self.files)

    def names(self, section: str) -> list[Name]:
        """The names that a section knows."""
        return [name for place, name in self._names.items() if place[0] == self.fold(section, "")[0]]

    def knows_all(self, section: str, key: str) -> bool:
        """Whether the rule base knows every name that may stand here, so that nothing reads any other."""
        folded = _whole(*self.fold(section, key))
        return not self.others or any(name_fits(folded, pattern) for pattern in self._complete)

    def _exists(self, section: str, key: str) -> bool:
        folded = self.fold(section, key)
        return any(name_fits(_whole(*folded), pattern) for pattern in self._exist) or any(
            name_fits(folded[1], name) for name in self._of_others.get(section, ())
        )

    def find(self, section: str, key: str) -> Name | None:
        """The known name for this spelling in this section."""
        place = self.fold(section, key)
        return self._names.get(place) or self._names.get((place[0], "*"))

    def elsewhere(self, key: str) -> list[str]:
        """The sections that know a name."""
        folded = self.fold("", key)[1]
        known = [name.section for place, name in self._names.items() if place[1] == folded]
        return known + [
            section for section, names in self._of_others.items() if any(name_fits(folded, name) for name in names)
        ]

    def like(self, section: str, key: str) -> str | None:
        """The name of this section that an unknown one is most likely meant to be."""
        names = [name for name in self.names(section) if name.key != "*"]
        slips = (  # also with two letters in each other's place, even if other names may be meant
            name.key for name in names
            if key.lower() in name.tunable.misspellings or name.key.endswith(f".{key}")
            or (key != name.key and sorted(key) == sorted(name.key) and one_slip(key, name.key))
        )
        alike = _ALIKE if self.knows_all(section, key) else NEARLY_ALIKE
        return next(slips, None) or near(key, [name.key for name in names], alike)

    def says(self, tunables: Iterable[str]) -> dict[str, Values]:
        """The facts that follow from these tunables being set, whatever their values: fact → values."""
        wanted = set(tunables)
        sections = {place[0] for place, name in self._names.items() if name.tunable.id in wanted}
        known: dict[str, Values] = {}
        for saying in (saying for file in self.files for saying in file.says):
            if not saying.sections or not sections.isdisjoint(self.fold(section, "")[0] for section in saying.sections):
                known = {**saying.holds, **known}
        return known


def _whole(section: str, key: str) -> str:
    return f"{section}.{key}" if section else key


def near(word: str, names: Iterable[str], alike: float = _ALIKE) -> str | None:
    """The name most similar to a word, ignoring case; None if none is similar enough. What begins with the same parts,
    as fs.nfs. of a sysctl key, has to be similar in the last."""
    if not 0 < len(word) <= LONGEST:
        return None
    lower = {name.lower(): name for name in names if name}
    lead, dot, _ = word.lower().rpartition(".")
    beside = {name for name in lower if dot and name.startswith(lead + dot)}
    for start, among in ((len(lead + dot), beside), (0, lower.keys() - beside)):
        matches = get_close_matches(word.lower()[start:], sorted(name[start:] for name in among), 1, alike)
        if matches:
            return lower[word.lower()[:start] + matches[0]]
    return None


class Wrong(NamedTuple):
    """`expected`: what the value should be. `so`: what the program makes of this one, a clause from the comma on."""

    expected: str
    so: str


def read(name: Name, text: str) -> tuple[Value, Wrong | None]:
    """The value and None, or None and what is wrong with it."""
    tunable = name.tunable
    if tunable.fields:
        return _several(name, text)
    if tunable.type == "uint" and tunable.maximum is None:
        long = c_number(text, _ULONG_MAX)
        if long is not None and long >= (tunable.minimum or 0):
            return long, None
    words = list(tunable.values or ())
    if words and tunable.type in ("enum", "list"):
        parts = text.split(tunable.separator or ",") if tunable.type == "list" else [text]
        values = [_word(name, part.strip(" \t"), words) for part in parts]
        if None not in values:
            return (values[0] if len(values) == 1 else (tunable.separator or ",").join(map(str, values))), None
        like = near(parts[values.index(None)].strip(" \t"), map(str, words))
        if tunable.others and not like:
            return text, None
        return None, Wrong(expectation(words), f" (did you mean {like}?)" if like else _becomes(name, text))
    word = reader(tunable, Form(spelling=name.key, takes="value"))(text)
    if word.wrong is None:
        return word.value, None
    expected = expectation(word.expected)
    unit = tunable.unit if tunable.type in _NUMBERS and tunable.unit != name.key else None
    if tunable.type in _NUMBERS and tunable.maximum is None:
        least = f" of {tunable.minimum} or more" if tunable.minimum else " of" if unit else ""
        expected = " ".join(filter(None, (f"a number{least}", unit)))
    elif unit:
        expected += f" {unit}"
    return None, Wrong(expected, _becomes(name, text, word.wrong == "out-of-range"))


def _several(name: Name, text: str) -> tuple[Value, Wrong | None]:
    """A value that consists of several numbers."""
    tunable, misread = name.tunable, name.file.misread
    low, high = tunable.minimum or 0, tunable.maximum
    numbers = [c_number(word, _ULONG_MAX) for word in text.split()]
    fit = all(number is not None and low <= number and (high is None or number <= high) for number in numbers)
    if fit and len(numbers) == len(tunable.fields):
        return " ".join(map(str, numbers)), None
    bound = f" from {low} to {high}" if high is not None else ""
    expected = f"{len(tunable.fields)} numbers{bound} ({', '.join(tunable.fields)}), separated by spaces"
    if fit and misread.few and 0 < len(numbers) < len(tunable.fields):
        return None, Wrong(expected, f", so {misread.few.format(count=len(numbers))}")
    return None, Wrong(expected, _becomes(name, text))


def descent(name: Name, value: Value) -> str | None:
    """That one of several numbers is above the next one, in words; None if none is, or if the setting is one number."""
    fields = name.tunable.fields
    parts = [(field, int(word)) for field, word in zip(fields, str(value).split())] if fields else []
    for (field, number), (other, following) in zip(parts, parts[1:]):
        if number > following:
            return f"the {field}, {number}, is above the {other}, {following}"
    return None


def _word(name: Name, text: str, words: list[Scalar]) -> Scalar | None:
    """The word of the tunable that is meant, or None; case counts if it does in names."""
    fold = text.lower() if name.file.ignores_case else text
    known = {str(word).lower() if name.file.ignores_case else str(word): word for word in words}
    other = {**name.file.synonyms, **name.tunable.synonyms}.get(fold)
    return known.get(fold, other if other in words else None)


def _becomes(name: Name, text: str, out_of_range: bool = False) -> str:
    """What the program makes of a value that it refuses, as a clause from the comma on, or ""."""
    misread, default = name.file.misread, name.tunable.default
    is_switch = set(name.tunable.values or ()) == {"true", "false"}
    falls_back = misread.word and name.tunable.values and not is_switch
    if misread.refused and not falls_back:
        return f", so {misread.refused.format(section=name.section, fails=name.file.becomes_of(name.section))}"
    if out_of_range:
        return ""
    if name.tunable.type in _NUMBERS:
        leading = _LEADING.match(text)
        digits = leading[0][:MAX_DIGITS] if leading else "0"
        return f", so {misread.number.format(digits=digits)}" if misread.number else ""
    return f", so {misread.word.format(default=default)}" if misread.word and default is not None else ""


class HeldSetting(NamedTuple):
    """An assignment that nothing replaces, its name, and its value (`UNKNOWN` if it could not be read)."""

    assignment: Assignment
    name: Name
    setting: Setting


class Scope(NamedTuple):
    """Settings that count together, by tunable. `places`: where to report them; those of a block of defaults in another
    file at the first setting of the block that inherits them."""

    settings: Settings
    places: Mapping[str, HeldSetting]


def stands_alone(written: Assignments) -> bool:
    """Whether the program reads nothing but this file: it includes no other, and is not a list of exports that another
    file includes."""
    path, _, name = plain_name(written.name).rpartition("/")
    outer = {block.heading.text.lower() for block in written.blocks if block.inside is None}
    return not written.includes and (outer != {"export"} or not path or name == "ganesha.conf")


def scopes(
    grammar: SettingsGrammar, written: Assignments, held: Sequence[HeldSetting],
    beyond: Settings | None, whole: bool | None,
) -> Iterator[Scope]:
    """The scopes to judge one by one. `beyond`: what the files that are read together with this one set in single
    blocks. `whole`: whether nothing else is read; None to ask the file itself."""
    file = grammar.files[0] if grammar.files else None
    if file is None or not file.inherits or not written.blocks:
        is_part = bool(written.includes or written.filled_in)
        names = (name for section in grammar.sections if is_part for name in grammar.names(section))
        elsewhere = dict.fromkeys((name.tunable.id for name in names), UNKNOWN)
        yield Scope({**elsewhere, **_values(entry for entry in held if entry.setting is not UNKNOWN)}, _places(held))
        return
    of_block = grouped((entry.assignment.block or 0, entry) for entry in held)
    own = {number: _values(entries) for number, entries in of_block.items()}
    alone = (stands_alone(written) if whole is None else whole) and None not in written.filled_in
    for block in written.filled_in:
        if block is not None:
            own[block] = {**_written_by_template(grammar, written.blocks[block]), **own.get(block, {})}
    blocks = _Blocks(grammar, written.blocks, own, beyond or {}, whole=alone)
    single = [entry for number in of_block if not blocks.several(number) for entry in of_block[number]]
    defaults = _places(single)
    yield Scope(blocks.general, defaults)
    for number in blocks.numbers():
        entries = of_block.get(number, ())
        by_default = {name: defaults.get(usual, entries[0]) for name, usual in blocks.inherited(number) if entries}
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
        inner = ((block.inside, number) for number, block in enumerate(blocks))
        self.children = grouped((outer, number) for outer, number in inner if outer is not None)
        self.outer: list[int] = []
        """The outermost block around each, which may be itself."""
        for number, block in enumerate(blocks):
            self.outer.append(number if block.inside is None else self.outer[block.inside])
        single = [own.get(number, {}) for number in range(len(blocks)) if not self.several(number)]
        self.general = _joined([*single, beyond, {} if whole else self._elsewhere(file)])
        self._of_default: dict[str, str] = {}
        inherits = self.inherits if self.general else {}
        self._usual = {name: self._defaults(name, usual) for name, usual in inherits.items()}
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

    def inherited(self, number: int) -> Iterator[tuple[str, str]]:
        """The tunables that an outermost block gets from the block of defaults, each with what it is there."""
        own = {**self._below.get(number, {}), **self.own.get(number, {})}
        usual = self._usual.get(self._section(number), {}) if self.outer[number] == number else {}
        return ((name, self._of_default[name]) for name in usual if name not in own)

    def _defaults(self, section: str, usual: str) -> Settings:
        """What the block `usual` sets, as settings of the block `section`, which inherits them."""
        inherited: dict[str, Setting] = {}
        for default in self.grammar.names(usual):
            name = self.grammar.find(section, default.key)
            if name is not None and default.tunable.id in self.general:
                inherited[name.tunable.id] = self.general[default.tunable.id]
                self._of_default[name.tunable.id] = default.tunable.id
        return inherited


def in_single_blocks(grammar: SettingsGrammar, files: Iterable[Assignments]) -> Settings:
    """What several files set in single blocks; of one set twice, the first counts."""
    several = {grammar.fold(name, "")[0] for file in grammar.files for name in (*file.inherits, *file.nested)}
    settings: dict[str, Setting] = {}
    for assignment in (assignment for written in files for assignment in written.settings):
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
    return {name: entry.setting for name, entry in _places(held).items()}


def _places(held: Iterable[HeldSetting]) -> dict[str, HeldSetting]:
    by_tunable: dict[str, HeldSetting] = {}
    added: dict[str, list[str]] = {}
    for entry in held:
        tunable = entry.name.tunable
        first = by_tunable.setdefault(tunable.id, entry)
        if tunable.repeat == "adds" and UNKNOWN not in (first.setting, entry.setting):
            added.setdefault(tunable.id, []).append(str(entry.setting.value))
    for name, words in added.items():
        first = by_tunable[name]
        by_tunable[name] = first._replace(setting=first.setting._replace(value=" ".join(words)))
    return by_tunable
