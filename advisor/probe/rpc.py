"""ONC RPC over TCP (RFC 5531) and its data (XDR, RFC 4506): bounded replies, a deadline for each call, and a clear word
for whatever goes wrong."""

from __future__ import annotations

import errno
import os
import random
import socket
import struct
import time
from collections.abc import Callable
from threading import Event

from advisor.named_tuple import NamedTuple

_LEAVING = 10.0
"""Seconds to leave a server in."""
_LEAVING_CALL = 2.0
"""Each closing call gets at least this many seconds: a short --timeout must not leave a record on the server."""
LARGEST = 4 << 20
"""Bytes of a reply that are read."""
_FRAGMENTS = 4096
_LAST = 0x8000_0000
_AUTH_SYS, GSS, _AUTH_TLS = 1, 6, 7
_MOST_GROUPS = 16
_LOW_PORTS = range(700, 1024)
_MTU_AND_RTT = struct.Struct("=60xI4xI")
"""In the kernel's struct tcp_info: tcpi_pmtu and tcpi_rtt (microseconds)."""

WORDS = {
    "unresolved": "the name has no address",
    "refused": "the connection is refused: nothing listens there, or a firewall rejects it",
    "dropped": "no answer to the connection: a firewall drops it, or the host is down",
    "unreachable": "no route leads there",
    "forbidden": "this host does not let the connection out",
    "silent": "connected, and then no reply in time",
    "slow": "a reply began and did not end in time",
    "closed": "the server closed the connection instead of replying",
    "not-rpc": "what answers there does not speak RPC",
    "too-long": "the reply is longer than any that is read",
    "malformed": "the reply contradicts its own lengths",
    "wrong-reply": "the reply belongs to another call",
    "versions": "the program is there, and not in this version",
    "no-program": "the program is not there",
    "no-procedure": "the program does not have this procedure",
    "bad-arguments": "the server could not decode the call",
    "server-error": "the server failed within",
    "denied": "the server refuses the credentials",
    "no-gssapi": "the Python package gssapi is not installed here",
    "no-ticket": "Kerberos on this host gives no ticket for the server",
    "gss-refused": "the server refuses the ticket",
    "not-asked": "there was no time left to ask",
}
"""What can go wrong with a question, in one word → in a sentence."""
_NETWORK = {
    errno.ECONNREFUSED: "refused", errno.ETIMEDOUT: "dropped", errno.EHOSTUNREACH: "unreachable",
    errno.ENETUNREACH: "unreachable", errno.EADDRNOTAVAIL: "unreachable", errno.EINVAL: "unreachable",
    errno.EPERM: "forbidden", errno.EACCES: "forbidden", errno.ECONNRESET: "closed", errno.EPIPE: "closed",
    errno.EHOSTDOWN: "dropped", errno.EAFNOSUPPORT: "unreachable",
}
_TIMEOUTS = (socket.timeout, TimeoutError)
_ACCEPTED = {1: "no-program", 2: "versions", 3: "no-procedure", 4: "bad-arguments", 5: "server-error"}
_DENIED = {
    1: "AUTH_BADCRED", 2: "AUTH_REJECTEDCRED", 3: "AUTH_BADVERF", 4: "AUTH_REJECTEDVERF", 5: "AUTH_TOOWEAK",
    13: "RPCSEC_GSS_CREDPROBLEM", 14: "RPCSEC_GSS_CTXPROBLEM",
}


class Trouble(Exception):
    """A question without an answer. `word`: one of WORDS; `detail`: what the server said of it, such as "3..4"."""

    def __init__(self, word: str, detail: str = "") -> None:
        super().__init__(f"{WORDS[word]} ({detail})" if detail else WORDS[word])
        self.word, self.detail = word, detail


def network_trouble(error: OSError) -> Trouble:
    word = "dropped" if isinstance(error, _TIMEOUTS) else _NETWORK.get(error.errno or 0, "unreachable")
    return Trouble(word, "" if word != "unreachable" else error.strerror or "")


