"""What an NFS server counts: its thread pools, and the calls that it answered."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple
from advisor.observe.numbers import is_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class PoolCounts(NamedTuple):
    """Of all thread pools together: messages that arrived, and threads that were woken for one."""

    packets: int
    woken: int


class ServedCounts(NamedTuple):
    """`again`: calls that came a second time and were answered from the reply cache; `v3`: calls of NFSv3; `v40`: those
    that only clients of NFSv4.0 make (RENEW, SETCLIENTID). None where the kernel's line is missing."""

    again: int | None
    v3: int | None
    v40: int | None


_RENEW, _SETCLIENTID = 30, 35
"""Numbers of operations (RFC 7530); a server without NFSv4 has none of them in its list."""


def read_served(text: str) -> ServedCounts | None:
    """/proc/net/rpc/nfsd: of `rc`, `proc3` and `proc4ops` (how many numbers follow, then one for each procedure)."""
    rows = {words[0]: words[1:] for line in text.splitlines() if (words := line.split())}
    cache, third, fourth = (_whole(rows.get(name, ())) for name in ("rc", "proc3", "proc4ops"))
    if not cache and not third and not fourth:
        return None
    operations = fourth[1:]
    return ServedCounts(
        cache[0] if cache else None, sum(third[1:]) if third else None,
        operations[_RENEW] + operations[_SETCLIENTID] if len(operations) > _SETCLIENTID else None,
    )


def _whole(words: Sequence[str]) -> list[int]:
    """The numbers of a line, none where one is not a number that a kernel writes."""
    return [int(word) for word in words] if all(is_count(word) for word in words) else []


def read_pools(text: str) -> PoolCounts | None:
    """/proc/fs/nfsd/pool_stats: pool, packets-arrived, sockets-enqueued, threads-woken, … None where it has no pool.

    The third number tells nothing: kernels count it with each packet."""
    rows = [line.split() for line in text.splitlines() if line[:1].isdecimal()]
    counted = [row for row in rows if len(row) >= 4 and all(is_count(word) for word in row[:4])]
    return PoolCounts(sum(int(row[1]) for row in counted), sum(int(row[3]) for row in counted)) if counted else None
