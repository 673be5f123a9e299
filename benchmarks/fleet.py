"""What a report on a fleet costs: `python benchmarks/fleet.py [hosts] [classes]` (10 000 hosts of 400 classes).

Generates the bundles first, which does not count; then prints seconds of the clock and of processor time, and the most
memory that the program and its largest child process took, for a tenth of the hosts and for all of them."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.fleet_hosts import hosts


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    classes = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    with tempfile.TemporaryDirectory() as folder:
        tenth, whole = Path(folder) / "tenth.jsonl", Path(folder) / "whole.jsonl"
        with tenth.open("w", encoding="ascii") as few, whole.open("w", encoding="ascii") as out:
            for at, line in enumerate(hosts(number, classes)):
                out.write(line)
                if at < number // 10:
                    few.write(line)
        for size, file in ((number // 10, tenth), (number, whole)):
            print(f"{size} hosts, {file.stat().st_size >> 20} MiB: {measured(file)}", flush=True)


def measured(file: Path) -> str:
    """What the command takes for one file of bundles."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    command = [sys.executable, "-m", "advisor", "fleet", "report", str(file), "--no-config"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    clock = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    title = ran.stdout.partition("\n")[0] or ran.stderr
    most = f"{after.ru_maxrss >> 10} MiB at most in one process"
    return f"{clock:.1f} s, {processor:.1f} s of processor time, {most}; {title}"


if __name__ == "__main__":
    main()
