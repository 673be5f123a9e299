"""Authenticates one NULL call over RPCSEC_GSS (RFC 2203) with the caller's Kerberos ticket. It needs gssapi."""

from __future__ import annotations

from advisor.probe.programs import NFS
from advisor.probe.rpc import GSS, Connection, Trouble, opaque, words

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
