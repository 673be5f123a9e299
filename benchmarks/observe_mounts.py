"""How fast counters are read and judged: `python benchmarks/observe_mounts.py [mounts]`.

Prints milliseconds of processor time for reading a mountstats of so many NFSv4.2 mounts (1 000 unless told), half of
them busy, and for judging the difference of two such readings."""

from __future__ import annotations

import sys
import time

from advisor.observe.counters import read_mountstats
from advisor.observe.snapshot import Recording, Snapshot
from advisor.observe.window import judge
from advisor.rulebase.base import load
from tests.observe.texts import mount, tcp

NAMES = ["READ", "WRITE", *(f"OP_{number}" for number in range(62))]
"""As many operations as NFSv4.2 has on Linux 6.12; but for two their names make no difference."""


def text(mounts: int, turn: int) -> str:
    """A mountstats; `turn`: how much was counted."""
    busy = {name: [7 * turn, 7 * turn, 0, 900 * turn, 900 * turn, turn, 90 * turn, 95 * turn, 0] for name in NAMES[:20]}
    idle = {name: [0] * 9 for name in NAMES[20:]}
    return "".join(
        mount(f"/mnt/{number}", source=f"nas{number}:/e", age=60 * turn, xprts=[tcp(sends=140 * turn)],
              ops={**(busy if number % 2 else dict.fromkeys(NAMES[:20], [0] * 9)), **idle})
        for number in range(mounts)
    )


def main() -> None:
    mounts = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first, last = text(mounts, 1), text(mounts, 2)
    started = time.process_time()
    read_mountstats(last)
    print(f"read {mounts} mounts, {len(last) >> 10} KiB: {(time.process_time() - started) * 1000:.0f} ms")
    base = load()
    base.diagnosis  # noqa: B018  what is decoded once is not what is measured
    started = time.process_time()
    readings = [Snapshot({"mountstats": one, "uptime": f"{60 * turn} 0"}) for turn, one in ((1, first), (2, last))]
    judge(base, Recording(readings[0], readings[1], []))
    print(f"judge {mounts} mounts between two readings: {(time.process_time() - started) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
