"""Advice as plain data, the source of text, JSON, written files and the wizard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.advice.answers import Answers
from advisor.advice.steps import Steps
from advisor.rulebase.model import Rule, Tunable
from advisor.rulebase.values import describe, name

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value, Values

SILENT = ("keep", "n/a")
"""Values that ask for nothing."""
NOTHING = "nothing to do"


class Citation(NamedTuple):
    """A claim and its source. `grade` of evidence and `verdict` as in kb/. `against`: claims that dispute it, or say it
    better."""

    claim: str
    says: str
    source: str
    title: str
    publisher: str
    at: str
    grade: str
    verdict: str
    date: str | None
    address: str | None
    figures: Mapping[str, object]
    scope: str | None = None
    against: tuple[str, ...] = ()


class Because(NamedTuple):
    """A fact on which a value rests. `value`: as it was answered, or in words; `need`: how much of it is enough.
    `origin`: "given", "decided", "follows", "assumed", or where it was read."""

    fact: str
    value: str
    need: str
    origin: str


class Loser(NamedTuple):
    """A rule that applies, or may apply, and does not win; `beaten_by`: the rules that beat it."""

    rule: str
    layer: str
    value: Value
    why: str
    cites: tuple[str, ...]
    beaten_by: tuple[str, ...]


class Cost(NamedTuple):
    """What would be recommended instead of a pinned value."""

    rule: str | None
    value: Value
    strength: str | None
    consequence: str | None
    why: str
    cites: tuple[Citation, ...]


class Supposition(NamedTuple):
    """What is supposed of a fact that is not known: its usual value, or what is presumed (then `value` may be a range
    or a list). `why`: why that is usually so."""

    fact: str
    value: Values
    why: str
    cites: tuple[str, ...]


class Recommendation(NamedTuple):
    """A tunable whose value is settled, or assumed.

    `value`: the rule's: a literal, "omit", "keep", "n/a", or a bound. `written`: the concrete value to write; None
    where there is nothing to write or it cannot be known. `text`: as it is written in its file ("nconnect=8"), ""
    likewise. `already`: it is the default, in effect anyway. `pinned`: an administrator fixed it. `rule`: what the rule
    base has on the rule that won (why, cites, risk, layer …); None for a pinned value that no rule gives.
    `definition`: the tunable's own data (unit, takes_effect, persists, risk …). `rests_on`: the usual values that are
    assumed for it; () for one that is settled. `presumes`: what is taken for granted for it, without proof that it
    does no harm. `steps`: how to apply, check and undo this value. `idle`: it cannot be used here (a gate), and nothing
    in the rule base would ask for it anyway."""

    tunable: str
    kind: str
    title: str
    value: Value
    written: Value
    text: str
    already: bool
    pinned: bool
    rule: Rule | None
    definition: Tunable
    rests_on: tuple[Supposition, ...] = ()
    presumes: tuple[Supposition, ...] = ()
    steps: Steps = Steps()
    idle: bool = False

    @property
    def summary(self) -> str:
        """The recommendation in a few words: as it is written, or what to do."""
        if not self.recommends or self.value == "n/a":
            return NOTHING
        if self.value == "omit":
            return f"leave out {name(self.definition).removeprefix('sysctl.')}"
        return self.text or describe(self.definition, self.value)

    @property
    def recommends(self) -> bool:
        """Whether it recommends anything, even to leave something out."""
        return self.pinned or (self.value not in SILENT and not self.idle)

    @property
    def strength(self) -> str | None:
        return self.rule.strength if self.rule else None

    @property
    def consequence(self) -> str | None:
        return self.rule.consequence if self.rule else None

    @property
    def why(self) -> str:
        return self.rule.why if self.rule else "Pinned by you."


class Argument(NamedTuple):
    """Why a settled value is what it is. `because`: the smallest set of facts that forces it. `cites`: what the winning
    rule rests on. `losers`: the rules that could have won. `disagree`: sources that say otherwise, or slip. `measured`:
    what sources measured with the setting, on systems like the one at hand. `elsewhere`: what else they are about → how
    many more such claims there are. `costs`: what a pinned value gives up."""

    because: tuple[Because, ...]
    cites: tuple[Citation, ...]
    losers: tuple[Loser, ...]
    disagree: tuple[Citation, ...]
    measured: tuple[Citation, ...]
    costs: tuple[Cost, ...]
    elsewhere: dict[str, int]


class Possible(NamedTuple):
    """A value that an open tunable may still get, by which rule, and a case in which it does."""

    value: Value
    rule: str | None
    strength: str | None
    consequence: str | None
    why: str
    when: str


class OpenSetting(NamedTuple):
    """A tunable that depends on what is not known. `asks`: the facts that settle it. `strength`: of the strongest rule
    that may still win; None if nothing would come of it: the setting only says where others are written, and none of
    them is; or only clients have it, and the host is the server; or leaving it out is right whichever value is."""

    tunable: str
    kind: str
    title: str
    possible: tuple[Possible, ...]
    asks: tuple[str, ...]
    strength: str | None

    @property
    def consequence(self) -> str | None:
        """What that rule is about."""
        return next((candidate.consequence for candidate in self.possible if candidate.strength == self.strength), None)


class Estimate(NamedTuple):
    """A figure. `value` is None while `missing` facts are not known. `filled`: the formula with its numbers.
    `rests_on`: the usual values among them, and those for which the formula holds."""

    tunable: str
    title: str
    about: str
    unit: str
    formula: str
    filled: str
    value: int | None
    missing: tuple[str, ...]
    rule: str
    why: str
    cites: tuple[str, ...]
    rests_on: tuple[Supposition, ...] = ()


class Bug(NamedTuple):
    """A known bug. `certain`: the known facts put the host among those affected; else `asks` has the facts that
    decide."""

    erratum: str
    title: str
    package: str
    symptom: str
    why: str
    workaround: str | None
    strength: str
    consequence: str
    certain: bool
    asks: tuple[str, ...]
    cites: tuple[str, ...]


class FactQuestion(NamedTuple):
    """A question that can still change something. `settles`: how many open settings its answer settles, on average;
    `decisions`: those that it bears on. `impact`: what is at stake for these settings times the chance to settle them.
    `matters`: something that must or should be done waits for it; other answers could only fine-tune."""

    fact: str
    ask: str
    settles: float
    decisions: tuple[str, ...]
    impact: float
    matters: bool


class PinEffect(NamedTuple):
    """What pinning one setting changes in another."""

    tunable: str
    before: str
    after: str


class Advice(NamedTuple):
    """Everything that follows from some answers. `state`: the engine's, with what was decided; `supposed`: with the
    usual values, too. `advised`: all that can be done now, in the order in which decisions rest on one another. `open`:
    what cannot be said without an answer. `given_options`: tunable → text, for options of the line that facts state
    outright. `server`: the host is the server, by an answer, or by something that only servers have."""

    answers: Answers
    state: dict[str, int]
    supposed: dict[str, int]
    advised: tuple[Recommendation, ...]
    open: tuple[OpenSetting, ...]
    estimates: tuple[Estimate, ...]
    bugs: tuple[Bug, ...]
    questions: tuple[FactQuestion, ...]
    effects: tuple[PinEffect, ...]
    base_hash: str
    version: str
    given_options: Mapping[str, str] = {}
    server: bool = False

    @property
    def settled(self) -> tuple[Recommendation, ...]:
        """What applies to all values of unknown facts."""
        return tuple(recommendation for recommendation in self.advised if not recommendation.rests_on)

    @property
    def assumed(self) -> tuple[Recommendation, ...]:
        """What rests on usual values as well, and is harmless if they are wrong."""
        return tuple(recommendation for recommendation in self.advised if recommendation.rests_on)

    @property
    def unusable_pins(self) -> tuple[Recommendation, ...]:
        """Settings whose pinned value cannot be used, as the rule of a gate says."""
        return tuple(
            recommendation for recommendation in self.advised
            if recommendation.tunable in self.answers.pins and not recommendation.pinned
        )

    def find(self, tunable: str) -> Recommendation | None:
        """The recommendation for a tunable."""
        return next((recommendation for recommendation in self.advised if recommendation.tunable == tunable), None)
