"""Reads a fleet as a stream of bundles, sosreports and trees: each host is read once, each class judged once, on all
processors.

A `Mapper` calls the two functions for each item, like the built-in `map`: with processes of this machine, Dask
(`advisor.fleet.on_dask`), or another library (docs/fleet-large.md)."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, cast

from advisor.fleet.judge import ExaminedHost, JudgedClass, Knowledge, base_of, examine, judge
from advisor.fleet.model import UnreadBundle
from advisor.host.bundle import bundles, is_bundle
from advisor.host.layouts import detect_layout
from advisor.host.tree import Unread

if TYPE_CHECKING:
    from advisor.rulebase.model import Layout

ARCHIVES = (".tar", ".tgz", ".tbz", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tzst")
BUNDLES = (".json", ".jsonl", ".json.gz", ".jsonl.gz", ".ndjson", ".ndjson.gz")
MAX_DEPTH = 5
"""Depth of nested folders that are searched."""
A = TypeVar("A")
B = TypeVar("B")
CHUNK = 32
"""Hosts that a process gets at a time."""
FEW = 64
"""With fewer hosts, starting processes would take longer than they save."""


class HostSource(NamedTuple):
    """The source of a host. `text`: of its bundle; None if `place` is a tree or an archive. `why`: why it cannot be
    used, "" if it can."""

    place: str
    text: str | None
    why: str = ""


def sources(paths: Iterable[str], layouts: Sequence[Layout]) -> Iterator[HostSource]:
    """Each host below these paths. In folders, files without the suffix of a bundle or an archive are skipped; a path
    among `paths` is reported instead."""
    for path in paths:
        yield from _path_sources(path, layouts, 0)


def _path_sources(path: str, layouts: Sequence[Layout], depth: int) -> Iterator[HostSource]:
    try:
        if os.path.isdir(path):  # noqa: PTH112  pathlib costs 15 ms at import
            yield from _folder_sources(path, layouts, depth)
        elif not os.path.isfile(path):  # noqa: PTH113
            there = os.path.lexists(path)
            yield HostSource(path, None, f"{path}: {'not an ordinary file' if there else 'not found'}")
        elif is_bundle(path):
            for place, text in bundles(path):
                yield HostSource(place, text)
        elif path.endswith(ARCHIVES):
            yield HostSource(path, None)
        else:
            yield HostSource(path, None, f"{path}: neither a bundle nor an archive")
    except (OSError, Unread) as error:
        yield HostSource(path, None, str(error))


def _folder_sources(path: str, layouts: Sequence[Layout], depth: int) -> Iterator[HostSource]:
    names = sorted(os.listdir(path))  # noqa: PTH208
    if {"etc", "proc"}.intersection(names) or detect_layout(names, layouts) is not None:
        yield HostSource(path, None)
        return
    for name in names:
        inner = f"{path.rstrip('/')}/{name}"
        if os.path.islink(inner) and os.path.isdir(inner):  # noqa: PTH112, PTH114
            continue  # it may lead back
        if os.path.isdir(inner):  # noqa: PTH112
            if depth < MAX_DEPTH and not name.startswith("."):
                yield from _path_sources(inner, layouts, depth + 1)
        elif name.endswith((*BUNDLES, *ARCHIVES)):
            yield from _path_sources(inner, layouts, depth + 1)


class Fleet(NamedTuple):
    """`hosts`: in the order in which they were read. `classes`: by digest. `samples`: digest → a host of the class
    without identity, as `serialize` writes it."""

    hosts: list[ExaminedHost]
    classes: dict[str, JudgedClass]
    samples: dict[str, str]
    unread: list[UnreadBundle]


class Future(Protocol):
    """A future of the standard library or of Dask."""

    def result(self) -> object: ...


class Mapper(Protocol):
    """Calls a function for each item, in any process, and yields the results in the order of the items. The function,
    its arguments and its results can be pickled. It should not read all items at once: they may be gigabytes."""

    def __call__(self, function: Callable[[A], B], items: Iterable[A], /) -> Iterable[B]: ...


def judge_fleet(host_sources: Iterable[HostSource], knowledge: Knowledge, jobs: int | None = None) -> Fleet:
    """Read and judge these hosts on this machine. `jobs`: processes, by default one for each processor."""
    base_of(knowledge.packs)  # read before the processes start, so that they share it
    stream = iter(host_sources)
    first = [*islice(stream, FEW)]
    jobs = jobs or processor_count()
    hosts = chain(first, stream)
    if jobs == 1 or len(first) < FEW:
        return judge_with(map, hosts, knowledge)
    with ProcessPoolExecutor(jobs) as pool:
        return judge_with(bounded_mapper(pool.submit, 2 * jobs), hosts, knowledge)


def judge_with(mapped: Mapper, host_sources: Iterable[HostSource], knowledge: Knowledge) -> Fleet:
    """Read and judge these hosts. Memory: some hundred bytes per host, and the data of one host per class."""
    gc.enable()  # the command line turns it off for short commands
    fleet = Fleet([], {}, {}, [])
    for chunk in mapped(partial(examine_chunk, packs=knowledge.packs), _chunks(host_sources)):
        _add_hosts(fleet, chunk)
    for judged in mapped(partial(judge_class, knowledge=knowledge), fleet.samples.items()):
        fleet.classes[judged.digest] = judged
    return fleet


def bounded_mapper(submit: Callable[..., Future], most: int) -> Mapper:
    """A mapper for an executor. `submit`: its method; `most`: items that are in flight at most."""

    def mapped(function: Callable[[A], B], items: Iterable[A], /) -> Iterator[B]:
        waiting: deque[Future] = deque()
        for item in items:
            waiting.append(submit(function, item))
            if len(waiting) > most:
                yield cast("B", waiting.popleft().result())
        while waiting:
            yield cast("B", waiting.popleft().result())

    return mapped


def judge_class(item: tuple[str, str], knowledge: Knowledge) -> JudgedClass:
    """Judge a class. `item`: its digest, and a host of it without identity."""
    return judge(*item, knowledge)


def examine_chunk(chunk: list[HostSource], packs: tuple[str, ...]) -> list[ExaminedHost | UnreadBundle]:
    """Read each host of a chunk. Only the first host of each class keeps its `config`."""
    outcomes: list[ExaminedHost | UnreadBundle] = []
    sent = set()
    for source in chunk:
        if source.why:
            outcomes.append(UnreadBundle(source.place, source.why.removeprefix(f"{source.place}: ")))
            continue
        try:
            host = examine(source, packs)
        except Unread as error:
            outcomes.append(UnreadBundle(source.place, str(error).removeprefix(f"{source.place}: ")))
            continue
        except Exception as error:
            outcomes.append(UnreadBundle(source.place, f"advisor failed on it ({type(error).__name__}: {error})"))
            continue
        outcomes.append(host._replace(config="") if host.digest in sent else host)
        sent.add(host.digest)
    return outcomes


def _add_hosts(fleet: Fleet, outcomes: Iterable[ExaminedHost | UnreadBundle]) -> None:
    """Add the hosts to the fleet."""
    for outcome in outcomes:
        if isinstance(outcome, UnreadBundle):
            fleet.unread.append(outcome)
            continue
        fleet.hosts.append(outcome._replace(config=""))
        fleet.samples.setdefault(outcome.digest, outcome.config)


def _chunks(host_sources: Iterable[HostSource]) -> Iterator[list[HostSource]]:
    stream = iter(host_sources)
    while chunk := [*islice(stream, CHUNK)]:
        yield chunk


def processor_count() -> int:
    """The number of processors that this process may use."""
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
