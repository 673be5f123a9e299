"""What a sweep compares: the settings that it can vary and whether they are in effect on a mount; the factors of a
plan, named by the user, around the recommended values or of a shipped design; the combinations to measure, and what
they take and can find."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from math import exp, prod, sqrt
from statistics import NormalDist
from typing import NamedTuple

from advisor import user_files
from advisor.advice.advise import advise
from advisor.advice.answers import YES_NO, Answers
from advisor.engine import word_list
from advisor.files.fstab import split_options
from advisor.files.mountinfo import MountInfo
from advisor.files.option_reading import value_in_use
from advisor.files.options import Grammar
from advisor.rulebase.model import RuleBase, Scalar, Tunable, Value
from advisor.rulebase.spelling import near
from advisor.rulebase.values import is_bound, kernel_file, same, spell, why_invalid
from advisor.rulebase.values import name as name_of
from advisor.sweep import jobs as sweep_jobs
from advisor.sweep.model import Asked, Factor, Job, SweepPlan

Tunables = Mapping[str, Tunable]
Column = Sequence[Factor]

READ_AHEAD = "bdi.read_ahead_kb"
_KERNEL_WIDE = ("sysctl.sunrpc.", "module.nfs.", "module.sunrpc.")
BLOG = "nfs-tuning-blog"
_OF_A_MOUNT = ("mount.", "bdi.")
_HARMLESS = ("performance", "ignored", None)
_MAX_TWO_LEVEL_FACTORS = 15
RATE = 100_000_000
"""Bytes per second that are assumed where a job runs until its size is done: nearly what 1 Gbit/s carries."""
_MOUNT, _START = 3.0, 1.0
"""Seconds that a mount takes besides its jobs, and a job besides its measuring."""
POWER, ALPHA = 0.8, 0.05


def kernel_path(tunable: str) -> str | None:
    """The file of a setting that all NFS mounts of this kernel share; None for other settings."""
    return kernel_file(tunable) if tunable.startswith(_KERNEL_WIDE) else None


def can_be_set(tunable: str) -> bool:
    """Whether a sweep can give each run its own value of it."""
    return tunable.startswith("mount.") or tunable == READ_AHEAD or kernel_path(tunable) is not None


def why_unfit(tunables: Tunables, name: str, value: object) -> str | None:
    """Why a sweep cannot measure this value of a setting, and what to write; None if it can."""
    if name not in tunables or not can_be_set(name):
        what = "not a setting that a sweep can change" if name in tunables else "not a setting that is known"
        usable = "name mount options (mount.nconnect), bdi.read_ahead_kb, sysctl.sunrpc.* or module.nfs.*"
        return f"{name}: {what}; {near(name, [known for known in tunables if can_be_set(known)], usable)}"
    tunable = tunables[name]
    if isinstance(value, float) and tunable.type != "number":
        return f'{name}: has the number {value}; in quotes ("{value}") it is a version'
    if not isinstance(value, (str, int)):
        return f"{name}: has {value!r}, which is not a value; write a number, text, true or false"
    why = why_invalid(tunable, value)
    if why:
        hint = near(value, tunable.values or (), "") if isinstance(value, str) else ""
        return f"{name}: does not fit: {why}" + (f"; {hint}" if hint else "")
    effective, change = value_in_use(tunable, value)
    if change is not None and effective != value:
        return f"{name}: {value} would not be in effect: {change.how}; write {effective}"
    return None


def mount_options(tunables: Tunables, asked: Asked) -> str:
    """The option list for mount.nfs.

    What may become NFSv3 gets `nolock`: in a separate network namespace lockd would find no rpc.statd, or would
    register with the host's rpcbind in place of the host's own; and reading and writing take no locks."""
    words = [spell(tunables[name], value) for name, value in asked.items() if name.startswith("mount.")]
    if not str(asked.get("mount.vers", "")).startswith("4") and not asked.keys() & {"mount.lock", "mount.nolock"}:
        words.append("nolock")
    return ",".join(word for word in words if word)


def why_refused(tunables: Tunables, grammar: Grammar, asked: Asked) -> str | None:
    """Why the client refuses a combination; None if it accepts it."""
    options = mount_options(tunables, asked)
    refusal = grammar.read("nfs", split_options(options)).refusal
    return None if refusal is None else f"{options}: {refusal.message}{': ' + refusal.why if refusal.why else ''}"


def differences(tunables: Tunables, asked: Asked, mount: MountInfo) -> list[str]:
    """What the mount does not have of the options that were asked for: "nconnect=4 was asked for; in effect is …"."""
    line = Grammar(tunables).read(mount.fstype, split_options(f"{mount.options},{mount.super_options}"))
    messages = []
    for name, value in asked.items():
        if not name.startswith("mount."):
            continue
        tunable = tunables[name]
        effective = line.value(name)
        if effective is None:
            effective = tunable.default
        if effective is None or not same(effective, value):
            now = "nothing that the kernel shows" if effective is None else spell(tunable, effective)
            messages.append(f"{spell(tunable, value)} was asked for; in effect is {now}")
    return messages


class FactorError(Exception):
    """A factor cannot be used; the text says why and what to write."""


class WantedFactors(NamedTuple):
    """What to compare. `columns`: of factors that change together; `fixed`: what every mount has; `says`: what is worth
    knowing about the choice, for people; `jobs`: the recipe to run, or ""."""

    columns: tuple[tuple[Factor, ...], ...]
    fixed: Mapping[str, Value]
    says: tuple[str, ...]
    jobs: str = ""


def shipped_design(tunables: Mapping[str, Tunable]) -> WantedFactors:
    tree = user_files.parse_yaml((files("advisor.sweep") / "designs" / f"{BLOG}.yaml").read_text("utf-8"), BLOG)
    assert isinstance(tree, dict)
    factors = {name: Factor(name, tuple(levels), name in tree["controls"]) for name, levels in tree["factors"].items()}
    columns: list[tuple[Factor, ...]] = []
    for tunable, factor in factors.items():
        assert not any(why_unfit(tunables, tunable, level) for level in factor.levels)
        group = next((group for group in tree["together"] if tunable in group), [tunable])
        if group[0] == tunable:
            columns.append(tuple(factors[name] for name in group))
    return WantedFactors(tuple(columns), tree["fixed"], tuple(tree["differs"]), tree["jobs"])


def parse_factors(tunables: Mapping[str, Tunable], texts: Sequence[str]) -> tuple[tuple[Factor, ...], ...]:
    """Factors from the command line: mount.nconnect=1,4, or mount.rsize+mount.wsize=16384,65536 for those that change
    together. Raises FactorError."""
    columns: list[tuple[Factor, ...]] = []
    for text in texts:
        names, equals, values = text.partition("=")
        words = [word.strip() for word in values.split(",")]
        if not equals or len(words) < 2:
            raise FactorError(f"--factor {text}: write a setting and two or more values, such as "
                              "mount.nconnect=1,4,8,16")
        column: list[Factor] = []
        for tunable in map(str.strip, names.split("+")):
            levels = tuple(_level(tunables, tunable, word) for word in words)
            if len(set(map(str, levels))) < len(levels):
                raise FactorError(f"--factor {text}: a value is repeated")
            if any(tunable == other.tunable for group in (*columns, column) for other in group):
                raise FactorError(f"--factor {text}: {tunable} is a factor already")
            column.append(Factor(tunable, levels))
        columns.append(tuple(column))
    return tuple(columns)


def around_advice(base: RuleBase, facts: Mapping[str, Scalar], *, settled: Sequence[str] = ()) -> WantedFactors:
    """The recommended value of each number or switch that affects speed according to a source, and the nearest other
    values that the rule base has. What all mounts of a host share, and what needs other hardware, has to be named.

    A `must`, or a setting that is recommended for another reason than speed, keeps its value on every mount.
    `settled`: settings that are factors already."""
    advice = advise(base, Answers(facts=dict(facts)))
    columns: list[tuple[Factor, ...]] = []
    fixed: dict[str, Value] = {}
    for row in advice.advised:
        tunable = base.tunables[row.tunable]
        if not row.tunable.startswith(_OF_A_MOUNT) or tunable.type == "enum" or (
            row.tunable in settled or row.idle or row.value == "n/a"
        ):
            continue
        rules = base.decisions[row.tunable].rules.values()
        fast = any(rule.consequence == "performance" for rule in rules)
        now = row.written if row.written is not None else tunable.default
        now = tunable.usual[-1] if now is None and tunable.usual else now
        if row.strength == "must" or not fast or row.consequence not in _HARMLESS:
            if row.strength and row.written is not None and not why_unfit(base.tunables, row.tunable, row.written):
                fixed[row.tunable] = row.written
            continue
        known = [rule.value for rule in rules if rule.consequence in _HARMLESS and rule.strength != "must"]
        levels = _nearby_levels(base.tunables, row.tunable, now, [*known, tunable.default, *tunable.usual])
        if len(levels) > 1:
            columns.append((Factor(row.tunable, levels),))
    says = tuple(f"{column[0].tunable}: the first value is the advised one" for column in columns)
    return WantedFactors(tuple(columns), fixed, says)


def _nearby_levels(
    tunables: Mapping[str, Tunable], tunable: str, now: Value, known: Sequence[Value]
) -> tuple[Value, ...]:
    """`now`, and of the known values the nearest below and above it, or all where they have no order."""
    usable: list[Value] = []
    for value in known:
        if value is None or is_bound(value) or value in ("omit", "keep", "n/a") or value == now or value in usable:
            continue
        if why_unfit(tunables, tunable, value) is None:
            usable.append(value)
    if now is None or why_unfit(tunables, tunable, now) is not None:
        return ()
    if isinstance(now, bool) or not isinstance(now, int):
        return (now, *usable)
    numbers = [value for value in usable if isinstance(value, int)]
    below = max((value for value in numbers if value < now), default=None)
    above = min((value for value in numbers if value > now), default=None)
    return (now, *(value for value in (below, above) if value is not None))


def _level(tunables: Mapping[str, Tunable], tunable: str, word: str) -> Value:
    value: Value = word
    kind = tunables[tunable].type if tunable in tunables else ""
    if kind == "flag":
        value = YES_NO.get(word.lower(), word)
        definition = tunables[tunable]
        meanings = (form.means for form in definition.forms if form.spelling == word and form.means is not None)
        value = next(meanings, value)
    elif kind in ("uint", "int", "number", "size", "seconds") and word.isascii() and word.isdigit() and len(word) < 20:
        value = int(word)
    why = why_unfit(tunables, tunable, value)
    if why is not None:
        raise FactorError(f"--factor {why}")
    return value


def factor_text(tunables: Mapping[str, Tunable], factor: Factor) -> str:
    """A factor in one line: "nconnect: 1, 4"; "sync: async, sync"."""
    definition = tunables[factor.tunable]
    words = [spell(definition, level) for level in factor.levels]
    return f"{name_of(definition)}: {', '.join(word.partition('=')[2] or word for word in words)}"


class DesignError(Exception):
    """No design fits; the text says why and what to drop."""


class Points(NamedTuple):
    """`points`: the number of each factor's level. `resolution`: of a fraction; None: all combinations. `aliases`: what
    cannot be distinguished, for people."""

    points: tuple[tuple[int, ...], ...]
    resolution: int | None
    aliases: tuple[str, ...]


def points(columns: Sequence[Column], most: int) -> Points:
    """At most `most` combinations to measure. Factors of one column change together.

    All combinations if they are few enough; else all those of the factors with more than two levels, each with a
    fraction of those of the others, of the highest resolution that fits. It is at least III, so that no two main
    effects are confused. Raises DesignError."""
    together = tuple(
        f"{' = '.join(factor.tunable for factor in column)}: they change together"
        for column in columns if len(column) > 1
    )
    sizes = [len(column[0].levels) for column in columns]
    count = prod(sizes)
    if count <= most:
        return Points(_by_factor(columns, itertools.product(*map(range, sizes))), None, together)
    two = [at for at, size in enumerate(sizes) if size == 2]
    many = [at for at, size in enumerate(sizes) if size != 2]
    rest = count >> len(two)
    if len(two) >= 3 and rest * 4 <= most:
        if len(two) > _MAX_TWO_LEVEL_FACTORS:
            raise DesignError(f"{len(two)} factors with two levels; a fraction takes {_MAX_TWO_LEVEL_FACTORS} at most: "
                              "drop some")
        for resolution in range(min(len(two), 7), 2, -1):
            rows = _fraction(len(two), resolution)
            if len(rows) * rest > most:
                continue
            chosen: list[tuple[int, ...]] = []
            for levels in itertools.product(*(range(sizes[at]) for at in many)):
                for row in rows:
                    point = {**dict(zip(many, levels)), **dict(zip(two, row))}
                    chosen.append(tuple(point[at] for at in range(len(columns))))
            names = [columns[at][0].tunable for at in two]
            return Points(_by_factor(columns, chosen), resolution, (*together, *_aliases(rows, names)))
    raise DesignError(_too_many_text(columns, count, most))


def _by_factor(columns: Sequence[Column], chosen: Iterable[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The number of each factor's level, from the number of each column's level."""
    return tuple(tuple(at for at, column in zip(point, columns) for _ in column) for point in chosen)


