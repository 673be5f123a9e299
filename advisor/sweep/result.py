"""The folder of a result: plan.yaml, environment.json, and runs.jsonl, to which each run is appended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from advisor.atomic import save
from advisor.sweep.model import Environment, Run

PLAN, ENVIRONMENT, RUNS = "plan.yaml", "environment.json", "runs.jsonl"


class ResultError(Exception):
    """A result cannot be read or written; the text says where, why and what to do."""


def runs(folder: Path) -> list[Run]:
    """The runs of a result; none where it has not begun. A last line that was cut off is left out: its run comes again.
    Raises ResultError."""
    path = folder / RUNS
    try:
        lines = path.read_bytes().split(b"\n") if path.exists() else []
    except OSError as error:
        raise ResultError(f"{path}: cannot be read: {error.strerror}") from None
    found = []
    for number, line in enumerate(lines[:-1], 1):
        try:
            found.append(Run(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise ResultError(f"{path}:{number}:1: not a run of a sweep ({error}); restore the file, or delete the "
                              "line and run the plan again") from None
    return found


def add(folder: Path, found: Iterable[Run]) -> None:
    """Append the runs of one job. Raises OSError."""
    path = folder / RUNS
    text = b"".join(json.dumps(run._asdict()).encode() + b"\n" for run in found)
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
