"""Settings that a text names beside a version that lacks or ignores them, or has another default for them.

Each is judged as lint does, with the versions of the text and without: what is found only with them is what changed."""

from __future__ import annotations

from itertools import islice, product

from advisor.diagnose.versions import AFTER, NOW, version_facts
from advisor.engine import FactError
from advisor.files.records import Span
from advisor.lint import lifetimes
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.named_tuple import NamedTuple
from advisor.rulebase.lives import default_here, lives_of, needed
from advisor.rulebase.model import Cause
from advisor.rulebase.words import QUOTES, lower_case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from advisor.diagnose.configuration import PastedFinding
    from advisor.diagnose.text import PastedLine
    from advisor.diagnose.versions import Version
    from advisor.lint.finding import Finding
    from advisor.rulebase.model import RuleBase, Tunable
    from advisor.rulebase.model.types import Values

    Texts = tuple[str, str, str, str, Sequence[str]]
    """Rule, message, why, remedy and citations."""

FAMILY = "option-refused"
_LINTED = {"mount-option": ("fstab", "said:/ /said nfs {} 0 0\n"), "nfs-defaults": ("nfs-defaults", "{}\n")}
"""Kinds of settings of which more than lifetimes depends on versions → kind of file, and one with the setting."""
_LIVED = ("export-option", "kernel-file", "module-parameter", "nfs.conf", "program", "service", "sysctl")
_FILE = "nfs.conf"
_VERSIONS = "nfs.conf.nfsd.vers"
_HARMS = ("ignored", "mount-fails")
_OF_SERVERS = ("export-option", "kernel-file", "nfs.conf", "nfs-defaults", "service")
_NUMBERS = ("kernel", "nfs_utils", "release")
_SHOWN = ("kernel", "nfs_utils", "distro", "release")
_OF_LIVES = ("setting-too-new", "setting-perhaps-too-new", "setting-gone", "setting-ignored", "setting-not-read")
_STRIPPED = "()[]{}<>;:.!?'\"`*|"
_LETTERS = 5
"""A name of at most so many letters may be an everyday word."""
_MOST, _SETTINGS = 4, 20
"""Combinations of versions, and settings, that are judged."""
_FEW = 8
"""In a text of so many lines all of them are about the settings that it names."""
_CERTAIN, _PERHAPS, _ASIDE = 0.85, 0.55, 0.3
"""Likelihood of a setting that the text complains of, by whether its version decides; of one that it only mentions."""


class ChangedSetting(NamedTuple):
    """`cause`: what the version makes of the setting."""

    cause: Cause
    line: int
    likelihood: float


class ChangeFinder:
    """Finds the settings. `lists`: words by their use, as kb/concepts.yaml has them."""

    def __init__(self, base: RuleBase, lists: Mapping[str, frozenset[str]]) -> None:
        self.base = base
        self._ignored = (*lists.get("version-complaints", ()),)
        self._trouble = (*self._ignored, *lists.get("trouble", ()))
        self._well, self._denied = lists.get("version-well", frozenset()), lists.get("version-denied", frozenset())
        self._names: dict[str, list[Tunable]] = {}

    def find(
        self, lines: Sequence[PastedLine], known: Sequence[Mapping[str, Values]], pasted: Iterable[PastedFinding]
    ) -> list[ChangedSetting]:
        """The settings, the likeliest first. `lines`: of prose. `known`: `states` of the text's versions. `pasted`:
        findings of configuration, made with these versions."""
        indexes = [RuleIndex(self.base, facts, kind="nfs.conf") for facts in known]
        if not indexes:
            return []
        found: dict[str, ChangedSetting] = {}
        story = lower_case("\n".join(line.text for line in lines)) if len(lines) <= _FEW else ""

        def add(cause: Cause, tunable: str, line: int, complains: bool) -> None:
            likelihood = (_PERHAPS if "-perhaps-" in cause.id else _CERTAIN) if complains else _ASIDE
            if tunable not in found or found[tunable].likelihood < likelihood:
                found[tunable] = ChangedSetting(cause, line, likelihood)

        for line, words, tunable, word in islice(self._named(lines), _SETTINGS):
            each = [[*self._judged(index, tunable, word, words)] for index in indexes]
            complains = any(piece in (story or lower_case(line.text)) for piece in self._trouble)
            for cause in each[0]:
                if all(cause.id in [other.id for other in others] for others in each):
                    add(cause, tunable.id, line.number, complains)
        for one in pasted:
            finding = one.finding
            if finding.rule in _OF_LIVES and finding.tunable:
                cause = _cause(indexes[0], self.base.tunables[finding.tunable], _texts(finding))
                add(cause, finding.tunable, one.line, any(piece in story for piece in self._ignored))
        return sorted(found.values(), key=lambda change: -change.likelihood)

    def _named(self, lines: Iterable[PastedLine]) -> Iterator[tuple[PastedLine, frozenset[str], Tunable, str]]:
        """The settings in lines: the line, its words in lower case, the setting, and how it is written there."""
        if not self._names:
            for tunable in self.base.tunables.values():
                for name in self._spellings(tunable):
                    self._names.setdefault(name, []).append(tunable)
        for line in lines:
            words = [word.strip(_STRIPPED) for word in line.text.translate(QUOTES).replace(",", " ").split()]
            low = frozenset(map(lower_case, words))
            for at, word in enumerate(words):
                following = {lower_case(other) for other in words[at + 1 : at + 4]}
                if following & self._well and not following & self._denied:
                    continue
                name, equals, _ = word.partition("=")
                short = name.rpartition("/")[2]
                for key in dict.fromkeys((word.lower(), name, name.lower(), short.lower())):
                    for tunable in self._names.get(key, ()):
                        if _is_meant(tunable, key, bool(equals), low):
                            yield line, low, tunable, word

    def _spellings(self, tunable: Tunable) -> set[str]:
        key, low = tunable.id.rpartition(".")[2], tunable.id.lower()
        if tunable.kind in _LINTED:
            return {form.spelling for form in tunable.forms} or {key}
        if tunable.kind not in _LIVED or not lives_of(tunable, self.base):
            return set()
        if low.startswith(_VERSIONS):
            return {f"{word}{low[len(_VERSIONS) :]}" for word in ("vers", "vers=", "nfsvers=", "v", "nfsv")}
        return {key.lower(), low.partition(".")[2], low.removeprefix("nfs.conf.")}

    def _judged(self, index: RuleIndex, tunable: Tunable, word: str, low: Container[str]) -> Iterator[Cause]:
        """What the versions alone make of a setting. `low`: the words of its line."""
        name, _, value = word.partition("=")
        if tunable.kind in _LINTED:
            kind, file = _LINTED[tunable.kind]
            line = file.format(word if value else _filled(tunable, name))
            plain = {finding.message for finding in lint_text(line, "said", self.base, {}, kind=kind).findings}
            found = lint_text(line, "said", self.base, index.known, kind=kind).findings
            lacking = [one for one in found if one.tunable == tunable.id and one.message not in plain]
        else:
            lacking = [*lifetimes.findings(index, tunable, index.state, Span(1, 1, 1), name)]
            if all(life.default is not None for life in tunable.lives) and _FILE not in low:
                lacking = []  # only its file has a beginning
        for one in lacking:
            if one.consequence in _HARMS:
                yield _cause(index, tunable, _texts(one))
        for life in tunable.lives:
            default = default_here(life, index.facts, lambda condition: index.verdict(condition, index.state))
            told = str(life.default) in low or not tunable.id.rpartition(".")[2].isalpha()
            if default is not None and default[0] == life.default and told:
                key = tunable.id.removeprefix("nfs.conf.")
                title = f"{key} is {life.default} by default since {needed(life, index.facts)}"
                remedy = f"Set {key} if it should not be {life.default}."
                yield _cause(index, tunable, ("setting-default", title, life.why or title, remedy, life.cites))


