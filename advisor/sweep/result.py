"""The result of a sweep: a folder with plan.yaml, environment.json, and runs.jsonl, to which each run is appended. For
other programs, a table with a row for each run.

Published figures of a document are a result too, for the same analysis: they are in the document's claims, and a file
in published/ gives their settings and limits."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple, TypedDict, Union, cast

from advisor import user_files
from advisor.named_tuple import as_data, grouped
from advisor.rulebase.model import RuleBase, Tunable, Value
from advisor.sweep import plan_file
from advisor.sweep.model import Analysis, Environment, Factor, Run, SweepPlan
from advisor.user_files import save

Row = dict[str, Value]
Levels = Mapping[str, Value]
PrintedRow = Mapping[str, Union[str, float]]

SCHEMA = "advisor-sweep-result/1"
PLAN, ENVIRONMENT, RUNS = "plan.yaml", "environment.json", "runs.jsonl"
_PUBLISHED_FOLDER = files("advisor.sweep") / "published"
_BYTES = {"MB/s": 1_000_000, "MiB/s": 1 << 20}


class SweepResult(NamedTuple):
    """`environment`: None if it was not noted. `limits`: what such figures cannot prove, for people. `printed`: they
    were taken from a document, which says neither in what order they were measured nor on which mounts."""

    plan: SweepPlan
    runs: Sequence[Run]
    environment: Environment | None
    limits: tuple[str, ...] = ()
    printed: bool = False


class ResultError(Exception):
    """A result cannot be read or written; the text says where, why and what to do."""


def plan_of(folder: Path, tunables: Mapping[str, Tunable]) -> SweepPlan:
    """The plan of a result. Raises ResultError, PlanError."""
    if not (folder / PLAN).is_file():
        raise ResultError(f"{folder}: contains no result of a sweep; name the folder that `advisor sweep run` wrote")
    return plan_file.read(str(folder / PLAN), tunables)[0]


def runs(folder: Path) -> list[Run]:
    """The runs of a result; none if it has not begun. A last line that was cut off is left out, as its run will be
    repeated. Raises ResultError."""
    path = folder / RUNS
    try:
        lines = path.read_bytes().split(b"\n") if path.exists() else []
    except OSError as error:
        raise ResultError(f"{path}: cannot be read: {error.strerror}") from None
    recorded = []
    for number, line in enumerate(lines[:-1], 1):
        try:
            recorded.append(Run(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise ResultError(f"{path}:{number}:1: not a run of a sweep ({error}); restore the file, or delete the "
                              "line and run the plan again") from None
    return recorded


def add_runs(folder: Path, new: Iterable[Run]) -> None:
    """Append the runs of one job. Raises OSError."""
    path = folder / RUNS
    text = b"".join(json.dumps(run._asdict()).encode() + b"\n" for run in new)
    whole = path.read_bytes() if path.exists() else b""
    if not whole.endswith(b"\n") and whole:
        save(str(path), whole[: whole.rfind(b"\n") + 1])  # cut off when the machine stopped
    with path.open("ab") as file:
        file.write(text)


def environment(folder: Path) -> Environment:
    """Raises ResultError."""
    path = folder / ENVIRONMENT
    try:
        data: Mapping[str, object] = json.loads(path.read_text(encoding="utf-8"))
        return Environment(**{name: data[name] for name in Environment._fields})  # type: ignore[arg-type]
    except OSError as error:
        raise ResultError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, LookupError, TypeError):
        raise ResultError(f"{path}: not what a sweep writes; run the plan again into a new folder") from None


def save_environment(folder: Path, where: Environment) -> None:
    """Raises WriteError."""
    save(str(folder / ENVIRONMENT), json.dumps(where._asdict(), indent=2).encode() + b"\n")


def begin(folder: Path, plan: str, where: Environment) -> None:
    """Make the folder of a result, if it is not there. Raises OSError, WriteError."""
    folder.mkdir(exist_ok=True)
    if not (folder / ENVIRONMENT).exists():
        save_environment(folder, where)
        save(str(folder / PLAN), plan.encode())


def rows(result: SweepResult) -> list[Row]:
    """One for each run: its own fields, a column for each setting that was asked for ("asked.mount.nconnect"), each
    parameter of its job ("job.bs"), and each counter ("counted.ops")."""
    filled = [_row(result, run) for run in result.runs]
    names = dict.fromkeys(name for row in filled for name in row)
    return [{name: row.get(name) for name in names} for row in filled]


def _row(result: SweepResult, run: Run) -> Row:
    row: Row = {name: value for name, value in run._asdict().items() if name not in ("asked", "counted")}
    row |= {f"asked.{name}": value for name, value in run.asked.items()}
    row |= {f"job.{name}": value for name, value in result.plan.jobs.get(run.job, {}).items()}
    row |= {f"counted.{name}": value for name, value in run.counted.items()}
    if result.environment is not None:
        where = result.environment
        row |= {"client": where.client, "kernel": where.kernel, "server": where.server, "version": where.tool}
    return row


def as_csv(result: SweepResult) -> str:
    """The rows, below a line of column names."""
    table = rows(result)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]) if table else ["plot"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()


def as_json(result: SweepResult, analysis: Analysis) -> str:
    """The rows, and what they show."""
    data = as_data({
        "schema": SCHEMA, "export": result.plan.export, "environment": result.environment, **analysis._asdict(),
        "limits": result.limits, "runs": rows(result),
    })
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def as_parquet(result: SweepResult) -> bytes:
    """The rows. Raises ImportError without pyarrow."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    import pyarrow.parquet as pq  # noqa: PLC0415

    columns = grouped((name, value) for row in rows(result) for name, value in row.items())
    sink = io.BytesIO()
    pq.write_table(pa.table({name: _one_type(values) for name, values in columns.items()}), sink)
    return sink.getvalue()


def _one_type(values: list[Value]) -> list[Value]:
    """A column of numbers, or of text where not all values are numbers."""
    types = {type(value) for value in values if value is not None}
    if len(types) < 2 or types <= {int, float}:
        return values
    return [None if value is None else str(value) for value in values]


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


class _Document(TypedDict, total=False):
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
    return sorted(file.name[: -len(".yaml")] for file in _PUBLISHED_FOLDER.iterdir() if file.name.endswith(".yaml"))


def published_figures(base: RuleBase, name: str) -> SweepResult:
    """The figures of a document. KeyError for one that is not among `names`."""
    if name not in names():
        raise KeyError(name)
    text = (_PUBLISHED_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    document = cast("_Document", user_files.parse_yaml(text, name))
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


def _from_tables(base: RuleBase, document: _Document) -> list[Run]:
    runs = []
    for table in document.get("tables", ()):
        for row in cast("Sequence[PrintedRow]", _figure(base, table["claim"], ["rows"])):
            asked = dict(document.get("fixed", {}))
            for column, means in document["columns"].items():
                asked |= means[row[column]]
            seconds = float(row[table["seconds"]])
            rate = float(row[table["mib"]]) * (1 << 20) / seconds
            runs.append(_run(document, table["job"], table["direction"], asked)._replace(rate=rate, seconds=seconds))
    return runs


def _from_figures(base: RuleBase, document: _Document) -> list[Run]:
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


def _run(document: _Document, job: str, direction: str, asked: Levels) -> Run:
    return Run(0, 1, 0, False, asked, job, direction, None, None, None, None, 0.0, None, "", "", {}, document["tool"])


def _figure(base: RuleBase, claim: str, at: Sequence[str | int]) -> object:
    figure: object = base.claims[claim].figures
    for key in at:
        figure = cast("Mapping[str | int, object]", figure)[key]
    return figure
