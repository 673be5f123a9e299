"""Turns the result of a sweep into rules of a site: measured claims, and rules that cite them, valid for one server and
client until a given day."""

from __future__ import annotations

import re
import tempfile
import zlib
from collections.abc import Container, Mapping, Sequence
from math import log
from pathlib import Path
from typing import NamedTuple

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.regex import regex
from advisor.rulebase.examples import to_flow
from advisor.rulebase.model import Rule, RuleBase, RuleBaseError, Scalar, Value
from advisor.rulebase.values import describe, spell, supports
from advisor.sweep.model import EFFECT, Analysis, Environment, Factor, LevelEffect, SweepPlan
from advisor.verify import verify_pack

_ROUNDS = 6
_EXAMPLE = "add to examples: "
_REDUNDANT = regex(r": not in \S+ is redundant")
_NOT_A_NAME = regex(r"[^a-z0-9]+")


class NotAdopted(Exception):
    """No rules can be made of the result; the arguments are lines that say why and what to do."""


class BestLevel(NamedTuple):
    """A setting's best value, and the effects that prove it. `why_not`: why it becomes no rule, or "". `together`: the
    settings that always changed with it, so that the effects may be theirs."""

    factor: Factor
    value: Value
    effects: tuple[LevelEffect, ...]
    why_not: str
    together: tuple[str, ...] = ()


def source_name(plan: SweepPlan, where: Environment) -> str:
    """The name of the source that a result becomes, with which its files begin. The same result always has the same
    name; different results have different names, even on one day and with exports that are spelled almost alike."""
    mark = zlib.crc32(f"{where.started} {plan.export}".encode())
    return f"{_slug(f'measured {where.started[:10]} {plan.export}')}-{mark:08x}"


def file_names(plan: SweepPlan, where: Environment) -> list[str]:
    """All files that `files` can make of a result."""
    source = source_name(plan, where)
    of_rules = (_rules_file(source, factor.tunable) for factor in plan.factors)
    return [f"{source}.yaml", f"{source}-claims.yaml", *of_rules]


def _rules_file(source: str, tunable: str) -> str:
    return f"{source}-{_slug(tunable)}.yaml"


def _slug(text: str) -> str:
    return _NOT_A_NAME.sub("-", text.lower()).strip("-")


def best_levels(base: RuleBase, plan: SweepPlan, analysis: Analysis) -> tuple[BestLevel, ...]:
    """What the runs recommend for each factor but the controls. Raises NotAdopted if a control shows an effect."""
    for effect in analysis.control:
        if effect.verdict == EFFECT:
            raise NotAdopted(f"{effect.factor} must show no effect, and shows {percent(effect)}: something other "
                             "than the settings changed the rate, so nothing is adopted; run the plan again on a "
                             "quieter system")
    columns = list(zip(*plan.points))
    levels = []
    for at, factor in enumerate(plan.factors):
        if factor.control:
            continue
        first = plan.factors[columns.index(columns[at])]
        effects_of_first = [effect for effect in analysis.effects if effect.factor == first.tunable]
        level, effects, why_not = _best(first, effects_of_first)
        value = factor.levels[level]
        if not why_not and factor.tunable not in base.decisions:
            why_not = "the rule base decides nothing about it, so a rule would have no place"
        same = dict(zip(first.levels, factor.levels))
        effects = tuple(each._replace(level=same[each.level], against=same[each.against]) for each in effects)
        others = zip(plan.factors, columns)
        together = tuple(other.tunable for other, column in others if column == columns[at] and other != factor)
        levels.append(BestLevel(factor, value, effects, why_not, together))
    return tuple(levels)


def _best(factor: Factor, effects: Sequence[LevelEffect]) -> tuple[int, tuple[LevelEffect, ...], str]:
    """The number of the level that is faster in at least one direction and slower in none (of several the fastest), the
    effects that prove it, and why there is none."""
    all_jobs = {effect.direction for effect in effects if not effect.job}
    proven = [effect for effect in effects if effect.verdict == EFFECT
              and (not effect.job or effect.direction not in all_jobs)]
    if not proven:
        return 0, (), "the runs show no effect of it"
    score: dict[int, float] = {0: 0.0}
    for at, level in enumerate(factor.levels[1:], 1):
        ratios = [effect.ratio for effect in proven if effect.level == level]
        if ratios and min(ratios) < 1 < max(ratios):
            return 0, (), f"{factor.levels[at]} is faster in one direction and slower in another; choose yourself"
        if ratios:
            score[at] = sum(map(log, ratios))
    best = max(score, key=lambda at: score[at])
    if best == 0:
        return 0, tuple(proven), ""
    return best, tuple(effect for effect in proven if effect.level == factor.levels[best]), ""


