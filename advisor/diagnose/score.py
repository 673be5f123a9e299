"""How likely each cause is, by all that was read: a prior, and what speaks for it and against it, added up on a
logarithmic scale in hundredths.

What speaks: the words of the text, compared with the cause's own text and its family's (BM25); the words, frames and
messages whose weights were counted from labelled reports (rules/weights.yaml); the messages that the cause explains;
facts in its conditions; findings. The scores become shares, and how sure the first is becomes how often such ones were
right; what is left is the share of something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from math import exp, log

from advisor.diagnose.configuration import PastedFinding
from advisor.diagnose.evidence import SeenMessage, StatedFact, TextEvidence
from advisor.diagnose.faults import FAMILY, fault_cause, shares
from advisor.engine import Base, FactError, State, consistent, holds
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import PRIOR, SCALES, SHARES, Cause, Family, RuleBase, Values

CONFIRMED, POSSIBLE, RULED_OUT = "confirmed", "possible", "ruled-out"
_ORDER = {CONFIRMED: 0, POSSIBLE: 1, RULED_OUT: 2}
_PSEUDO = 0.5
"""Pseudocount that is added to the reports of each cause, since few were counted."""
_KINDS = {"error": 1.0, "transient": 0.5, "information": 0.0}
_SYMPTOM = 0.8
"""The weight of a described symptom; that of a pasted message is 1."""
_DENIED = 0.1
"""The factor if a stated fact contradicts a cause's condition: users can be wrong about their systems."""
_STATED = 0.75
"""The exponent of a factor whose condition was only stated."""
_STATED_PROOF = 4.0
"""The factor if the proof of a cause was only stated, or a finding only warns of it."""
_PROVED = 40.0
"""The factor of a proof that was read, and of a mistake in a line that explains what is told."""
_TWICE = 0.7
"""How much less the words of messages count as words: the messages count already."""
FEW = 6
"""Fewer terms or features than these count as so many: a short text says little."""
_LEADS = 2.0
"""A cause that is less likely by this factor than the rest of its family is not named before the family."""
NAMED = 12
"""Causes that are named at most, besides those that are confirmed or have a message of their own."""
_NAMES = ("says", "message", "fact")
"""Kinds of features before a colon; others are words."""
_SHOWN, _LITTLE = 8, 10
"""Of the evidence for a cause so much is kept, and none of less weight than this."""
_FLOOR = 0.005
SURE = 0.95
"""The likelihood of what is confirmed."""


class Weighed(NamedTuple):
    """What speaks for a cause, or against it. `kind`: text, said, message, fact, finding, prior. `line`: 0 where it is
    of no line. `weight`: of a natural logarithm, in hundredths."""

    kind: str
    name: str
    line: int
    weight: int

    def words(self) -> str:
        return f"line {self.line}: {self.name}" if self.line else self.name


class RankedCause(NamedTuple):
    """`cause`: a family where none of its causes leads. `status`: confirmed, possible or ruled-out. `likelihood`: of
    the causes that are not ruled out, together less than 1; a family has that of its causes together.
    `because`: what confirms it or rules it out, as (kind, name, line): message, finding, fact, check. `explains`: the
    messages found."""

    cause: Cause | Family
    status: str
    likelihood: float
    because: tuple[tuple[str, str, int], ...]
    explains: tuple[str, ...]
    family: str
    evidence: tuple[Weighed, ...] = ()


class KnownFacts:
    """Facts as states of the engine: `read`, and `all`, with what was only stated. `bearing`: facts → the conditions
    that can change with them; without facts, those that hold whatever is known."""

    def __init__(
        self, base: Base, read: Iterable[StatedFact], stated: Iterable[StatedFact],
        bearing: Iterable[tuple[Sequence[str], Iterable[str]]] = (),
    ) -> None:
        self.base = base
        self.lines: dict[str, int] = {}
        self.read = self._state({}, read)
        self.all = self._state(self.read, stated)
        self._always = {name for facts, names in bearing if not facts for name in names}
        self._near = {name for facts, names in bearing if not self.all.keys().isdisjoint(facts) for name in names}
        self._holds = cache(lambda name, read: holds(base, name, self.read if read else self.all))

    def _state(self, start: State, facts: Iterable[StatedFact]) -> State:
        """The state with these facts. If several lines give a fact, any of their values is possible; facts that
        contradict the state are left out."""
        values: dict[str, int] = {}
        for stated in facts:
            mask = _mask(self.base, stated.fact, stated.value)
            if mask:
                values[stated.fact] = values.get(stated.fact, 0) | mask
                self.lines.setdefault(stated.fact, stated.line)
        state = dict(start)
        for fact, mask in values.items():
            narrowed = state.get(fact, mask) & mask
            if narrowed and consistent(self.base, {**state, fact: narrowed}):
                state[fact] = narrowed
        return state

    def verdict(self, name: str, read: bool) -> bool | None:
        """Whether a named condition holds, by what was read or by all that is known; None if open or missing."""
        if name in self._near:  # few are, and every cause has several
            return self._holds(name, read)
        return True if name in self._always else None

    def grounds(self, name: str) -> tuple[tuple[str, str, int], ...]:
        """The facts that were read of those that a condition compares."""
        reads = self.base.space.names(self.base.condition(name).reads)
        return tuple(("fact", fact, self.lines.get(fact, 0)) for fact in reads if fact in self.read)


