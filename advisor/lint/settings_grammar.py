"""The names that a kind of settings file knows: those of the tunables that it may set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from advisor.globs import fits, parts
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import Reading, RuleBase, SettingsFile, Tunable
from advisor.rulebase.spelling import one_slip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values

LONGEST = 60
"""Letters of the longest word for which a similar name is searched: the search is slow."""
_ALIKE, NEARLY_ALIKE = 0.6, 0.88
"""Least similarity (difflib ratio) of a suggested name: if all names are known, and if an unknown one may be meant."""


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

    def _pattern(self, pattern: str) -> list[str]:
        return parts(pattern.lower() if self.folds else pattern)

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
            fits(whole, pattern) for pattern in (*self._complete, *self._exist)
        )

    def by_name(self, section: str) -> bool:
        """Whether the section is a kernel module that is loaded by its own name."""
        return any(section in file.loaded_by_name for file in self.files)

    def names(self, section: str) -> list[Name]:
        """The names that a section knows."""
        return [name for place, name in self._names.items() if place[0] == self.fold(section, "")[0]]

    def knows_all(self, section: str, key: str) -> bool:
        """Whether the rule base knows every name that may stand here, so that nothing reads any other."""
        return not self.others or any(fits(_whole(*self.fold(section, key)), pattern) for pattern in self._complete)

    def exists(self, section: str, key: str) -> bool:
        """Whether a program reads this name, even if the rule base has no entry for it."""
        folded = self.fold(section, key)
        return any(fits(_whole(*folded), pattern) for pattern in self._exist) or any(
            fits(folded[1], name) for name in self._of_others.get(section, ())
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
            section for section, names in self._of_others.items() if any(fits(folded, name) for name in names)
        ]

    def like(self, section: str, key: str) -> str | None:
        """The name of this section that an unknown one is most likely meant to be."""
        names = [name for name in self.names(section) if name.key != "*"]
        slips = (name.key for name in names if key.lower() in name.tunable.misspellings or _swapped(key, name.key))
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


def _swapped(word: str, known: str) -> bool:
    """Whether two neighbouring letters changed places; that is a slip even if other names may be meant."""
    return word != known and sorted(word) == sorted(known) and one_slip(word, known)


def near(word: str, names: Iterable[str], alike: float = _ALIKE) -> str | None:
    """The name most similar to a word, ignoring case; None if none is similar enough."""
    lower = {name.lower(): name for name in names if name}
    matches = get_close_matches(word.lower(), lower, 1, alike) if 0 < len(word) <= LONGEST else []
    return lower[matches[0]] if matches else None
