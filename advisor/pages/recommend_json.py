"""The output of `advisor recommend` as data for JSON (docs/schema/advisor-recommend-1.json)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from advisor.advice.answers import Answers, Before, Now, to_plain
from advisor.advice.answers_file import with_little_guidance
from advisor.advice.arguments import argue, least_assuming, losers
from advisor.advice.model import Advice, Bug, FactQuestion, Row
from advisor.advice.rows import has_mount, in_order, mount_line
from advisor.advice.several import Several
from advisor.advice.supposed import presumed_facts
from advisor.advice.verdict import AdviceVerdict, missing_options, verdict, with_refusals
from advisor.named_tuple import as_data
from advisor.pages.host import Effects, effect_on, effects_of, shared_effects
from advisor.rulebase.model import RuleBase

SCHEMA = "advisor-recommend/1"
_OF_TUNABLE = ("unit", "default", "takes_effect", "persists")
Data = dict[str, object]


class _Described:
    """The rows of one mount as data. `effects`: what was observed of settings."""

    def __init__(self, base: RuleBase, advice: Advice, effects: Effects) -> None:
        self.base, self.advice, self.effects = base, advice, effects

    def settled(self, rows: Iterable[Row]) -> dict[str, list[Data]]:
        ordered = in_order(rows)
        return {
            "settled": [self.row(row) for row in ordered if not (row.rests_on or row.otherwise)],
            "assumed": [self.row(row) for row in ordered if row.rests_on or row.otherwise],
        }

    def open(self, rows: Iterable[Row]) -> list[Data]:
        return _open_rows(least_assuming(self.base, self.advice, row) for row in rows)

    def row(self, row: Row) -> Data:
        argument, steps = argue(self.base, self.advice, row), row.steps
        has = row.now or Now(None, None)
        return {
            "tunable": row.tunable, "kind": row.kind, "title": row.title,
            "value": row.value, "write": row.written, "text": row.text, "already_default": row.already,
            "strength": row.strength, "consequence": row.consequence,
            "rule": row.rule.id if row.rule else None, "layer": row.rule.layer if row.rule else None,
            "why": row.why, "risk": (row.rule and row.rule.risk) or row.definition.risk,
            "note": row.rule.note if row.rule else None,
            "cites": argument.cites, "because": argument.because, "lost": losers(self.base, self.advice, row),
            "disagree": argument.disagree, "measured": argument.measured, "elsewhere": argument.elsewhere,
            "pinned": row.pinned, "observed": effect_on(self.effects, row),
            "rests_on": row.rests_on, "presumes": tuple(row.presumes), "costs": argument.costs,
            "before": steps.before or None, "sets": steps.apply or None,
            "verify": steps.check or None, "undo": steps.undo or None,
            **{name: getattr(row.definition, name) for name in _OF_TUNABLE},
            **({"set": _place(has.set), "in_effect": _place(has.in_effect)} if self.advice.answers.now else {}),
            "otherwise": row.otherwise,
            "refused": row.refused,
        }


def document(base: RuleBase, advice: Advice) -> Data:
    advice = with_refusals(base, advice)
    described = _Described(base, advice, effects_of(base, advice.answers))
    rows = described.settled(advice.advised)
    return as_data({
        **_head(base, [advice], advice.answers), "verdict": _verdict(verdict(base, [advice])), **rows,
        "presumed": presumed_facts([advice]),
        "open": described.open(advice.open),
        "questions": [_question(question) for question in advice.questions],
        "estimates": advice.estimates,
        "bugs": _bugs(advice.bugs),
        "effects": advice.effects,
        "summary": _summary(rows, advice.rows),
    })


def document_for_several(base: RuleBase, several: Several) -> Data:
    several = several._replace(mounts=tuple(with_refusals(base, advice) for advice in several.mounts))
    shared = shared_effects(base, several)
    spoken = {advice.answers.name("target"): _Described(base, advice, shared) for advice in reversed(several.mounts)}
    first = several.mounts[0].answers.name("target")
    rows: dict[str, list[Data]] = {"settled": [], "assumed": []}
    for row in in_order(several.host):
        targets = several.wanted.get(row.tunable, ())
        described = spoken.get(next(iter(targets), first), spoken[first])
        one = {**described.row(row), "mounts": sorted(targets)}
        rows["assumed" if row.rests_on or row.otherwise else "settled"].append(one)
    return as_data({
        **_head(base, several.mounts, several.answers),
        "verdict": _verdict(verdict(base, several.mounts, several.conflicts)),
        "presumed": presumed_facts(several.mounts), **rows,
        "open": _open_rows(several.open),
        "questions": [{**_question(question.ask), "mounts": question.targets} for question in several.questions],
        "estimates": [],
        "bugs": _bugs({bug.erratum: bug for advice in several.mounts for bug in advice.bugs}.values()),
        "effects": [],
        "summary": _summary(rows, several.rows),
        "mounts": [_mount(base, several, advice) for advice in several.mounts],
        "conflicts": several.conflicts,
    })


def _mount(base: RuleBase, several: Several, advice: Advice) -> Data:
    """One mount, without the settings of the host."""
    described = _Described(base, advice, effects_of(base, advice.answers))
    shared = {row.tunable for row in several.rows}
    return {
        **{name: advice.answers.name(name) for name in ("server", "export", "target")},
        "facts": advice.answers.facts, "found": advice.answers.origin,
        "line": mount_line(advice) if has_mount(advice) else "",
        "verdict": _verdict(verdict(base, [advice])), "lacking": [row.tunable for row in missing_options(advice)],
        **described.settled(row for row in advice.advised if row.tunable not in shared),
        "open": described.open(row for row in advice.open if row.tunable not in shared),
        "estimates": advice.estimates, "effects": advice.effects,
    }


def _head(base: RuleBase, each: Iterable[Advice], answers: Answers) -> Data:
    advices = list(each)
    guided = with_little_guidance(base, [advice.answers.facts for advice in advices], ("none-found",))
    return {
        "schema": SCHEMA, "version": advices[0].version, "rule_base": advices[0].base_hash,
        "answers": to_plain(answers), "unguided": [platform.platform for platform in guided],
    }


def _verdict(found: AdviceVerdict) -> Data:
    return {"state": found.state, "open": found.open, "reasons": found.reasons}


def _summary(shown: Mapping[str, list[Data]], rows: Iterable[Row]) -> Data:
    every = list(rows)
    return {
        **{name: len(listed) for name, listed in shown.items()},
        "open": sum(bool(row.possible) for row in every), "to_set": sum(row.recommends for row in every),
    }


def _open_rows(rows: Iterable[Row]) -> list[Data]:
    return [
        {
            "tunable": row.tunable, "kind": row.kind, "title": row.title, "strength": row.strength,
            "possible": row.possible, "asks": row.asks,
        }
        for row in in_order(rows)
    ]


def _question(question: FactQuestion) -> dict[str, object]:
    return {"fact": question.fact, "ask": question.ask, "settles": round(question.settles, 3),
            "matters": question.matters, "decisions": question.decisions}


def _bugs(bugs: Iterable[Bug]) -> list[dict[str, object]]:
    of_fault = ("title", "package", "symptom", "why", "workaround", "strength", "consequence")
    return [{
        "erratum": bug.erratum, **{name: getattr(bug.fault, name) for name in of_fault}, "certain": bug.certain,
        "asks": bug.asks, "cites": bug.fault.cites,
    } for bug in bugs]


def _place(before: Before | None) -> dict[str, object] | None:
    return None if before is None else {"value": before.value, "where": before.where or None}
