"""A fleet read as a stream: each host is looked at once, each class judged once, on all processors.

What calls the two functions for each item is a `Mapper`, like the built-in `map`: processes of this machine, Dask
(`advisor.fleet.on_dask`), or anything else that can do what `map` does (docs/fleet-large.md)."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain, islice
from typing import NamedTuple, Protocol, TypeVar, cast

from advisor.fleet.examined import Examined, examine
from advisor.fleet.judged import JudgedClass, Knowledge, base_of, judge
from advisor.fleet.model import NotRead
from advisor.fleet.sources import HostSource
from advisor.host.tree import Unread

A = TypeVar("A")
B = TypeVar("B")
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


class Promise(Protocol):
    """A call that was asked for: a future of the standard library, or of Dask."""

    def result(self) -> object: ...


class Mapper(Protocol):
    """Calls a function for each item, wherever that is, and gives the results in the order of the items. The function
    and all that it takes and returns can be pickled. It should not take all items at once: they may be gigabytes."""

    def __call__(self, function: Callable[[A], B], items: Iterable[A], /) -> Iterable[B]: ...


def judged_fleet(found: Iterable[HostSource], knowledge: Knowledge, jobs: int | None = None) -> Fleet:
    """Read and judge these hosts on this machine. `jobs`: processes, by default one for each processor."""
    base_of(knowledge.packs)  # read before the processes part, who then share it
    stream = iter(found)
    first = [*islice(stream, FEW)]
    jobs = jobs or processors()
    hosts = chain(first, stream)
    if jobs == 1 or len(first) < FEW:
        return judged_with(map, hosts, knowledge)
    with ProcessPoolExecutor(jobs) as pool:
        return judged_with(over(pool.submit, 2 * jobs), hosts, knowledge)


def judged_with(mapped: Mapper, found: Iterable[HostSource], knowledge: Knowledge) -> Fleet:
    """Read and judge these hosts. Of a host some hundred bytes are kept, of a class all that it was judged by."""
    gc.enable()  # the command line turns it off for commands that are over in a moment
    fleet = Fleet([], {}, {}, [])
    for chunk in mapped(partial(looked_at, packs=knowledge.packs), _chunks(found)):
        _take(fleet, chunk)
    for one in mapped(partial(judged_class, knowledge=knowledge), fleet.plains.items()):
        fleet.classes[one.digest] = one
    return fleet


def over(submit: Callable[..., Promise], most: int) -> Mapper:
    """A mapper for what can only be asked to call a function. `most`: items that wait there or are being worked on."""

    def mapped(function: Callable[[A], B], items: Iterable[A], /) -> Iterator[B]:
        waiting: deque[Promise] = deque()
        for one in items:
            waiting.append(submit(function, one))
            if len(waiting) > most:
                yield cast("B", waiting.popleft().result())
        while waiting:
            yield cast("B", waiting.popleft().result())

    return mapped


def judged_class(item: tuple[str, str], knowledge: Knowledge) -> JudgedClass:
    """A class judged. `item`: its digest, and a host of it without identity."""
    return judge(*item, knowledge)


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


def _take(fleet: Fleet, found: Iterable[Examined | NotRead]) -> None:
    """Put the hosts into the fleet."""
    for one in found:
        if isinstance(one, NotRead):
            fleet.unread.append(one)
            continue
        fleet.hosts.append(one._replace(plain=""))
        fleet.plains.setdefault(one.digest, one.plain)


def _chunks(found: Iterable[HostSource]) -> Iterator[list[HostSource]]:
    stream = iter(found)
    while chunk := [*islice(stream, CHUNK)]:
        yield chunk


def processors() -> int:
    """Those that this process may use."""
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
