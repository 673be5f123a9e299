"""The programs beside NFSv4: rpcbind (RFC 1833), the mount protocol and NFSv3 (RFC 1813); and one call over RPCSEC_GSS
(RFC 2203) with the caller's Kerberos ticket, which needs gssapi."""

from __future__ import annotations

import ipaddress

from advisor.probe.result import ExportedPath, MountedV3, Registered
from advisor.probe.rpc import GSS, Connection, RpcReply, Trouble, caller, opaque, words

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
