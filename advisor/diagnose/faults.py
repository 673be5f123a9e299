"""Known faults of versions (rules/errata) that a text tells of: by the versions it names, by functions in a kernel's
traces, by messages, and by its words.

A version inside the range raises a fault, one outside of it excludes it. "It worked with A and fails with B", with the
fault's beginning between the two, is nearly proof."""

from __future__ import annotations

from collections import Counter
from math import exp, log, sqrt

from advisor.diagnose.versions import KERNEL, NFS_UTILS, NOW
from advisor.engine import FactError
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import Cause
from advisor.rulebase.words import lower_case, plain_stems, stem, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from advisor.diagnose.text import PastedLine
    from advisor.diagnose.versions import Version
    from advisor.rulebase.model import Erratum, RuleBase
    from advisor.rulebase.model.types import Values

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
        "id": erratum.erratum, "title": erratum.title, "family": FAMILY, "side": side, "explains": {},
        "why": f"{erratum.symptom} {erratum.why}",
        "check": {
            "on": side, "do": f"{ask}the {side}'s version of the {package}", "tells": f"Affected: {spans}.",
            "cost": "low", "risk": "none",
        },
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
