"""Settings that a text names beside a version that lacks or ignores them, or has another default for them.

Each is judged as lint does, with the versions of the text and without: what is found only with them is what changed."""

from __future__ import annotations

from functools import cached_property
from itertools import islice

from advisor.files.records import Span
from advisor.lint import lifetimes
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.named_tuple import NamedTuple
from advisor.rulebase.lives import lives_of, needed
from advisor.rulebase.model import Cause
from advisor.rulebase.words import QUOTES, lower_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from advisor.diagnose.configuration import PastedFinding
    from advisor.diagnose.text import PastedLine
    from advisor.lint.finding import Finding
    from advisor.rulebase.model import RuleBase, Tunable
    from advisor.rulebase.model.types import Values

_LINTED = {"mount-option": ("fstab", "said:/ /said nfs {} 0 0\n"), "nfs-defaults": ("nfs-defaults", "{}\n")}
"""Kinds of settings of which more than lifetimes depends on versions → kind of file, and one with the setting."""
_LIVED = ("export-option", "kernel-file", "module-parameter", "nfs.conf", "program", "service", "sysctl")
_OF_CLIENTS = ("mount-option", "module-parameter", "sysctl", "program")
_HARMS = ("ignored", "mount-fails")
_FILE, _KEYS = "nfs.conf", "nfs.conf.nfsd.vers"
_SHOWN = ("distro", "release", "kernel", "nfs_utils")
_STRIPPED = "()[]{}<>;:.!?'\"`*|"
_ONCE = "worked"
"""Said of the time before."""
_LETTERS = 5
"""A name of at most so many letters may be an everyday word."""
_FEW, _SETTINGS = 8, 20
"""In a text of so many lines all of them are about the settings that it names; so many settings are judged."""
_CERTAIN, _PERHAPS, _ASIDE = 0.85, 0.55, 0.3
"""Likelihood of a setting that the text complains of, by whether its version decides; of one that it only mentions."""


class ChangedSetting(NamedTuple):
    """`cause`: what the version makes of the setting."""

    cause: Cause
    line: int
    likelihood: float


class Changed(NamedTuple):
    """A default that is another one since a version, with the fields that a finding has."""

    message: str
    why: str
    remedy: str
    cites: Sequence[str]
    rule: str = "setting-default"


