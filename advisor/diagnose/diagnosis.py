"""A diagnosis in progress: the evidence, the next check, and the possible causes, ranked by their conditions, by how
often reports had them, and by what confirms them.

A user interface calls `step()`, then `choose(step, choice)`, until no step is left."""

from __future__ import annotations

from math import exp, log

from advisor.diagnose.evidence import Reader, StatedFact, TextEvidence
from advisor.diagnose.faults import fault_cause, shares
from advisor.engine import FactError, consistent, holds
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from advisor.diagnose.evidence import SeenMessage
    from advisor.engine import Base, State
    from advisor.rulebase.model import Cause, CauseCheck, Fact, RuleBase
    from advisor.rulebase.model.types import Values

CONFIRMED, POSSIBLE, RULED_OUT = "confirmed", "possible", "ruled-out"
_ORDER = {CONFIRMED: 0, POSSIBLE: 1, RULED_OUT: 2}
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
NONE_OF_THEM, CANNOT = "none", "cannot"
"""Outcomes of a check besides the causes that it can show: it shows none of them; it cannot be made."""
_COST = {"low": 1.0, "medium": 2.0, "high": 4.0}
_RISK = {"none": 1.0, "low": 1.5, "high": 4.0}
LISTED = 3
"""How many possible causes are listed in a short answer."""
_OFFERED = 6
"""How many causes of a check are offered as its outcomes."""
_SURE = 0.95
"""No question is asked if the likelihood of one cause is above this."""


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
    return _with_faults(_shares(weighed), evidence)


def _with_faults(ranked: list[RankedCause], evidence: TextEvidence) -> list[RankedCause]:
    """The causes, and the faults of the versions that the text names. A function in a kernel's trace and a version in
    the range confirm a fault."""
    faults = [
        RankedCause(fault_cause(fault), CONFIRMED if fault.proved else POSSIBLE, likelihood, fault.because, ())
        for fault, likelihood in shares(evidence.faults)
    ]
    if not faults:
        return ranked
    left = 1 - sum(fault.likelihood for fault in faults)
    weighed = [candidate._replace(likelihood=candidate.likelihood * left) for candidate in ranked]
    return sorted([*faults, *weighed], key=lambda candidate: (_ORDER[candidate.status], -candidate.likelihood))


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
    ranked = sorted(weighed, key=lambda scored: (
        _ORDER[scored[1].status], -round(scored[0], 9), -sum(scored[1].cause.explains.values()), scored[1].cause.id,
    ))
    open_ = [score for score, candidate in ranked if candidate.status != RULED_OUT]
    most = max(open_, default=0.0)
    whole = sum(exp(score - most) for score in open_)
    return [
        candidate._replace(likelihood=0.0 if candidate.status == RULED_OUT else exp(score - most) / whole)
        for score, candidate in ranked
    ]


class NextCheck(NamedTuple):
    """A check, and the causes that it distinguishes from all others, the most likely first.

    `tells`: cause → what the outcome of the check means for it. `names`: cause → its number in the printed list, or its
    title if it is not in the list."""

    check: CauseCheck
    tells: Mapping[str, str]
    names: Mapping[str, str]

    def outcomes(self) -> list[str]:
        """What the outcomes mean for the most likely causes. If that differs, each line begins with the causes that it
        is about, since the texts say "this cause"."""
        about: dict[str, list[str]] = {}
        for cause, tells in list(self.tells.items())[:4]:
            about.setdefault(tells, []).append(self.names[cause])
        if len(about) == 1:
            return list(about)
        return [f"{', '.join(names)}: {tells}" for tells, names in about.items()]


class CauseQuestion(NamedTuple):
    """A fact that would change the order of the causes, and its possible answers."""

    fact: Fact
    values: tuple[object, ...]


class DiagnosisStep(NamedTuple):
    """The next check or question. `do`: its text; `on`: the side to check, "" for a question; `tells`: what the
    outcomes mean; `choices`: (value, label) of each answer; `fact`: that of a question."""

    do: str
    on: str
    tells: list[str]
    choices: tuple[tuple[object, str], ...]
    fact: str = ""


