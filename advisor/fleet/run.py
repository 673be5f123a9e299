"""A fleet read as a stream: each host is looked at once, each class judged once, on all processors."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from typing import NamedTuple

from advisor.fleet.examined import Examined, examine
from advisor.fleet.judged import JudgedClass, Told, base_of, judge
from advisor.fleet.model import NotRead
from advisor.fleet.sources import HostSource
from advisor.host.store import Unread

CHUNK = 32
"""Hosts that one process is given at a time."""
FEW = 64
"""Hosts for which starting processes would take longer than they save."""


class Fleet(NamedTuple):
    """`hosts`: what is known of each, in the order in which they were read. `classes`: by digest. `plains`: by digest a
    host of the class without identity."""

    hosts: list[Examined]
    classes: dict[str, JudgedClass]
    plains: dict[str, str]
    unread: list[NotRead]


def judged_fleet(found: Iterable[HostSource], told: Told, jobs: int | None = None) -> Fleet:
    """Read and judge these hosts. `jobs`: processes, by default one for each processor.

    Of a host some hundred bytes are kept, of a class all that it was judged by."""
    gc.enable()  # the command line turns it off for commands that are over in a moment
    base_of(told.packs)  # read before the processes part, who then share it
    stream = iter(found)
    first = [*islice(stream, FEW)]
    jobs = jobs or _processors()
    chunks = _chunks(chain(first, stream))
    if jobs == 1 or len(first) < FEW:
        fleet = Fleet([], {}, {}, [])
        for chunk in chunks:
            for digest in _taken(fleet, looked_at(chunk, told.packs)):
                fleet.classes[digest] = judge(digest, fleet.plains[digest], told)
        return fleet
    with ProcessPoolExecutor(jobs) as pool:
        return _in_parallel(pool, chunks, told, 2 * jobs)


def looked_at(chunk: list[HostSource], packs: tuple[str, ...]) -> list[Examined | NotRead]:
    """What is known of each host of a chunk. Of each class only the first host brings what it is judged by."""
    found: list[Examined | NotRead] = []
    sent = set()
    for source in chunk:
        if source.why:
            found.append(NotRead(source.place, source.why.removeprefix(f"{source.place}: ")))
            continue
        try:
            host = examine(source, packs)
        except Unread as error:
            found.append(NotRead(source.place, str(error).removeprefix(f"{source.place}: ")))
            continue
        except Exception as error:
            found.append(NotRead(source.place, f"advisor failed on it ({type(error).__name__}: {error})"))
            continue
        found.append(host._replace(plain="") if host.digest in sent else host)
        sent.add(host.digest)
    return found


def _in_parallel(pool: ProcessPoolExecutor, chunks: Iterable[list[HostSource]], told: Told, most: int) -> Fleet:
    fleet = Fleet([], {}, {}, [])
    reading: deque[Future[list[Examined | NotRead]]] = deque()
    judging: deque[Future[JudgedClass]] = deque()

    def settle(limit: int) -> None:
        while len(judging) > limit:
            one = judging.popleft().result()
            fleet.classes[one.digest] = one

    def take() -> None:
        for digest in _taken(fleet, reading.popleft().result()):
            judging.append(pool.submit(judge, digest, fleet.plains[digest], told))
        settle(64)

    for chunk in chunks:
        reading.append(pool.submit(looked_at, chunk, told.packs))
        if len(reading) > most:
            take()
    while reading:
        take()
    settle(0)
    return fleet


def _taken(fleet: Fleet, found: Iterable[Examined | NotRead]) -> Iterator[str]:
    """The digests of classes that are new, each once, after the hosts were put into the fleet."""
    for one in found:
        if isinstance(one, NotRead):
            fleet.unread.append(one)
            continue
        fleet.hosts.append(one._replace(plain="", digest=one.digest))
        if one.digest not in fleet.plains:
            fleet.plains[one.digest] = one.plain
            yield one.digest


def _chunks(found: Iterable[HostSource]) -> Iterator[list[HostSource]]:
    stream = iter(found)
    while chunk := [*islice(stream, CHUNK)]:
        yield chunk


def _processors() -> int:
    told: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(told(0)) if told is not None else os.cpu_count() or 1