def percent(effect: LevelEffect, *, inverse: bool = False) -> str:
    """ "+38 % ± 6 %"; `inverse`: of the other value against this one."""
    ratio, low, high = effect.ratio, effect.low, effect.high
    if inverse:
        ratio, low, high = 1 / ratio, 1 / high, 1 / low
    return f"{100 * (ratio - 1):+.0f} % ± {50 * (high - low):.0f} %"


def rule_condition(plan: SweepPlan, where: Environment, tunable: str) -> dict[str, Scalar | list[Scalar]]:
    """Where the rule holds: the known facts of the server, the series of the client's kernel, and the NFS version of
    every mount. Raises NotAdopted if nothing is known of the server."""
    if not where.server_says:
        raise NotAdopted("nothing is known of the server, so the rules would apply to every server; say what it is "
                         "with --set, for example --set storage.platform=anf")
    condition: dict[str, Scalar | list[Scalar]] = {
        name: value for name, value in where.server_says.items() if isinstance(value, (str, int))
    }
    series = re.match(r"(\d+)\.(\d+)", where.kernel)
    if series:
        condition["client.kernel"] = f">={series[1]}.{series[2]} <{series[1]}.{int(series[2]) + 1}"
    version = plan.fixed.get("mount.vers")
    if version is not None and tunable != "mount.vers":
        condition["mount.vers"] = version
    return condition


def outranks_speed(rule: Rule | None) -> bool:
    """Whether a rule must be obeyed, or has another reason than speed."""
    return rule is not None and rule.value != "keep" and (
        rule.strength == "must" or rule.consequence not in (None, "performance", "ignored")
    )


def files(
    base: RuleBase, plan: SweepPlan, where: Environment, levels: Sequence[BestLevel], *, until: str,
    examples: Mapping[str, Sequence[str]], apart: Container[str] = (),
) -> dict[str, str]:
    """File name → text: a source, its claims, and a decision for each setting. `until`: the last day, as 2027-11-22.
    `examples`: tunable → more examples, as YAML in one line. The rules yield to those that outrank speed, except for
    the tunables in `apart`, of which no such rule can hold where this was measured."""
    source = source_name(plan, where)
    texts = {f"{source}.yaml": _source(source, plan, where, until)}
    claims = [f"until: {until}", "claims:"]
    for level in levels:
        tunable = level.factor.tunable
        short = _slug(tunable.partition(".")[2])
        claim = f"{source}.{short}"
        says = f"measured here, {where.started[:10]}, {plan.blocks} blocks, {_effects_text(base, level)}"
        claims += [f"  - id: {claim}", f"    source: {source}", f"    at: {tunable}", f"    says: {to_flow(says)}",
                   "    verdict: measured", f"    about: [{tunable}]"]
        when = rule_condition(plan, where, tunable)
        default = base.tunables[tunable].default
        barred = [  # where other values are asked for and do not yield to speed; gates always win
            rule.when for rule in base.decisions[tunable].rules.values()
            if outranks_speed(rule) and rule.layer != "gate" and not supports(level.value, rule.value, default)
        ]
        whole = {**when, **({"not": {"any": barred}} if barred and tunable not in apart else {})}
        own = [] if "not" in whole else [f"{{given: {to_flow(when)}, expect: {to_flow(level.value)}}}"]
        tried = [f"      - {example}" for example in (*own, *examples.get(tunable, ()))]
        texts[_rules_file(source, tunable)] = "\n".join([
            f"# Made by `advisor sweep adopt` from a measurement of {plan.export}; `--remove` deletes it.",
            f"until: {until}", f"decision: {tunable}", "rules:",
            f"  - id: {short}/{source}", "    layer: measured",
            f"    when: {to_flow(whole)}", f"    value: {to_flow(level.value)}", "    strength: should",
            "    consequence: performance", f"    why: {to_flow(says[:1].upper() + says[1:] + '.')}",
            f"    cites: [{claim}]", "    examples:" if tried else "    examples: []", *tried,
        ]) + "\n"
    texts[f"{source}-claims.yaml"] = "\n".join(claims) + "\n"
    return texts


def _effects_text(base: RuleBase, level: BestLevel) -> str:
    """ "+38 % ± 6 % reading with nconnect=4 against nconnect=1"."""
    tunable = base.tunables[level.factor.tunable]
    at = level.factor.levels.index(level.value)
    parts = []
    for effect in level.effects:
        doing = {"read": "reading", "write": "writing"}.get(effect.direction, effect.direction)
        job = f" ({effect.job})" if effect.job else ""
        other = effect.against if at else effect.level
        parts.append(f"{percent(effect, inverse=not at)} {doing}{job} with {spell(tunable, level.value)} against "
                     f"{spell(tunable, other)}")
    changed = ", ".join(name.partition(".")[2] for name in level.together)
    return "; ".join(parts) + (f"; {changed} changed with it" if changed else "")


