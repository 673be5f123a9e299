"""Whose the connections are: several mounts of one server share them, and NFSv4 does not tell their ports."""

from __future__ import annotations

from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from advisor.observe.mountstats import CountedMount
    from advisor.observe.snapshot import Snapshot
    from advisor.observe.sockets import TcpSocket
    from advisor.observe.transports import SampledTransport


class Shares:
    """Whose the transports and connections are."""

    def __init__(self, after: Snapshot, samples: Sequence[SampledTransport]) -> None:
        self.after = after
        self.samples = samples
        self.claimed: dict[tuple[str, int], set[int]] = {}
        self.unnamed: dict[tuple[str, int], set[str]] = {}
        self._mounts = Counter((self.server(mount), _client(mount)) for mount in after.mounts)
        for mount in after.mounts:
            server = self.server(mount)
            ports = _ports(mount)
            self.claimed.setdefault(server, set()).update(ports)
            if not ports:
                self.unnamed.setdefault(server, set()).add(_client(mount))

    def server(self, mount: CountedMount) -> tuple[str, int]:
        """Address and port of the server."""
        place = self.after.places.get(mount.target)
        port = mount.options.get("port", "")
        return (place.address if place else "", int(port) if port.isdecimal() and int(port[:6]) else 2049)

    def sampled(self, mount: CountedMount) -> list[SampledTransport] | None:
        """What was seen of the mount's transports, None where they cannot be told from those of others."""
        if not self._tells(mount):
            return None
        address, port = self.server(mount)
        own, others = _ports(mount), self.claimed[address, port]
        return [
            one for one in self.samples
            if one.address == address and one.values.get("dst_port") == port
            and (one.values.get("src_port") in own if own else one.values.get("src_port") not in others)
        ]

    def sockets(self, snapshot: Snapshot, mount: CountedMount) -> list[TcpSocket] | None:
        """The mount's connections, None where they cannot be told from those of others."""
        if not self._tells(mount):
            return None
        own, others = _ports(mount), self.claimed[self.server(mount)]
        return [
            one for one in snapshot.sockets
            if one.peer == self.server(mount) and (one.local[1] in own if own else one.local[1] not in others)
        ]

    def sharing(self, mount: CountedMount) -> int:
        """How many mounts go over the connections of this one, which is among them; 0 where nothing went over them."""
        used = any(one.counts.get("sends") for one in mount.transports)
        return self._mounts[self.server(mount), _client(mount)] if used else 0

    def _tells(self, mount: CountedMount) -> bool:
        """NFSv3 says its own ports. NFSv4 does not: it must be the only such client of its server."""
        server = self.server(mount)
        return bool(server[0]) and (bool(_ports(mount)) or len(self.unnamed.get(server, ())) == 1)


def _ports(mount: CountedMount) -> set[int]:
    return {one.counts["port"] for one in mount.transports if one.counts.get("port")}


def _client(mount: CountedMount) -> str:
    """Mounts of one server with equal transports share them."""
    return repr([(one.protocol, one.counts) for one in mount.transports])
