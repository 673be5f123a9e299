"""What servers are asked without a mount: rpcbind (RFC 1833), the mount protocol and NFSv3 (RFC 1813); one call over
RPCSEC_GSS (RFC 2203) with the caller's Kerberos ticket, which needs gssapi; and NFSv4 (RFC 7530, RFC 8881, RFC 7862):
compounds, and a client whose records are destroyed again."""

from __future__ import annotations

import ipaddress
import os
import time
from collections.abc import Callable
from functools import partial

from advisor.probe.result import Attributes, ExportedPath, Grant, Identity, MountedV3, Registered
from advisor.probe.rpc import GSS, Connection, RpcReply, Trouble, caller, long, opaque, words

RPCBIND, NFS, MOUNTD = 100000, 100003, 100005
PROGRAMS = {
    NFS: ("nfs", (2, 3, 4)), MOUNTD: ("mountd", (1, 3)), 100021: ("nlm", (4,)), 100024: ("statd", (1,)),
    100227: ("acl", (3,)), 100011: ("rquotad", (1, 2)),
}
"""Number → name, and the versions that are tried."""
ACCESS = {1: "read", 2: "lookup", 4: "modify", 8: "extend", 16: "delete", 32: "execute"}
"""The rights of the operation ACCESS, in NFSv3 as in NFSv4."""
FLAVOURS = {0: "none", 1: "sys", 7: "tls", 390003: "krb5", 390004: "krb5i", 390005: "krb5p"}
STATUS = {
    0: "OK", 1: "PERM", 2: "NOENT", 5: "IO", 13: "ACCES", 20: "NOTDIR", 21: "ISDIR", 22: "INVAL", 63: "NAMETOOLONG",
    70: "STALE", 10001: "BADHANDLE", 10004: "NOTSUPP", 10005: "TOOSMALL", 10006: "SERVERFAULT", 10008: "DELAY",
    10010: "DENIED", 10011: "EXPIRED", 10013: "GRACE", 10016: "WRONGSEC", 10017: "CLID_INUSE", 10018: "RESOURCE",
    10019: "MOVED", 10020: "NOFILEHANDLE", 10021: "MINOR_VERS_MISMATCH", 10022: "STALE_CLIENTID", 10033: "NO_GRACE",
    10029: "SYMLINK", 10034: "RECLAIM_BAD", 10036: "BADXDR", 10044: "OP_ILLEGAL", 10052: "BADSESSION", 10053: "BADSLOT",
    10063: "SEQ_MISORDERED", 10066: "REQ_TOO_BIG", 10070: "TOO_MANY_OPS", 10071: "OP_NOT_IN_SESSION",
    10074: "CLIENTID_BUSY", 10081: "NOT_ONLY_OP",
}
"""The errors of NFSv3, the mount protocol and NFSv4, without NFS3ERR_, MNT3ERR_ and NFS4ERR_."""
MOST = 10_000
"""Entries of a list that are read; what follows is left out."""
MOST_FLAVOURS = 64
_DUMP, _EXPORT, _MNT, _UMNT, _GETATTR, _ACCESS, _FSINFO, _PATHCONF = 4, 5, 1, 3, 1, 4, 19, 20
_ATTRIBUTES = 84
"""Bytes of NFSv3's attributes of a file."""


def registered(connection: Connection) -> tuple[int, list[Registered]]:
    """Which version of rpcbind answered, and what is registered with it. Raises Trouble."""
    for version in (4, 3):
        try:
            reply = connection.call(RPCBIND, version, _DUMP)
        except Trouble as trouble:
            if trouble.word in ("versions", "no-program", "no-procedure", "denied", "server-error"):
                continue
            raise
        return version, _entries(reply)
    reply, found = connection.call(RPCBIND, 2, _DUMP), list[Registered]()
    while len(found) < MOST and reply.number():
        program, of, protocol, port = (reply.number() for _ in range(4))
        found.append(Registered(program, of, {6: "tcp", 17: "udp"}.get(protocol, str(protocol)), port))
    return 2, found


def _entries(reply: RpcReply) -> list[Registered]:
    found: list[Registered] = []
    while len(found) < MOST and reply.number():
        program, version, netid, address, _ = reply.number(), reply.number(), reply.text(), reply.text(), reply.text()
        parts = address.rsplit(".", 2)
        if len(parts) == 3 and parts[1].isdecimal() and parts[2].isdecimal():
            found.append(Registered(program, version, netid, (int(parts[1][:3]) << 8 | int(parts[2][:3])) & 0xFFFF))
    return found