def _too_many_text(columns: Sequence[Column], count: int, most: int) -> str:
    sizes = word_list([f"{'+'.join(factor.tunable for factor in column)} ({len(column[0].levels)})"
                    for column in columns], "and")
    return (f"{count} combinations of {sizes}; {max(most, 0)} fit the budget. Drop factors or levels, choose shorter "
            "jobs, or raise --budget. Only factors with two levels can be measured in fractions, and at least three "
            "of them; factors with more levels are always measured in full.")


def _fraction(count: int, resolution: int) -> list[tuple[int, ...]]:
    """The rows of a fraction of `count` factors with two levels, as 0 and 1. Raises DesignError."""
    try:
        from pydoe import fracfact_by_res  # noqa: PLC0415  slow to import, and not always installed
    except ImportError:
        raise DesignError("a fraction of all combinations needs pydoe: pip install '.[sweep]' in a checkout of "
                          "advisor, or drop factors or levels until all combinations fit the budget") from None
    return [tuple(int(sign > 0) for sign in row) for row in fracfact_by_res(count, resolution).tolist()]


def _aliases(rows: Sequence[tuple[int, ...]], names: Sequence[str]) -> tuple[str, ...]:
    """The main effects and interactions of two that a fraction cannot tell apart: "a = b × c"."""
    effects: dict[tuple[int, ...], list[str]] = {}
    for size in (1, 2):
        for some in itertools.combinations(range(len(names)), size):
            signs = [sum(row[at] for at in some) % 2 for row in rows]
            if size == 2:
                signs = [1 - sign for sign in signs]
            key = tuple(sign ^ signs[0] for sign in signs)
            effects.setdefault(key, []).append(" × ".join(names[at] for at in some))
    return tuple(" = ".join(same) for same in effects.values() if len(same) > 1)


