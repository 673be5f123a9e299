"""A failover cluster: its resources in the order in which they start, and a diagram of them."""

from __future__ import annotations

from itertools import zip_longest

from advisor.named_tuple import NamedTuple
from advisor.pages.phrases import clipped
from advisor.pages.style import visible

TYPE_CHECKING = False
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
        Resource("Filesystem", "above the export" if advice.answers.facts.get("export.own_mount") is False else export),
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
    each = resources(advice)
    if not each:
        return []
    name = advice.answers.name
    inner = WIDTH - _STANDBY - 2
    wide = max(len(resource.agent) for resource in each)
    starts = [f"{number}  {resource.agent:<{wide}}  {resource.what}" for number, resource in enumerate(each, 1)]
    left, right = ("starts downwards, stops upwards", *starts), ("waits, same settings", "nfs-server disabled")
    middle = inner // 2
    waiting = inner + 2 + _STANDBY // 2
    return [
        clipped(f"clients {visible(name('clients'))}, mounted hard", WIDTH),
        f"{'│':>{middle}}",
        clipped(f"address {visible(name('server'))}, moves with the group", WIDTH),
        f"{'│':>{middle}}",
        f"{_edge('active node: group nfs', inner)}  {_edge('passive node', _STANDBY)}",
        *(f"{_row(active, inner)}  {_row(passive, _STANDBY)}"
          for active, passive in zip_longest(left, right, fillvalue="")),
        f"{_joint(inner, middle)}  {_joint(_STANDBY, waiting - inner - 2)}",
        f"{'│':>{middle}}{'│':>{waiting - middle}}",
        f"{'└':>{middle}}{'─ fencing ':─^{waiting - middle - 1}}┘",
        f"{'│':>{middle}}",
        clipped(storage(advice), WIDTH),
    ]


def _edge(title: str, width: int) -> str:
    return f"┌{f'─ {title} ':─<{width - 2}}┐"


def _joint(width: int, at: int) -> str:
    """The lower edge of a box, with a line that leaves it in column `at`, counted from 1."""
    return f"└{'┬':─>{at - 1}}{'─' * (width - at - 1)}┘"


def _row(words: str, width: int) -> str:
    return f"│ {clipped(words, width - 4):<{width - 4}} │"
