"""How much of what an expert says of an environment is advised, from a few facts and from all of them.

Each file here is one environment: what somebody would say of it first, what more there is to know, and the answer that
a vendor's page or a public guide gives: what must be, what should be, and what must not be. Those set aside were not
looked at while the rule base was mended, and are measured by themselves.

`python -m tests.experts.measure` prints what is missed; `--aside` with those set aside."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.model import Advice
from advisor.advice.rows import is_idle
from advisor.rulebase.base import load
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import is_bound, same, supports

HERE = Path(__file__).parent
_YAML = YAML(typ="safe")
CASES: dict[str, dict[str, Any]] = {
    path.stem: _YAML.load(path.read_text(encoding="utf-8")) for path in sorted(HERE.glob("*.yaml"))
}
NEGOTIATED = {"mount.rsize": "estimate.negotiated_rsize", "mount.wsize": "estimate.negotiated_wsize"}
OPEN = object()
"""What is in effect where the advice leaves a setting open."""


class Score(NamedTuple):
    """Of `of` settings `met` are advised as the expert says; `missed` names the others."""

    met: int
    of: int
    missed: tuple[str, ...]

    def __add__(self, other: Score) -> Score:  # type: ignore[override]
        return Score(self.met + other.met, self.of + other.of, (*self.missed, *other.missed))

    @property
    def percent(self) -> int:
        return 100 * self.met // self.of if self.of else 100


NOTHING = Score(0, 0, ())


def facts(name: str, *, all_of_them: bool) -> dict[str, Any]:
    case = CASES[name]
    return {**case["first"], **(case["more"] if all_of_them else {})}


def in_effect(base: RuleBase, advice: Advice, tunable: str) -> Any:
    """What a host that does all that is advised has; OPEN where that is not said."""
    if tunable in advice.answers.facts:
        return advice.answers.facts[tunable]
    one = advice.find(tunable)
    if one is None:
        left = next((each for each in advice.open if each.tunable == tunable), None)
        default = base.tunables[tunable].default
        return default if left is not None and is_idle(left) and default is not None else OPEN
    if one.written is not None:
        return one.written
    if is_bound(one.value):
        return one.value
    if tunable in NEGOTIATED:
        return next((each.value for each in advice.estimates if each.tunable == NEGOTIATED[tunable]), OPEN)
    default = base.tunables[tunable].default
    return one.value if default is None else default


def agrees(base: RuleBase, found: Any, wanted: Any, tunable: str) -> bool:
    """`wanted`: a value, a bound, "omit", or a list of such of which any will do."""
    if isinstance(wanted, list):
        return any(agrees(base, found, each, tunable) for each in wanted)
    default = base.tunables[tunable].default
    if found is OPEN:
        return False
    if wanted == "omit":
        return found in ("omit", "keep", "n/a") or same(found, default)
    return same(found, wanted) or (not is_bound(found) and supports(found, wanted, default))


def answer(base: RuleBase, name: str, strength: str, *, all_of_them: bool) -> Score:
    """How much of what the expert says with this strength is advised. Of "must_not", what is not advised is met."""
    advice = advise(base, Answers(facts(name, all_of_them=all_of_them)))
    wanted: dict[str, Any] = CASES[name][strength]
    missed = []
    for tunable, value in wanted.items():
        found = in_effect(base, advice, tunable)
        if agrees(base, found, value, tunable) is (strength == "must_not"):
            missed.append(f"{name}: {tunable}={value}, found {'open' if found is OPEN else found}")
    return Score(len(wanted) - len(missed), len(wanted), tuple(missed))


def score(base: RuleBase, strength: str, *, aside: bool, all_of_them: bool) -> Score:
    """Over all environments of one half."""
    total = NOTHING
    for name in names(aside=aside):
        total += answer(base, name, strength, all_of_them=all_of_them)
    return total


def names(*, aside: bool) -> list[str]:
    return [name for name, case in CASES.items() if case["aside"] is aside]


def report(base: RuleBase, *, aside: bool) -> Iterable[str]:
    for all_of_them in (False, True):
        for strength in ("must", "should", "must_not"):
            found = score(base, strength, aside=aside, all_of_them=all_of_them)
            yield f"{'all facts' if all_of_them else 'first facts'}, {strength}: {found.met} of {found.of}"
            yield from (f"  {line}" for line in found.missed)


if __name__ == "__main__":
    print("\n".join(report(load(), aside="--aside" in sys.argv)))