class SweepCost(NamedTuple):
    """`written`: bytes, including the files that are only read; `space`: bytes that the files need on the server."""

    mounts: int
    jobs: int
    seconds: float
    written: int
    space: int


def cost(plan: SweepPlan) -> SweepCost:
    """What the plan takes, if the server does RATE."""
    jobs = plan.jobs.values()
    mounts = len(plan.plots())
    written = sum(_written(job) for job in jobs if sweep_jobs.writes(job))
    return SweepCost(mounts, mounts * len(plan.jobs), seconds(plan.jobs, mounts),
                     mounts * written + _prepared_bytes(plan.jobs), sum(map(sweep_jobs.size, jobs)))


def seconds(jobs: Mapping[str, Job], mounts: int) -> float:
    """How long it takes to write the files that are read, and then to run all jobs on this many mounts."""
    return mounts * (_MOUNT + sum(_START + _seconds(job) for job in jobs.values())) + _prepared_bytes(jobs) / RATE


def _prepared_bytes(jobs: Mapping[str, Job]) -> int:
    """Bytes of the files that have to exist before the jobs run."""
    return sum(sweep_jobs.size(job) for job in jobs.values() if sweep_jobs.reads(job))


def _seconds(job: Job) -> float:
    whole = sweep_jobs.size(job) / RATE
    limit = sweep_jobs.seconds(job)
    return limit if limit and job.get("time_based", "0") != "0" else min(whole, limit) if limit else whole