def _mask(base: Base, fact: str, value: Values) -> int:
    """The cells of a fact for a value; 0 if the fact has no such value."""
    try:
        definition = base.fact(fact)
        if definition.type == "int" and isinstance(value, str):
            value = int(value, 0)
        return definition.mask(value)
    except (FactError, ValueError):
        return 0


class Scores:
    """What was read, weighed for every cause. `parts`: cause → what speaks for it, before the scales."""

    def __init__(self, base: RuleBase, evidence: TextEvidence) -> None:
        self.base = base
        self.evidence = evidence
        self.known = KnownFacts(base.diagnosis, evidence.read, evidence.stated, base.reading["bearing"])
        self.seen = evidence.problems()
        self.features = evidence.all_features()
        self.rules: dict[str, int] = {}
        """Rule of a finding that decides → its line."""
        self.wrong: set[str] = set()
        """Rules of other findings that are certainly mistakes."""
        self.warned: set[str] = set()
        for pasted in evidence.configuration.findings:
            if pasted.decides:
                self.rules.setdefault(pasted.finding.rule, pasted.line)
            else:
                (self.wrong if pasted.finding.severity == "error" else self.warned).add(pasted.finding.rule)
        said = {feature.name for feature in evidence.features}
        self._may_have_failed = not any(base.concepts[name].on_mount for name in said if name in base.concepts)
        self._text = self._text_scores()
        self._said = self._feature_scores()
        self._prior = base.weights[PRIOR]
        self._counts = _Counts(base, self.seen)

    def _text_scores(self) -> Counter[str]:
        """Cause or family → how well the words of the text fit its own."""
        scores: Counter[str] = Counter()
        counts = self.evidence.terms
        for term, count in counts.items():
            if term in self.base.terms:
                times = 1.4 if count > 1 else 1.0
                for name, weight in self.base.terms[term].items():
                    scores[name] += round(weight * times)
        root = max(FEW, len(counts)) ** 0.5
        return Counter({name: round(score / root) for name, score in scores.items()})

    def _feature_scores(self) -> Counter[str]:
        """Family → how much what was said and seen speaks for it."""
        scores: Counter[str] = Counter()
        for feature in self.features:
            if feature in self.base.weights:
                scores.update(self.base.weights[feature])
        root = max(FEW, len(self.features)) ** 0.5
        return Counter({name: round(score / root) for name, score in scores.items()})

    @cached_property
    def _explained(self) -> dict[str, tuple[str, ...]]:
        found = [problem.message.id for problem in self.seen]
        return {
            cause.id: told for cause in self.base.weighed.values()
            if (told := tuple(name for name in found if name in cause.explains or name in cause.proved_by))
        }

    def explains(self, cause: Cause) -> tuple[str, ...]:
        """The messages found that it explains."""
        return self._explained.get(cause.id, ())

    def fits(self, explains: Sequence[str]) -> bool:
        """Whether what was found in the configuration can be what the text is about: it explains a message, or there is
        none, and nothing is said that happens only on a mount that succeeded."""
        return bool(explains) if self.seen else self._may_have_failed

    def broken_lines(self) -> Iterator[RankedCause]:
        """The lines that cannot work, unless a cause says so of the rule that they break."""
        known = {rule for cause in self.base.weighed.values() for rule in cause.findings}
        told: set[tuple[str, int]] = set()
        for pasted in self.evidence.configuration.findings:
            family = next((one for one in self.base.families.values() if pasted.kind in one.lines), None)
            place = pasted.finding.rule, pasted.line
            if family is None or not pasted.decides or place[0] in known or place in told:
                continue
            kin = (cause for cause in self.base.weighed.values() if cause.family == family.id)
            explains = tuple({name: None for cause in kin for name in self.explains(cause)})
            if self.fits(explains):
                told.add(place)
                because = (("finding", *place),)
                yield RankedCause(_line_cause(pasted, family), CONFIRMED, SURE, because, explains, family.id)

    @cached_property
    def _proofs(self) -> dict[str, tuple[tuple[str, str, int], ...]]:
        """Cause → its proofs, once asked for."""
        return {}

    def proofs(self, cause: Cause) -> tuple[tuple[str, str, int], ...]:
        """What was read that only this cause explains."""
        if cause.id not in self._proofs:
            self._proofs[cause.id] = tuple(self._proved(cause))
        return self._proofs[cause.id]

    def _proved(self, cause: Cause) -> Iterator[tuple[str, str, int]]:
        seen = self.evidence.seen
        for name in cause.proved_by:
            if name in seen and not seen[name].nearly:
                yield "message", name, seen[name].line
        if self.rules and self.fits(self.explains(cause)):
            for name in cause.findings:
                if name in self.rules:
                    yield "finding", name, self.rules[name]
        proof = f"proof:{cause.id}"
        if self.known.verdict(proof, read=True):
            yield from self.known.grounds(proof)

    def parts(self, cause: Cause) -> dict[str, float]:
        """What speaks for a cause by kind of evidence, before the scales: natural logarithms."""
        explains, known = self.explains(cause), self._known_share
        own = 1 - _TWICE * known
        return {
            "prior": (self._prior.get(cause.id, 0) + self._prior.get(cause.family, 0)) / 100,
            "text": self._text[cause.id] / 100 * own,
            "family-text": self._text[cause.family] / 100 * own,
            "said": self._said[cause.family] / 100,
            "message": self._counts.score(cause),
            "explained": float(bool(explains)),
            "covered": known if explains else 0.0,
            "fact": self.factors(cause),
        }

    @cached_property
    def _known_share(self) -> float:
        return self.evidence.known_share()

    @cached_property
    def _scales(self) -> Mapping[str, int]:
        return self.base.weights[SCALES]

    def factors(self, cause: Cause) -> float:
        """The logarithm of the factors from the cause's conditions, its proofs and its findings."""
        total = 0.0
        if self.known.verdict(f"when:{cause.id}", read=False) is False:
            total += log(_DENIED)
        if self.known.verdict(f"family:{cause.family}", read=False) is False:
            total += log(_DENIED)
        proof = f"proof:{cause.id}"
        if self.known.verdict(proof, read=False) and not self.known.verdict(proof, read=True):
            total += log(_STATED_PROOF)
        if self.fits(self.explains(cause)) and not (self.wrong | self.warned).isdisjoint(cause.findings):
            total += log(_STATED_PROOF if self.wrong.isdisjoint(cause.findings) else _PROVED)
        if self.proofs(cause):
            total += log(_PROVED)
        for index, weight in enumerate(cause.likelier):
            name = f"likelier:{cause.id}:{index}"
            if self.known.verdict(name, read=True):
                total += log(weight.times)
            elif self.known.verdict(name, read=False):
                total += log(weight.times) * _STATED
        return total

    def score(self, cause: Cause) -> int:
        """All that speaks for a cause, in hundredths."""
        return sum(round(self._scales.get(kind, 0) * amount) for kind, amount in self.parts(cause).items() if amount)

    def evidence_for(self, cause: Cause | Family, family: str) -> tuple[Weighed, ...]:
        """What speaks for a cause or family, and against it, the strongest first."""
        root = max(FEW, len(self.features)) ** 0.5
        found = []
        for feature, line in self.features.items():
            weight = round(self.base.weights.get(feature, {}).get(family, 0) / root)
            kind, _, name = feature.partition(":")
            kind, name = (kind, name) if kind in _NAMES else ("word", feature)
            found.append(Weighed(kind, name, line, weight))
        known = (term for term in self.evidence.terms if term in self.base.terms)
        terms = {term: self.base.terms[term].get(cause.id, 0) for term in known}
        like = sorted((term for term in terms if terms[term]), key=lambda term: (-terms[term], term))[:_SHOWN]
        fits = self._text[cause.id] * (1 - _TWICE * self._known_share) * self._scales.get("text", 0) / 100
        found.append(Weighed("text", ", ".join(like), 0, round(fits)))
        if isinstance(cause, Cause):
            parts = self.parts(cause)
            for kind, name in (("message", " and ".join(self.explains(cause))), ("fact", "what is known besides")):
                found.append(Weighed(kind, name, 0, round(parts[kind] * self._scales.get(kind, 0))))
        found.sort(key=lambda one: -abs(one.weight))
        return tuple(one for one in found if abs(one.weight) >= _LITTLE)[:_SHOWN]

    def excluded(self, cause: Cause) -> tuple[tuple[str, str, int], ...]:
        """The facts that were read without which it cannot be."""
        for name in (f"when:{cause.id}", f"family:{cause.family}"):
            if self.known.verdict(name, read=True) is False:
                return self.known.grounds(name)
        return ()


