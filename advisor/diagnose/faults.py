"""Known faults of versions (rules/errata) that a text tells of: by the versions it names, by functions in a kernel's
traces, by messages, and by its words.

Also settings that a text names beside a version that lacks or ignores them, or has another default for them: each is
judged as lint does, with the versions of the text and without, and what is found only with them is what changed.

A version inside the range raises a fault, one outside of it excludes it. "It worked with A and fails with B", with the
fault's beginning between the two, is nearly proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from math import exp, log, sqrt

from advisor.diagnose.configuration import PastedFinding
from advisor.diagnose.messages import PastedLine
from advisor.diagnose.versions import KERNEL, NFS_UTILS, NOW, Version
from advisor.engine import FactError
from advisor.files.records import Span
from advisor.named_tuple import NamedTuple, grouped
from advisor.rulebase.lives import lives_of, needed
from advisor.rulebase.model import Cause, Erratum, RuleBase, Tunable, Values
from advisor.rulebase.words import QUOTES, lower_case, plain_stems, stem, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.lint.rule_index import RuleIndex

FAMILY = "known-fault"
INSIDE, MAY, OPEN, OUTSIDE = 2, 1, 0, -1
_OWN_NUMBERS = ("mainline", "upstream")
"""Streams whose numbers are those of the releases from which others take their code."""
_STACK, _MESSAGE, _STRADDLES, _ELSEWHERE = 2.0, 1.0, 1.5, -2.0
_TRACE = ("RIP:", "pc :", "PC is at", "NIP [")
"""What comes before the function in which a kernel stopped."""
_VERSION = {INSIDE: 0.0, MAY: -0.7, OPEN: -2.0}
_NEEDED = 3.0
"""The fit of words at which a fault of the right version is as likely as all else: of 43 reports of faults nearly all
have more, of what else people wrote beside a version hardly any."""


class FoundFault(NamedTuple):
    """`weight`: a logarithm; above 0, the fault is likelier than all else. `proved`: the version is in the range, and a
    trace names its function. `because`: as of a RankedCause."""

    erratum: Erratum
    weight: float
    proved: bool
    because: tuple[tuple[str, str, int], ...]
    anybodys: bool
    """The text does not say whether the version is the client's or the server's."""


class FaultFinder:
    """Finds the faults that a text tells of."""

    def __init__(self, base: RuleBase) -> None:
        self.base = base
        self._documents: dict[str, frozenset[str]] = {}
        self._rarity: dict[str, float] = {}

    def _learn(self) -> None:
        """Read the faults' own words: only for a text that may tell of one, since it takes a moment."""
        if self._documents:
            return
        self._documents = {name: _terms(_texts(erratum)) for name, erratum in self.base.errata.items()}
        others = [_terms((cause.title, cause.why, cause.check.do)) for cause in self.base.causes.values()]
        found = Counter(term for terms in (*self._documents.values(), *others) for term in terms)
        count = len(self._documents) + len(others)
        self._rarity = {term: log(count / number) for term, number in found.items()}

    def find(
        self, lines: Sequence[PastedLine], versions: Sequence[Version], known: Mapping[str, Values]
    ) -> list[FoundFault]:
        """The faults, the likeliest first. `known`: facts of the text."""
        if not versions and not any("_" in line.text for line in lines):
            return []  # neither a version nor a function
        written = [(line.number, set(words_of(line.text))) for line in lines]
        stopped = any(sign in line.text for line in lines for sign in _TRACE)
        terms = _terms(line.text for line in lines)
        found = []
        for name, erratum in self.base.errata.items():
            if erratum.package not in (KERNEL, NFS_UTILS) and stem(erratum.package.lower()) not in terms:
                continue
            range_, straddles, line = self._versions(erratum, versions)
            if range_ == OUTSIDE or self._contradicted(erratum, known):
                continue
            stacks = set(erratum.stacks)
            functions = [(at, word) for at, words in written for word in words & stacks]
            if range_ == OPEN and not functions:
                continue  # what is printed and said has other causes, too
            self._learn()
            printed = [set(words_of(text)) for text in erratum.messages]
            messages = [at for at, words in written if any(message <= words for message in printed)]
            weight = 2 * log(max(self._fit(terms, self._documents[name]), 0.01) / _NEEDED) + _VERSION[range_]
            weight += _STRADDLES * straddles + _MESSAGE * bool(messages)
            weight += _STACK * min(2, len({word for _, word in functions})) or _ELSEWHERE * stopped
            because = [("version", "", line)] * (range_ > OPEN) + [("stack", word, at) for at, word in functions[:3]]
            because += [("text", "", at) for at in messages[:1]]
            whose = any(version.side for version in versions if version.line == line)
            proved = range_ == INSIDE and bool(functions)
            found.append(FoundFault(erratum, weight, proved, tuple(because), range_ > OPEN and not whose))
        return sorted(found, key=lambda fault: (-fault.weight, fault.erratum.erratum))

    def _fit(self, terms: frozenset[str], document: frozenset[str]) -> float:
        """How well words fit those of a fault: the rarity of what they share, less so where most is not shared."""
        def rarity(of: frozenset[str]) -> float:
            return sum(self._rarity.get(term, 0.0) for term in of)

        return rarity(terms & document) ** 2 / sqrt(max(rarity(terms) * rarity(document), 1.0))

    def _contradicted(self, erratum: Erratum, known: Mapping[str, Values]) -> bool:
        """Whether the text says that a condition of the fault is not so."""
        told = [name for name in erratum.when if name in known and name in self.base.facts]
        facts = map(self.base.engine.fact, told)
        return any(not fact.mask(erratum.when[name]) & fact.mask(known[name]) for fact, name in zip(facts, told))

    def _versions(self, erratum: Erratum, versions: Sequence[Version]) -> tuple[int, bool, int]:
        """Whether the versions are in the range; whether the fault began between one that worked and one that did not;
        the line of the one that is in the range."""
        best: tuple[int, bool, int] = (OPEN, False, 0)
        for fact in erratum.facts:
            side, _, kind = fact.partition(".")
            named = [version for version in versions if version.package.replace("-", "_") == kind]
            mine = [v for v in named if v.side == side] or [v for v in named if not v.side]
            bad = [(self._verdict(erratum, fact, v), v) for v in mine if v.when == NOW]
            good = [self._verdict(erratum, fact, v) for v in mine if v.when != NOW]
            if INSIDE in good or (bad and all(verdict == OUTSIDE for verdict, _ in bad)):
                return OUTSIDE, False, 0
            verdict, version = max(bad, key=lambda pair: pair[0], default=(OPEN, None))
            if version is not None and verdict > best[0]:
                best = verdict, OUTSIDE in good, version.line
        return best

    def _verdict(self, erratum: Erratum, name: str, version: Version) -> int:
        engine = self.base.engine
        fact, stream = engine.fact(name), f"{name}_stream"
        try:
            state = engine.certain({name: version.text})
        except FactError:
            return OPEN
        mask = state.get(name, fact.full)
        known = version.distro or (str(engine.answer(stream, state[stream])) if stream in state else "")
        series, zero, _ = version.text.partition(".0-")
        own = (known,) if known else (*_OWN_NUMBERS, "debian")
        spans = [span for of in own for span in erratum.affected.get(of, ())]
        ranges = fact.mask([span.text for span in spans]) if spans else 0
        if mask & ranges or not known or known in _OWN_NUMBERS or any(
            f"{span.introduced}.".startswith(".".join([*version.text.split(".")[:2], ""])) for span in spans
        ):
            return INSIDE if not mask & ~ranges else MAY if mask & ranges else OUTSIDE
        spans = [span for of in _OWN_NUMBERS for span in erratum.affected.get(of, ())]
        mask = fact.mask(series) if zero else mask  # Ubuntu and SUSE do not say which release of the series it is
        below = fact.mask(f"<{spans[0].introduced}") if spans and spans[0].introduced else 0
        above = fact.mask(f">={spans[-1].fixed}") if spans and spans[-1].fixed else 0
        if not spans or not mask & ~above or (not mask & ~below and not known.startswith("el")):
            return OUTSIDE
        return OPEN if known.startswith("el") else MAY


