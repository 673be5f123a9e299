"""Measures what docs/speed.md has: run `python benchmarks/run.py`; prints a Markdown table (median of several runs).

Peers are measured in the same run when they are installed: findmnt, augtool, yamllint. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPTIONS = (
    "vers=4.2,hard,_netdev,nofail", "vers=3,hard,nconnect=8,rsize=262144,wsize=262144", "rw,soft,timeo=14,intr",
    "vers=4.1,nconect=4", "defaults", "nfsvers=4.1,rsize=1048576,wsize=1048576,hard,timeo=600,retrans=2,noresvport",
)


def fstab(lines: int, directory: Path, varied: bool = False) -> str:
    """A file of NFS lines; `varied` gives nearly every line option values of its own."""
    path = directory / f"fstab-{lines}{'-varied' if varied else ''}"
    with path.open("w", encoding="ascii") as file:
        for i in range(lines):
            options = OPTIONS[i % len(OPTIONS)]
            if varied:
                options += f",actimeo={i},x-note={i}"
            file.write(f"nas{i % 500}.example.com:/export/{i} /mnt/{i} nfs {options} 0 0\n")
    return str(path)


def measure(command: Sequence[str], runs: int, limit: float = 60.0) -> tuple[float | None, float]:
    """Median wall time in milliseconds (None: it did not finish in `limit` seconds) and peak memory in MB."""
    times, peak = [], 0.0
    for _ in range(runs):
        start = time.perf_counter()
        quiet = subprocess.DEVNULL
        child = subprocess.Popen(command, stdout=quiet, stderr=quiet, stdin=quiet)
        deadline = start + limit
        while True:
            pid, _, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.perf_counter() > deadline:
                child.kill()
                os.wait4(child.pid, 0)
                return None, peak
            time.sleep(0.0005)
        times.append((time.perf_counter() - start) * 1000)
        peak = max(peak, usage.ru_maxrss / 1024)
    return statistics.median(times), peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--advisor", default=shutil.which("advisor") or str(Path(sys.executable).with_name("advisor")))
    parser.add_argument("--runs", type=int, default=15)
    args = parser.parse_args()
    rows: list[tuple[str, str, str, str]] = []

    def add(name: str, command: Sequence[str], budget: str = "", runs: int = args.runs) -> None:
        if shutil.which(command[0]) is None:
            rows.append((name, "not installed", "", budget))
            return
        took, peak = measure(command, runs)
        rows.append((name, "over 60 s" if took is None else f"{took:.0f} ms", f"{peak:.0f} MB", budget))

    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        small, large = str(ROOT / "examples/fstab"), fstab(5000, directory)
        add("python -c pass", [sys.executable, "-c", "pass"])
        add("advisor --version", [args.advisor, "--version"], "3 × bare Python")
        add("advisor lint, three NFS lines", [args.advisor, "lint", fstab(3, directory)], "60 ms, 40 MB")
        add("advisor lint, examples/fstab", [args.advisor, "lint", small], "60 ms, 40 MB")
        add("findmnt --verify, examples/fstab", ["findmnt", "--verify", "--tab-file", small])
        add("augtool, examples/fstab", augtool(small))
        add("yamllint, one rule file", ["yamllint", str(ROOT / "rules/mount/nconnect.yaml")])
        add("advisor lint, 5 000 lines", [args.advisor, "lint", large], "300 ms", 7)
        add("advisor lint, 5 000 varied lines", [args.advisor, "lint", fstab(5000, directory, True)], "", 5)
        add("augtool, 5 000 lines", augtool(large), "", 3)
        add("findmnt --verify, 5 000 lines", ["findmnt", "--verify", "--tab-file", large], "", 1)
        for lines in (20_000, 100_000):
            add(f"advisor lint, {lines:_} lines".replace("_", " "), [args.advisor, "lint", fstab(lines, directory)],
                "linear", 3)
        add("advisor rules verify, whole base", [args.advisor, "rules", "verify"], "1 s", 3)
    print("| command | median | peak memory | budget |\n|---|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def augtool(path: str) -> list[str]:
    """Reads one file as an fstab with augeas."""
    return ["augtool", "--noautoload", f"--transform=Fstab.lns incl {path}", "-L", "print", f"/files{path}/1/spec"]


if __name__ == "__main__":
    main()
