"""A text diagram of a failover cluster: its resources in order, the storage, the address and the clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from advisor.pages.escape import visible
from advisor.pages.phrases import clipped

if TYPE_CHECKING:
    from advisor.advice.model import Advice

WIDTH = 76
_ORDER, _NOTIFY, _VOLUMES, _DRBD = "cluster.order", "cluster.notify", "cluster.volume_group", "cluster.replication"
_ADDRESS = "cluster.address"
_STANDBY = 24
"""Columns of the passive node."""


class Resource(NamedTuple):
    """One resource of the group. `what`: a description of it."""

    agent: str
    what: str


class Mover(NamedTuple):
    """The agent that moves the address in a cloud. `alone`: it replaces IPaddr2."""

    agent: str
    alone: bool


def mover(advice: Advice) -> Mover | None:
    """The agent in the advised value of `cluster.address`; None if IPaddr2 alone moves the address."""
    address = next((
        str(setting.value) for setting in advice.advised if setting.tunable == _ADDRESS and setting.recommends
    ), "")
    return Mover(address.split(" ")[0], "in place of" in address) if address else None


def resources(advice: Advice) -> list[Resource]:
    """The resources in the order in which they start; [] if no cluster is advised."""
    advised = {setting.tunable for setting in advice.advised if setting.recommends}
    if _ORDER not in advised:
        return []
    name = advice.answers.name
    moved = mover(advice)
    server, export, clients = (visible(name(word)) for word in ("server", "export", "clients"))
    return [
        *([Resource("LVM-activate", "the volume group")] if _VOLUMES in advised else ()),
        Resource("Filesystem", "/srv/nfs-state"),
        Resource("Filesystem", export),
        Resource("nfsserver", "the same scope on all nodes"),
        *(Resource("exportfs", f"to {client}: {export}") for client in clients.split(" ")),
        *([Resource(moved.agent, "moves the address in the cloud")] if moved else ()),
        *([Resource("IPaddr2", server)] if not (moved and moved.alone) else ()),
        *([Resource("nfsnotify", f"from {server}")] if _NOTIFY in advised else ()),
    ]


def storage(advice: Advice) -> str:
    """A sentence on the storage of both nodes."""
    replicated = any(setting.tunable == _DRBD and setting.recommends for setting in advice.advised)
    return "a disk on each node, replicated by DRBD" if replicated else "shared disks, used by one node at a time"


def picture(advice: Advice) -> list[str]:
    """Lines of at most WIDTH columns; [] if no cluster is advised."""
    grouped = resources(advice)
    if not grouped:
        return []
    name = advice.answers.name
    inner = WIDTH - _STANDBY - 2
    wide = max(len(resource.agent) for resource in grouped)
    left = [f"{number}  {resource.agent:<{wide}}  {resource.what}" for number, resource in enumerate(grouped, 1)]
    left = ["starts downwards, stops upwards", *left]
    right = ["waits, same settings", "nfs-server disabled"]
    height = max(len(left), len(right))
    left += [""] * (height - len(left))
    right += [""] * (height - len(right))
    middle = inner // 2
    waiting = inner + 2 + _STANDBY // 2
    return [
        clipped(f"clients {visible(name('clients'))}, mounted hard", WIDTH),
        f"{'│':>{middle}}",
        clipped(f"address {visible(name('server'))}, moves with the group", WIDTH),
        f"{'│':>{middle}}",
        _edge("┌", "─ active node: group nfs ", "┐", inner) + "  " + _edge("┌", "─ passive node ", "┐", _STANDBY),
        *(f"{_row(active, inner)}  {_row(passive, _STANDBY)}" for active, passive in zip(left, right)),
        f"{_joint('└', '┘', inner, middle)}  {_joint('└', '┘', _STANDBY, waiting - inner - 2)}",
        f"{'│':>{middle}}{'│':>{waiting - middle}}",
        f"{'└':>{middle}}{'─ fencing ':─^{waiting - middle - 1}}┘",
        f"{'│':>{middle}}",
        clipped(storage(advice), WIDTH),
    ]


def _edge(start: str, title: str, end: str, width: int) -> str:
    return start + title.ljust(width - 2, "─") + end


def _joint(start: str, end: str, width: int, at: int) -> str:
    """The lower edge of a box, with a line that leaves it in column `at`, counted from 1."""
    return start + "─" * (at - 2) + "┬" + "─" * (width - at - 1) + end


def _row(words: str, width: int) -> str:
    return f"│ {clipped(words, width - 4):<{width - 4}} │"

