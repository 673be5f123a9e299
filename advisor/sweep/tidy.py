"""A result for other programs: one row a run, with all that is needed to repeat it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from advisor.sweep.effects import Analysis
from advisor.sweep.model import Run
from advisor.sweep.report import SweepResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value

    Row = dict[str, Value]

SCHEMA = "advisor-sweep-result/1"
_OWN = ("asked", "counted")


def rows(found: SweepResult) -> list[Row]:
    """One a run: its own fields, a column for each setting that was asked for ("asked.mount.nconnect"), each parameter
    of its job ("job.bs"), and each counter ("counted.ops")."""
    each = [_row(found, run) for run in found.runs]
    names = dict.fromkeys(name for row in each for name in row)
    return [{name: row.get(name) for name in names} for row in each]


def _row(found: SweepResult, run: Run) -> Row:
    row: Row = {name: value for name, value in run._asdict().items() if name not in _OWN}
    row |= {f"asked.{name}": value for name, value in run.asked.items()}
    row |= {f"job.{name}": value for name, value in found.plan.jobs.get(run.job, {}).items()}
    row |= {f"counted.{name}": value for name, value in run.counted.items()}
    if found.environment is not None:
        environment = found.environment
        row |= {"client": environment.client, "kernel": environment.kernel, "server": environment.server,
                "version": environment.tool}
    return row


def as_csv(found: SweepResult) -> str:
    """The rows with a line of heads."""
    table = rows(found)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]) if table else ["plot"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()


def as_json(found: SweepResult, shown: Analysis) -> str:
    """The rows, and what they show."""
    data = {
        "schema": SCHEMA,
        "export": found.plan.export,
        "environment": None if found.environment is None else found.environment._asdict(),
        "means": _records(shown.means),
        "effects": _records(shown.effects),
        "control": _records(shown.control),
        "interactions": [
            {**one._asdict(), "cells": _records(one.cells)} for one in shown.interactions
        ],
        "drifts": _records(shown.drifts),
        "fits": _records(shown.fits),
        "no_data": _records(shown.no_data),
        "unsteady": shown.unsteady,
        "margin": shown.margin,
        "untold": list(shown.untold),
        "limits": list(found.limits),
        "runs": rows(found),
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _records(found: Sequence[tuple[object, ...]]) -> list[dict[str, object]]:
    return [one._asdict() for one in found]  # type: ignore[attr-defined]


def as_parquet(found: SweepResult) -> bytes:
    """The rows. Raises ImportError without pyarrow."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    import pyarrow.parquet as pq  # noqa: PLC0415

    columns: dict[str, list[Value]] = {}
    for row in rows(found):
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    sink = io.BytesIO()
    pq.write_table(pa.table({name: _alike(values) for name, values in columns.items()}), sink)
    return sink.getvalue()


def _alike(values: list[Value]) -> list[Value]:
    """A column has one type: numbers where all are, else text."""
    kinds = {type(one) for one in values if one is not None}
    return values if len(kinds) < 2 or kinds <= {int, float} else [None if one is None else str(one) for one in values]
