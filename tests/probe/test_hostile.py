"""Replies that no sound server sends: each ends in a word, in time, with little memory."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable

import pytest

from advisor.probe import protocols
from advisor.probe.rpc import WORDS, Address, Budget, Connection, Trouble, words
from tests.each import each
from tests.probe.fake import Fake, Shared, _record, listening

LIMIT = 0.1


def outcome(
    serve: Callable[[socket.socket], object], ask: Callable[[Connection], object], limit: float = LIMIT
) -> str:
    with listening(serve) as port:
        began = time.monotonic()
        word = "ok"
        try:
            ask(Connection(Address(socket.AF_INET, "127.0.0.1", port), Budget(limit, 20.0)))
        except Trouble as trouble:
            word = trouble.word
        assert time.monotonic() - began < 30 * limit, "a deadline for each call, whatever trickles in"
    assert word in {"ok", *WORDS}
    return word


def sends(*parts: bytes, pause: float = 0.0, wait: bool = True) -> Callable[[socket.socket], None]:
    def serve(connection: socket.socket) -> None:
        with connection:
            if wait:
                _record(connection)
            try:
                for part in parts:
                    connection.sendall(part)
                    time.sleep(pause)
                connection.recv(1)
            except OSError:
                pass

    return serve


def endless(part: bytes) -> Callable[[socket.socket], None]:
    def serve(connection: socket.socket) -> None:
        with connection:
            try:
                while True:
                    connection.sendall(part)
            except OSError:
                pass

    return serve


def null(connection: Connection) -> object:
    return connection.call(protocols.NFS, 3, 0)


@each(lambda: [
    (sends(), "silent"), (sends(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "not-rpc"), (sends(b"SSH-2.0-x\r\n"), "not-rpc"),
    (sends(b"\x80\0\0\x18half"), "slow"), (sends(b"\x80\0"), "slow"), (sends(b"\xff\xff\xff\xff"), "too-long"),
    (sends(b"\x80\0\0\x08" + bytes(8)), "wrong-reply"), (sends(b"\x80\0\0\0"), "malformed"),
    (sends(*[b"\0"] * 500, pause=0.01), "slow"),
    (lambda connection: connection.close(), "closed"),
])
def test_each_has_its_word(serve: Callable[[socket.socket], None], word: str) -> None:
    assert outcome(serve, null) == word


def test_fragments_without_end_are_too_long_however_slow_the_machine() -> None:
    assert outcome(endless(b"\0\0\x10\0" + bytes(4096)), null, 10.0) == "too-long"


def test_empty_fragments_come_to_an_end() -> None:
    assert outcome(endless(b"\0\0\0\0"), null) in ("malformed", "silent", "slow")


@each(lambda: [
    (words(1, 1, 5), "denied"), (words(1, 0, 2, 2), "versions"), (words(0, 0, 0, 1), "no-program"),
    (words(0, 0, 0, 2, 3, 4), "versions"), (words(0, 0, 0, 3), "no-procedure"), (words(0, 0, 0, 4), "bad-arguments"),
    (words(0, 0, 0, 5), "server-error"), (words(0, 0, 0, 99), "malformed"), (words(0, 0, 0xFFFF_FFFF), "malformed"),
    (words(0, 0, 0, 0), "ok"),
])
def test_what_rpc_itself_refuses(body: bytes, word: str) -> None:
    def serve(connection: socket.socket) -> None:
        xid = (_record(connection) or b"")[:4]
        reply = xid + words(1) + body
        connection.sendall(words(0x8000_0000 | len(reply)) + reply)

    assert outcome(serve, null) == word


def test_a_reply_in_many_fragments_is_read() -> None:
    def serve(connection: socket.socket) -> None:
        xid = (_record(connection) or b"")[:4]
        for byte in xid + words(1, 0, 0, 0, 0):
            connection.sendall(words(1) + bytes([byte]))
        connection.sendall(words(0x8000_0000))

    assert outcome(serve, null) == "ok"


def test_a_list_without_end_is_cut() -> None:
    entry = words(1) + b"\0\0\0\4/srv" + words(0)

    def serve(connection: socket.socket) -> None:
        xid = (_record(connection) or b"")[:4]
        reply = xid + words(1, 0, 0, 0, 0) + entry * 200_000
        connection.sendall(words(0x8000_0000 | len(reply)) + reply)

    def ask(connection: Connection) -> None:
        assert len(protocols.exports(connection)) == protocols.MOST

    assert outcome(serve, ask) in ("ok", "slow"), "in time, if this machine is not too busy"


@pytest.mark.parametrize(("operation", "result"), [
    (protocols.brief(), words(9, 0) + words(1 << 19) + bytes(4 << 19) + words(0)),
    (protocols.brief(), words(9, 0) + words(5, 0, 0, 0, 0, 0) + words(0)),
    (protocols.flavours_of("srv"), words(33, 0) + words(1 << 19) + words(1) * (1 << 19)),
])
def test_an_array_without_need_is_not_read(operation: protocols.Operation, result: bytes) -> None:
    """A bitmap of a megabyte has eight million places, and as many flavours make a page that nobody reads."""
    def serve(connection: socket.socket) -> None:
        xid = (_record(connection) or b"")[:4]
        reply = xid + words(1, 0, 0, 0, 0) + words(0, 0, 1) + result
        connection.sendall(words(0x8000_0000 | len(reply)) + reply)

    word = outcome(serve, lambda connection: protocols.compound(connection, 0, [operation]))
    assert word in ("malformed", "slow"), "in time, if this machine is not too busy"


ASK: dict[str, Callable[[Connection], object]] = {
    "dump": protocols.registered, "exports": protocols.exports,
    "compound": lambda connection: protocols.compound(connection, 0, [
        protocols.ROOT, protocols.names_below(), *protocols.all_attributes(), protocols.flavours_of("srv"),
    ]),
    "session": lambda connection: protocols.ClientSession(connection, 1).begin(),
}


@pytest.mark.parametrize("ask", ASK)
def test_two_hundred_and_more_that_are_damaged(ask: str) -> None:
    """Any byte may be another, any part may be missing: it ends in a word, never in an exception or a wait."""
    rng = random.Random(ask)
    seen = set()
    for _ in range(60):
        def damage(whole: bytes) -> bytes:
            head, body = whole[:8], bytearray(whole[8:])
            for _ in range(rng.randint(1, 6)):
                at = rng.randrange(len(body))
                if rng.random() < 0.3:
                    del body[at:at + rng.choice([1, 4, 8, 40])]
                else:
                    body[at] = rng.choice([0, 1, 0x7F, 0xFF, rng.randrange(256)])
                body = body or bytearray(1)
            return words(0x8000_0000 | len(body) + 4) + head[4:] + bytes(body)

        fake = Fake({"/srv": Shared(), "/srv/more": Shared(flavours=("krb5", 1))}, broken={0: damage})
        with listening(fake.serve) as fake.port:
            try:
                ASK[ask](Connection(Address(socket.AF_INET, "127.0.0.1", fake.port), Budget(LIMIT, 20.0)))
            except Trouble as trouble:
                seen.add(trouble.word)
            else:
                seen.add("ok")
    assert {"malformed"} < seen <= {"ok", *WORDS}
