"""The output of `advisor recommend` as data for JSON (docs/schema/advisor-recommend-1.json)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from advisor.advice.answers import Now
from advisor.advice.model import Supposition
from advisor.advice.ranking import in_order
from advisor.render.host_state import Effects, effect_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.answers import Answers, Before
    from advisor.advice.model import Advice, Argument, Bug, Estimate, FactQuestion, Loser, OpenSetting, Recommendation
    from advisor.advice.several import Several
    from advisor.today.objections import RefusedPin

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
        [_settled(one, advice, argument(one), effects, refused_pins) for one in in_order(settings)]
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
        "presumed": [one._asdict() for one in presumed],
        "open": [_open_setting(one) for one in in_order(advice.open)],
        "questions": [_question(one) for one in advice.questions],
        "estimates": _estimates(advice.estimates),
        "bugs": _bugs(advice.bugs),
        "effects": [one._asdict() for one in advice.effects],
        "summary": {
            "settled": len(settled), "assumed": len(assumed), "open": len(advice.open),
            "to_set": sum(one.recommends for one in advice.advised),
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
        return lambda one: _settled(one, advice, argument(advice, one), seen, against)

    spoken = {advice.answers.name("target"): described(advice, shared) for advice in reversed(several.mounts)}
    first = several.mounts[0].answers.name("target")

    def host(one: Recommendation) -> dict[str, object]:
        targets = several.wanted.get(one.tunable, ())
        said = spoken.get(next(iter(targets), first), spoken[first])(one)
        return {**said, "mounts": sorted(targets)}

    mine = in_order(several.host)
    settled = [host(one) for one in mine if not one.rests_on]
    assumed_ = [host(one) for one in mine if one.rests_on]
    return {
        "schema": SCHEMA, "version": several.mounts[0].version, "rule_base": several.mounts[0].base_hash,
        "answers": answers,
        "unguided": list(unguided), "presumed": [one._asdict() for one in presumed],
        "settled": settled, "assumed": assumed_, "open": [_open_setting(one) for one in in_order(several.open)],
        "questions": [{**_question(one.ask), "mounts": list(one.targets)} for one in several.questions],
        "estimates": [],
        "bugs": _bugs({bug.erratum: bug for advice in several.mounts for bug in advice.bugs}.values()),
        "effects": [],
        "summary": {
            "settled": len(settled), "assumed": len(assumed_), "open": len(several.open),
            "to_set": sum(one.recommends for one in several.host),
        },
        "mounts": [
            _mount(several, advice, line, described(advice, effects(advice.answers)))
            for advice, line in zip(several.mounts, lines)
        ],
        "conflicts": [
            {"tunable": one.tunable, "title": one.title, "sides": [side._asdict() for side in one.sides]}
            for one in several.conflicts
        ],
    }


def _mount(
    several: Several, advice: Advice, line: tuple[str, list[str]],
    described: Callable[[Recommendation], dict[str, object]],
) -> dict[str, object]:
    """One mount, without the settings of the host."""
    shared = {one.tunable for one in several.host} | {one.tunable for one in several.open}
    own = in_order(one for one in advice.advised if one.tunable not in shared)
    settled, assumed = (
        [described(one) for one in own if bool(one.rests_on) is resting]
        for resting in (False, True)
    )
    return {
        **{name: advice.answers.name(name) for name in ("server", "export", "target")},
        "facts": advice.answers.facts, "found": advice.answers.origin, "line": line[0], "lacking": line[1],
        "settled": settled, "assumed": assumed,
        "open": [_open_setting(one) for one in in_order(advice.open) if one.tunable not in shared],
        "estimates": _estimates(advice.estimates), "effects": [one._asdict() for one in advice.effects],
    }


def _settled(
    one: Recommendation, advice: Advice, argument: Argument, effects: Effects, refused_pins: Mapping[str, RefusedPin]
) -> dict[str, object]:
    refused = refused_pins.get(one.tunable)
    return {
        **_recommendation(one, argument, advice.answers.now, effects),
        "refused": None if refused is None else {**refused._asdict(), "cites": list(refused.cites)},
    }


def _open_setting(one: OpenSetting) -> dict[str, object]:
    return {
        "tunable": one.tunable, "kind": one.kind, "title": one.title, "strength": one.strength,
        "possible": [possible._asdict() for possible in one.possible], "asks": list(one.asks),
    }


def _question(one: FactQuestion) -> dict[str, object]:
    return {"fact": one.fact, "ask": one.ask, "settles": round(one.settles, 3), "matters": one.matters,
            "decisions": list(one.decisions)}


def _estimates(estimates: Iterable[Estimate]) -> list[dict[str, object]]:
    return [{**_lists(one), "rests_on": [_lists(taken) for taken in one.rests_on]} for one in estimates]


def _bugs(bugs: Iterable[Bug]) -> list[dict[str, object]]:
    return [_lists(one) for one in bugs]


def _recommendation(
    one: Recommendation, argument: Argument, now: Mapping[str, Now], effects: Effects
) -> dict[str, object]:
    """A setting with its argument, as far as this does not depend on other settings."""
    seen = effect_on(effects, one)
    has = now.get(one.tunable, Now(None, None))
    return {
        "tunable": one.tunable,
        "kind": one.kind,
        "title": one.title,
        "value": one.value,
        "write": one.written,
        "text": one.text,
        "already_default": one.already,
        "strength": one.strength,
        "consequence": one.consequence,
        "rule": one.rule.id if one.rule else None,
        "layer": one.rule.layer if one.rule else None,
        "why": one.why,
        "risk": (one.rule and one.rule.risk) or one.definition.risk,
        "note": one.rule.note if one.rule else None,
        "cites": [cite._asdict() for cite in argument.cites],
        "because": [fact._asdict() for fact in argument.because],
        "lost": [_lists(rule) for rule in argument.losers],
        "disagree": [cite._asdict() for cite in argument.disagree],
        "measured": [cite._asdict() for cite in argument.measured],
        "elsewhere": argument.elsewhere,
        "pinned": one.pinned,
        "observed": None if seen is None else seen._asdict(),
        "rests_on": [_lists(taken) for taken in one.rests_on],
        "presumes": [_lists(taken) for taken in one.presumes],
        "costs": [{**cost._asdict(), "cites": [cite._asdict() for cite in cost.cites]} for cost in argument.costs],
        "before": one.steps.before or None, "sets": one.steps.apply or None, "verify": one.steps.check or None,
        "undo": one.steps.undo or None,
        **{name: getattr(one.definition, name) for name in _OF_TUNABLE},
        **({"set": _place(has.set), "in_effect": _place(has.in_effect)} if now else {}),
    }


def _place(one: Before | None) -> dict[str, object] | None:
    return None if one is None else {"value": one.value, "where": one.where or None}


def _lists(one: Estimate | Bug | Loser | Supposition) -> dict[str, object]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in one._asdict().items()}
