"""The state of recommended settings on a host: what is set and in effect, and whether its counters show that a setting
can help or would change nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from advisor.advice.steps import as_written
from advisor.observe.conclusions import conclusions
from advisor.pages.blocks import Block, Document, code, dim, text
from advisor.pages.wording import label

if TYPE_CHECKING:
    from advisor.advice.answers import Answers, Before
    from advisor.advice.model import Row
    from advisor.advice.several import Several
    from advisor.pages.blocks import TextLike
    from advisor.rulebase.model import RuleBase

_PERFORMANCE = ("performance", None)
"""Consequences of settings that improve speed. Other settings have reasons that no counter shows."""


class ObservedEffect(NamedTuple):
    """The observed effect of a setting. `says`: the evidence. `conclusion`: its id in rules/conclusions. `at_most`: how
    much the setting can save, in words; "" if unknown."""

    kind: Literal["helps", "useless"]
    says: str
    conclusion: str
    at_most: str = ""

    @property
    def words(self) -> str:
        """The effect in a sentence or two."""
        if self.kind == "useless":
            return f"Observed: it would change nothing. {self.says}"
        most = f" It saves {self.at_most} at most." if self.at_most else ""
        return f"Observed: it can help. {self.says}{most}"


Effects = Mapping[str, ObservedEffect]
"""Tunable → its observed effect."""


def effects_of(base: RuleBase, answers: Answers) -> dict[str, ObservedEffect]:
    """The effects of settings by the observed quantities, without settings for which these contradict each other."""
    if not answers.observed:
        return {}
    drawn = conclusions(base, answers.observed)
    helps = {
        name: ObservedEffect("helps", conclusion.says, conclusion.conclusion.id, conclusion.at_most.get(name, ""))
        for conclusion in reversed(drawn) for name in (*conclusion.conclusion.helps, *conclusion.at_most)
    }
    useless = {
        name: ObservedEffect("useless", conclusion.says, conclusion.conclusion.id)
        for conclusion in reversed(drawn) for name in conclusion.conclusion.useless
    }
    both = helps.keys() & useless.keys()
    return {name: effect for name, effect in {**helps, **useless}.items() if name not in both}


def shared_effects(base: RuleBase, several: Several) -> dict[str, ObservedEffect]:
    """The effects of settings of the host: it can help if it can help one mount; it changes nothing if it changes
    nothing for all mounts that ask for it."""
    each = {advice.answers.name("target"): effects_of(base, advice.answers) for advice in several.mounts}
    effects = {}
    for tunable, targets in several.wanted.items():
        seen = [each[target].get(tunable) for target in targets if target in each]
        helping = [effect for effect in seen if effect is not None and effect.kind == "helps"]
        if helping:
            effects[tunable] = helping[0]
        elif seen and seen[0] is not None and None not in seen:
            effects[tunable] = seen[0]
    return effects


def effect_on(effects: Effects, setting: Row) -> ObservedEffect | None:
    """The observed effect of a setting, if it is to be written and is meant to improve speed."""
    writes = setting.recommends and setting.value != "omit" and setting.written is not None
    return effects.get(setting.tunable) if writes and setting.consequence in _PERFORMANCE else None


def effect_text(effects: Effects, setting: Row) -> str:
    """The observed effect in words; "" if there is none."""
    effect = effect_on(effects, setting)
    return effect.words if effect else ""


def helping_first(settings: Iterable[Row], effects: Effects) -> list[Row]:
    """The settings in their order, but with those that can help first and those that change nothing last."""
    def place(setting: Row) -> int:
        effect = effect_on(effects, setting)
        return 1 if effect is None else 0 if effect.kind == "helps" else 2

    return sorted(settings, key=place)


def state_table(settings: Iterable[Row]) -> list[Block]:
    """A table of what is set, in effect and recommended; [] if none of these settings was read."""
    rows: list[tuple[TextLike, ...]] = []
    for setting in settings:
        has = setting.now
        if has is not None:
            cells = (_cell(setting, part, has.unread) for part in (has.set, has.in_effect))
            rows.append((label(setting.definition), *cells, _advised_cell(setting)))
    page = Document()
    if rows:
        page.table(("setting", "set", "in effect", "advised"), rows)
    return page.blocks


def current_value(setting: Row) -> str:
    """ "now 65536": the value in effect, else the set value; "" if it is the recommended one."""
    has = setting.now and (setting.now.in_effect or setting.now.set)
    if not has or has.value is None or setting.written is None:
        return ""
    mine, wanted = as_written(setting.definition, has.value), as_written(setting.definition, setting.written)
    return "" if mine == wanted else f"now {mine.rpartition('=')[2]}"


def _cell(setting: Row, has: Before | None, unread: str) -> TextLike:
    if has is None:
        return dim(unread)
    if has.value is None:
        return dim(has.where if has.where.startswith("not ") else "not set")
    return text(code(as_written(setting.definition, has.value)), dim(f" {has.where}"))


def _advised_cell(setting: Row) -> TextLike:
    if setting.written is None:
        return "leave out" if setting.value == "omit" else "keep"
    return code(as_written(setting.definition, setting.written))
