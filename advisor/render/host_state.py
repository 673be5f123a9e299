"""What a host has of a setting that is recommended: what is set and in effect, and what its counters say: that the
setting can help there, or that it changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from advisor.advice.steps import as_written
from advisor.document.blocks import Block, Document, code, dim, text
from advisor.observe.conclusions import conclusions
from advisor.render.wording import label

if TYPE_CHECKING:
    from advisor.advice.answers import Answers, Before, Now
    from advisor.advice.model import Recommendation
    from advisor.advice.several import Several
    from advisor.document.blocks import TextLike
    from advisor.rulebase.model import RuleBase

_PERFORMANCE = ("performance", None)
"""Consequences of settings that make the work faster. Others have reasons that no counter shows."""


class ObservedEffect(NamedTuple):
    """`says`: the evidence. `conclusion`: its id in rules/conclusions. `at_most`: what the setting can save, in words;
    "" if that is not known."""

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
    """What the observed quantities say of settings; nothing of a setting for which they contradict each other."""
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
    """Of settings of the host: one that can help a mount can help; one that changes nothing must change nothing for any
    mount that asks for it."""
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
    """What was observed of a setting, if it is to be written and is there to make the work faster."""
    writes = one.recommends and one.value != "omit" and one.written is not None
    return effects.get(one.tunable) if writes and one.consequence in _PERFORMANCE else None


def effect_text(effects: Effects, one: Recommendation) -> str:
    """The same in words; "" for nothing."""
    found = effect_on(effects, one)
    return found.words if found else ""


def helping_first(settings: Iterable[Recommendation], effects: Effects) -> list[Recommendation]:
    """The settings in their order, but those that can help first, and those that change nothing last."""
    def place(one: Recommendation) -> int:
        found = effect_on(effects, one)
        return 1 if found is None else 0 if found.kind == "helps" else 2

    return sorted(settings, key=place)


def state_table(settings: Iterable[Recommendation], now: Mapping[str, Now]) -> list[Block]:
    """What is set, in effect and recommended, side by side; [] if none of these settings was looked up."""
    rows: list[tuple[TextLike, ...]] = []
    for one in settings:
        if one.tunable in now:
            has = now[one.tunable]
            cells = (_cell(one, part, has.unread) for part in (has.set, has.in_effect))
            rows.append((label(one.definition), *cells, _advised_cell(one)))
    page = Document()
    if rows:
        page.table(("setting", "set", "in effect", "advised"), rows)
    return page.blocks


def current_value(one: Recommendation, now: Now | None) -> str:
    """ "now 65536": what is in effect, or else set, if it is not what is recommended; "" if it is."""
    has = now and (now.in_effect or now.set)
    if not has or has.value is None or one.written is None:
        return ""
    mine, wanted = as_written(one.definition, has.value), as_written(one.definition, one.written)
    return "" if mine == wanted else f"now {mine.rpartition('=')[2]}"


def _cell(one: Recommendation, has: Before | None, unread: str) -> TextLike:
    if has is None:
        return dim(unread)
    if has.value is None:
        return dim(has.where if has.where.startswith("not ") else "not set")
    return text(code(as_written(one.definition, has.value)), dim(f" {has.where}"))


def _advised_cell(one: Recommendation) -> TextLike:
    if one.written is None:
        return "leave out" if one.value == "omit" else "keep"
    return code(as_written(one.definition, one.written))
