"""How settings are applied, checked and undone."""

from __future__ import annotations

from advisor.rulebase.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from advisor.rulebase.model.types import (
        ClaimId,
        Consequence,
        DottedId,
        Kind,
        RuleId,
        Scalar,
        Strength,
        Text,
        Values,
    )


class StepTexts(Record):
    """How a value is applied, checked and undone.

    In these texts `{value}` is the value, `{text}` what is written for it ("nconnect=8"), `{unset}` the same for the
    default, `{name}` the setting without its kind ("net.core.rmem_max"), `{before}` what was there, `{server}`,
    `{export}` and `{target}` are those of the mount, `{section}` and `{key}` of nfs.conf, `{module}` and `{parameter}`
    of a module; `{value - 28}` is a number less 28."""

    sets: Text | None = None
    """What to write or run."""
    verify: Text | None = None
    """What to run, or where to look."""
    shows: Text | None = None
    """What is seen there when the value is in effect."""
    lacks: Text | None = None
    """What is not seen there then."""
    undo: Text | None = None
    """How to go back where nobody looked at what was there before."""
    undo_to: Text | None = None
    """How to go back to `{before}`, which was seen."""
    undo_unset: Text | None = None
    """How to go back where it was seen that nothing was set."""
    undo_same: Text | None = None
    """How to go back where the same value was there before."""
    line: Text | None = None
    """How the whole mount is written where the value puts it elsewhere than in fstab. `{options}` are its options."""


class Without(Record):
    """What follows where a tunable's `needs` do not hold, so that the setting cannot be used. `why` may stand with the
    kind; where no citation stands here, those of the capabilities hold that it needs. `id`: the name of the gate, where
    it shall have one of its own."""

    id: RuleId | None = None
    why: Text | None = None
    cites: Sequence[ClaimId] = ()


class ValueSteps(StepTexts):
    """Steps, and others for single values: "omit", or the value as text ("true", "active-passive"). What is said for
    the value stands instead of what is said in general."""

    by_value: Mapping[str, StepTexts] = {}
    without: Without | None = None


class Reading(Record):
    """What a program makes of something in its file, and who says so. `number`, `word`: what becomes of a value that is
    none ({digits}: those that it begins with, else 0). `refused`: what becomes of any value that is not taken, out of
    range or none ({section}; {fails}: what becomes of its block). `few`: of too few numbers of several ({count}: how
    many there are). `strength`, `consequence`: where it is worse, or less bad, than usual."""

    number: Text | None = None
    word: Text | None = None
    refused: Text | None = None
    few: Text | None = None
    strength: Strength | None = None
    consequence: Consequence | None = None
    why: Text
    cites: Sequence[ClaimId]


class Folder(Reading):
    """The directory beside the file (`nfs.conf.d`): the names of the files in it that are read end so."""

    ending: Text
    kinds: Sequence[Text] = ()
    """Of files that lie there; none: all in which the settings stand."""


class LateSettings(Reading):
    """Settings that exist only once a module is loaded. `modules`: pattern of names → the module. `kind`: that of the
    tunables which set the same in time."""

    modules: Mapping[str, Text]
    kind: Kind


class ConfusedNames(Reading):
    """Names of other tunables that people write here: `prefix` of their ids, and in words what they are."""

    prefix: Text
    hint: Text
    todo: Text


class Saying(Record):
    """What settings in these sections say of the host by being there, unless somebody says otherwise."""

    sections: Sequence[Text]
    holds: Mapping[DottedId, Values]


class SettingsFile(Record):
    """The files in which tunables of one kind stand as `name = value`."""

    kinds: Sequence[Text]
    """Of files (advisor.readers.kinds)."""
    prefix: Text
    """What a tunable's id has before the name: `nfs.conf.` before nfsd.threads."""
    sections: bool = False
    """The first part of the name is a section."""
    ignores_case: bool = False
    synonyms: Mapping[str, Scalar] = {}
    """Other words for a value of any tunable that has it."""
    unread: Reading
    """What becomes of a name that no tunable has. `*` as the last part of a tunable's id stands for any name."""
    others: bool = False
    """Somebody else may read other names, so only those are told that look like a known one."""
    complete: Sequence[Text] = ()
    """Patterns of names (after their section and a dot) of which nobody reads others all the same."""
    exist: Sequence[Text] = ()
    """Patterns of names that exist and are not tunables."""
    of_others: Mapping[str, Sequence[Text]] = {}
    """Sections of these files that hold settings of no tunable, and the patterns of their names. Only names that belong
    into another section are reported there."""
    loaded_by_name: Sequence[Text] = ()
    """Sections that are kernel modules which `blacklist` does not hold back: they are loaded by their own names, or
    because other modules need them."""
    thing: Text = "a setting"
    """What a name is, in a word."""
    called: Text = "[{section}]"
    """A section in words."""
    division: Text = "section"
    """What a section is, in a word."""
    inherits: Mapping[str, Text] = {}
    """Blocks of which there may be several, and the block whose values hold in each where it has none."""
    nested: Mapping[str, Sequence[Text]] = {}
    """Blocks that stand inside others only, and inside which."""
    fails: Mapping[str, Text] = {}
    """What becomes of a block with a mistake in it, in words; "" for all others."""
    alone: Sequence[Text] = ()
    """Names (after their section and a dot) whose values no two blocks may share."""
    bare: Sequence[Text] = ()
    """Names whose values the program does not take in quotation marks."""
    written: Text = "{key}={value}"
    """How a setting is written."""
    written_in: Mapping[str, Text] = {}
    """The same for kinds of files in which it is written otherwise."""
    skipped: Reading
    """What becomes of a line that cannot be read."""
    misread: Reading
    """What becomes of a value of the wrong type."""
    twice: Reading | None = None
    """Which of several settings with one name holds: the last, as is said here. None: each of them does."""
    repeated: Reading | None = None
    """What becomes of a block in which a name is set twice."""
    empty: Reading | None = None
    """What becomes of an empty value, where that is not simply empty."""
    comment: Reading | None = None
    """What becomes of a comment behind a value, where the program has none there."""
    late: LateSettings | None = None
    confused: ConfusedNames | None = None
    folder: Folder | None = None
    says: Sequence[Saying] = ()

    def becomes_of(self, section: str) -> str:
        """What becomes of a block with a mistake in it, in words."""
        return self.fails.get(section, self.fails.get("", ""))

    @property
    def readings(self) -> Mapping[str, Reading | None]:
        """All that is told of the program, by the name of its field."""
        return {
            "skipped": self.skipped, "unread": self.unread, "misread": self.misread, "twice": self.twice,
            "empty": self.empty, "folder": self.folder, "comment": self.comment, "late": self.late,
            "confused": self.confused, "repeated": self.repeated,
        }


class KindSteps(ValueSteps):
    """What the tunables of one kind have in common. A tunable's own steps go before those of its kind."""

    id: Kind
    scope: Literal["host", "server", "mount"]
    """Where one value holds. What holds for the host has to suit all of its mounts."""
    file: SettingsFile | None = None