def exports(connection: Connection) -> list[ExportedPath]:
    """The export list. Some servers give it to AUTH_SYS alone. Raises Trouble."""
    try:
        reply = connection.call(MOUNTD, 3, _EXPORT, credential=caller())
    except Trouble as trouble:
        if trouble.word != "versions":
            raise
        reply = connection.call(MOUNTD, 1, _EXPORT, credential=caller())
    found: list[ExportedPath] = []
    while len(found) < MOST and reply.number():
        path, clients = reply.text(), list[str]()
        while reply.number():
            clients.append(reply.text())
        found.append(ExportedPath(path, tuple(clients)))
    return found


def mount(mountd: Connection, path: str) -> tuple[MountedV3, bytes]:
    """What MNT says of a path, and its file handle. The server notes the client until `unmount`. Raises Trouble."""
    reply = mountd.call(MOUNTD, 3, _MNT, opaque(path), caller())
    status = status_of(reply)
    if status != "OK":
        return MountedV3(status), b""
    handle, numbers = opaque(reply.opaque()), reply.numbers(MOST_FLAVOURS)
    return MountedV3(status, tuple(FLAVOURS.get(number, str(number)) for number in numbers)), handle


def unmount(mountd: Connection, path: str) -> None:
    """Have the server forget a `mount`. Raises Trouble."""
    leaving = mountd.to_leave()
    leaving.call(MOUNTD, 3, _UMNT, opaque(path), caller())
    leaving.close()


def described(found: MountedV3, nfs: Connection, handle: bytes) -> MountedV3:
    """With the attributes, the rights, the sizes and the longest name, as far as they are given. Raises Trouble."""
    reply = nfs.call(NFS, 3, _GETATTR, handle, caller())
    found = found._replace(getattr=status_of(reply))
    if found.getattr == "OK":
        _, mode, _, uid, gid = (reply.number() for _ in range(5))
        found = found._replace(mode=f"{mode & 0o7777:04o}", owner=str(uid), group=str(gid))
    reply = nfs.call(NFS, 3, _ACCESS, handle + words(sum(ACCESS)), caller())
    if status_of(reply) == "OK":
        _skip_attributes(reply)
        found = found._replace(granted=granted(reply.number()), rights_known=True)
    reply = nfs.call(NFS, 3, _FSINFO, handle, caller())
    if status_of(reply) == "OK":
        _skip_attributes(reply)
        sizes = [reply.number() for _ in range(7)]
        found = found._replace(rtmax=sizes[0], rtpref=sizes[1], wtmax=sizes[3], wtpref=sizes[4], dtpref=sizes[6])
    reply = nfs.call(NFS, 3, _PATHCONF, handle, caller())
    if status_of(reply) == "OK":
        _skip_attributes(reply)
        found = found._replace(name_max=(reply.number(), reply.number())[1])
    return found


def _skip_attributes(reply: RpcReply) -> None:
    if reply.number():
        reply.take(_ATTRIBUTES)


def status_of(reply: RpcReply) -> str:
    number = reply.number()
    return STATUS.get(number, str(number))


def granted(bits: int) -> tuple[str, ...]:
    return tuple(name for bit, name in ACCESS.items() if bits & bit)


def admits(client: str, ip: str) -> bool | None:
    """Whether an entry of an export list admits an address; None if that depends on names that the server looks up."""
    if client in ("*", "(everyone)", "0.0.0.0/0", "::/0"):
        return True
    try:
        return ipaddress.ip_address(ip) in ipaddress.ip_network(client, strict=False)
    except ValueError:
        return None


_DATA, _INIT, _CONTINUE, _DESTROY = 0, 1, 2, 3
_TURNS = 8
"""Tokens that are exchanged at most."""