class Budget:
    """How long one call and all of them may take, in seconds, and whether the user has ended it."""

    def __init__(self, call: float, whole: float, leaving: bool = False) -> None:
        self.call, self._leaving = call, leaving
        self._end = time.monotonic() + whole
        self._stopped = Event()

    def stop(self) -> None:
        """Begin no further call. Those under way are read to their end: a server keeps the record of a client that
        left in the middle of a reply."""
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def left(self) -> float:
        return self._end - time.monotonic()

    def deadline(self) -> float:
        """When a call that begins now has to have ended. Raises Trouble if none may begin."""
        if self.stopped or self.left() <= 0:
            raise Trouble("not-asked")
        return time.monotonic() + min(self.call, self.left())

    def last_words(self) -> Budget:
        """A budget for leaving: it is granted even after the end, and once."""
        return self if self._leaving else Budget(max(self.call, _LEAVING_CALL), _LEAVING, leaving=True)


class Address(NamedTuple):
    family: int
    ip: str
    port: int

    def at(self, port: int) -> Address:
        return self._replace(port=port)


class RpcReply:
    """The data of a reply, read from its start. Every length is checked against what is left."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0
        self.verifier = b""

    def take(self, size: int) -> bytes:
        end = self._at + (size + 3 & ~3)
        if size > len(self._data) or end > len(self._data):
            raise Trouble("malformed")
        found = self._data[self._at:self._at + size]
        self._at = end
        return found

    def number(self) -> int:
        return int.from_bytes(self.take(4), "big")

    def long(self) -> int:
        return int.from_bytes(self.take(8), "big")

    def opaque(self) -> bytes:
        return self.take(self.number())

    def text(self) -> str:
        return self.opaque().decode("utf-8", "backslashreplace")

    def count(self, most: int) -> int:
        """The length of an array that may have so many elements, each of four bytes at least."""
        many = self.number()
        if many > most or many * 4 > len(self._data) - self._at:
            raise Trouble("malformed")
        return many

    def numbers(self, most: int) -> list[int]:
        return [self.number() for _ in range(self.count(most))]


def words(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}I", *numbers)


def long(number: int) -> bytes:
    return struct.pack(">Q", number)


def opaque(data: bytes | str) -> bytes:
    raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    return words(len(raw)) + raw + b"\0" * (-len(raw) % 4)


def caller() -> bytes:
    """AUTH_SYS of whoever runs this."""
    name = socket.gethostname().encode("ascii", "replace")[:255]
    groups = os.getgroups()[:_MOST_GROUPS]
    ids = words(os.geteuid(), os.getegid(), len(groups), *groups)
    return words(_AUTH_SYS) + opaque(words(int(time.time()) & 0xFFFF_FFFF) + opaque(name) + ids)


NOBODY = words(0, 0)
"""AUTH_NONE."""


class Connection:
    """A TCP connection to a program; not for use by two threads at a time. `ms`: how long the last call took.

    Once a call has failed in the middle of a reply the connection is of no further use."""

    def __init__(self, address: Address, budget: Budget, low_port: bool = False) -> None:
        self.address, self._budget, self.ms = address, budget, 0.0
        self._socket, self.connect_ms = _connected(address, budget.deadline(), low_port)
        self.low_port = low_port
        self.usable = True

    def close(self) -> None:
        self._socket.close()

    def to_leave(self) -> Connection:
        """The connection to say goodbye on, which is granted even after the end: this one while it is of use, else a
        new one. Raises Trouble."""
        self._budget = self._budget.last_words()
        if self.usable:
            return self
        self.close()
        return Connection(self.address, self._budget, self.low_port)

    @property
    def own_ip(self) -> str:
        """The address of this host that it goes out from."""
        return str(self._socket.getsockname()[0])

    def path(self) -> tuple[int, int]:
        """The path MTU in bytes and the smoothed round trip in microseconds, as the socket knows them; else 0."""
        try:
            info = self._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
            mtu, rtt = _MTU_AND_RTT.unpack_from(info)
        except (OSError, struct.error, AttributeError):
            return 0, 0
        return mtu, rtt

    def call(
        self, program: int, version: int, procedure: int, body: bytes = b"", credential: bytes = NOBODY, *,
        sign: Callable[[bytes], bytes] | None = None,
    ) -> RpcReply:
        """The results of a call. `sign`: makes the verifier of all that precedes it. Raises Trouble."""
        deadline = self._budget.deadline()
        xid = random.getrandbits(32)
        head = words(xid, 0, 2, program, version, procedure) + credential
        message = head + (words(GSS) + opaque(sign(head)) if sign else NOBODY) + body
        began = time.monotonic()
        self.usable = False
        try:
            self._send(words(_LAST | len(message)) + message, deadline)
            reply = RpcReply(self._record(deadline))
        finally:
            self.ms = (time.monotonic() - began) * 1000
        if reply.number() != xid or reply.number() != 1:
            raise Trouble("wrong-reply")
        self.usable = True
        return _results(reply)

    def starttls(self) -> bool:
        """Whether the server offers TLS (RFC 9289). The connection is of no further use if so."""
        try:
            reply = self.call(100003, 4, 0, credential=words(_AUTH_TLS, 0))
        except Trouble as trouble:
            if trouble.word == "denied":
                return False
            raise
        return reply.verifier == b"STARTTLS"

    def _send(self, data: bytes, deadline: float) -> None:
        try:
            self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
            self._socket.sendall(data)
        except OSError as error:
            raise _lost(error, False) from None

    def _record(self, deadline: float) -> bytes:
        """One record of the stream: fragments, of which the last is marked."""
        record = bytearray()
        for _ in range(_FRAGMENTS):
            head = self._read(4, deadline, bool(record))
            length = int.from_bytes(head, "big")
            if head.isascii() and head.decode("ascii").isprintable():
                known = {b"HTTP": "HTTP", b"SSH-": "SSH", b"220 ": "a mail or FTP server"}
                raise Trouble("not-rpc", known.get(head, head.decode("ascii")))
            if len(record) + (length & ~_LAST) > LARGEST:
                raise Trouble("too-long")
            record += self._read(length & ~_LAST, deadline, True)
            if length & _LAST:
                return bytes(record)
        raise Trouble("malformed")

    def _read(self, size: int, deadline: float, began: bool) -> bytes:
        data = bytearray()
        while len(data) < size:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Trouble("slow" if began or data else "silent")
            try:
                self._socket.settimeout(left)
                part = self._socket.recv(min(size - len(data), 1 << 16))
            except OSError as error:
                raise _lost(error, began or bool(data)) from None
            if not part:
                raise Trouble("closed")
            data += part
        return bytes(data)


def _lost(error: OSError, began: bool) -> Trouble:
    if isinstance(error, _TIMEOUTS):
        return Trouble("slow" if began else "silent")
    trouble = network_trouble(error)
    return Trouble("closed") if trouble.word in ("dropped", "refused") else trouble


def _connected(address: Address, deadline: float, low_port: bool) -> tuple[socket.socket, float]:
    """A connected socket, and how many milliseconds that took. Raises Trouble."""
    ports = random.sample(_LOW_PORTS, len(_LOW_PORTS)) if low_port else [0]
    for port in ports:
        made = socket.socket(address.family, socket.SOCK_STREAM)
        began = time.monotonic()
        try:
            made.settimeout(max(deadline - began, 0.001))
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if low_port:
                made.bind(("", port))
            made.connect((address.ip, address.port))
        except OSError as error:
            made.close()
            if error.errno in (errno.EADDRINUSE, errno.EADDRNOTAVAIL) and low_port:
                continue
            raise network_trouble(error) from None
        return made, (time.monotonic() - began) * 1000
    raise Trouble("forbidden", "no low port is free")


def _results(reply: RpcReply) -> RpcReply:
    """The reply from its results on. Raises Trouble for what RPC itself refuses."""
    if reply.number():
        if reply.number():
            reason = reply.number()
            raise Trouble("denied", _DENIED.get(reason, str(reason)))
        raise Trouble("versions", f"RPC {reply.number()}..{reply.number()}")
    reply.number()
    reply.verifier = reply.opaque()
    status = reply.number()
    if status == 2:
        raise Trouble("versions", f"{reply.number()}..{reply.number()}")
    if status:
        raise Trouble(_ACCEPTED.get(status, "malformed"))
    return reply
