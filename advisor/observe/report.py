"""Judges a window by the rule base."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple
from advisor.observe.conclusions import DrawnConclusion, conclusions
from advisor.observe.snapshot import KERNEL
from advisor.observe.window import MountWindow, server_quantities, unmounted_targets, windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from advisor.observe.recording import Recording
    from advisor.rulebase.model import RuleBase


class JudgedMount(NamedTuple):
    """`conclusions`: limits, troubles, and descriptions of the work; `notes`: further conclusions. Both include those
    about the server, if it is this host."""

    window: MountWindow
    conclusions: list[DrawnConclusion]
    notes: list[DrawnConclusion]


class KernelMessage(NamedTuple):
    """A message of kb/messages that the kernel logged in the window. `text`: the first such line; `times`: how many
    there were."""

    id: str
    text: str
    times: int


class ObserveReport(NamedTuple):
    """`server`, `server_conclusions`, `server_notes`: of the NFS server on this host; `serves`: there is one. `gone`:
    targets of mounts that ended in the window. `unseen`: sentences about what could not be read. `kernel`: what the
    kernel logged."""

    mounts: list[JudgedMount]
    server: Mapping[str, int]
    server_conclusions: list[DrawnConclusion]
    server_notes: list[DrawnConclusion]
    serves: bool
    gone: list[str]
    unseen: list[str]
    kernel: Sequence[KernelMessage] = ()

    @property
    def empty(self) -> bool:
        return not (self.mounts or self.gone or self.serves)


def judge(base: RuleBase, recording: Recording, wanted: Callable[[str], bool] = lambda _: True) -> ObserveReport:
    """Judges a recording. `wanted`: whether to report the mount of a target."""
    before, after = recording.before, recording.after
    server = server_quantities(before, after)
    server_conclusions, server_notes = _conclusions_and_notes(base, server, "server")
    mounts = []
    for window in windows(before, after, recording.samples):
        if wanted(window.target):
            mount_conclusions, notes = _conclusions_and_notes(base, window.quantities, "mount")
            mounts.append(
                JudgedMount(window, mount_conclusions + server_conclusions, notes + server_notes) if window.local
                else JudgedMount(window, mount_conclusions, notes)
            )
    gone = [target for target in unmounted_targets(before, after) if wanted(target)] if before else []
    return ObserveReport(mounts, server, server_conclusions, server_notes, after.pools is not None, gone,
                         _unseen(recording) if mounts else [])


def _conclusions_and_notes(
    base: RuleBase, quantities: Mapping[str, int | str], about: str
) -> tuple[list[DrawnConclusion], list[DrawnConclusion]]:
    drawn = [each for each in conclusions(base, quantities) if each.conclusion.of == about] if quantities else []
    notes = [each for each in drawn if each.conclusion.kind in ("verdict", "note")]
    return [each for each in drawn if each not in notes], notes


def _unseen(recording: Recording) -> list[str]:
    if recording.before is None:
        return ["There is only one reading: all numbers are averages since each mount, and hide what happens only "
                "now and then."]
    sentences = []
    if not recording.samples:
        sentences.append("The queues of the transports (/sys/kernel/sunrpc) were not seen, so stalls and session slots "
                         "are unknown. Linux 5.14 and later show them.")
    if not recording.after.sockets:
        sentences.append("The TCP connections were not seen, so it is unknown whether the server or the network takes "
                         "the time.")
    if KERNEL not in recording.after.texts:
        sentences.append("The kernel's messages (dmesg) were not read; on many hosts only root may read them.")
    return sentences
