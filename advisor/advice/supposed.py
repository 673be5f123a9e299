"""What an advice supposes: usual values and presumptions of settings, and figures that usual values fill in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from advisor.advice.model import Advice, Estimate, Row, Supposition
from advisor.engine import State, formula, holds, possible
from advisor.engine.usual import Counsel
from advisor.regex import regex
from advisor.rulebase.counsel import NOT_WRITTEN, Lookup, formula_facts, missing_facts
from advisor.rulebase.model import RuleBase
from advisor.rulebase.model.rules import UsualValue


def suppositions(base: RuleBase, rests_on: State, state: State) -> tuple[Supposition, ...]:
    """The usual values that a setting assumes, with their reasons. `state`: what is known and assumed."""
    return tuple(
        _supposed(fact, next(usual for usual in usual_values(base, fact, state, (True,))
                             if base.engine.fact(fact).mask(usual.value) & mask))
        for fact, mask in rests_on.items()
    )


class Presumed(Sequence[Supposition]):
    """What a setting presumes, worked out when it is first read. `all_of_them`: works it out for all settings, once;
    `facts`: those of which anything is presumed."""

    __slots__ = ("_all", "_name", "facts")

    def __init__(
        self, all_of_them: Callable[[], Mapping[str, Sequence[Supposition]]], name: str, facts: Container[str]
    ) -> None:
        self._all, self._name, self.facts = all_of_them, name, facts

    def __getitem__(self, at: int) -> Supposition:  # type: ignore[override]
        return self._all().get(self._name, ())[at]

    def __len__(self) -> int:
        return len(self._all().get(self._name, ()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


def rests_on(row: Row, fact: str) -> bool:
    """Whether a setting assumes or presumes anything of a fact."""
    open_to_it = not isinstance(row.presumes, Presumed) or fact in row.presumes.facts
    return any(taken.fact == fact for taken in (*row.rests_on, *(row.presumes if open_to_it else ())))


def presumptions(
    base: RuleBase, certain: State, given: State, decided: Counsel
) -> dict[str, tuple[Supposition, ...]]:
    """Setting → its presumptions. `certain`, `given`: the known state, without and with presumptions; `decided`: as
    `decide_all` returns it."""
    engine = base.engine
    taken: dict[str, Supposition] = {}
    for fact, mask in {fact: mask for rests_on in decided.presumed.values() for fact, mask in rests_on.items()}.items():
        kind = engine.fact(fact)
        behind = engine.behind(given, fact, certain.get(fact, kind.full))
        constraints = [base.constraints[name] for name in behind]
        left = possible(engine, fact, given) & ~kind.not_applicable
        whys = dict.fromkeys(constraint.why for constraint in constraints)
        taken[fact] = Supposition(
            fact, engine.answer(fact, left or mask), " ".join(whys),
            tuple(dict.fromkeys(claim for constraint in constraints for claim in constraint.cites)),
        )
    return {name: tuple(taken[fact] for fact in rests_on) for name, rests_on in decided.presumed.items()}


def presumed_facts(each: Iterable[Advice]) -> tuple[Supposition, ...]:
    """The presumptions of all settings of this advice, each fact once, first those on which most settings rest."""
    presumed = [taken for advice in each for recommendation in advice.advised for taken in recommendation.presumes]
    often = Counter(supposition.fact for supposition in presumed)
    first = {supposition.fact: supposition for supposition in reversed(presumed)}
    return tuple(sorted(first.values(), key=lambda supposition: (-often[supposition.fact], supposition.fact)))


def _supposed(fact: str, usual: UsualValue) -> Supposition:
    return Supposition(fact, usual.value, usual.why, tuple(usual.cites))


def figures(
    base: RuleBase, name: str, lookup: Lookup, counsel: Counsel, answered: Container[str]
) -> list[Estimate]:
    """The figure of a decision, for each of its outcomes. `lookup`: the number of a fact, or None; `answered`: facts
    of which something is known, perhaps less than a number."""

    def usual(fact: str) -> Supposition | None:
        """The usual value of a fact, if it is a number."""
        taken = None if fact in answered else next(usual_values(base, fact, counsel.supposed, (True,)), None)
        return None if taken is None or whole(taken.value) is None else _supposed(fact, taken)

    def number(fact: str) -> int | None:
        known, taken = lookup(fact), usual(fact)
        return known if known is not None or taken is None else int(str(taken.value))

    def filled(name: re.Match[str]) -> str:
        known = number(name[0]) if "." in name[0] else None
        return name[0] if known is None else str(known)

    assumption = counsel.assumed.get(name)
    under = () if assumption is None else suppositions(base, assumption.rests_on, counsel.supposed)
    tunable, decision, made = base.tunables[name], base.decisions[name], []
    outcomes = counsel.outcomes[name] if assumption is None else (assumption.outcome,)
    for value, rule_id in ((one.value, one.rule) for one in outcomes if one.value not in NOT_WRITTEN):
        rule, text, figure = decision.rules[rule_id or ""], str(value), None
        missing = missing_facts(value, base.facts, number)
        if len(outcomes) == 1 and not missing:
            figure = formula.evaluate(text, number) if formula_facts(value, base.facts) else whole(value)
        made.append(Estimate(
            name, tunable.title, tunable.about or "", decision.unit or tunable.unit or "", text,
            _FACT.sub(filled, text),
            figure, missing, rule.id, rule.why, tuple(rule.cites),
            (*under, *filter(None, map(usual, missing_facts(value, base.facts, lookup)))),
        ))
    return made


def usual_values(
    base: RuleBase, fact: str, state: State, if_holds: Container[bool | None] = (True, None)
) -> Iterator[UsualValue]:
    """Those that are usual in this state. `if_holds`: what their condition may be, true, false or not known."""
    for index, usual_value in enumerate(base.facts[fact].usual):
        if not usual_value.when or holds(base.engine, f"usual:{fact}:{index}", state) in if_holds:
            yield usual_value


_FACT = regex(r"[a-z_]+(?:\.[a-z0-9_]+)*")


def whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