def _written(job: Job) -> int:
    return int(_seconds(job) * RATE) if job.get("time_based", "0") != "0" else sweep_jobs.size(job)


def comparisons(plan: SweepPlan) -> int:
    """How many there are: each level with the first of its factor, in each direction of each job."""
    directions = sum(sweep_jobs.reads(job) + sweep_jobs.writes(job) for job in plan.jobs.values())
    return max(1, sum(len(factor.levels) - 1 for factor in plan.factors) * directions)


def smallest_effect(mounts: int, levels: int, blocks: int, comparisons: int, noise: float) -> float:
    """The smallest difference between two levels of a factor, as a part of the rate (0.08: 8 %), that is found with a
    probability of POWER, at ALPHA over all comparisons.

    `mounts`: those of all blocks, without repeats for drift; each level has mounts / levels of them. `noise`: standard
    deviation of the logarithm of the rate between like mounts of a block, which is about its coefficient of variation.
    The first and strictest step of Holm is that of Bonferroni, so with t for `mounts - blocks - levels + 1` degrees of
    freedom

        exp((t(1 - ALPHA / (2 · comparisons)) + t(POWER)) · noise · sqrt(2 · levels / mounts)) - 1

    Quantiles of t are approximated by the first terms of their expansion in 1 / degrees of freedom (Abramowitz and
    Stegun 26.7.5), which is good to 1 % from 10 degrees on."""
    free = max(3, mounts - blocks - levels + 1)
    reach = _quantile(1 - ALPHA / (2 * comparisons), free) + _quantile(POWER, free)
    return exp(reach * noise * sqrt(2 * levels / mounts)) - 1


def _quantile(part: float, free: int) -> float:
    z = NormalDist().inv_cdf(part)
    return z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
