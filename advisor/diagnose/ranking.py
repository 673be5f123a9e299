"""Ranks causes by their conditions, by how often reports had them, and by what confirms them."""

from __future__ import annotations

from math import exp, log

from advisor.engine import FactError, consistent, holds
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from advisor.diagnose.evidence import SeenMessage, StatedFact, TextEvidence
    from advisor.engine import Base, State
    from advisor.rulebase.model import Cause, RuleBase
    from advisor.rulebase.model.types import Values

CONFIRMED, POSSIBLE, RULED_OUT = "confirmed", "possible", "ruled-out"
_PSEUDO = 0.5
"""Pseudocount that is added to the reports of each cause, since few were counted."""
_WEIGHTS = {"error": 1.0, "transient": 0.5, "information": 0.0}
_SYMPTOM = 0.8
"""The weight of a described symptom; that of a pasted message is 1."""
_DENIED = 0.1
"""The factor if a stated fact contradicts a cause's condition: users can be wrong about their systems."""
_STATED = 0.75
"""The exponent of a factor whose condition was only stated."""
_STATED_PROOF = 4.0
"""The factor if the proof of a cause was only stated, or a finding only warns of it."""
_DECIDES = "error"
"""The severity of findings that confirm a cause: a warning need not be the cause of this problem."""


class RankedCause(NamedTuple):
    """`status`: confirmed, possible or ruled-out. `likelihood`: among those that are not ruled out, together 1.
    `because`: what confirms it or rules it out, as (kind, name, line): message, finding, fact, check. `explains`: the
    messages found."""

    cause: Cause
    status: str
    likelihood: float
    because: tuple[tuple[str, str, int], ...]
    explains: tuple[str, ...]


class KnownFacts:
    """Facts as states of the engine: `read`, and `all`, with what was only stated."""

    def __init__(self, base: Base, read: Iterable[StatedFact], stated: Iterable[StatedFact]) -> None:
        self.base = base
        self.lines: dict[str, int] = {}
        self.read = self._state({}, read)
        self.all = self._state(self.read, stated)

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
        return holds(self.base, name, self.read if read else self.all)

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


def rank(base: RuleBase, evidence: TextEvidence, shown: Mapping[str, str] | None = None) -> list[RankedCause]:
    """The causes that any evidence points to, the most likely first, those that are ruled out last.

    `shown`: cause → status that a check has shown."""
    known = KnownFacts(base.diagnosis, evidence.read, evidence.stated)
    seen = evidence.problems()
    causes = base.causes.values()
    counted = _Counts(causes, seen)
    rules: dict[str, int] = {}
    warned: set[str] = set()
    for pasted in evidence.configuration.findings:
        if pasted.finding.severity == _DECIDES:
            rules.setdefault(pasted.finding.rule, pasted.line)
        else:
            warned.add(pasted.finding.rule)
    named = base.diagnosis.conditions
    weighed: list[tuple[float, RankedCause]] = []
    for cause in causes:
        explains = tuple(
            problem.message.id for problem in seen
            if problem.message.id in cause.explains or problem.message.id in cause.proved_by
        )
        proofs = _proofs(cause, evidence, rules, known, named)
        suspect = not proofs and not warned.isdisjoint(cause.findings)
        if not (explains or proofs or (suspect and not seen)):
            continue  # what is known of the surroundings weighs causes, and points to none
        factors = _factors(cause, known, named) + (log(_STATED_PROOF) if suspect else 0.0)
        status, because = POSSIBLE, proofs
        if f"when:{cause.id}" in named and known.verdict(f"when:{cause.id}", read=True) is False:
            status, because = RULED_OUT, known.grounds(f"when:{cause.id}")
        elif proofs and (explains or not seen):
            status = CONFIRMED  # another fault need not be what the messages are about
        if shown and cause.id in shown:
            status, because = shown[cause.id], (("check", cause.check.do, 0),)
        weighed.append((counted.score(cause) + factors, RankedCause(cause, status, 0.0, because, explains)))
    return _shares(weighed)


def _proofs(
    cause: Cause, evidence: TextEvidence, rules: Mapping[str, int], known: KnownFacts, named: Iterable[str]
) -> tuple[tuple[str, str, int], ...]:
    proofs = [("message", name, evidence.seen[name].line) for name in cause.proved_by if name in evidence.seen]
    proofs += [("finding", name, rules[name]) for name in cause.findings if name in rules]
    name = f"proof:{cause.id}"
    if name in named and known.verdict(name, read=True):
        proofs += known.grounds(name)
    return tuple(proofs)


def _factors(cause: Cause, known: KnownFacts, named: Iterable[str]) -> float:
    """The logarithm of the factors from the cause's conditions."""
    total = 0.0
    when = f"when:{cause.id}"
    if when in named and known.verdict(when, read=False) is False:
        total += log(_DENIED)
    proof = f"proof:{cause.id}"
    if proof in named and known.verdict(proof, read=False) and not known.verdict(proof, read=True):
        total += log(_STATED_PROOF)
    for index, weight in enumerate(cause.likelier):
        name = f"likelier:{cause.id}:{index}"
        if known.verdict(name, read=True):
            total += log(weight.times)
        elif known.verdict(name, read=False):
            total += log(weight.times) * _STATED
    return total


class _Counts:
    """How much the messages support a cause: the cause's share of the counted reports of each message, compared with
    that of an average cause. Several messages in one line or sentence count once."""

    def __init__(self, causes: Iterable[Cause], seen: Sequence[SeenMessage]) -> None:
        self.seen = seen
        self.every = 0
        self.reports: dict[str, float] = {}
        for cause in causes:
            self.every += 1
            for name, count in cause.explains.items():
                self.reports[name] = self.reports.get(name, 0) + count + _PSEUDO

    def score(self, cause: Cause) -> float:
        lines: dict[int, float] = {}
        for problem in self.seen:
            count = cause.explains.get(problem.message.id)
            if count is None and problem.message.id not in cause.proved_by:
                continue
            share = ((count or 0) + _PSEUDO) / self.reports.get(problem.message.id, _PSEUDO)
            weight = _WEIGHTS[problem.message.kind] * (_SYMPTOM if problem.message.words else 1.0)
            support = weight * max(log(share * self.every), 0.1)
            lines[problem.line] = max(lines.get(problem.line, 0.0), support)
        return sum(lines.values())


def _shares(weighed: Sequence[tuple[float, RankedCause]]) -> list[RankedCause]:
    """In order, with their likelihoods. Of equal ones the cause that more reports had, of any message, comes first."""
    order = {CONFIRMED: 0, POSSIBLE: 1, RULED_OUT: 2}
    ranked = sorted(weighed, key=lambda scored: (
        order[scored[1].status], -round(scored[0], 9), -sum(scored[1].cause.explains.values()), scored[1].cause.id,
    ))
    open_ = [score for score, candidate in ranked if candidate.status != RULED_OUT]
    most = max(open_, default=0.0)
    whole = sum(exp(score - most) for score in open_)
    return [
        candidate._replace(likelihood=0.0 if candidate.status == RULED_OUT else exp(score - most) / whole)
        for score, candidate in ranked
    ]
