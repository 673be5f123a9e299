"""How fast a large log is read: `python benchmarks/diagnose_log.py [MB]`.

Prints MB per second of processor time for a log in which two lines of a hundred are about NFS, and for one in which
every line is of a shape of its own. The logs are made from a fixed seed."""

from __future__ import annotations

import io
import random
import string
import sys
import time

from advisor.diagnose.evidence import Reader, read_log
from advisor.rulebase.base import load

NFS = "kernel: nfs: server nas{n} not responding, still trying"
OTHER = (
    "sshd[{n}]: Accepted publickey for user{n} from 192.0.2.{n} port {n}",
    "systemd[1]: Started Session {n} of user.",
)


def log(megabytes: int, unique: bool) -> bytes:
    """A log of so many MB."""
    draw = random.Random(7)
    lines: list[str] = []
    size = 0
    while size < megabytes << 20:
        n = draw.randrange(100)
        line = NFS if n < 2 else draw.choice(OTHER)
        if unique and n >= 2:
            line += " " + "".join(draw.choices(string.ascii_letters, k=20))
        lines.append(f"Nov 22 10:11:{n % 60:02} web7 {line.format(n=n)}")
        size += len(lines[-1]) + 1
    return "\n".join(lines).encode()


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    reader = Reader(load())
    for name, unique in (("lines alike", False), ("lines of their own shape", True)):
        raw = log(megabytes, unique)
        start = time.process_time()
        found = read_log(reader, io.BytesIO(raw).read)
        spent = time.process_time() - start
        print(f"{name}: {len(raw) / spent / 1e6:.0f} MB/s, {sum(one.count for one in found.problems())} messages")


if __name__ == "__main__":
    main()