def _line_cause(pasted: PastedFinding, family: Family) -> Cause:
    finding = pasted.finding
    return Cause.from_data({
        "id": finding.rule, "title": f"Line {pasted.line} cannot work: {finding.message}", "family": family.id,
        "side": family.check.on, "why": finding.why,
        "check": {"on": family.check.on, "do": f"advisor explain {finding.rule}", "tells": finding.why},
        "remedy": {"do": finding.remedy, "undo": f"Write the line again as it was: {pasted.text.strip()}"},
        "cites": list(finding.cites), "examples": [],
    })


class _Counts:
    """How much the messages support a cause: the cause's share of the counted reports of each message, compared with
    that of an average cause. Several messages in one line or sentence count once."""

    def __init__(self, base: RuleBase, seen: Sequence[SeenMessage]) -> None:
        self.seen = seen
        self.every = len(base.weighed)
        self.reports = base.ready(_reports)

    def score(self, cause: Cause) -> float:
        lines: dict[int, float] = {}
        for problem in self.seen:
            count = cause.explains.get(problem.message.id)
            if count is None and problem.message.id not in cause.proved_by:
                continue
            share = ((count or 0) + _PSEUDO) / self.reports.get(problem.message.id, _PSEUDO)
            weight = _KINDS[problem.message.kind] * (_SYMPTOM if problem.message.words or problem.nearly else 1.0)
            support = weight * max(log(share * self.every), 0.1)
            lines[problem.line] = max(lines.get(problem.line, 0.0), support)
        return sum(lines.values())


