"""mountstats as kernels print it, made of the numbers that a test is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

EVENTS, BYTES = 27, 8
TCP = ("port", "binds", "connects", "connecting", "idle", "sends", "receives", "bad_xids", "in_flight", "backlog",
       "most_slots", "sending", "pending")


def tcp(**counts: int) -> str:
    return "tcp " + " ".join(str(counts.get(name, 0)) for name in TCP)


def mount(
    target: str = "/mnt/1", *, source: str = "nas:/export", vers: str = "4.2", age: int = 60, options: str = "",
    xprts: Sequence[str] = (), ops: Mapping[str, Sequence[int]] | None = None, events: Mapping[int, int] | None = None,
    sizes: Mapping[int, int] | None = None, statvers: str = "1.1",
) -> str:
    """One mount. `events`, `sizes`: place in the line → number."""
    fstype = "nfs" if vers == "3" else "nfs4"
    counted = " ".join(str((events or {}).get(place, 0)) for place in range(EVENTS))
    moved = " ".join(str((sizes or {}).get(place, 0)) for place in range(BYTES))
    lines = [
        f"device {source} mounted on {target} with fstype {fstype} statvers={statvers}",
        f"\topts:\trw,vers={vers},rsize=1048576,wsize=1048576,hard,proto=tcp{options}",
        f"\tage:\t{age}",
        "\tcaps:\tcaps=0x3ffdf,wtmult=512",
        f"\tevents:\t{counted} ",
        f"\tbytes:\t{moved} ",
        f"\tRPC iostats version: {statvers}  p/v: 100003/4 (nfs)",
        *(f"\txprt:\t{one}" for one in xprts or [tcp(sends=1)]),
        "\tper-op statistics",
        "\t        NULL: 1 1 0 44 24 0 0 0 0",
        *(f"\t{name:>12}: {' '.join(map(str, row))}" for name, row in (ops or {}).items()),
    ]
    return "\n".join(lines) + "\n\n"


def mountinfo(*targets: str, address: str = "192.0.2.7", device: str = "0:50") -> str:
    return "".join(
        f"{40 + number} 1 {device} / {target} rw - nfs4 nas:/export rw,vers=4.2,addr={address}\n"
        for number, target in enumerate(targets)
    )
