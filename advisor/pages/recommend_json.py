"""The output of `advisor recommend` as data for JSON (docs/schema/advisor-recommend-1.json)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from advisor.advice.answers import Now
from advisor.advice.model import Supposition
from advisor.advice.ranking import in_order
from advisor.pages.host_state import Effects, effect_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.answers import Answers, Before
    from advisor.advice.beside_fstab import RefusedPin
    from advisor.advice.model import Advice, Argument, Bug, Estimate, FactQuestion, Loser, OpenSetting, Recommendation
    from advisor.advice.several import Several

SCHEMA = "advisor-recommend/1"
_OF_TUNABLE = ("unit", "default", "takes_effect", "persists")


def document(
    advice: Advice, argument: Callable[[Recommendation], Argument], answers: Mapping[str, object], *,
    presumed: Iterable[Supposition], unguided: Iterable[str], effects: Effects, refused_pins: Mapping[str, RefusedPin],
) -> dict[str, object]:
    """Data for one mount. `argument`: the argument for a setting; `answers`: as their file has them; `unguided`:
    platforms without vendor guidance; `effects`: what was observed of settings; `refused_pins`: what speaks against
    pinned values."""
    settled, assumed = (
        [_settled(setting, advice, argument(setting), effects, refused_pins) for setting in in_order(settings)]
        for settings in (advice.settled, advice.assumed)
    )
    return {
        "schema": SCHEMA,
        "version": advice.version,
        "rule_base": advice.base_hash,
        "answers": answers,
        "unguided": list(unguided),
        "settled": settled,
        "assumed": assumed,
        "presumed": [supposition._asdict() for supposition in presumed],
        "open": [_open_setting(setting) for setting in in_order(advice.open)],
        "questions": [_question(question) for question in advice.questions],
        "estimates": _estimates(advice.estimates),
        "bugs": _bugs(advice.bugs),
        "effects": [effect._asdict() for effect in advice.effects],
        "summary": {
            "settled": len(settled), "assumed": len(assumed), "open": len(advice.open),
            "to_set": sum(setting.recommends for setting in advice.advised),
        },
    }


def document_for_several(
    several: Several, lines: Iterable[tuple[str, list[str]]], argument: Callable[[Advice, Recommendation], Argument],
    answers: Mapping[str, object], *, presumed: Iterable[Supposition], unguided: Iterable[str],
    effects: Callable[[Answers], Effects], shared: Effects, refused_pins: Callable[[Advice], Mapping[str, RefusedPin]],
) -> dict[str, object]:
    """Data for several mounts. `effects`: what was observed of settings, by the answers for a mount; `shared`: the same
    of settings of the host; `refused_pins`: what speaks against pinned values, by the advice for a mount."""
    def described(advice: Advice, seen: Effects) -> Callable[[Recommendation], dict[str, object]]:
        against = refused_pins(advice)
        return lambda setting: _settled(setting, advice, argument(advice, setting), seen, against)

    spoken = {advice.answers.name("target"): described(advice, shared) for advice in reversed(several.mounts)}
    first = several.mounts[0].answers.name("target")

    def host(setting: Recommendation) -> dict[str, object]:
        targets = several.wanted.get(setting.tunable, ())
        fields = spoken.get(next(iter(targets), first), spoken[first])(setting)
        return {**fields, "mounts": sorted(targets)}

    mine = in_order(several.host)
    settled = [host(setting) for setting in mine if not setting.rests_on]
    assumed_ = [host(setting) for setting in mine if setting.rests_on]
    return {
        "schema": SCHEMA, "version": several.mounts[0].version, "rule_base": several.mounts[0].base_hash,
        "answers": answers,
        "unguided": list(unguided), "presumed": [supposition._asdict() for supposition in presumed],
        "settled": settled, "assumed": assumed_, "open": [_open_setting(setting) for setting in in_order(several.open)],
        "questions": [{**_question(question.ask), "mounts": list(question.targets)} for question in several.questions],
        "estimates": [],
        "bugs": _bugs({bug.erratum: bug for advice in several.mounts for bug in advice.bugs}.values()),
        "effects": [],
        "summary": {
            "settled": len(settled), "assumed": len(assumed_), "open": len(several.open),
            "to_set": sum(setting.recommends for setting in several.host),
        },
        "mounts": [
            _mount(several, advice, line, described(advice, effects(advice.answers)))
            for advice, line in zip(several.mounts, lines)
        ],
        "conflicts": [
            {"tunable": conflict.tunable, "title": conflict.title, "sides": [side._asdict() for side in conflict.sides]}
            for conflict in several.conflicts
        ],
    }


def _mount(
    several: Several, advice: Advice, line: tuple[str, list[str]],
    described: Callable[[Recommendation], dict[str, object]],
) -> dict[str, object]:
    """One mount, without the settings of the host."""
    shared = {setting.tunable for setting in several.host} | {setting.tunable for setting in several.open}
    own = in_order(setting for setting in advice.advised if setting.tunable not in shared)
    settled, assumed = (
        [described(setting) for setting in own if bool(setting.rests_on) is resting]
        for resting in (False, True)
    )
    return {
        **{name: advice.answers.name(name) for name in ("server", "export", "target")},
        "facts": advice.answers.facts, "found": advice.answers.origin, "line": line[0], "lacking": line[1],
        "settled": settled, "assumed": assumed,
        "open": [_open_setting(setting) for setting in in_order(advice.open) if setting.tunable not in shared],
        "estimates": _estimates(advice.estimates), "effects": [effect._asdict() for effect in advice.effects],
    }


def _settled(
    setting: Recommendation, advice: Advice, argument: Argument, effects: Effects,
    refused_pins: Mapping[str, RefusedPin],
) -> dict[str, object]:
    refused = refused_pins.get(setting.tunable)
    return {
        **_recommendation(setting, argument, advice.answers.now, effects),
        "refused": None if refused is None else {**refused._asdict(), "cites": list(refused.cites)},
    }


def _open_setting(setting: OpenSetting) -> dict[str, object]:
    return {
        "tunable": setting.tunable, "kind": setting.kind, "title": setting.title, "strength": setting.strength,
        "possible": [possible._asdict() for possible in setting.possible], "asks": list(setting.asks),
    }


def _question(question: FactQuestion) -> dict[str, object]:
    return {"fact": question.fact, "ask": question.ask, "settles": round(question.settles, 3),
            "matters": question.matters, "decisions": list(question.decisions)}


def _estimates(estimates: Iterable[Estimate]) -> list[dict[str, object]]:
    return [{**_lists(estimate), "rests_on": [_lists(taken) for taken in estimate.rests_on]} for estimate in estimates]


def _bugs(bugs: Iterable[Bug]) -> list[dict[str, object]]:
    return [_lists(bug) for bug in bugs]


def _recommendation(
    setting: Recommendation, argument: Argument, now: Mapping[str, Now], effects: Effects
) -> dict[str, object]:
    """A setting with its argument, as far as this does not depend on other settings."""
    seen = effect_on(effects, setting)
    has = now.get(setting.tunable, Now(None, None))
    return {
        "tunable": setting.tunable,
        "kind": setting.kind,
        "title": setting.title,
        "value": setting.value,
        "write": setting.written,
        "text": setting.text,
        "already_default": setting.already,
        "strength": setting.strength,
        "consequence": setting.consequence,
        "rule": setting.rule.id if setting.rule else None,
        "layer": setting.rule.layer if setting.rule else None,
        "why": setting.why,
        "risk": (setting.rule and setting.rule.risk) or setting.definition.risk,
        "note": setting.rule.note if setting.rule else None,
        "cites": [cite._asdict() for cite in argument.cites],
        "because": [fact._asdict() for fact in argument.because],
        "lost": [_lists(rule) for rule in argument.losers],
        "disagree": [cite._asdict() for cite in argument.disagree],
        "measured": [cite._asdict() for cite in argument.measured],
        "elsewhere": argument.elsewhere,
        "pinned": setting.pinned,
        "observed": None if seen is None else seen._asdict(),
        "rests_on": [_lists(taken) for taken in setting.rests_on],
        "presumes": [_lists(taken) for taken in setting.presumes],
        "costs": [{**cost._asdict(), "cites": [cite._asdict() for cite in cost.cites]} for cost in argument.costs],
        "before": setting.steps.before or None, "sets": setting.steps.apply or None,
        "verify": setting.steps.check or None, "undo": setting.steps.undo or None,
        **{name: getattr(setting.definition, name) for name in _OF_TUNABLE},
        **({"set": _place(has.set), "in_effect": _place(has.in_effect)} if now else {}),
    }


def _place(before: Before | None) -> dict[str, object] | None:
    return None if before is None else {"value": before.value, "where": before.where or None}


def _lists(record: Estimate | Bug | Loser | Supposition) -> dict[str, object]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in record._asdict().items()}