class ChangeFinder:
    """Finds the settings. `lists`: words by their use, as kb/concepts.yaml has them."""

    def __init__(self, base: RuleBase, lists: Mapping[str, frozenset[str]]) -> None:
        self.base = base
        none: frozenset[str] = frozenset()
        self._ignored = (*lists.get("version-complaints", none),)
        self._trouble = (*self._ignored, *lists.get("trouble", none))
        self._well, self._denied = lists.get("version-well", none) - {_ONCE}, lists.get("version-denied", none)

    @cached_property
    def _names(self) -> dict[str, list[Tunable]]:
        """How settings are written, in lower case, but for options → these settings."""
        names: dict[str, list[Tunable]] = {}
        for tunable in self.base.tunables.values():
            for name in self._spellings(tunable):
                names.setdefault(name, []).append(tunable)
        return names

    def find(
        self, lines: Sequence[PastedLine], known: Mapping[str, Values], pasted: Iterable[PastedFinding]
    ) -> list[ChangedSetting]:
        """The settings, the likeliest first. `lines`: of prose. `known`: the versions. `pasted`: findings of
        configuration, made with these versions."""
        found: dict[str, ChangedSetting] = {}
        if not known:
            return []
        index = RuleIndex(self.base, known, kind="nfs.conf")
        story = lower_case("\n".join(line.text for line in lines)) if len(lines) <= _FEW else ""

        def add(tunable: Tunable, told: Finding | Changed, line: int, complains: bool) -> None:
            likelihood = (_PERHAPS if "-perhaps-" in told.rule else _CERTAIN) if complains else _ASIDE
            if tunable.id not in found or found[tunable.id].likelihood < likelihood:
                found[tunable.id] = ChangedSetting(_cause(index, tunable, told), line, likelihood)

        for line, words, tunable, word in islice(self._named(lines), _SETTINGS):
            complains = any(piece in (story or lower_case(line.text)) for piece in self._trouble)
            for told in self._judged(index, tunable, word, words):
                add(tunable, told, line.number, complains)
        for one in pasted:
            if one.finding.rule.startswith("setting-") and one.finding.tunable and one.finding.consequence in _HARMS:
                complains = any(piece in story for piece in self._ignored)
                add(self.base.tunables[one.finding.tunable], one.finding, one.line, complains)
        return sorted(found.values(), key=lambda change: -change.likelihood)

    def _named(self, lines: Iterable[PastedLine]) -> Iterator[tuple[PastedLine, frozenset[str], Tunable, str]]:
        """The settings in lines: the line, its words in lower case, the setting, and how it is written there."""
        for line in lines:
            words = [word.strip(_STRIPPED) for word in line.text.translate(QUOTES).replace(",", " ").split()]
            low = [lower_case(word) for word in words]
            for at, word in enumerate(words):
                following = {*low[at + 1 : at + 4]}
                if following & self._well and not following & self._denied:
                    continue
                name, equals, _ = word.partition("=")
                for key in dict.fromkeys((low[at], name, name.lower(), name.rpartition("/")[2].lower())):
                    for tunable in self._names.get(key, ()):
                        if equals or _is_meant(tunable, key, {*low}):
                            yield line, frozenset(low), tunable, word

    def _spellings(self, tunable: Tunable) -> set[str]:
        key, low = tunable.id.rpartition(".")[2], tunable.id.lower()
        if tunable.kind in _LINTED:
            return {form.spelling for form in tunable.forms} or {key}
        if tunable.kind not in _LIVED or not lives_of(tunable, self.base):
            return set()
        if low.startswith(_KEYS):
            return {f"{word}{low[len(_KEYS) :]}" for word in ("vers", "vers=", "nfsvers=", "v", "nfsv")}
        return {key.lower(), low.partition(".")[2], low.removeprefix(f"{_FILE}.")}

    def _judged(
        self, index: RuleIndex, tunable: Tunable, word: str, words: frozenset[str]
    ) -> Iterator[Finding | Changed]:
        """What the versions alone make of a setting. `words`: of its line."""
        name, _, value = word.partition("=")
        found: list[Finding] = []
        if tunable.kind in _LINTED:
            kind, file = _LINTED[tunable.kind]
            text = file.format(word if value else _filled(tunable, name))
            without, found = (
                lint_text(text, "said", self.base, facts, kind=kind).findings for facts in ({}, index.known)
            )
            plain = {one.message for one in without}
            found = [one for one in found if one.tunable == tunable.id and one.message not in plain]
        named = tunable.kind != _FILE or _FILE in words  # else only the file's life is told
        has = bool(tunable.needs) and index.verdict(tunable.needs, index.state)
        if not (found or has) and (named or any(life.default is None for life in tunable.lives)):
            found = [*lifetimes.findings(index, tunable, index.state, Span(1, 1, 1), name)]
        yield from (one for one in found if one.consequence in _HARMS)
        for life, default, _ in lifetimes.defaults(index, tunable):
            told = str(life.default) in words or not tunable.id.rpartition(".")[2].isalpha()
            if default == life.default and told:
                key = tunable.id.removeprefix(f"{_FILE}.")
                title = f"{key} is {life.default} by default since {needed(life, index.facts)}"
                yield Changed(title, life.why or title, f"Set {key} if it should not be {life.default}.", life.cites)


def _is_meant(tunable: Tunable, key: str, low: set[str]) -> bool:
    """Whether a word without a value is this setting, and no everyday word. `low`: the words of its line."""
    if tunable.kind == "kernel-file":
        return any("nfsd" in word for word in low)
    if not key.isalpha() or tunable.kind in ("program", "service", "nfs-defaults"):
        return True
    section = tunable.id.split(".")[2] if tunable.kind == _FILE else ""
    named = {section, f"rpc.{section}", *(str(life.default) for life in tunable.lives)}
    return bool(low & named) if section else len(key) > _LETTERS


def _filled(tunable: Tunable, name: str) -> str:
    """An option with some value, where it has to have one."""
    if any(form.spelling == name and form.takes != "value" for form in tunable.forms):
        return name
    return f"{name}={(tunable.values or [tunable.minimum or 1])[0]}"


def _cause(index: RuleIndex, tunable: Tunable, told: Finding | Changed) -> Cause:
    """What is found of a setting, as a cause with its page."""
    known = {fact: value for fact, value in index.known.items() if fact.endswith(_SHOWN) and isinstance(value, str)}
    title = told.message
    if not any(character.isdigit() for character in title.partition(";")[0].partition(" ")[2]):
        of_release = [value for fact, value in known.items() if fact.endswith(_SHOWN[:2])]
        title = f"{title} ({' '.join(dict.fromkeys(of_release or known.values()))})"
    on = "client" if tunable.kind in _OF_CLIENTS else "server"
    sides = (on,) if tunable.kind not in _OF_CLIENTS[1:] else ("client", "server")
    facts = "".join(f" --set {fact}={value}" for fact, value in known.items() if fact.startswith(sides))
    return Cause.from_data({
        "id": told.rule, "title": title, "family": "option-refused", "side": on, "explains": {}, "why": told.why,
        "check": {"on": on, "do": f"advisor explain {tunable.id}{facts}", "cost": "low", "risk": "none",
                  "tells": "From which version the setting exists, and until which."},
        "remedy": {"do": told.remedy, "undo": "Write the setting again."},
        "cites": list(told.cites), "examples": [], "file": "",
    })
