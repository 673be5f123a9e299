"""The names that may stand at a place, with the settings of the rule base that they write."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.lint.settings_grammar import SettingsGrammar
from advisor.lsp.cursor import Cursor
from advisor.named_tuple import NamedTuple
from advisor.options.table import COMMON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase, Tunable
    from advisor.rulebase.model.types import Scalar


class SpelledSetting(NamedTuple):
    """One spelling of a setting. `values`: the words that may follow it, as far as they can be listed; `takes`: a value
    follows."""

    spelling: str
    tunable: Tunable
    takes: bool
    values: tuple[Scalar, ...] = ()


def vocabulary(base: RuleBase, kind: str, at: Cursor) -> Iterator[SpelledSetting]:
    """Every name that may stand where the cursor is, or before the value that stands there."""
    if at.store == "setting":
        for name in base.ready(SettingsGrammar, kind).names(at.section):
            yield SpelledSetting(name.key, name.tunable, True, tuple(name.tunable.values or ()))
        return
    for tunable in base.tunables.values():
        if tunable.kind == at.store and (at.store != "mount-option" or _is_known(tunable, at.section)):
            for form in tunable.forms:
                words = tuple(form.values or tunable.values or ()) if form.takes else ()
                yield SpelledSetting(form.spelling, tunable, form.takes is not None, words)


def named(base: RuleBase, kind: str, at: Cursor) -> list[Tunable]:
    """The settings that the word at the cursor writes, or of which it is a value."""
    name = at.word if at.name is None else at.name
    found = [one.tunable for one in vocabulary(base, kind, at) if _fits(one.spelling, name)]
    return list({one.id: one for one in found}.values())


def makes_sense(tunable: Tunable) -> bool:
    """Whether anybody may have a use for it: it is not refused or ignored whatever else is set."""
    return not any(
        one.values is None and one.written is None and one.when is None and not one.together
        for one in (*tunable.refused, *tunable.ignored)
    )


def _is_known(tunable: Tunable, fstype: str) -> bool:
    """Whether mounts of this type know the option; those of helpers know all of COMMON."""
    return not tunable.applies_to or COMMON in tunable.applies_to or fstype in tunable.applies_to


def _fits(spelling: str, name: str) -> bool:
    if spelling.endswith("*") and spelling != "*":
        return name.startswith(spelling[:-1])
    return spelling.lower() == name.lower()
