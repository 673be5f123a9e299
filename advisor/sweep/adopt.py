"""From what a sweep has shown to rules of a site: measured claims, rules that cite them, until when and where."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Container, Sequence
from math import log
from typing import NamedTuple

from advisor.rulebase.values import spell, supports
from advisor.sweep.effects import EFFECT, LevelEffect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.rulebase.model import Rule, RuleBase
    from advisor.rulebase.model.types import Scalar, Value
    from advisor.sweep.effects import Analysis
    from advisor.sweep.model import Environment, Factor, SweepPlan

_NOT_A_NAME = re.compile(r"[^a-z0-9]+")


class NotAdopted(Exception):
    """Nothing can be made of the result; the text says why and what to do."""


class BestLevel(NamedTuple):
    """A setting's best value, and the effects by which it is. `why_not`: why it becomes no rule, or "". `together`: the
    settings that always changed with it, so that the effects may be theirs."""

    factor: Factor
    value: Value
    effects: tuple[LevelEffect, ...]
    why_not: str
    together: tuple[str, ...] = ()


def source_name(plan: SweepPlan, where: Environment) -> str:
    """The name of the source that a result becomes, and how its files begin: equal results have equal names.
    Different ones have different names, even on one day and with exports that are spelled almost alike."""
    mark = zlib.crc32(f"{where.started} {plan.export}".encode())
    return f"{_slug(f'measured {where.started[:10]} {plan.export}')}-{mark:08x}"


def file_names(plan: SweepPlan, where: Environment) -> list[str]:
    """Of all files that `files` can make of a result."""
    source = source_name(plan, where)
    return [f"{source}.yaml", _claims_file(source), *(_rules_file(source, one.tunable) for one in plan.factors)]


def _claims_file(source: str) -> str:
    return f"{source}-claims.yaml"


def _rules_file(source: str, tunable: str) -> str:
    return f"{source}-{_slug(tunable)}.yaml"


def _slug(text: str) -> str:
    return _NOT_A_NAME.sub("-", text.lower()).strip("-")


def shown(base: RuleBase, plan: SweepPlan, found: Analysis) -> tuple[BestLevel, ...]:
    """Of each factor but the controls what the runs recommend. Raises NotAdopted where a control shows an effect."""
    for one in found.control:
        if one.verdict == EFFECT:
            raise NotAdopted(f"{one.factor} must show no effect, and shows {percent(one)}: something else than the "
                             "settings changed the rate, so nothing is adopted; run the plan again on a quieter system")
    columns = list(zip(*plan.points))
    lines = []
    for at, factor in enumerate(plan.factors):
        if factor.control:
            continue
        first = plan.factors[columns.index(columns[at])]
        level, effects, why_not = _best(first, [one for one in found.effects if one.factor == first.tunable])
        value = factor.levels[level]
        if not why_not and factor.tunable not in base.decisions:
            why_not = "the rule base decides nothing about it, so a rule would have no place"
        same = dict(zip(first.levels, factor.levels))
        effects = tuple(one._replace(level=same[one.level], against=same[one.against]) for one in effects)
        others = zip(plan.factors, columns)
        together = tuple(other.tunable for other, column in others if column == columns[at] and other != factor)
        lines.append(BestLevel(factor, value, effects, why_not, together))
    return tuple(lines)


def _best(factor: Factor, effects: Sequence[LevelEffect]) -> tuple[int, tuple[LevelEffect, ...], str]:
    """The number of the level that is faster in one direction at least and slower in none; of several the fastest."""
    all_jobs = {one.direction for one in effects if not one.job}
    whole = [one for one in effects if not one.job or one.direction not in all_jobs]
    sure = [one for one in whole if one.verdict == EFFECT]
    if not sure:
        return 0, (), "the runs show no effect of it"
    score: dict[int, float] = {0: 0.0}
    for at, level in enumerate(factor.levels[1:], 1):
        mine = [one for one in sure if one.level == level]
        if any(one.ratio < 1 for one in mine) and any(one.ratio > 1 for one in mine):
            return 0, (), f"{factor.levels[at]} is faster in one direction and slower in another; choose yourself"
        if mine:
            score[at] = sum(log(one.ratio) for one in mine)
    best = max(score, key=lambda at: score[at])
    if best == 0:
        return 0, tuple(sure), ""
    return best, tuple(one for one in sure if one.level == factor.levels[best]), ""


def percent(one: LevelEffect, *, turned: bool = False) -> str:
    """ "+38 % ± 6 %"; turned: of the other value against this one."""
    ratio, low, high = (1 / one.ratio, 1 / one.high, 1 / one.low) if turned else (one.ratio, one.low, one.high)
    return f"{100 * (ratio - 1):+.0f} % ± {50 * (high - low):.0f} %"


def condition(plan: SweepPlan, where: Environment, tunable: str) -> dict[str, Scalar | list[Scalar]]:
    """Where the rule holds: what was said of the server, the series of the client's kernel, and the version that every
    mount had. Raises NotAdopted where nothing is known of the server."""
    if not where.server_says:
        raise NotAdopted("nothing is known of the server, so the rules would hold for every server; say what it is "
                         "with --set, for example --set storage.platform=anf")
    found: dict[str, Scalar | list[Scalar]] = {
        name: value for name, value in where.server_says.items() if isinstance(value, (str, int))
    }
    series = re.match(r"(\d+)\.(\d+)", where.kernel)
    if series:
        found["client.kernel"] = f">={series[1]}.{series[2]} <{series[1]}.{int(series[2]) + 1}"
    version = plan.fixed.get("mount.vers")
    if version is not None and tunable != "mount.vers":
        found["mount.vers"] = version
    return found


def stronger(base: RuleBase, tunable: str, value: Value) -> list[Rule]:
    """Rules that ask for something else and are not to be beaten by speed; but for gates, which nothing passes."""
    default = base.tunables[tunable].default
    return [
        rule for rule in base.decisions[tunable].rules.values()
        if unbeaten(rule) and rule.layer != "gate" and not supports(value, rule.value, default)
    ]


def unbeaten(rule: Rule | None) -> bool:
    """Whether a rule must be obeyed, or is there for another reason than speed."""
    return rule is not None and rule.value != "keep" and (
        rule.strength == "must" or rule.consequence not in (None, "performance", "ignored")
    )


def files(
    base: RuleBase, plan: SweepPlan, where: Environment, found: Sequence[BestLevel], *, until: str,
    examples: Mapping[str, Sequence[str]], apart: Container[str] = (),
) -> dict[str, str]:
    """File name → text: a source, its claims, and a decision for each setting. `until`: the last day, as 2027-11-22.
    `examples`: tunable → more examples, as YAML in one line. `apart`: tunables of which no rule that must be obeyed can
    hold where this was measured; elsewhere the rule steps back from those."""
    source = source_name(plan, where)
    texts = {f"{source}.yaml": _source(source, plan, where, until)}
    claims = [f"until: {until}", "claims:"]
    for one in found:
        tunable = one.factor.tunable
        short = _slug(tunable.partition(".")[2])
        claim = f"{source}.{short}"
        says = f"measured here, {where.started[:10]}, {plan.blocks} blocks, {_words(base, one)}"
        claims += [f"  - id: {claim}", f"    source: {source}", f"    at: {_text(tunable)}", f"    says: {_text(says)}",
                   "    verdict: measured", f"    about: [{tunable}]"]
        when = condition(plan, where, tunable)
        barred = [rule.when for rule in stronger(base, tunable, one.value)]
        whole = {**when, **({"not": {"any": barred}} if barred and tunable not in apart else {})}
        own = [] if "not" in whole else [f"{{given: {_text(when)}, expect: {_text(one.value)}}}"]
        tried = [f"      - {example}" for example in (*own, *examples.get(tunable, ()))]
        texts[_rules_file(source, tunable)] = "\n".join([
            f"# Made by `advisor sweep adopt` from a measurement of {plan.export}; `--remove` takes it away.",
            f"until: {until}", f"decision: {tunable}", "rules:",
            f"  - id: {short}/{source}", "    layer: measured",
            f"    when: {_text(whole)}", f"    value: {_text(one.value)}", "    strength: should",
            "    consequence: performance", f"    why: {_text(says[:1].upper() + says[1:] + '.')}",
            f"    cites: [{claim}]", "    examples:" if tried else "    examples: []", *tried,
        ]) + "\n"
    texts[_claims_file(source)] = "\n".join(claims) + "\n"
    return texts


def _words(base: RuleBase, one: BestLevel) -> str:
    """ "+38 % ± 6 % reading with nconnect=4 against nconnect=1"."""
    tunable = base.tunables[one.factor.tunable]
    at = one.factor.levels.index(one.value)
    parts = []
    for effect in one.effects:
        doing = {"read": "reading", "write": "writing"}.get(effect.direction, effect.direction)
        job = f" ({effect.job})" if effect.job else ""
        other = effect.against if at else effect.level
        parts.append(f"{percent(effect, turned=not at)} {doing}{job} with {spell(tunable, one.value)} against "
                     f"{spell(tunable, other)}")
    changed = ", ".join(name.partition(".")[2] for name in one.together)
    return "; ".join(parts) + (f"; {changed} changed with it" if changed else "")


def _source(source: str, plan: SweepPlan, where: Environment, until: str) -> str:
    title = f"Sweep of {plan.export}, {where.started[:10]}"
    note = (f"Client {where.client}, kernel {where.kernel}, {where.tool or 'tool unknown'}; {len(plan.points)} points, "
            f"{plan.blocks} blocks; jobs {', '.join(plan.jobs)}.")
    return (f"until: {until}\nsource: {source}\ntitle: {_text(title)}\npublisher: measured here\nlanguage: en\n"
            f"date: {_text(where.started[:10])}\nfile: result of advisor sweep\ngrade: measurement\n"
            f"note: {_text(note)}\n")


def _text(value: object) -> str:
    """JSON, which is YAML."""
    return json.dumps(value, ensure_ascii=False)