def states(base: RuleBase, versions: Sequence[Version]) -> list[dict[str, Values]]:
    """What the versions of a text say of its hosts, in all ways in which several of a kind may be meant. One whose side
    is not said may be the client's and the server's."""
    named = [version for version in versions if version.when == NOW] or [one for one in versions if one.when == AFTER]
    ways: dict[str, list[dict[str, Values]]] = {}
    for one in dict.fromkeys(named):
        for side in (one.side,) if one.side else ("client", "server"):
            known = {fact: value for _, fact, value in version_facts(base, [one._replace(side=side, when=NOW)])}
            ways.setdefault(f"{side} {one.package}", []).append(known)
    found = []
    for way in islice(product(*ways.values()), _MOST if ways else 0):
        known = {fact: value for part in way for fact, value in part.items()}
        try:
            base.engine.judging(known)
        except FactError:
            continue  # they contradict each other
        found.append(known)
    return found


def _is_meant(tunable: Tunable, key: str, equals: bool, low: frozenset[str]) -> bool:
    """Whether a word is this setting, and no everyday word. `equals`: a value follows; `low`: the words of its line."""
    if tunable.kind == "kernel-file":
        return any("nfsd" in word for word in low)
    if not key.isalpha() or equals or tunable.kind in ("program", "service", "nfs-defaults"):
        return True
    if tunable.kind == "nfs.conf":
        section = tunable.id.split(".")[2]
        defaults = {str(life.default) for life in tunable.lives}
        return bool(low & {section, f"rpc.{section}", *defaults})
    return len(key) > _LETTERS


def _filled(tunable: Tunable, name: str) -> str:
    """An option with some value, where it has to have one."""
    if any(form.spelling == name and form.takes != "value" for form in tunable.forms):
        return name
    return f"{name}={(tunable.values or [tunable.minimum or 1])[0]}"


def _texts(finding: Finding) -> Texts:
    return finding.rule, finding.message, finding.why, finding.remedy, finding.cites


def _cause(index: RuleIndex, tunable: Tunable, texts: Texts) -> Cause:
    """What is found of a setting, as a cause with its page."""
    rule, title, why, remedy, cites = texts
    if not any(character.isdigit() for character in title.partition(";")[0].partition(" ")[2]):
        versions = (str(value) for fact, value in index.known.items() if fact.endswith(_NUMBERS))
        title = f"{title} (version {', '.join(dict.fromkeys(versions))})"
    facts = " ".join(f"--set {fact}={value}" for fact, value in index.known.items() if fact.endswith(_SHOWN))
    on = "server" if tunable.kind in _OF_SERVERS else "client"
    return Cause.from_data({
        "id": rule, "title": title, "family": FAMILY, "side": on, "explains": {}, "why": why,
        "check": {"on": on, "do": f"advisor explain {tunable.id} {facts}".rstrip(),
                  "tells": "From which version the setting exists, and until which.", "cost": "low", "risk": "none"},
        "remedy": {"do": remedy, "undo": "Write the setting again."},
        "cites": list(cites), "examples": [], "file": "",
    })