class Diagnosis:
    """A diagnosis of a text, or of evidence that was read from one. `known`: facts that were given with it."""

    def __init__(
        self, base: RuleBase, text: str | TextEvidence, known: Mapping[str, Values] | None = None
    ) -> None:
        self.base = base
        self.evidence = text if isinstance(text, TextEvidence) else Reader(base).read(text, known)
        self._shown: dict[str, str] = {}
        self._asked: set[str] = set()
        self.causes: list[RankedCause] = []
        self._rank()

    def _rank(self) -> None:
        self.causes = rank(self.base, self.evidence, self._shown)

    def possible(self) -> list[RankedCause]:
        """The causes that are still possible."""
        return [candidate for candidate in self.causes if candidate.status == POSSIBLE]

    def confirmed(self) -> list[RankedCause]:
        """The causes that are proved."""
        return [candidate for candidate in self.causes if candidate.status == CONFIRMED]

    def next_check(self) -> NextCheck | None:
        """The check with the most information for its cost and risk; None if none is left, or a cause is confirmed."""
        if self.confirmed():
            return None
        groups: dict[str, list[RankedCause]] = {}
        for candidate in self.possible():
            if candidate.cause.check.do not in self._asked:
                groups.setdefault(candidate.cause.check.do, []).append(candidate)
        best: tuple[float, list[RankedCause]] | None = None
        for group in groups.values():
            check = group[0].cause.check
            worth = _entropy([candidate.likelihood for candidate in group]) / (_COST[check.cost] * _RISK[check.risk])
            if best is None or worth > best[0] + 1e-9:
                best = worth, group
        if best is None:
            return None
        listed = {candidate.cause.id: str(number) for number, candidate in enumerate(self.possible()[:LISTED], 1)}
        return NextCheck(
            best[1][0].cause.check, {candidate.cause.id: candidate.cause.check.tells for candidate in best[1]},
            {candidate.cause.id: listed.get(candidate.cause.id, candidate.cause.title) for candidate in best[1]},
        )

    def decided_by_probe(self) -> list[str]:
        """The possible causes that `advisor probe` can confirm or rule out, as far as nothing was probed yet."""
        engine = self.base.diagnosis
        if self.confirmed() or any(stated.fact.startswith("probe.") for stated in self.evidence.read):
            return []
        return [
            candidate.cause.id for candidate in self.possible()
            for names in [{name for part in ("proof", "when") if f"{part}:{candidate.cause.id}" in engine.conditions
                           for name in engine.space.names(engine.condition(f"{part}:{candidate.cause.id}").reads)}]
            if any(name.startswith("probe.") for name in names)
        ]

    def question(self) -> CauseQuestion | None:
        """The question whose answer gives the most information; None if none gives enough."""
        likely = [candidate for candidate in self.possible() if candidate.likelihood > 0.02]
        if self.confirmed() or not likely or likely[0].likelihood > _SURE:
            return None
        best: tuple[float, CauseQuestion] | None = None
        for name, values in self._askable(likely).items():
            left = sum(self._entropy_with(name, value) for value in values) / len(values)
            gain = _entropy([candidate.likelihood for candidate in self.possible()]) - left
            if gain > 0.05 and (best is None or gain > best[0] + 1e-9):
                fact = self.base.observations.get(name) or self.base.facts[name]
                best = gain, CauseQuestion(fact, values)
        return best[1] if best else None

    def step(self) -> DiagnosisStep | None:
        """The next check, or else the question to ask; None if none is left."""
        following = self.next_check()
        if following is not None:
            titles = {candidate.cause.id: candidate.cause.title for candidate in self.possible()}
            shown: list[tuple[object, str]] = [(name, titles[name]) for name in list(following.tells)[:_OFFERED]]
            shown += [(NONE_OF_THEM, "It shows none of these"), (CANNOT, "I cannot check that")]
            return DiagnosisStep(following.check.do, following.check.on, following.outcomes(), tuple(shown))
        question = self.question()
        if question is None or not question.fact.ask:
            return None
        answers: list[tuple[object, str]] = [(value, _words(question.fact, value)) for value in question.values]
        answers.append((None, "I don't know"))
        return DiagnosisStep(question.fact.ask, "", [], tuple(answers), question.fact.id)

    def choose(self, step: DiagnosisStep, chosen: object) -> None:
        """Take one of the choices of a step, and rank the causes again."""
        if step.fact:
            self.add_fact(step.fact, chosen)  # type: ignore[arg-type]
        else:
            self.add_outcome(step.do, str(chosen))

    def _askable(self, likely: list[RankedCause]) -> dict[str, tuple[object, ...]]:
        """Unknown facts with a question in the conditions of these causes → their possible answers."""
        engine = self.base.diagnosis
        known = {stated.fact for stated in (*self.evidence.read, *self.evidence.stated)} | self._asked
        answers: dict[str, tuple[object, ...]] = {}
        for candidate in likely[:10]:
            names = [f"when:{candidate.cause.id}"] + [
                f"likelier:{candidate.cause.id}:{n}" for n in range(len(candidate.cause.likelier))
            ]
            for condition in names:
                if condition not in engine.conditions:
                    continue
                for name in engine.space.names(engine.condition(condition).reads):
                    fact = self.base.observations.get(name) or self.base.facts.get(name)
                    if fact is None or not fact.ask or name in known or name in answers:
                        continue
                    if fact.type == "bool":
                        answers[name] = (True, False)
                    elif fact.values:
                        answers[name] = tuple(fact.values)
        return answers

    def _entropy_with(self, fact: str, value: object) -> float:
        evidence = TextEvidence()
        evidence.seen, evidence.configuration = self.evidence.seen, self.evidence.configuration
        evidence.read = self.evidence.read
        evidence.stated = [*self.evidence.stated, StatedFact(fact, value, 0)]  # type: ignore[arg-type]
        ranked = rank(self.base, evidence, self._shown)
        return _entropy([candidate.likelihood for candidate in ranked if candidate.status == POSSIBLE])

    def add_outcome(self, check: str, outcome: str) -> None:
        """Take what a check has shown. `check`: its `do`; `outcome`: the id of a cause, NONE_OF_THEM or CANNOT."""
        self._asked.add(check)
        here = [candidate.cause.id for candidate in self.causes if candidate.cause.check.do == check]
        if outcome == CANNOT:
            return
        if outcome in here:
            self._shown[outcome] = CONFIRMED
        for name in here:
            if name != outcome:
                self._shown[name] = RULED_OUT
        self._rank()

    def add_fact(self, fact: str, value: Values | None) -> None:
        """Take the answer to a question; None: it is not known."""
        self._asked.add(fact)
        if value is not None:
            self.evidence.stated.append(StatedFact(fact, value, 0))
            self._rank()


def _words(fact: Fact, value: object) -> str:
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return str((fact.values or {}).get(str(value), value))


def _entropy(shares: list[float]) -> float:
    """The entropy of these probabilities; what they lack to 1 counts as one more outcome."""
    rest = max(0.0, 1.0 - sum(shares))
    return -sum(share * log(share) for share in (*shares, rest) if share > 0)
