"""Mounts that stand side by side: what two real kernels did with the later one, in the words of the linter's checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from tests.kernel.cases import oracle

OWN = Path(__file__).parent / "observed-pairs.jsonl"

CONNECTIONS = "nconnect-shared-transport"
PORTS = "resvport-shared-transport"
IGNORED = "same-export-option-ignored"
CACHES = "same-export-separate-caches"
PRIVATE = "nosharecache-two-caches"
RULES = frozenset({CONNECTIONS, PORTS, IGNORED, CACHES, PRIVATE})

REMOUNT = "@via=remount"
_ANOTHER_ADDRESS = "another name or address of the same server, which fstab does not say"
_SIZE = "without rsize and wsize the server's answer decides"
_VERSION = "without vers= the server's answer decides"
_PORT = "without port= NFSv3 asks rpcbind"
SILENT = {
    "vers=4.1,nconnect=4 && @src=127.0.0.2:/srv/b vers=4.1,nconnect=8": _ANOTHER_ADDRESS,
    "vers=4.2,nconnect=4 && @src=192.0.2.1:/srv/b vers=4.2,nconnect=8": _ANOTHER_ADDRESS,
    "vers=3,nconnect=2 && @src=localhost:/srv/b vers=3,nconnect=4": _ANOTHER_ADDRESS,
    "vers=4.0,nconnect=2 && @src=localhost:/srv/b vers=4.0,nconnect=4": _ANOTHER_ADDRESS,
    "vers=4.1,nconnect=2 && @src=localhost:/srv/b vers=4.1,nconnect=4": _ANOTHER_ADDRESS,
    "vers=4.1,nconnect=2 && @src=127.0.0.2:/srv/b vers=4.1,nconnect=4": _ANOTHER_ADDRESS,
    "vers=4.2,nconnect=2 && @src=[::1]:/srv/b vers=4.2,nconnect=4,proto=tcp6": _ANOTHER_ADDRESS,
    "vers=4.2,nconnect=2 && @src=[::1]:/srv/b vers=4.2,nconnect=4": _ANOTHER_ADDRESS,
    "vers=4.2 && @src=127.0.0.1:/srv/a vers=4.2,rsize=65536": _SIZE,
    "vers=4.2 && @src=127.0.0.1:/srv/a vers=4.2,wsize=65536": _SIZE,
    "vers=3 && @src=127.0.0.1:/srv/a vers=3,rsize=65536": _SIZE,
    "vers=4.2,nconnect=4 && @src=127.0.0.1:/srv/a nconnect=8": _VERSION,
    "vers=4.2,nconnect=4 && @src=127.0.0.1:/srv/b nconnect=8": _VERSION,
    "vers=3,port=2049,nconnect=2 && @src=127.0.0.1:/srv/a vers=3,nconnect=4": _PORT,
    "vers=3,port=2049,timeo=100 && @src=127.0.0.1:/srv/a vers=3": _PORT,
}
"""Cases in which the two lines do not say enough: there the linter says nothing, or less than the kernel did."""


class Mount(NamedTuple):
    """One mount of a case. `shown`: its options in /proc/mounts; `device`: its file system, where it was asked for;
    `connections`: how many TCP connections there were after it."""

    source: str
    options: str
    shown: str | None
    device: str | None
    connections: int


class Several(NamedTuple):
    """Mounts made one after the other, that stay."""

    text: str
    mounts: tuple[Mount, ...]

    @property
    def fstab(self) -> str:
        """The same mounts as lines of fstab."""
        rows = enumerate(self.mounts, 1)
        return "".join(f"{one.source} /mnt/{number} nfs {one.options} 0 0\n" for number, one in rows)


def asked(kernel: str) -> list[Several]:
    """Every case of the oracle file with several mounts; fstab cannot say that one is mounted anew."""
    rows = [json.loads(line) for line in oracle(kernel).read_text().splitlines()]
    return [_several(row["case"], row["steps"]) for row in rows if row.get("steps") and REMOUNT not in row["case"]]


def own(kernel: str) -> list[Several]:
    """Further cases, of observed-pairs.jsonl."""
    rows = [json.loads(line) for line in OWN.read_text().splitlines()]
    return [_several(row["case"], row.get(kernel) or row["steps"]) for row in rows]


def _several(text: str, steps: list[dict[str, Any]]) -> Several:
    return Several(
        text,
        tuple(
            Mount(
                step.get("src", "127.0.0.1:/srv/a"), step.get("options") or "defaults",
                step.get("proc_mounts_options", step.get("shown")), step.get("device"), step["tcp_connections"],
            )
            for step in steps
        ),
    )


def did(case: Several) -> set[str]:
    """What there is to say of the last mount: what of it was ignored, and whether its export is cached twice."""
    *earlier, last = case.mounts
    first = next((one for one in earlier if one.source == last.source), None)
    shown = last.shown or ""
    told: set[str] = set()
    if _number(shown, "nconnect", 1) != _number(last.options, "nconnect", 1):
        told.add(CONNECTIONS)
    shared = last.connections == earlier[-1].connections
    if shared and any(_flag(one.options) != _flag(last.options) for one in earlier):
        told.add(PORTS)
    if first is None:
        return told
    wanted = {"timeo": min(_number(last.options, "timeo", 600), 6000), "retrans": _number(last.options, "retrans", 2)}
    if any(_number(shown, name, 0) != value for name, value in wanted.items()):
        told.add(IGNORED)
    if _apart(first, last):
        told.add(PRIVATE if "nosharecache" in f"{first.options},{last.options}".split(",") else CACHES)
    return told


def _apart(first: Mount, last: Mount) -> bool:
    if first.device is not None:
        return first.device != last.device
    return first.shown != last.shown or "nosharecache" in last.options


def _flag(options: str) -> bool:
    return "noresvport" in options.split(",")


def _number(options: str, name: str, otherwise: int) -> int:
    given = [word.partition("=")[2] for word in options.split(",") if word.startswith(f"{name}=")]
    return int(given[-1]) if given else otherwise
