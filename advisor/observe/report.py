"""Everything that a window shows, judged: what the command tells in words and for programs."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple
from advisor.observe.conclude import Drawn, conclusions
from advisor.observe.snapshot import KERNEL
from advisor.observe.window import MountWindow, server_quantities, vanished, windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from advisor.observe.recording import Recording
    from advisor.rulebase.model import RuleBase


class JudgedMount(NamedTuple):
    """A mount, and what its counters show: what limits it, goes wrong, or is so of its work; and `notes`, what is
    certain besides. Where its server is this host, what that counts belongs to it."""

    window: MountWindow
    conclusions: list[Drawn]
    notes: list[Drawn]


class KernelMessage(NamedTuple):
    """A message of kb/messages that the kernel printed in the window: the first such line, and how many there were."""

    id: str
    text: str
    times: int


class ObserveReport(NamedTuple):
    """`server`, `server_conclusions`, `server_notes`: of the NFS server on this host; `serves`: there is one. `gone`:
    mounts that ended in the window. `unseen`: what could not be read, and what follows from it. `kernel`: what
    the kernel said meanwhile."""

    mounts: list[JudgedMount]
    server: Mapping[str, int]
    server_conclusions: list[Drawn]
    server_notes: list[Drawn]
    serves: bool
    gone: list[str]
    unseen: list[str]
    kernel: Sequence[KernelMessage] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to tell of: no mount, and no server."""
        return not (self.mounts or self.gone or self.serves)


def judge(base: RuleBase, read: Recording, wanted: Callable[[str], bool] = lambda _: True) -> ObserveReport:
    """`wanted`: whether the mount of a target is asked for."""
    server = server_quantities(read.before, read.after)
    of_server, server_notes = _of(base, server, "server")
    mounts = [
        _judged(base, one, (of_server, server_notes) if one.local else ([], []))
        for one in windows(read.before, read.after, read.samples) if wanted(one.target)
    ]
    gone = [one for one in vanished(read.before, read.after) if wanted(one)] if read.before else []
    serves = read.after.pools is not None
    return ObserveReport(mounts, server, of_server, server_notes, serves, gone, _unseen(read, mounts))


def _judged(base: RuleBase, window: MountWindow, server: tuple[list[Drawn], list[Drawn]]) -> JudgedMount:
    found, notes = _of(base, window.quantities, "mount")
    return JudgedMount(window, found + server[0], notes + server[1])


def _of(base: RuleBase, quantities: Mapping[str, int | str], what: str) -> tuple[list[Drawn], list[Drawn]]:
    """What is concluded, and what is noted besides."""
    drawn = [one for one in conclusions(base, quantities) if one.conclusion.of == what] if quantities else []
    notes = [one for one in drawn if one.conclusion.kind in ("verdict", "note")]
    return [one for one in drawn if one not in notes], notes


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
    if read.before is not None and KERNEL not in read.after.texts:
        found.append("What the kernel said meanwhile (dmesg) was not read; on many hosts only root may.")
    return found