def _reports(base: RuleBase) -> dict[str, float]:
    """Message → the counted reports of all causes that explain it."""
    reports: dict[str, float] = {}
    for cause in base.weighed.values():
        for name, count in cause.explains.items():
            reports[name] = reports.get(name, 0) + count + _PSEUDO
    return reports


def rank(base: RuleBase, evidence: TextEvidence, shown: Mapping[str, str] | None = None) -> list[RankedCause]:
    """The causes, the most likely first, those that are ruled out last; [] for a text without trouble with NFS. A
    family comes before its causes where none of them leads.

    `shown`: cause → status that a check has shown."""
    if not evidence.is_about_trouble():
        return []
    scores = Scores(base, evidence)
    ranked = _with_likelihoods(base, by_score(scores, shown or {}))
    broken = list(scores.broken_lines())
    ranked = _with_faults(ranked, evidence)
    if broken:
        left = 1 - SURE
        ranked = [*broken, *(candidate._replace(likelihood=candidate.likelihood * left) for candidate in ranked)]
    return [
        candidate._replace(
            cause=base.causes[name] if candidate.cause is base.weighed.get(name) else candidate.cause,
            evidence=scores.evidence_for(candidate.cause, candidate.family),
        ) for at, candidate in enumerate(ranked) if _is_named(at, candidate) for name in (candidate.cause.id,)
    ]


def _with_faults(ranked: list[RankedCause], evidence: TextEvidence) -> list[RankedCause]:
    """The causes, and the known faults of the versions that the text names. A fault is confirmed by a version in its
    range together with its function in a kernel trace. Once another cause is confirmed, only such faults are kept."""
    confirmed = any(candidate.status == CONFIRMED for candidate in ranked)
    faults = [
        RankedCause(fault_cause(fault), CONFIRMED if fault.proved else POSSIBLE, likelihood, fault.because, (), FAMILY)
        for fault, likelihood in shares(evidence.faults) if fault.proved or not confirmed
    ]
    count = len(evidence.changes)
    faults += [
        RankedCause(one.cause, POSSIBLE, one.likelihood / count, (("version", "", one.line),), (), one.cause.family)
        for one in evidence.changes
    ]
    if not faults:
        return ranked
    left = 1 - sum(fault.likelihood for fault in faults)
    weighed = [candidate._replace(likelihood=candidate.likelihood * left) for candidate in ranked]
    return sorted([*faults, *weighed], key=lambda candidate: (_ORDER[candidate.status], -candidate.likelihood))


