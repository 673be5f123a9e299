"""What an NFS server counts: its thread pools."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple


class PoolCounts(NamedTuple):
    """Of all thread pools together: messages that arrived, and threads that were woken for one."""

    packets: int
    woken: int


def read_pools(text: str) -> PoolCounts | None:
    """/proc/fs/nfsd/pool_stats: pool, packets-arrived, sockets-enqueued, threads-woken, … None where it has no pool.

    The third number tells nothing: kernels count it with each packet."""
    rows = [line.split() for line in text.splitlines() if line[:1].isdecimal()]
    counted = [row for row in rows if len(row) >= 4 and all(word.isdecimal() for word in row[:4])]
    return PoolCounts(sum(int(row[1]) for row in counted), sum(int(row[3]) for row in counted)) if counted else None
