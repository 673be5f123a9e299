"""The NFS connections of this host and their TCP counters, from the kernel by sock_diag(7), without a command and
without root. The result is text in the format of `ss -tinmH`, as in recordings."""

from __future__ import annotations

import socket
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SOCK_DIAG_BY_FAMILY, _DUMP, _DONE, _ERROR = 20, 0x301, 3, 2
_ESTABLISHED = 1 << 1
_INFO = 2
_WANTED = 1 << (_INFO - 1)
_HEADER = struct.Struct("=IHHII")  # nlmsghdr
_REQUEST = struct.Struct("=BBBxI")  # the head of inet_diag_req_v2; an empty inet_diag_sockid follows
_ENDS = struct.Struct("!HH16s16s")
_MESSAGE = 72
"""Bytes of inet_diag_msg."""
_TCP_INFO = (
    ("rtt", 68, "I", 1000), ("minrtt", 148, "I", 1000), ("data_segs_in", 152, "I", 1), ("data_segs_out", 156, "I", 1),
    ("bytes_received", 128, "Q", 1), ("busy", 168, "Q", 1000), ("rwnd_limited", 176, "Q", 1000),
    ("sndbuf_limited", 184, "Q", 1000), ("retrans_total", 100, "I", 1),
)
"""Name, offset in struct tcp_info (include/uapi/linux/tcp.h), type, and divisor: microseconds become milliseconds."""
_MAX_BYTES = 1 << 26
"""Of answers."""


def connections(ports: Iterable[int]) -> str:
    """The established connections to these ports of servers; "" if the kernel does not answer."""
    wanted = set(ports)
    return "".join(
        lines for family in (socket.AF_INET, socket.AF_INET6) for port, lines in _connections(family) if port in wanted
    )


def _connections(family: int) -> Iterator[tuple[int, str]]:
    """The port of the peer, and the two lines of each connection."""
    body = _REQUEST.pack(family, socket.IPPROTO_TCP, _WANTED, _ESTABLISHED) + bytes(48)
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 4) as netlink:
            netlink.settimeout(2)
            netlink.send(_HEADER.pack(_HEADER.size + len(body), _SOCK_DIAG_BY_FAMILY, _DUMP, 1, 0) + body)
            read = 0
            while read < _MAX_BYTES:
                answer = netlink.recv(1 << 16)
                read += len(answer)
                for kind, message in _messages(answer):
                    if kind in (_DONE, _ERROR):
                        return
                    if len(message) >= _MESSAGE:
                        yield _connection(family, message)
    except OSError:  # no such socket in this container, or an old kernel
        return


def _messages(answer: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + _HEADER.size <= len(answer):
        length, kind, *_ = _HEADER.unpack_from(answer, at)
        if length < _HEADER.size:
            return
        yield kind, answer[at + _HEADER.size : at + length]
        at += (length + 3) & ~3


def _connection(family: int, message: bytes) -> tuple[int, str]:
    here, there, source, target = _ENDS.unpack_from(message, 4)
    size = 4 if family == socket.AF_INET else 16
    addresses = [socket.inet_ntop(family, address[:size]) for address in (source, target)]
    local, peer = (f"[{address}]" if ":" in address else address for address in addresses)
    info = " ".join(_values(_info(message)))
    return there, f"0 0 {local}:{here} {peer}:{there}\n\t {info}\n"


def _info(message: bytes) -> bytes:
    """struct tcp_info among the attributes."""
    at = _MESSAGE
    while at + 4 <= len(message):
        length, kind = struct.unpack_from("=HH", message, at)
        if length < 4:
            break
        if kind == _INFO:
            return message[at + 4 : at + length]
        at += (length + 3) & ~3
    return b""


def _values(info: bytes) -> Iterator[str]:
    for name, offset, form, divisor in _TCP_INFO:
        if offset + struct.calcsize(form) <= len(info):  # older kernels send less
            (value,) = struct.unpack_from("=" + form, info, offset)
            if not (name == "minrtt" and value == 0xFFFFFFFF):  # nothing measured yet
                yield f"{name}:{value / divisor:g}" if divisor > 1 else f"{name}:{value}"
