"""Everything that a window shows, judged: what the command tells in words and for programs."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple
from advisor.observe.conclude import Drawn, conclusions
from advisor.observe.window import MountWindow, server_quantities, vanished, windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from advisor.observe.recording import Recording
    from advisor.rulebase.model import RuleBase


class JudgedMount(NamedTuple):
    """A mount, and what its counters show. Where its server is this host, what that counts belongs to it."""

    window: MountWindow
    conclusions: list[Drawn]


class ObserveReport(NamedTuple):
    """`server`, `server_conclusions`: of the NFS server on this host; `serves`: there is one. `gone`: mounts that ended
    in the window. `unseen`: what could not be read, and what follows from it."""

    mounts: list[JudgedMount]
    server: Mapping[str, int]
    server_conclusions: list[Drawn]
    serves: bool
    gone: list[str]
    unseen: list[str]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to tell of: no mount, and no server."""
        return not (self.mounts or self.gone or self.serves)


def judge(base: RuleBase, read: Recording, wanted: Callable[[str], bool] = lambda _: True) -> ObserveReport:
    """`wanted`: whether the mount of a target is asked for."""
    server = server_quantities(read.before, read.after)
    of_server = _of(base, server, "server")
    mounts = [
        JudgedMount(one, _of(base, one.quantities, "mount") + (of_server if one.local else []))
        for one in windows(read.before, read.after, read.samples) if wanted(one.target)
    ]
    gone = [one for one in vanished(read.before, read.after) if wanted(one)] if read.before else []
    return ObserveReport(mounts, server, of_server, read.after.pools is not None, gone, _unseen(read, mounts))


def _of(base: RuleBase, quantities: Mapping[str, int | str], what: str) -> list[Drawn]:
    drawn = conclusions(base, quantities) if quantities else []
    return [one for one in drawn if one.conclusion.of == what]


def _unseen(read: Recording, mounts: list[JudgedMount]) -> list[str]:
    if not mounts:
        return []
    found = []
    if read.before is None:
        found.append("There is one reading only: all numbers are averages since each mount was made, and what happens "
                     "now and then is lost in them.")
    elif not read.samples:
        found.append("The queues of the transports (/sys/kernel/sunrpc) were not seen: stalls and session slots cannot "
                     "be told. Linux 5.14 and later show them.")
    if read.before is not None and not read.after.sockets:
        found.append("The TCP connections were not seen: whether server or network takes the time cannot be told.")
    return found