def by_score(scores: Scores, shown: Mapping[str, str]) -> list[RankedCause]:
    """All causes in order, with their shares by score alone. `shown`: as in `rank`."""
    return _shares([(scores.score(cause), _judged(scores, cause, shown)) for cause in scores.base.weighed.values()])


def _judged(scores: Scores, cause: Cause, shown: Mapping[str, str]) -> RankedCause:
    explains, proofs, excluded = scores.explains(cause), scores.proofs(cause), scores.excluded(cause)
    status, because = POSSIBLE, proofs
    if cause.id in shown:
        status, because = shown[cause.id], (("check", scores.base.causes[cause.id].check.do, 0),)
    elif excluded:
        status, because = RULED_OUT, excluded
    elif proofs and (explains or not scores.seen):
        status = CONFIRMED  # another fault need not be what the messages are about
    return RankedCause(cause, status, 0.0, because, explains, cause.family)


def _shares(weighed: Sequence[tuple[int, RankedCause]]) -> list[RankedCause]:
    """In order, with their shares by score alone."""
    ranked = sorted(weighed, key=lambda scored: (_ORDER[scored[1].status], -scored[0], scored[1].cause.id))
    open_ = [score for score, candidate in ranked if candidate.status != RULED_OUT]
    most = max(open_, default=0)
    whole = sum(exp((score - most) / 100) for score in open_)
    return [
        candidate._replace(likelihood=0.0 if candidate.status == RULED_OUT else exp((score - most) / 100) / whole)
        for score, candidate in ranked
    ]


def signs(ranked: Sequence[RankedCause]) -> tuple[float, ...]:
    """What tells how sure the first of ranked causes is: its share and that of its family as odds, whether it explains
    a message, whether something proves it."""
    first = ranked[0]
    kin = sum(candidate.likelihood for candidate in ranked if candidate.family == first.family)
    return 1.0, _odds(first.likelihood), _odds(kin), float(bool(first.explains)), float(bool(first.because))


def _odds(share: float) -> float:
    share = min(max(share, 0.001), 0.999)
    return log(share / (1 - share))


def _with_likelihoods(base: RuleBase, ranked: list[RankedCause]) -> list[RankedCause]:
    """The causes, and before them the family of the first if that does not lead it, with likelihoods that were right as
    often as they say."""
    if not ranked or ranked[0].status == RULED_OUT:
        return ranked
    first = ranked[0]
    scales = base.weights[SCALES]
    sure = sum(scales.get(f"sure-{at}", 0) * sign for at, sign in enumerate(signs(ranked))) / 100
    likelihood = _calibrated(base.weights[SHARES], 1 / (1 + exp(-sure)))
    if first.status == CONFIRMED:
        likelihood = max(likelihood, SURE)
    kin = [candidate for candidate in ranked if candidate.family == first.family and candidate.status == POSSIBLE]
    leads = first.status == CONFIRMED or len(kin) < 2 or first.likelihood >= _LEADS * kin[1].likelihood
    mine = [first] if leads else kin
    share = sum(candidate.likelihood for candidate in mine)
    rest = min(1.0, (1 - likelihood) / max(1 - share, 1e-9))
    chosen = {candidate.cause.id for candidate in mine}
    named = [
        candidate._replace(likelihood=min(
            likelihood, candidate.likelihood * (likelihood / share if candidate.cause.id in chosen else rest)
        ))
        for candidate in ranked
    ]
    if leads:
        return named
    explains = tuple(dict.fromkeys(name for candidate in kin for name in candidate.explains))
    family = base.families[first.family]
    return [RankedCause(family, POSSIBLE, likelihood, (), explains, family.id), *named]


def _calibrated(points: Mapping[str, int], share: float) -> float:
    """How often a share was right, between the points that were counted."""
    before, low = 0.0, 0.0
    for text, right in points.items():
        at = int(text) / 100
        if share <= at:
            return low + (right / 100 - low) * (share - before) / max(at - before, 1e-9)
        before, low = at, right / 100
    return low


def _is_named(at: int, candidate: RankedCause) -> bool:
    """Whether a cause is worth a line in the list."""
    if candidate.status == RULED_OUT:
        return bool(candidate.explains)
    return candidate.status == CONFIRMED or bool(candidate.explains) or (at < NAMED and candidate.likelihood > _FLOOR)
