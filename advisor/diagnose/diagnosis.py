"""A diagnosis in progress: the evidence, the causes by their likelihood, and the check that comes next.

A user interface calls `step()`, then `choose(step, choice)`, until no step is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from math import log

from advisor.diagnose.evidence import Reader, StatedFact, TextEvidence
from advisor.diagnose.score import CONFIRMED, POSSIBLE, RULED_OUT, RankedCause, rank
from advisor.named_tuple import NamedTuple, grouped
from advisor.rulebase.model import Cause, CauseCheck, Fact, RuleBase, Values

LIKELY, PERHAPS, SEVERAL, UNSURE, NOTHING = "very likely", "probably", "several", "unsure", "nothing"
_VERDICTS = ((0.75, LIKELY), (0.4, PERHAPS), (0.2, SEVERAL), (0.0, UNSURE))
"""Least likelihood of the first → how sure that is."""
NONE_OF_THEM, CANNOT = "none", "cannot"
"""Outcomes of a check besides the causes that it can show: it shows none of them; it cannot be made."""
ASK = "ask"
"""The choice to ask the server itself instead."""
_COST = {"low": 1.0, "medium": 2.0, "high": 4.0}
_RISK = {"none": 1.0, "low": 1.5, "high": 4.0}
LISTED = 3
"""How many possible causes are listed in a short answer."""
_OFFERED = 6
"""How many causes of a check are offered as its outcomes."""
_SURE = 0.95
"""No question is asked if the likelihood of one cause is above this."""


class NextCheck(NamedTuple):
    """A check, and the causes that it distinguishes from all others, the most likely first.

    `tells`: cause → what the outcome of the check means for it. `names`: cause → its title."""

    check: CauseCheck
    tells: Mapping[str, str]
    names: Mapping[str, str]

    def outcomes(self, answer: str = "") -> list[str]:
        """What the outcomes mean for the most likely causes. If that differs, or the answer given is another cause,
        each line begins with the causes that it is about, since the texts say "this cause"."""
        about = grouped((tells, self.names[cause]) for cause, tells in list(self.tells.items())[:3])
        if len(about) == 1 and (not answer or answer in self.tells or len(self.tells) > 1):
            return list(about)
        return [f"{', or '.join(names)}: {tells}" for tells, names in about.items()]


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

    def __init__(self, base: RuleBase, text: str | TextEvidence, known: Mapping[str, Values] | None = None) -> None:
        self.base = base
        self.evidence = text if isinstance(text, TextEvidence) else base.ready(Reader).read(text, known)
        self.ask_server: Callable[[str, str], Mapping[str, Values]] | None = None
        """Asks a server about a path, as advisor probe does; what that proves. None: that is not offered."""
        self._shown: dict[str, str] = {}
        self._asked: set[str] = set()
        self.causes: list[RankedCause] = []
        self._rank()

    def _rank(self) -> None:
        self.causes = rank(self.base, self.evidence, self._shown)

    def possible(self) -> list[RankedCause]:
        return [candidate for candidate in self.causes if candidate.status == POSSIBLE]

    def kin(self, first: RankedCause) -> list[RankedCause]:
        """The others of its family that are still possible."""
        return [one for one in self.possible() if one.family == first.family and one is not first]

    def confirmed(self) -> list[RankedCause]:
        return [candidate for candidate in self.causes if candidate.status == CONFIRMED]

    def leading(self) -> RankedCause | None:
        """The answer: what is confirmed, or else the most likely cause or family; None if there is none."""
        return next((candidate for candidate in self.causes if candidate.status != RULED_OUT), None)

    def verdict(self) -> str:
        """How sure the answer is: CONFIRMED, LIKELY, PERHAPS, SEVERAL, UNSURE, or NOTHING where nothing was found."""
        first = self.leading()
        if first is None:
            return NOTHING
        if first.status == CONFIRMED:
            return CONFIRMED
        return next(word for least, word in _VERDICTS if first.likelihood >= least)

    def next_check(self) -> NextCheck | None:
        """The check of the answer, unless users would notice it; then the one that separates best what is left for its
        cost and risk. None if none is left, or a cause is confirmed."""
        if self.confirmed():
            return None
        causes = [(one.cause.check.do, one) for one in self.possible() if isinstance(one.cause, Cause)]
        groups = grouped((do, one) for do, one in causes if do not in self._asked)
        first = self.leading()
        if first is not None and first.cause.check.do not in self._asked and first.cause.check.risk != "high":
            mine = groups.get(first.cause.check.do, []) if isinstance(first.cause, Cause) else self.kin(first)
            return self._check(first.cause.check, mine)
        best: tuple[float, list[RankedCause]] | None = None
        for group in groups.values():
            check = group[0].cause.check
            worth = _entropy([candidate.likelihood for candidate in group]) / (_COST[check.cost] * _RISK[check.risk])
            if best is None or worth > best[0] + 1e-9:
                best = worth, group
        return self._check(best[1][0].cause.check, best[1]) if best else None

    def _check(self, check: CauseCheck, causes: list[RankedCause]) -> NextCheck:
        same = all(one.cause.check.do == check.do for one in causes)
        return NextCheck(
            check, {one.cause.id: one.cause.check.tells if same else check.tells for one in causes},
            {one.cause.id: one.cause.title for one in causes},
        )

    def decided_by_probe(self) -> list[str]:
        """The possible causes that `advisor probe` can confirm or rule out, as far as nothing was probed yet."""
        engine = self.base.diagnosis
        local = self.evidence.mounts and not self.evidence.places()  # what a tunnel of this host leads to
        if self.confirmed() or local or any(stated.fact.startswith("probe.") for stated in self.evidence.read):
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
            shown += [*self._asking(), (NONE_OF_THEM, "It shows none of these"), (CANNOT, "I cannot check that")]
            return DiagnosisStep(following.check.do, following.check.on, following.outcomes(), tuple(shown))
        question = self.question()
        if question is None or not question.fact.ask:
            return None
        answers: list[tuple[object, str]] = [(value, _words(question.fact, value)) for value in question.values]
        answers += [*self._asking(), (None, "I don't know")]
        return DiagnosisStep(question.fact.ask, "", [], tuple(answers), question.fact.id)

    def _asking(self) -> list[tuple[object, str]]:
        """The choice to ask the server itself, where that decides."""
        places = self.evidence.places()
        if self.ask_server is None or "SERVER" not in places or not self.decided_by_probe():
            return []
        source = f"{places['SERVER']}:{places.get('PATH', '')}".rstrip(":")
        return [(ASK, f"Ask {places['SERVER']} over the network now (advisor probe {source}); nothing is mounted")]

    def asked(self) -> Mapping[str, Values]:
        """What the server proves when it is asked; this takes up to 20 s."""
        places = self.evidence.places()
        return self.ask_server(places["SERVER"], places.get("PATH", "")) if self.ask_server else {}

    def choose(self, step: DiagnosisStep, chosen: object) -> None:
        """Take one of the choices of a step, or what the server proved, and rank the causes again."""
        if chosen == ASK:
            chosen = self.asked()
        if isinstance(chosen, Mapping):
            self.evidence.add_probed(chosen)
            self._rank()
        elif step.fact:
            self.add_fact(step.fact, chosen)  # type: ignore[arg-type]
        else:
            self.add_outcome(step.do, str(chosen))

    def _askable(self, likely: list[RankedCause]) -> dict[str, tuple[object, ...]]:
        """Unknown facts with a question in the conditions of these causes → their possible answers."""
        engine = self.base.diagnosis
        known = {stated.fact for stated in (*self.evidence.read, *self.evidence.stated)} | self._asked
        answers: dict[str, tuple[object, ...]] = {}
        for candidate in [one for one in likely if isinstance(one.cause, Cause)][:10]:
            names = [f"when:{candidate.cause.id}"] + [
                name for name in engine.conditions if name.startswith(f"likelier:{candidate.cause.id}:")
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
        evidence = copy(self.evidence)
        evidence.stated = [*self.evidence.stated, StatedFact(fact, value, 0)]  # type: ignore[arg-type]
        return _entropy([candidate.likelihood for candidate in rank(self.base, evidence, self._shown)])

    def add_outcome(self, check: str, outcome: str) -> None:
        """Take what a check has shown. `check`: its `do`; `outcome`: the id of a cause, NONE_OF_THEM or CANNOT."""
        self._asked.add(check)
        families = {family.id for family in self.base.families.values() if family.check.do == check}
        here = [cause.id for cause in self.base.causes.values() if cause.check.do == check or cause.family in families]
        if outcome == CANNOT:
            return
        if outcome in here:
            self._shown[outcome] = CONFIRMED
        for name in here:
            if name != outcome:
                self._shown[name] = RULED_OUT
        self._rank()

    def add_output(self, step: DiagnosisStep, printed: str) -> bool:
        """Take what a check printed, which is read as any text. Returns False if nothing in it was recognised; then the
        check is still open."""
        if not self.evidence.take(self.base.ready(Reader).read(printed)):
            return False
        self._asked.add(step.fact or step.do)
        self._rank()
        return True

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