def authenticated_null(connection: Connection, server: str) -> None:
    """Make a context with the NFS service of a server, call it once, and have it forgotten. Libraries ask the key
    distribution centre for a ticket. Raises Trouble."""
    try:
        import gssapi  # type: ignore[import-not-found]  # noqa: PLC0415  an extra that few have
    except ImportError:
        raise Trouble("no-gssapi") from None
    step = _INIT
    try:
        name = gssapi.Name(f"nfs@{server}", gssapi.NameType.hostbased_service)
        context = gssapi.SecurityContext(name=name, usage="initiate", mech=gssapi.MechType.kerberos)
        token, handle = context.step(), b""
        for _ in range(_TURNS):
            reply = connection.call(NFS, 4, 0, opaque(token or b""), _credential(step, 0, handle))
            handle, major, minor, _, answer = (
                reply.opaque(), reply.number(), reply.number(), reply.number(), reply.opaque())
            if major > 1:
                raise Trouble("gss-refused", f"{major:#x}, {minor}")
            step = _CONTINUE
            token = context.step(answer) if answer else b""
            if not major:
                break
        for number, what in enumerate((_DATA, _DESTROY), 1):
            connection.call(NFS, 4, 0, b"", _credential(what, number, handle), sign=context.get_signature)
    except gssapi.exceptions.GSSError as error:
        raise Trouble("no-ticket" if step == _INIT else "gss-refused", " ".join(str(error).split())[:200]) from None


def _credential(what: int, number: int, handle: bytes) -> bytes:
    """`what`: one of the four above; `number`: of the call in its context."""
    return words(GSS) + opaque(words(1, what, number, 1) + opaque(handle))


OPERATIONS = {
    "ACCESS": 3, "GETATTR": 9, "GETFH": 10, "LOCKT": 13, "LOOKUP": 15, "OPEN": 18, "PUTFH": 22, "PUTROOTFH": 24,
    "READDIR": 26, "SECINFO": 33, "BIND_CONN_TO_SESSION": 41, "EXCHANGE_ID": 42, "CREATE_SESSION": 43,
    "DESTROY_SESSION": 44, "SECINFO_NO_NAME": 52, "SEQUENCE": 53, "DESTROY_CLIENTID": 57,
}
_NUMBERS = {number: name for name, number in OPERATIONS.items()}
_ROLES = {0x1_0000: "non-pnfs", 0x2_0000: "pnfs-mds", 0x4_0000: "pnfs-ds", 1: "moved-refer", 2: "moved-migr"}
_KINDS = {1: "file", 2: "directory", 5: "link"}
_OVER_GSS = {1: "krb5", 2: "krb5i", 3: "krb5p"}
_TYPE, _FSID, _LEASE, _RDATTR_ERROR, _MAXREAD, _MAXWRITE, _MODE, _OWNER, _GROUP = 1, 8, 10, 11, 30, 31, 33, 36, 37
_ALL = (_TYPE, _FSID, _LEASE, _MAXREAD, _MAXWRITE, _MODE, _OWNER, _GROUP)
_BRIEF = (_TYPE, _FSID)
_PATIENCE = (0.05, 0.2, 0.5)
"""Seconds before a call is repeated to which the server said DELAY."""
_LAST_PATIENCE = (0.05, 0.2, 0.5, 1, 2, 2, 0)
"""The same before it is asked again to forget the session. The kernel's server gives a call up after five seconds that
waits for an rpc.mountd which is not there."""
_MIB = 1 << 20
_MOST_WORDS = 4
"""Of a bitmap of attributes."""

Operation = tuple[str, bytes]
"""The name of an operation, and its arguments."""
Result = tuple[str, str, object]
"""The name of an operation, its status, and what it gave."""

ROOT: Operation = ("PUTROOTFH", b"")


def lookup(name: str) -> list[Operation]:
    """Look a name up, and get a handle and a few attributes of what it leads to."""
    return [("LOOKUP", opaque(name)), ("GETFH", b""), brief()]


def brief() -> Operation:
    return ("GETATTR", _bitmap(_BRIEF))


def at(handle: bytes) -> Operation:
    return ("PUTFH", opaque(handle))


def all_attributes() -> list[Operation]:
    return [("GETATTR", _bitmap(_ALL)), ("ACCESS", words(sum(ACCESS)))]


def names_below() -> Operation:
    """At most a few dozen of the names in a directory, each with its file system."""
    return ("READDIR", long(0) + bytes(8) + words(8192, 32768) + _bitmap((_FSID, _RDATTR_ERROR)))


def flavours_of(name: str | None) -> Operation:
    """`name`: in the current directory; None: that directory itself."""
    return ("SECINFO_NO_NAME", words(0)) if name is None else ("SECINFO", opaque(name))


