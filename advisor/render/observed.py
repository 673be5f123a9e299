"""What the counters of a mount say of a setting that is advised: that it can help there, or that it changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from advisor.observe.conclusions import conclusions

if TYPE_CHECKING:
    from advisor.advice.answers import Answers
    from advisor.advice.model import Recommendation
    from advisor.advice.several import Several
    from advisor.rulebase.model import RuleBase

_PERFORMANCE = ("performance", None)
"""Consequences of settings that are there to make the work faster. Others are advised for what no counter sees."""


class ObservedEffect(NamedTuple):
    """`says`: the evidence. `conclusion`: its id in rules/conclusions. `at_most`: what the setting can save, in words;
    "" where that is not known."""

    kind: Literal["helps", "useless"]
    says: str
    conclusion: str
    at_most: str = ""

    @property
    def words(self) -> str:
        """For people, a sentence or two."""
        if self.kind == "useless":
            return f"Observed: it would change nothing. {self.says}"
        most = f" It saves {self.at_most} at most." if self.at_most else ""
        return f"Observed: it can help. {self.says}{most}"


Effects = Mapping[str, ObservedEffect]
"""Tunable → what was observed."""


def effects_of(base: RuleBase, answers: Answers) -> dict[str, ObservedEffect]:
    """What the quantities among the answers say of settings; of those for which they say two things, nothing."""
    if not answers.observed:
        return {}
    drawn = conclusions(base, answers.observed)
    helps = {
        name: ObservedEffect("helps", one.says, one.conclusion.id, one.at_most.get(name, ""))
        for one in reversed(drawn) for name in (*one.conclusion.helps, *one.at_most)
    }
    useless = {
        name: ObservedEffect("useless", one.says, one.conclusion.id)
        for one in reversed(drawn) for name in one.conclusion.useless
    }
    both = helps.keys() & useless.keys()
    return {name: one for name, one in {**helps, **useless}.items() if name not in both}


def shared_effects(base: RuleBase, several: Several) -> dict[str, ObservedEffect]:
    """For settings of the host: what helps one mount helps; what changes nothing has to change nothing for all that ask
    for it."""
    each = {one.answers.name("target"): effects_of(base, one.answers) for one in several.mounts}
    found = {}
    for tunable, targets in several.wanted.items():
        seen = [each[target].get(tunable) for target in targets if target in each]
        helping = [one for one in seen if one is not None and one.kind == "helps"]
        if helping:
            found[tunable] = helping[0]
        elif seen and seen[0] is not None and None not in seen:
            found[tunable] = seen[0]
    return found


def effect_on(effects: Effects, one: Recommendation) -> ObservedEffect | None:
    """What was observed of a setting, where it is one to write and there to make the work faster."""
    writes = one.opinion and one.value != "omit" and one.written is not None
    return effects.get(one.tunable) if writes and one.consequence in _PERFORMANCE else None


def effect_text(effects: Effects, one: Recommendation) -> str:
    """The same in words, "" for nothing."""
    found = effect_on(effects, one)
    return found.words if found else ""


def helping_first(settings: Iterable[Recommendation], effects: Effects) -> list[Recommendation]:
    """What can help first and what changes nothing last, otherwise in their order."""
    def place(one: Recommendation) -> int:
        found = effect_on(effects, one)
        return 1 if found is None else 0 if found.kind == "helps" else 2

    return sorted(settings, key=place)