def fault_cause(fault: FoundFault) -> Cause:
    erratum = fault.erratum
    side = erratum.facts[0].partition(".")[0]
    package = erratum.package if erratum.package != "kernel" else "kernel (uname -r)"
    ask = "Is the version that you named the client's or the server's? Compare " if fault.anybodys else "Compare "
    spans = "; ".join(f"{stream} {span.text}" for stream, of in erratum.affected.items() for span in of if span.text)
    return Cause.from_data({
        "id": erratum.erratum, "title": erratum.title, "family": FAMILY, "side": side,
        "why": f"{erratum.symptom} {erratum.why}",
        "check": {"on": side, "do": f"{ask}the {side}'s version of the {package}", "tells": f"Affected: {spans}."},
        "remedy": {"do": erratum.workaround or f"Update the {erratum.package}."},
        "cites": list(erratum.cites), "examples": [], "file": erratum.file,
    })


def shares(faults: Iterable[FoundFault]) -> list[tuple[FoundFault, float]]:
    """The faults that are worth naming, with the likelihood of each; together less than 1."""
    named = [fault for fault in faults if fault.weight > 0][:5]
    whole = 1 + sum(exp(fault.weight) for fault in named)
    return [(fault, exp(fault.weight) / whole) for fault in named]


def _texts(erratum: Erratum) -> tuple[str, ...]:
    return erratum.title, erratum.symptom, erratum.why, *erratum.says, *erratum.messages, " ".join(erratum.stacks)


def _terms(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(word for text in texts for word in plain_stems(lower_case(text)) if not word.isdigit())


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
        return grouped((name, tunable) for tunable in self.base.tunables.values() for name in self._spellings(tunable))

    def find(
        self, lines: Sequence[PastedLine], known: Mapping[str, Values], pasted: Iterable[PastedFinding]
    ) -> list[ChangedSetting]:
        """The settings, the likeliest first. `lines`: of prose. `known`: the versions. `pasted`: findings of
        configuration, made with these versions."""
        found: dict[str, ChangedSetting] = {}
        if not known:
            return []
        from advisor.lint.rule_index import RuleIndex  # noqa: PLC0415  few texts name a version

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
        from advisor.lint import lifetimes  # noqa: PLC0415
        from advisor.lint.run import lint_text  # noqa: PLC0415

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
        "id": told.rule, "title": title, "family": "option-refused", "side": on, "why": told.why,
        "check": {"on": on, "do": f"advisor explain {tunable.id}{facts}",
                  "tells": "From which version the setting exists, and until which."},
        "remedy": {"do": told.remedy, "undo": "Write the setting again."}, "cites": list(told.cites), "examples": [],
    })