def compound(connection: Connection, minor: int, operations: list[Operation]) -> list[Result]:
    """The results of the operations, up to the first that fails. Raises Trouble."""
    body = opaque("") + words(minor, len(operations))
    for name, arguments in operations:
        body += words(OPERATIONS[name]) + arguments
    reply = connection.call(NFS, 4, 1, body, caller())
    status = status_of(reply)
    reply.opaque()
    results: list[Result] = []
    for _ in range(min(reply.number(), len(operations))):
        name, own = _NUMBERS.get(reply.number(), ""), status_of(reply)
        results.append((name, own, _DECODED.get(name, _nothing)(reply) if own == "OK" else None))
        if own != "OK":
            break
    if not results:
        return [("", status, None)]
    if [name for name, _, _ in results] != [name for name, _ in operations][:len(results)]:
        raise Trouble("malformed")
    return results


class Speaker:
    """Asks compounds of one minor version. This one keeps nothing on the server: NFSv4.0 lets anyone look around."""

    def __init__(self, connection: Connection, minor: int = 0) -> None:
        self.connection, self.minor = connection, minor
        self.identity: Identity | None = None
        self.grant: Grant | None = None
        self.client = 0

    def begin(self) -> str:
        return "OK"

    def ask(self, *operations: Operation) -> list[Result]:
        """As `compound`; asked again a few times while the server says DELAY. Raises Trouble."""
        for pause in (*_PATIENCE, 0.0):
            results = self._once([*operations])
            if results[-1][1] != "DELAY":
                break
            time.sleep(pause)
        return results

    def _once(self, operations: list[Operation]) -> list[Result]:
        return compound(self.connection, self.minor, operations)

    def leave(self) -> str:
        """Have the server forget what it keeps. What could not be ended, "" if nothing is left. Raises Trouble."""
        self.connection.close()
        return ""


class ClientSession(Speaker):
    """A client with a session (NFSv4.1 and later), which exists on the server from `begin` until `leave`."""

    def __init__(self, connection: Connection, minor: int) -> None:
        super().__init__(connection, minor)
        self._owner = b"advisor probe " + os.urandom(12).hex().encode()  # never the owner of this host's mounts
        self._known = self._creating = False
        self._sequence, self._turn = 0, 0
        self._session = b""

    def begin(self) -> str:
        """"OK" once there is a session, or the status of what was refused. Raises Trouble."""
        arguments = os.urandom(8) + opaque(self._owner) + words(0, 0, 0)
        _, status, found = compound(self.connection, self.minor, [("EXCHANGE_ID", arguments)])[0]
        if isinstance(found, tuple):
            self.client, self._sequence, self.identity = found
            self._known = True
            self._creating = True
            status = self._create()
        return status

    def _create(self) -> str:
        fore = words(0, _MIB + 4096, _MIB + 4096, 8192, 64, 64, 0)
        back = words(0, 4096, 4096, 0, 2, 1, 0)
        arguments = long(self.client) + words(self._sequence, 0) + fore + back + words(0x4000_0000, 1, 0)
        _, status, found = compound(self.connection, self.minor, [("CREATE_SESSION", arguments)])[0]
        if isinstance(found, tuple):
            self._session, self.grant = found
        self._creating = False
        return status

    def _once(self, operations: list[Operation]) -> list[Result]:
        self._turn += 1
        turn = self._session + words(self._turn, 0, 0, 0)
        results = compound(self.connection, self.minor, [("SEQUENCE", turn), *operations])
        return results[1:] or results

    def leave(self) -> str:
        left = []
        if self._creating:
            self._surely(self._create)  # its reply was lost: asked again, the server gives the session that it has made
        ends = [("DESTROY_SESSION", self._session)] if self._session else []
        ends += [("DESTROY_CLIENTID", long(self.client))] if self._known else []
        for end in ends:
            status = self._surely(partial(self._end, end))
            if status not in ("OK", "BADSESSION", "STALE_CLIENTID"):
                left.append(f"{end[0]}: {status}")
        self.connection.close()
        return ", ".join(left)

    def _surely(self, ask: Callable[[], str]) -> str:
        """The status of something that must not be left undone, asked again if its reply is lost. Raises Trouble."""
        self._rejoin()
        try:
            return ask()
        except Trouble:
            self._rejoin()
            return ask()

    def _rejoin(self) -> None:
        """Have a connection that belongs to the session: some servers accept its end from no other."""
        fresh = not self.connection.usable
        self.connection = self.connection.to_leave()
        if fresh and self._session:
            compound(self.connection, self.minor, [("BIND_CONN_TO_SESSION", self._session + words(1, 0))])

    def _end(self, operation: Operation) -> str:
        """The status of an operation that ends something. A server that is still at work on a call says DELAY."""
        for pause in _LAST_PATIENCE:
            _, status, _ = compound(self.connection, self.minor, [operation])[0]
            if status not in ("DELAY", "CLIENTID_BUSY"):
                break
            time.sleep(pause)
        return status


