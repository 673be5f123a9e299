"""A server in this process that speaks as much of rpcbind, mountd, NFSv3 and NFSv4 as a probe asks, and keeps what a
client would leave behind."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, Thread

from advisor.probe.protocols import OPERATIONS, STATUS
from advisor.probe.rpc import RpcReply, long, opaque, words

NAMES = {number: name for name, number in OPERATIONS.items()}
NUMBERS = {name: number for number, name in STATUS.items()}
RIGHTS = {"ro": 0b100011, "rw": 0b111111, "none": 0}


@dataclass
class Shared:
    """A directory of the server. `status`: how its lookup ends; `rights`: a key of RIGHTS."""

    clients: tuple[str, ...] = ("*",)
    status: str = "OK"
    flavours: tuple[int | str, ...] = (1,)
    mode: int = 0o755
    owner: str = "0"
    rights: str = "rw"
    fsid: int = 7
    v3: str = "OK"


@dataclass
class Fake:
    """`broken`: number of a reply → what becomes of its bytes; None: it is never sent."""

    shares: dict[str, Shared] = field(default_factory=dict)
    minors: tuple[int, ...] = (0, 1, 2)
    nfs_versions: tuple[int, ...] = (3, 4)
    programs: tuple[int, ...] = (100000, 100003, 100005, 100021, 100024)
    tls: bool = False
    grace: str = ""
    slots: int = 30
    scope: str = "vm"
    implementation: tuple[str, str] | None = None
    listed: bool = True
    heedless: bool = False
    """It takes calls of any version for NFSv3, has no export list, and nobody tells its ports."""
    broken: dict[int, Callable[[bytes], bytes | None]] = field(default_factory=dict)
    port: int = 0
    calls: list[str] = field(default_factory=list)
    clients: dict[int, bytes] = field(default_factory=dict)
    """Confirmed ones, with their sessions."""
    mounts: list[str] = field(default_factory=list)
    on_call: Callable[[str], None] = lambda _: None
    own_connection_only: bool = True
    _replies: int = 0
    _known: int = 0
    _lock: Lock = field(default_factory=Lock)

    def serve(self, connection: socket.socket) -> None:
        bound: set[bytes] = set()
        with connection:
            while (call := _record(connection)) is not None:
                with self._lock:
                    reply = self._reply(call, bound)
                    number, self._replies = self._replies, self._replies + 1
                changed = self.broken.get(number, lambda whole: whole)(words(0x8000_0000 | len(reply)) + reply)
                if changed is None:
                    continue
                try:
                    connection.sendall(changed)
                except OSError:
                    return
                if changed == b"":
                    return

    def _reply(self, call: bytes, bound: set[bytes]) -> bytes:
        data = RpcReply(call)
        xid, _, _, program, version, procedure = (data.number() for _ in range(6))
        flavour, credential = data.number(), data.opaque()
        _, verifier = data.number(), data.opaque()
        accepted = words(xid, 1, 0, 0, 0)
        if flavour == 7:
            return words(xid, 1, 0, 0) + opaque(b"STARTTLS") + words(0) if self.tls else words(xid, 1, 1, 1, 2)
        if flavour == 6:
            return self._over_gss(words(xid, 1), RpcReply(credential), data, verifier)
        if program not in self.programs:
            return accepted + words(1)
        versions = {100000: (2, 3, 4), 100003: self.nfs_versions, 100005: (1, 3), 100021: (4,), 100024: (1,)}[program]
        if version not in versions and not self.heedless:
            return accepted + words(2, min(versions), max(versions))
        name = f"{program}.{version}.{procedure}"
        if self.heedless and name in ("100003.4.1", "100005.3.5"):
            return accepted + words(*((0, 22) if version == 4 else (2,)))
        if procedure and program == 100003 and version == 4:
            return accepted + words(0) + self._compound(data, bound)
        self.calls.append(name)
        self.on_call(name)
        return accepted + words(0) + (getattr(self, f"_{program}_{procedure}", lambda _: b"")(data))

    def _over_gss(self, head: bytes, credential: RpcReply, data: RpcReply, verifier: bytes) -> bytes:
        """A context is made in two turns, and is used once before it ends."""
        _, what, number, _, handle = (*(credential.number() for _ in range(4)), credential.opaque())
        self.calls.append(f"GSS {what} {number}")
        token = data.opaque() if what in (1, 2) else b""
        if token == b"wrong" or (what not in (1, 2) and (handle, verifier[:6]) != (b"ctx", b"signed")):
            return head + words(1, 1, 13)
        made = opaque(b"ctx") + words(int(what == 1), 0, 128) + opaque(b"more" if what == 1 else b"")
        return head + words(0, 0, 0, 0) + (made if what in (1, 2) else b"")

    def _100000_4(self, _: RpcReply) -> bytes:
        rows = [(program, version) for program in self.programs for version in (
            (3, 4) if program == 100003 else (4,) if program == 100021 else (1, 3))]
        where = f"0.0.0.0.{self.port >> 8}.{self.port & 255}"
        return b"".join(
            words(1, program, version) + opaque("tcp") + opaque(where) + opaque("user") for program, version in rows
        ) + words(0)

    def _100005_5(self, _: RpcReply) -> bytes:
        listed = self.shares.items() if self.listed else ()
        return b"".join(
            words(1) + opaque(path) + b"".join(words(1) + opaque(client) for client in share.clients) + words(0)
            for path, share in listed
        ) + words(0)

    def _100005_1(self, data: RpcReply) -> bytes:
        path = data.text()
        share = self.shares.get(path, Shared(v3="NOENT"))
        if share.v3 != "OK":
            return words({"NOENT": 2, "ACCES": 13, "NOTDIR": 20}[share.v3])
        self.mounts.append(path)
        return words(0) + opaque(path) + words(len(share.flavours), *(int(f) for f in share.flavours))

    def _100005_3(self, data: RpcReply) -> bytes:
        self.mounts.remove(data.text())
        return b""

    def _100003_1(self, data: RpcReply) -> bytes:
        share = self.shares[data.text()]
        return words(0, 2, share.mode, 2, int(share.owner), int(share.owner)) + bytes(60)

    def _100003_4(self, data: RpcReply) -> bytes:
        return words(0, 1) + bytes(84) + words(RIGHTS[self.shares[data.text()].rights])

    def _100003_19(self, _: RpcReply) -> bytes:
        return words(0, 1) + bytes(84) + words(1 << 20, 1 << 20, 4096, 1 << 20, 1 << 20, 4096, 1 << 20) + bytes(20)

    def _100003_20(self, _: RpcReply) -> bytes:
        return words(0, 1) + bytes(84) + words(32000, 255, 0, 1, 0, 1)

    def _compound(self, data: RpcReply, bound: set[bytes]) -> bytes:
        data.opaque()
        minor, count = data.number(), data.number()
        if minor not in self.minors:
            return words(10021) + opaque("") + words(0)
        status, results, at = "OK", [], ""
        for turn in range(count):
            name = NAMES[data.number()]
            self.calls.append(name)
            self.on_call(name)
            alone = name in ("EXCHANGE_ID", "CREATE_SESSION", "DESTROY_SESSION", "DESTROY_CLIENTID", "SEQUENCE",
                             "BIND_CONN_TO_SESSION")
            if minor and turn == 0 and not alone:
                status, body = "OP_NOT_IN_SESSION", b""
            elif alone:
                status, body = getattr(self, f"_{name.lower()}")(data, bound)
            else:
                status, body, at = getattr(self, f"_{name.lower()}")(data, at)
            results.append(words(OPERATIONS[name], NUMBERS[status]) + body)
            if status != "OK":
                break
        return words(NUMBERS[status]) + opaque("") + words(len(results)) + b"".join(results)

    def _exchange_id(self, data: RpcReply, _: set[bytes]) -> tuple[str, bytes]:
        self._known += 1
        domain, name = self.implementation or ("", "")
        implementation = words(1) + opaque(domain) + opaque(name) + bytes(12) if self.implementation else words(0)
        return "OK", long(self._known) + words(1, 0x2_0000, 0) + long(0) + opaque("vm") + opaque(
            self.scope) + implementation

    def _create_session(self, data: RpcReply, bound: set[bytes]) -> tuple[str, bytes]:
        client = data.long()
        session = self.clients.setdefault(client, struct.pack(">QQ", client, 5))
        bound.add(session)
        return "OK", session + words(1, 0) + words(0, 1 << 20, 1 << 20, 4096, 50, self.slots, 0) * 2

    def _bind_conn_to_session(self, data: RpcReply, bound: set[bytes]) -> tuple[str, bytes]:
        session = data.take(16)
        bound.add(session)
        return "OK", session + words(1, 0)

    def _destroy_session(self, data: RpcReply, bound: set[bytes]) -> tuple[str, bytes]:
        session = data.take(16)
        if self.own_connection_only and session not in bound:
            return "BADSESSION", b""
        client = next((client for client, own in self.clients.items() if own == session), 0)
        if not client:
            return "BADSESSION", b""
        self.clients[client] = b""
        return "OK", b""

    def _destroy_clientid(self, data: RpcReply, _: set[bytes]) -> tuple[str, bytes]:
        client = data.long()
        if self.clients.get(client):
            return "CLIENTID_BUSY", b""
        self.clients.pop(client, None)
        return "OK", b""

    def _sequence(self, data: RpcReply, _: set[bytes]) -> tuple[str, bytes]:
        return "OK", data.take(16) + data.take(16) + words(0)

    def _putrootfh(self, _: RpcReply, __: str) -> tuple[str, bytes, str]:
        return "OK", b"", ""

    def _putfh(self, data: RpcReply, _: str) -> tuple[str, bytes, str]:
        return "OK", b"", data.text().removeprefix("h")

    def _getfh(self, _: RpcReply, at: str) -> tuple[str, bytes, str]:
        return "OK", opaque(f"h{at}"), at

    def _lookup(self, data: RpcReply, at: str) -> tuple[str, bytes, str]:
        path = f"{at}/{data.text()}"
        if not any(share == path or share.startswith(f"{path}/") for share in self.shares):
            return "NOENT", b"", at
        return self.shares.get(path, Shared()).status, b"", path

    def _getattr(self, data: RpcReply, at: str) -> tuple[str, bytes, str]:
        asked, share = data.numbers(4), self.shares.get(at, Shared(fsid=0, rights="ro"))
        values = {
            1: words(2), 8: long(share.fsid) + long(0), 10: words(90), 30: long(1 << 20), 31: long(1 << 20),
            33: words(share.mode), 36: opaque(share.owner), 37: opaque(share.owner),
        }
        bits = [bit for bit in values if bit // 32 < len(asked) and asked[bit // 32] >> bit % 32 & 1]
        return "OK", words(len(asked), *asked) + opaque(b"".join(values[bit] for bit in bits)), at

    def _access(self, data: RpcReply, at: str) -> tuple[str, bytes, str]:
        return "OK", words(data.number(), RIGHTS[self.shares.get(at, Shared()).rights]), at

    def _readdir(self, data: RpcReply, at: str) -> tuple[str, bytes, str]:
        data.take(24), data.numbers(4)
        names = sorted({path[len(at) + 1:].split("/")[0] for path in self.shares if path.startswith(f"{at}/")})
        return "OK", bytes(8) + b"".join(
            words(1) + long(n) + opaque(name) + words(1, 1 << 8) + opaque(long(7) + long(0))
            for n, name in enumerate(names)
        ) + words(0, 1), at

    def _secinfo(self, data: RpcReply, at: str) -> tuple[str, bytes, str]:
        share = self.shares.get(f"{at}/{data.text()}", Shared())
        krb = words(6) + opaque(b"oid") + words(0)
        return "OK", words(len(share.flavours)) + b"".join(
            words(flavour) if isinstance(flavour, int) else krb + words({"krb5": 1, "krb5i": 2, "krb5p": 3}[flavour])
            for flavour in share.flavours
        ), at

    def _secinfo_no_name(self, data: RpcReply, at: str) -> tuple[str, bytes, str]:
        data.number()
        return "OK", words(1, 1), at

    def _lockt(self, data: RpcReply, at: str) -> tuple[str, bytes, str]:
        data.take(28), data.opaque()
        return "GRACE" if self.grace else "ISDIR", b"", at

    def _open(self, data: RpcReply, at: str) -> tuple[str, bytes, str]:
        data.take(20), data.opaque(), data.take(12)
        return "RECLAIM_BAD" if self.grace == "nfsv4" else "NO_GRACE", b"", at


def _record(connection: socket.socket) -> bytes | None:
    try:
        head = connection.recv(4, socket.MSG_WAITALL)
        return connection.recv(struct.unpack(">I", head)[0] & 0x7FFF_FFFF, socket.MSG_WAITALL) if head else None
    except (OSError, struct.error):
        return None


@contextmanager
def listening(serve: Callable[[socket.socket], object], address: str = "127.0.0.1") -> Iterator[int]:
    """The port on which each connection is served by a thread."""
    with socket.create_server((address, 0), family=socket.AF_INET6 if ":" in address else socket.AF_INET) as server:
        def accept() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                Thread(target=serve, args=(connection,), daemon=True).start()

        Thread(target=accept, daemon=True).start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)


@contextmanager
def running(fake: Fake, address: str = "127.0.0.1") -> Iterator[Fake]:
    with listening(fake.serve, address) as fake.port:
        yield fake
