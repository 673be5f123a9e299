"""What a move did to those who worked: from the lines that the machine said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple


class Outcome(NamedTuple):
    """Seconds: `stopped` and `started` since the beginning of the move, `pause` between two records on disk,
    `new_open` and `new_lock` since all had started (None: not within the time of watching). `asked`: since the
    beginning until Pacemaker asked for fencing; `stopped` is then when the node had been fenced.

    `errors`: what failed (records, closing the file), by the error's words. `lost`: records that the server had
    acknowledged and does not have. `stolen`: whether another client got the lock. `failed`: resources that did not
    start or stop ("a data stop")."""

    case: str
    kernel: str
    stopped: float
    started: float
    pause: float | None
    records: int
    errors: dict[str, int]
    lost: int
    stolen: bool
    new_open: float | None
    new_lock: float | None
    failed: list[str]
    asked: float | None = None


class Event(NamedTuple):
    """One line of the recorder."""

    what: str
    began: float
    ended: float
    result: str

    @property
    def well(self) -> bool:
        return self.result == "ok"


def outcomes(told: str) -> list[Outcome]:
    """One a case, in their order."""
    kernel = ""
    cases: list[dict[str, list[str]]] = []
    for line in told.replace("\r", "").splitlines():
        key, _, value = line.partition("\t")
        if key == "kernel":
            kernel = value.split()[0]
        elif key == "case":
            cases.append({"case": [value]})
        elif cases and value:
            cases[-1].setdefault(key, []).append(value)
    return [_outcome(kernel, said) for said in cases]


def _outcome(kernel: str, said: dict[str, list[str]]) -> Outcome:
    began, started = float(said["begins"][0]), float(said["started"][0])
    writer, rival, newcomer = (_events(said.get(who, ())) for who in ("writer", "rival", "newcomer"))
    acknowledged = [one for one in writer if one.what.startswith("record") and one.well]
    ends = [one.ended for one in acknowledged]
    lasting = zip(ends, ends[1:])
    new = {one.what: round(one.ended - started, 1) for one in newcomer if one.well}
    return Outcome(
        case=said["case"][0], kernel=kernel.split("-", maxsplit=1)[0].rpartition(".")[0],
        stopped=round(float(said["stopped"][0]) - began, 1), started=round(started - began, 1),
        pause=round(max(later - before for before, later in lasting), 1) if max(ends, default=0) > started else None,
        records=len(acknowledged),
        errors=dict(Counter(one.result.replace("-", " ") for one in writer if not one.well)),
        lost=len({one.what.partition(" ")[2] for one in acknowledged} - set(said.get("held", ()))),
        stolen=any(one.well for one in rival if one.ended > began),
        new_open=new.get("open"), new_lock=new.get("lock"), failed=said.get("failed", []),
        asked=round(float(said["asked"][0]) - began, 1) if "asked" in said else None,
    )


def _events(lines: Iterable[str]) -> list[Event]:
    """Lines of the recorder; its shell's own words are shorter."""
    words = [line.split() for line in lines if line.count(" ") > 2]
    return [Event(" ".join(what), float(began), float(ended), result) for *what, began, ended, result in words]
