"""The factors of a plan: named by the user, around the recommended values, or of a design that is shipped."""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

from advisor import user_files
from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.rulebase.values import is_bound, name, spell
from advisor.sweep.model import Factor
from advisor.sweep.settings import why_unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from advisor.rulebase.model import RuleBase, Tunable
    from advisor.rulebase.model.types import Scalar, Value

_DESIGNS = files("advisor.sweep") / "designs"
BLOG = "nfs-tuning-blog"
_OF_A_MOUNT = ("mount.", "bdi.")
_HARMLESS = ("performance", "ignored", None)
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class FactorError(Exception):
    """A factor cannot be used; the text says why and what to write."""


class WantedFactors(NamedTuple):
    """What to compare. `columns`: of factors that change together; `fixed`: what every mount has; `says`: what is worth
    knowing about the choice, for people; `jobs`: the recipe to run, or ""."""

    columns: tuple[tuple[Factor, ...], ...]
    fixed: Mapping[str, Value]
    says: tuple[str, ...]
    jobs: str = ""


def shipped_design(tunables: Mapping[str, Tunable], design: str = BLOG) -> WantedFactors:
    """A design that comes with the program."""
    tree = user_files.parse_yaml((_DESIGNS / f"{design}.yaml").read_text(encoding="utf-8"), design)
    assert isinstance(tree, dict)
    factors = {
        name: Factor(name, tuple(levels), name in tree["controls"]) for name, levels in tree["factors"].items()
    }
    columns: list[tuple[Factor, ...]] = []
    for tunable, factor in factors.items():
        for level in factor.levels:
            assert why_unfit(tunables, tunable, level) is None
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
    for recommendation in advice.advised:
        tunable = base.tunables[recommendation.tunable]
        if not recommendation.tunable.startswith(_OF_A_MOUNT) or tunable.type == "enum" or (
            recommendation.tunable in settled or recommendation.idle or recommendation.value == "n/a"
        ):
            continue
        rules = base.decisions[recommendation.tunable].rules.values()
        fast = any(rule.consequence == "performance" for rule in rules)
        now = recommendation.written if recommendation.written is not None else tunable.default
        now = tunable.usual[-1] if now is None and tunable.usual else now
        if recommendation.strength == "must" or not fast or recommendation.consequence not in _HARMLESS:
            if recommendation.strength and recommendation.written is not None and not why_unfit(
                base.tunables, recommendation.tunable, recommendation.written
            ):
                fixed[recommendation.tunable] = recommendation.written
            continue
        known = [rule.value for rule in rules if rule.consequence in _HARMLESS and rule.strength != "must"]
        levels = _nearby_levels(base.tunables, recommendation.tunable, now, [*known, tunable.default, *tunable.usual])
        if len(levels) > 1:
            columns.append((Factor(recommendation.tunable, levels),))
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
        value = _FLAGS.get(word.lower(), word)
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
    return f"{name(definition)}: {', '.join(word.partition('=')[2] or word for word in words)}"
