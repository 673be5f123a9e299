"""The questions of a probe: what is asked in which order, and of what at the same time."""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock, Thread, current_thread, main_thread
from typing import TypeVar

from advisor.named_tuple import NamedTuple
from advisor.probe import protocols
from advisor.probe.result import Answering, Asked, Attributes, Door, MinorVersion, PathStep, Probed, ServerAddress
from advisor.probe.rpc import Address, Budget, Connection, Trouble
from advisor.rulebase.values import NFS_VERSIONS

T = TypeVar("T")

NFS_PORT, RPCBIND_PORT, MOUNTD_PORT = 2049, 111, 20048
IDMAPD = "/etc/idmapd.conf"
WHOLE = 20.0
"""Seconds that all questions together may take."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_MOST_ADDRESSES = 8
MOST_PARTS = 64
_MOST_NAMES = 256
_NAME_SECONDS = 3.0


class Request(NamedTuple):
    """What to ask. `export`: "/" and its parts, or "" for none; `versions`: of NFS; `mount`: also MNT, which the
    server notes until UMNT."""

    server: str
    export: str = ""
    versions: tuple[str, ...] = NFS_VERSIONS
    port: int = NFS_PORT
    mount: bool = False

    @property
    def parts(self) -> list[str]:
        return [part for part in self.export.split("/") if part not in ("", ".")]

    @property
    def minors(self) -> list[int]:
        return [int(version[2:]) for version in self.versions if version.startswith("4.")]


def probe(request: Request, budget: Budget) -> Probed:
    """What the server answers. `budget.stop()` ends it early; also then the server is left without a trace."""
    return _Asking(request, budget).result()


def probe_until_signal(request: Request, budget: Budget) -> tuple[Probed, int]:
    """The answers, and the number of the signal that ended the questions early, or 0. Signals only stop further ones: a
    session is destroyed on the server in any case. Only the main thread is told of signals."""
    got: list[int] = []

    def stop(number: int, _: object) -> None:
        got.append(number)
        budget.stop()

    before = {number: signal.signal(number, stop) for number in _SIGNALS} if current_thread() is main_thread() else {}
    try:
        return probe(request, budget), next(iter(got), 0)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Asking:
    def __init__(self, request: Request, budget: Budget) -> None:
        self.request, self.budget = request, budget
        self._lock = Lock()
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.found = Probed(
            request.server, request.export, request.port, now, os.geteuid(), os.geteuid() == 0, request.versions
        )

    def result(self) -> Probed:
        began = time.monotonic()
        addresses = self._ask("addresses", self._addresses) or []
        self._note(addresses=tuple(ServerAddress(each.ip) for each in addresses))
        doors = [(each, port) for each in addresses for port in dict.fromkeys(
            (self.request.port, RPCBIND_PORT, MOUNTD_PORT))]
        together([partial(self._door, each, port) for each, port in doors])
        address = self._chosen(addresses)
        if address is not None:
            self._note(ip=address.ip)
            together([
                lambda: self._names(addresses), lambda: self._programs(address), lambda: self._nfs4(address),
                lambda: self._tls(address),
            ])
        return self.found._replace(own_domain=own_domain(), seconds=round(time.monotonic() - began, 3))

    def _note(self, **found: object) -> None:
        with self._lock:
            self.found = self.found._replace(**found)  # type: ignore[arg-type]

    def _add(self, field: str, *found: object) -> None:
        """Add to a field that is a tuple."""
        with self._lock:
            self.found = self.found._replace(**{field: (*getattr(self.found, field), *found)})  # type: ignore[arg-type]

    def _ask(self, question: str, ask: Callable[[], T]) -> T | None:
        """The answer, or None if there is none. What became of the question is noted."""
        began, outcome, detail, answer = time.monotonic(), "ok", "", None
        try:
            answer = ask()
        except Trouble as trouble:
            outcome, detail = trouble.word, trouble.detail
        self._add("asked", Asked(question, outcome, round((time.monotonic() - began) * 1000, 2), detail))
        return answer

    def _connect(self, address: Address, low_port: bool = False) -> Connection:
        return Connection(address, self.budget, low_port)

    def _addresses(self) -> list[Address]:
        """Those that the name has, in the order of the system's preference."""
        found: list[Address] = []
        errors: list[Exception] = []

        def resolve() -> None:
            try:
                for family, _, _, _, at in socket.getaddrinfo(
                    self.request.server, self.request.port, type=socket.SOCK_STREAM
                ):
                    if family in (socket.AF_INET, socket.AF_INET6):
                        ip = socket.getnameinfo(at, socket.NI_NUMERICHOST | socket.NI_NUMERICSERV)[0]
                        found.append(Address(family, ip, self.request.port))
            except (OSError, UnicodeError) as error:
                errors.append(error)

        together([resolve], _NAME_SECONDS)
        if not found:
            raise Trouble("unresolved", str(getattr(errors[0], "strerror", errors[0])) if errors else "no answer")
        return list(dict.fromkeys(found))[:_MOST_ADDRESSES]

    def _names(self, addresses: Sequence[Address]) -> None:
        names: dict[str, str] = {}

        def resolve(address: Address) -> None:
            try:
                names[address.ip] = socket.getnameinfo((address.ip, 0), socket.NI_NAMEREQD)[0]
            except OSError:
                names[address.ip] = ""

        self._ask("names", lambda: together([partial(resolve, each) for each in addresses], _NAME_SECONDS))
        self._note(addresses=tuple(ServerAddress(each.ip, names.get(each.ip, "")) for each in addresses))

    def _door(self, address: Address, port: int) -> None:
        outcome, took, began = "open", 0.0, time.monotonic()
        try:
            connection = self._connect(address.at(port))
            took = connection.connect_ms
            if port == self.request.port:
                mtu, rtt = connection.path()
                self._note(mtu=mtu, rtt_us=rtt, own_ip=connection.own_ip)
            connection.close()
        except Trouble as trouble:
            outcome, took = trouble.word, (time.monotonic() - began) * 1000
        self._add("doors", Door(address.ip, port, outcome, round(took, 2)))

    def _chosen(self, addresses: Sequence[Address]) -> Address | None:
        """The first address with NFS, else the first where anything listens."""
        order = {each.ip: n for n, each in enumerate(addresses)}
        self._note(doors=tuple(sorted(self.found.doors, key=lambda door: (order[door.ip], door.port))))
        open_doors = [door for door in self.found.doors if door.outcome == "open"]
        best = next((door.ip for door in open_doors if door.port == self.request.port), None)
        best = best or next((door.ip for door in open_doors), None)
        return next((each for each in addresses if each.ip == best), addresses[0] if addresses else None)

    def _closed(self, address: Address, port: int) -> str:
        """Why a port is not open, "" if it is or was not tried."""
        return next((door.outcome for door in self.found.doors
                     if (door.ip, door.port) == (address.ip, port) and door.outcome != "open"), "")

    def _programs(self, address: Address) -> None:
        """rpcbind, what is registered there, and the export list."""
        family = "tcp6" if address.family == socket.AF_INET6 else "tcp"
        if not self._closed(address, RPCBIND_PORT):
            found = self._ask("rpcbind", lambda: protocols.registered(self._connect(address.at(RPCBIND_PORT))))
            if found is not None:
                self._note(rpcbind=found[0], registered=tuple(found[1]))
        ports = {(each.program, each.version): each.port for each in self.found.registered
                 if each.protocol in ("tcp", family)}
        if not self.found.rpcbind:
            closed = self._closed(address, MOUNTD_PORT)
            ports[protocols.MOUNTD, 3] = self._beside_nfs(address) if closed else MOUNTD_PORT
        calls: list[Callable[[], object]] = []
        for program, (name, versions) in protocols.PROGRAMS.items():
            for version in versions:
                port = self.request.port if program == protocols.NFS else ports.get((program, version), 0)
                calls.append(partial(self._null, address, program, name, version, port))
        together([*calls, lambda: self._exports(address, ports)])
        self._note(answering=tuple(sorted(self.found.answering)))

    def _beside_nfs(self, address: Address) -> int:
        """The port of NFS if the mount service is there too, as in servers that are one program; else 0."""
        try:
            self._connect(address).call(protocols.MOUNTD, 3, 0)
        except Trouble:
            return 0
        return self.request.port

    def _null(self, address: Address, program: int, name: str, version: int, port: int) -> None:
        outcome, detail = self._closed(address, port), ""
        try:
            if not outcome and port:
                connection = self._connect(address.at(port))
                connection.call(program, version, 0)
                connection.close()
                outcome = "ok"
            elif not outcome:
                outcome = "unregistered" if self.found.rpcbind else "not-asked"
        except Trouble as trouble:
            outcome, detail = trouble.word, trouble.detail
        self._add("answering", Answering(name, version, port, outcome, detail))

    def _exports(self, address: Address, ports: dict[tuple[int, int], int]) -> None:
        port = ports.get((protocols.MOUNTD, 3), ports.get((protocols.MOUNTD, 1), 0))
        if not port:
            return
        exports = self._ask("exports", lambda: protocols.exports(self._connect(address.at(port))))
        self._note(exports=None if exports is None else tuple(exports))
        if self.request.mount and self.request.export and "3" in self.request.versions:
            self._ask("mount", lambda: self._mount(address, port))

    def _mount(self, address: Address, port: int) -> None:
        path, low = self.request.export, self.found.low_port
        mountd = self._connect(address.at(port), low)
        handle = b""
        try:
            found, handle = protocols.mount(mountd, path)
            self._note(mounted=found)
            if handle:
                self._note(mounted=protocols.described(found, self._connect(address, low), handle))
        finally:
            if handle or not mountd.usable:  # also if the reply was lost: the server may have noted it
                self._ask("unmount", lambda: protocols.unmount(mountd, path))

    def _tls(self, address: Address) -> None:
        if not self._closed(address, self.request.port):
            offered = self._ask("tls", lambda: self._connect(address).starttls())
            self._note(tls="" if offered is None else "offered" if offered else "absent")

    def _nfs4(self, address: Address) -> None:
        if not self.request.minors or self._closed(address, self.request.port):
            return
        together([partial(self._minor, address, minor) for minor in self.request.minors])
        self._note(minors=tuple(sorted(self.found.minors)))
        on = [int(each.version[2:]) for each in self.found.minors if each.outcome == "on"]
        for minor in sorted(on, reverse=True):
            self._ask(f"nfs 4.{minor}", partial(self._spoken, address, minor))
            if self.found.version or self.budget.stopped:
                break
        if any(flavour.startswith("krb5") for flavour in self.found.flavours):
            def null() -> None:
                protocols.authenticated_null(self._connect(address), self.request.server)

            # Libraries wait for a key distribution centre as long as they like.
            together([lambda: self._ask("kerberos", null)], 2 * self.budget.call)

    def _minor(self, address: Address, minor: int) -> None:
        try:
            status = protocols.compound(self._connect(address), minor, [protocols.ROOT])[0][1]
            outcome = "off" if status == "MINOR_VERS_MISMATCH" else "on"
        except Trouble as trouble:
            outcome = "off" if trouble.word in ("versions", "no-program") else trouble.word
        self._add("minors", MinorVersion(f"4.{minor}", outcome))

    def _spoken(self, address: Address, minor: int) -> None:
        """All that is asked in a version of NFSv4, which `found` names if it could be spoken."""
        speaker = self._speaker(address, minor, self.found.low_port)
        try:
            status = speaker.begin()
            if status != "OK":
                raise Trouble("server-error", status)
            self._note(version=f"4.{minor}", identity=speaker.identity, grant=speaker.grant)
            self._look_around(speaker)
        finally:
            self._leave(speaker)
        if self.found.low_port and self.found.steps:
            self._ask("high port", lambda: self._from_high_port(address, minor))

    def _speaker(self, address: Address, minor: int, low_port: bool) -> protocols.Speaker:
        connection = self._connect(address, low_port)
        return protocols.ClientSession(connection, minor) if minor else protocols.Speaker(connection)

    def _leave(self, speaker: protocols.Speaker) -> None:
        def leave() -> None:
            left = speaker.leave()
            if left:
                raise Trouble("server-error", left)

        self._ask("leave", leave)

    def _from_high_port(self, address: Address, minor: int) -> None:
        speaker = self._speaker(address, minor, False)
        try:
            if speaker.begin() == "OK":
                steps, _ = self._walk(speaker, self.request.parts)
                self._note(from_high_port=steps[-1].status)
        finally:
            self._leave(speaker)

    def _look_around(self, speaker: protocols.Speaker) -> None:
        results = speaker.ask(protocols.ROOT, ("GETFH", b""), protocols.names_below())
        root = results[1][2] if len(results) > 1 else None
        if results[-1][0] == "READDIR" and isinstance(results[-1][2], tuple):
            self._note(root_names=tuple(name for name, _ in results[-1][2][0][:_MOST_NAMES]))
        if isinstance(root, bytes):
            self._note(grace=self._grace(speaker, root))
        if not self.request.export:
            return
        parts = self.request.parts
        steps, handles = self._walk(speaker, parts)
        self._note(steps=tuple(steps))
        if steps[-1].status == "OK" and handles:
            self._describe(speaker, handles[-1], steps[-1].fsid)
        elif steps[-1].status == "NOENT":
            self._note(elsewhere=self._elsewhere(speaker, parts))
        known = min(len(handles), len(parts))
        question = [protocols.at(handles[known - 1]), protocols.flavours_of(parts[known - 1])] if known else [
            protocols.ROOT, protocols.flavours_of(None)]
        name, _, flavours = speaker.ask(*question)[-1]
        if name.startswith("SECINFO") and isinstance(flavours, tuple):
            self._note(flavours=flavours)

    def _walk(self, speaker: protocols.Speaker, parts: Sequence[str]) -> tuple[list[PathStep], list[bytes]]:
        """A step for the root and for each part, up to the first that fails; and the handles of those that did not."""
        steps: list[PathStep] = []
        handles: list[bytes] = []
        for name in ("/", *parts):
            first = [protocols.ROOT, ("GETFH", b""), protocols.brief()] if not steps else [
                protocols.at(handles[-1]), *protocols.lookup(name)]
            results = speaker.ask(*first)
            attributes = results[-1][2]
            fsid = attributes.fsid if isinstance(attributes, Attributes) else ""
            steps.append(PathStep(name, results[-1][1], fsid))
            if results[-1][1] != "OK":
                break
            handles += [found for _, _, found in results if isinstance(found, bytes)]
        return steps, handles

    def _describe(self, speaker: protocols.Speaker, handle: bytes, fsid: str) -> None:
        for _, _, found in speaker.ask(protocols.at(handle), *protocols.all_attributes()):
            if isinstance(found, Attributes):
                self._note(attributes=found)
            elif isinstance(found, tuple):
                self._note(granted=found)
        results = speaker.ask(protocols.at(handle), protocols.names_below())
        if results[-1][0] == "READDIR" and isinstance(results[-1][2], tuple):
            entries, whole = results[-1][2]
            others = any(attributes.fsid not in ("", fsid) for _, attributes in entries)
            self._note(below=others or (False if whole else None))

    def _elsewhere(self, speaker: protocols.Speaker, parts: list[str]) -> str:
        """The longest end of the path that is found from the root, "" if there is none."""
        for start in range(1, len(parts)):
            steps, _ = self._walk(speaker, parts[start:])
            if steps[-1].status in ("OK", "WRONGSEC", "PERM", "ACCES") and len(steps) == len(parts) - start + 1:
                return "/" + "/".join(parts[start:])
        return ""

    def _grace(self, speaker: protocols.Speaker, root: bytes) -> str:
        """Who is in its grace period: "nfsv4", or "lockd", which makes NFSv4 locks wait too; "" if the server does not
        tell: Ganesha looks at the directory first, and then says nothing of it."""
        if speaker.ask(protocols.at(root), protocols.lock_test(speaker.client))[-1][1] != "GRACE":
            return ""
        if not speaker.minor:
            return "nfsv4"
        opens = speaker.ask(protocols.at(root), protocols.reclaim(speaker.client))[-1][1]
        return "lockd" if opens == "NO_GRACE" else "nfsv4"


def own_domain() -> str:
    """This host's NFSv4 domain: that of idmapd.conf, or what follows the dot in its name; "" if neither says it."""
    try:
        with open(IDMAPD, encoding="utf-8", errors="replace") as file:  # noqa: PTH123  pathlib costs 15 ms at import
            written = re.search(r"(?im)^[ \t]*domain[ \t]*=[ \t]*([^\s#;]+)", file.read(1 << 16))
    except OSError:
        written = None
    return written[1] if written else socket.gethostname().partition(".")[2]


def together(calls: Sequence[Callable[[], object]], seconds: float | None = None) -> None:
    """Make the calls at the same time, and wait until all have ended, or for so long. Threads, so that a signal, which
    the main thread takes, interrupts none of them."""
    faults: list[BaseException] = []

    def run(call: Callable[[], object]) -> None:
        try:
            call()
        except BaseException as fault:  # raised where it can be seen
            faults.append(fault)

    threads = [Thread(target=run, args=(call,), daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    end = None if seconds is None else time.monotonic() + seconds
    for thread in threads:
        thread.join(None if end is None else max(0.0, end - time.monotonic()))
    if faults:
        raise faults[0]
