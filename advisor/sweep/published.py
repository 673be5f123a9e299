"""Published figures of a document as the result of a sweep, for the same analysis. The figures are in the document's
claims; a file in published/ gives their settings and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, TypedDict, Union, cast

from advisor import user_files
from advisor.sweep.model import Factor, Run, SweepPlan
from advisor.sweep.result import SweepResult

if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Value

    Levels = Mapping[str, Value]
    Row = Mapping[str, Union[str, float]]

_FOLDER = files("advisor.sweep") / "published"
_BYTES = {"MB/s": 1_000_000, "MiB/s": 1 << 20}


class _Table(TypedDict):
    """Rows of a claim. `mib`, `seconds`: the columns with the amount of data and the time."""

    claim: str
    job: str
    direction: str
    mib: str
    seconds: str


class _Figure(TypedDict, total=False):
    """One figure of a claim. `at`: the keys that lead to it; `unit`: MB/s, MiB/s, IOPS with `bs_kib` bytes each, or
    op/s of no stated size."""

    claim: str
    at: Sequence[str | int]
    levels: Levels
    job: str
    direction: str
    unit: str
    bs_kib: int


class _Published(TypedDict, total=False):
    """A file of published/. `columns`: column of the tables → its content → the settings that it means."""

    source: str
    tool: str
    factors: Mapping[str, Sequence[Value]]
    controls: Sequence[str]
    fixed: Mapping[str, Value]
    tables: Sequence[_Table]
    columns: Mapping[str, Mapping[str | float, Levels]]
    figures: Sequence[_Figure]
    limits: Sequence[str]


def names() -> list[str]:
    """The documents whose figures can be shown."""
    return sorted(file.name[: -len(".yaml")] for file in _FOLDER.iterdir() if file.name.endswith(".yaml"))


def published_figures(base: RuleBase, name: str) -> SweepResult:
    """The figures of a document. KeyError for one that is not among `names`."""
    if name not in names():
        raise KeyError(name)
    document = cast("_Published", user_files.parse_yaml((_FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), name))
    factors = tuple(Factor(tunable, tuple(levels), tunable in document.get("controls", ()))
                    for tunable, levels in document["factors"].items())
    measured = [*_from_tables(base, document), *_from_figures(base, document)]
    points = list(dict.fromkeys(_point(factors, run.asked) for run in measured))
    plan = SweepPlan(
        base.sources[document["source"]].title, factors, tuple(points), {run.job: {} for run in measured},
        document.get("fixed", {}), 1, 0, 0, None, (), None, "",
    )
    runs = [run._replace(plot=number, point=points.index(_point(factors, run.asked)))
            for number, run in enumerate(measured, 1)]
    return SweepResult(plan, runs, None, tuple(document["limits"]), printed=True)


def _point(factors: Sequence[Factor], asked: Levels) -> tuple[int, ...]:
    return tuple(factor.levels.index(asked[factor.tunable]) for factor in factors)


def _from_tables(base: RuleBase, document: _Published) -> list[Run]:
    runs = []
    for table in document.get("tables", ()):
        for row in cast("Sequence[Row]", _figure(base, table["claim"], ["rows"])):
            asked = dict(document.get("fixed", {}))
            for column, means in document["columns"].items():
                asked |= means[row[column]]
            seconds = float(row[table["seconds"]])
            rate = float(row[table["mib"]]) * (1 << 20) / seconds
            runs.append(_run(document, table["job"], table["direction"], asked)._replace(rate=rate, seconds=seconds))
    return runs


def _from_figures(base: RuleBase, document: _Published) -> list[Run]:
    runs = []
    for entry in document.get("figures", ()):
        run = _run(document, entry["job"], entry["direction"], {**document.get("fixed", {}), **entry["levels"]})
        figure = float(cast("float", _figure(base, entry["claim"], entry["at"])))
        if entry["unit"] in _BYTES:
            run = run._replace(rate=figure * _BYTES[entry["unit"]])
        elif "bs_kib" in entry:
            run = run._replace(rate=figure * entry["bs_kib"] * 1024, iops=figure)
        else:
            run = run._replace(iops=figure, why="the document counts operations, and no bytes")
        runs.append(run)
    return runs


def _run(document: _Published, job: str, direction: str, asked: Levels) -> Run:
    return Run(0, 1, 0, False, asked, job, direction, None, None, None, None, 0.0, None, "", "", {}, document["tool"])


def _figure(base: RuleBase, claim: str, at: Sequence[str | int]) -> object:
    figure: object = base.claims[claim].figures
    for key in at:
        figure = cast("Mapping[str | int, object]", figure)[key]
    return figure
