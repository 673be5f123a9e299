"""Where the time of a call goes."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class TimeSpent(NamedTuple):
    """Microseconds of a mean call: waiting in the client until it was sent, on the way there and back, in the server,
    and in the client after the answer. `server` None: `network` holds both, as nobody saw the connection."""

    queued: int
    network: int
    server: int | None
    after: int

    @property
    def whole(self) -> int:
        return self.queued + self.network + (self.server or 0) + self.after


def time_spent(quantities: Mapping[str, int | str]) -> TimeSpent | None:
    """None where there were no calls, or none that took any time."""
    queue, rtt, execute = (quantities.get(f"observed.{name}") for name in ("queue", "rtt", "execute"))
    if not (isinstance(queue, int) and isinstance(rtt, int) and isinstance(execute, int)) or execute <= 0:
        return None
    tcp = quantities.get("observed.tcp_rtt")
    network, server = (min(tcp, rtt), max(0, rtt - tcp)) if isinstance(tcp, int) else (rtt, None)
    return TimeSpent(queue, network, server, max(0, execute - queue - rtt))
