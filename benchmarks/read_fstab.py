"""Median time to read an fstab of 5 000 and of 100 000 NFS lines, step by step. Run: python benchmarks/read_fstab.py"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from advisor.files.fstab import Fstab, read, split_options

LINE = (
    "nas{0}.example.com:/export/vol{0} /mnt/vol{0} nfs "
    "rw,hard,vers=4.1,rsize=262144,wsize=262144,nconnect=8,noatime,_netdev 0 0"
)
KINDS = {
    "ordinary lines": LINE + "\n",
    "Windows line ends": LINE + "\r\n",
    "escapes": LINE.replace("/mnt/", "/mnt/a\\040") + "\n",
    "blank after a comma": LINE.replace("rw,", "rw, ") + "\n",
}
RUNS = 7


def judge(fstab: Fstab) -> None:
    for entry in fstab.entries:
        _ = (entry.libmount, entry.differ, entry.traps)


def columns(fstab: Fstab) -> None:
    for entry in fstab.entries:
        _ = [field.value for field in (entry.source, entry.target, entry.fstype, entry.options) if field]


def items(fstab: Fstab) -> None:
    for entry in fstab.entries:
        split_options(entry.options.text if entry.options else "")


def spans(fstab: Fstab) -> None:
    for entry in fstab.entries:
        if entry.options:
            found = split_options(entry.options.text)
            _ = [entry.options.at(item.start, item.start + len(item.text)) for item in found]


STEPS: dict[str, Callable[[Fstab], None]] = {"judge": judge, "columns": columns, "items": items, "spans": spans}


def main() -> None:
    print(f"{'':32}" + "".join(f"{name:>12}" for name in ("read", *STEPS)) + "   (ms)")
    for kind, line in KINDS.items():
        for count in (5_000, 100_000):
            data = "".join(line.format(number) for number in range(count)).encode()
            runs = [once(data) for _ in range(RUNS if count < 10_000 else 3)]
            medians = (statistics.median(column) for column in zip(*runs))
            print(f"{kind:22}{count:10}" + "".join(f"{1000 * median:12.1f}" for median in medians))


def once(data: bytes) -> list[float]:
    """Seconds for the reading and for each step after it, on the same file."""
    gc.collect()
    start = time.perf_counter()
    fstab = read(data)
    times = [time.perf_counter() - start]
    for step in STEPS.values():
        start = time.perf_counter()
        step(fstab)
        times.append(time.perf_counter() - start)
    return times


if __name__ == "__main__":
    main()