def _source(source: str, plan: SweepPlan, where: Environment, until: str) -> str:
    title = f"Sweep of {plan.export}, {where.started[:10]}"
    note = (f"Client {where.client}, kernel {where.kernel}, {where.tool or 'tool unknown'}; {len(plan.points)} points, "
            f"{plan.blocks} blocks; jobs {', '.join(plan.jobs)}.")
    return (f"until: {until}\nsource: {source}\ntitle: {to_flow(title)}\npublisher: measured here\nlanguage: en\n"
            f"date: {to_flow(where.started[:10])}\nfile: result of advisor sweep\ngrade: measurement\n"
            f"note: {to_flow(note)}\n")


def why_overruled(base: RuleBase, plan: SweepPlan, where: Environment, best_level: BestLevel) -> str:
    """Why a rule that outranks speed excludes the value where it was measured; "" if none does."""
    tunable = best_level.factor.tunable
    facts = {name: value for name, value in rule_condition(plan, where, tunable).items() if name in base.facts}
    row = advise(base, Answers(facts=facts)).find(tunable)
    if row is None or not outranks_speed(row.rule) or supports(best_level.value, row.value, row.definition.default):
        return ""
    return f"speed does not decide; it must be {describe(row.definition, row.value)}: {row.why}"


def verified_files(
    base: RuleBase, plan: SweepPlan, where: Environment, wanted: Sequence[BestLevel], until: str
) -> dict[str, str]:
    """The files, with an example for each part of a condition, as `rules verify` asks for them. Raises NotAdopted
    if the rules do not fit in with those that are there."""
    examples: dict[str, list[str]] = {}
    apart: set[str] = set()
    for _ in range(_ROUNDS):
        texts = files(base, plan, where, wanted, until=until, examples=examples, apart=apart)
        with tempfile.TemporaryDirectory() as folder:
            for name, text in texts.items():
                Path(folder, name).write_text(text, encoding="utf-8")
            try:
                problems = verify_pack(folder).problems
            except RuleBaseError as error:
                raise NotAdopted(*error.messages) from None
        if not problems:
            return texts
        if not _apply_proposals(problems, texts, wanted, examples, apart):
            break
    raise NotAdopted("the rules conflict with existing ones:", *(f"  {problem}" for problem in problems))


def check_with_existing(into: Path, texts: Mapping[str, str]) -> None:
    """Raises NotAdopted if the new rules conflict with those in the folder, which no command could read then."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            there = {path.relative_to(into): path.read_text(encoding="utf-8") for path in into.rglob("*.yaml")}
        except (OSError, UnicodeDecodeError) as error:
            raise NotAdopted(f"{into}: {error}") from None
        if not there:
            return  # alone they have been verified
        for name, text in {**there, **{Path(name): text for name, text in texts.items()}}.items():
            place = Path(folder, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        try:
            problems = [
                problem for problem in map(str, verify_pack(folder).problems) if any(name in problem for name in texts)
            ]
        except RuleBaseError as error:
            problems = list(error.messages)
    if problems:
        raise NotAdopted(f"{into}: nothing was written, because beside the rules there these cannot be used:",
                         *(f"  {problem}".replace(folder, str(into)) for problem in problems),
                         f"an earlier result goes with: advisor sweep adopt RESULT --into {into} --remove")


def _apply_proposals(
    problems: Sequence[object], texts: Mapping[str, str], wanted: Sequence[BestLevel], examples: dict[str, list[str]],
    apart: set[str],
) -> bool:
    """Whether each problem asks for an example, or says that no stronger rule can apply here. These go to `examples`
    and `apart`."""
    for problem in map(str, problems):
        proposed = problem.partition(_EXAMPLE)[2]
        example = proposed[: proposed.rfind("}") + 1]
        file = problem.partition(".yaml:")[0].rpartition("/")[2] + ".yaml"
        names = (best_level.factor.tunable for best_level in wanted)
        tunable = next((name for name in names if f"decision: {name}\n" in texts.get(file, "")), "")
        if tunable and example and example not in examples.get(tunable, ()):
            examples.setdefault(tunable, []).append(example)
        elif tunable and _REDUNDANT.search(problem) and tunable not in apart:
            apart.add(tunable)
        else:
            return False
    return True