def lock_test(client: int) -> Operation:
    """LOCKT of a directory: no lock is made, and a server in its grace period says so first."""
    return ("LOCKT", words(1) + long(0) + long(1) + long(client) + opaque("advisor probe"))


def reclaim(client: int) -> Operation:
    """OPEN of a directory as if after a restart, which opens nothing: RECLAIM_BAD in NFSv4's grace period, NO_GRACE
    outside."""
    return ("OPEN", words(0, 1, 0) + long(client) + opaque("advisor probe") + words(0, 1, 0))


def _bitmap(bits: tuple[int, ...]) -> bytes:
    parts = [sum(1 << bit % 32 for bit in bits if bit // 32 == n) for n in range(max(bits) // 32 + 1)]
    return words(len(parts), *parts)


def _nothing(reply: RpcReply) -> None:  # noqa: ARG001
    return None


def _access(reply: RpcReply) -> object:
    supported, bits = reply.number(), reply.number()
    return granted(bits & supported)


def _attributes(reply: RpcReply) -> Attributes:
    parts = reply.numbers(_MOST_WORDS)
    values = RpcReply(reply.opaque())
    texts, numbers = {}, {}
    for bit in (32 * n + each for n, part in enumerate(parts) for each in range(32) if part >> each & 1):
        if bit == _TYPE:
            texts["kind"] = _KINDS.get(values.number(), "other")
        elif bit == _FSID:
            texts["fsid"] = f"{values.long():x}:{values.long():x}"
        elif bit == _LEASE:
            numbers["lease"] = values.number()
        elif bit == _RDATTR_ERROR:
            values.number()
        elif bit in (_MAXREAD, _MAXWRITE):
            numbers["maxread" if bit == _MAXREAD else "maxwrite"] = values.long()
        elif bit == _MODE:
            texts["mode"] = f"{values.number() & 0o7777:04o}"
        elif bit in (_OWNER, _GROUP):
            texts["owner" if bit == _OWNER else "group"] = values.text()
        else:
            raise Trouble("malformed", f"attribute {bit}, which was not asked for")
    return Attributes(**texts, **numbers)  # type: ignore[arg-type]


def _names(reply: RpcReply) -> object:
    """Names with their attributes, and whether these are all."""
    reply.take(8)
    found = []
    while reply.number():
        reply.long()
        found.append((reply.text(), _attributes(reply)))
    return found, bool(reply.number())


def _flavours(reply: RpcReply) -> object:
    found = []
    for _ in range(reply.count(MOST_FLAVOURS)):
        flavour = reply.number()
        if flavour == GSS:
            reply.opaque()
            reply.number()
            found.append(_OVER_GSS.get(reply.number(), "gss"))
        else:
            found.append(FLAVOURS.get(flavour, str(flavour)))
    return tuple(found)


def _exchanged(reply: RpcReply) -> object:
    client, sequence, flags = reply.long(), reply.number(), reply.number()
    if reply.number():
        raise Trouble("malformed", "state protection that was not asked for")
    minor, owner, scope = reply.long(), reply.opaque(), reply.opaque()
    domain = implementation = ""
    if reply.count(1):
        domain, implementation = reply.text(), reply.text()
    roles = tuple(name for bit, name in _ROLES.items() if flags & bit)
    return client, sequence, Identity(_shown(owner), minor, _shown(scope), roles, domain, implementation)


def _shown(name: bytes) -> str:
    """A name that may be bytes without meaning: as text if it is printable, else in hexadecimal."""
    text = name.rstrip(b"\0").decode("ascii", "replace")
    return text if text.isascii() and text.isprintable() else f"0x{name.hex()}"


def _session(reply: RpcReply) -> object:
    session = reply.take(16)
    reply.number()
    flags = reply.number()
    _, request, response, _, operations, slots = (reply.number() for _ in range(6))
    return session, Grant(slots, request, response, operations, bool(flags & 1))


def _sequence(reply: RpcReply) -> None:
    reply.take(16 + 20)


_DECODED: dict[str, Callable[[RpcReply], object]] = {
    "ACCESS": _access, "GETATTR": _attributes, "GETFH": RpcReply.opaque, "READDIR": _names, "SECINFO": _flavours,
    "SECINFO_NO_NAME": _flavours, "EXCHANGE_ID": _exchanged, "CREATE_SESSION": _session, "SEQUENCE": _sequence,
}
