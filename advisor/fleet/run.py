"""Reads a fleet as a stream of bundles, sosreports and trees: each host is read once, each class judged once, on all
processors.

A `Mapper` calls the two functions for each item, like the built-in `map`: with processes of this machine, Dask
(`on_dask`, on a cluster of this machine or elsewhere), or another library (docs/fleet-large.md)."""

from __future__ import annotations

import gc
import logging
import os
import resource
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, cast

from advisor import __version__
from advisor.fleet.judge import ExaminedHost, HostSource, JudgedClass, Knowledge, base_of, examine, judge
from advisor.fleet.model import UnreadBundle
from advisor.host.bundle import bundles, is_bundle
from advisor.host.tree import Unread, detect_layout
from advisor.rulebase.model import Layout
from advisor.user_files import UserFileError, parse_json, read_text

if TYPE_CHECKING:
    from distributed import Client


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
LOCAL = "local"
"""Instead of an address: a cluster of this machine, which ends with the report."""
TIMEOUT = 10
"""Seconds in which a scheduler has to answer."""
MIN_IN_FLIGHT = 64
"""Chunks of hosts, some hundred KiB each, that are in flight at least."""


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
    stream = iter(host_sources)
    chunks = iter(lambda: [*islice(stream, CHUNK)], [])
    for outcome in chain.from_iterable(mapped(partial(examine_chunk, packs=knowledge.packs), chunks)):
        if isinstance(outcome, UnreadBundle):
            fleet.unread.append(outcome)
            continue
        fleet.hosts.append(outcome._replace(config=""))
        fleet.samples.setdefault(outcome.digest, outcome.config)
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
    try:
        with host_limits():
            return judge(*item, knowledge)
    except OverLimitError as error:
        return JudgedClass(item[0], {}, (), (), f"not judged: {error}")


def examine_chunk(chunk: list[HostSource], packs: tuple[str, ...]) -> list[ExaminedHost | UnreadBundle]:
    """Read each host of a chunk. Only the first host of each class keeps its `config`."""
    outcomes: list[ExaminedHost | UnreadBundle] = []
    sent = set()
    for source in chunk:
        if source.why:
            outcomes.append(UnreadBundle(source.place, source.why.removeprefix(f"{source.place}: ")))
            continue
        try:
            with host_limits():
                host = examine(source, packs)
        except OverLimitError as error:
            outcomes.append(UnreadBundle(source.place, f"not read: {error}"))
            continue
        except Unread as error:
            outcomes.append(UnreadBundle(source.place, str(error).removeprefix(f"{source.place}: ")))
            continue
        except Exception as error:
            outcomes.append(UnreadBundle(source.place, f"advisor failed on it ({type(error).__name__}: {error})"))
            continue
        outcomes.append(host._replace(config="") if host.digest in sent else host)
        sent.add(host.digest)
    return outcomes


def processor_count() -> int:
    """The number of processors that this process may use."""
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


class DaskError(Exception):
    """Dask could not do the work; the message is one line."""


@contextmanager
def on_dask(where: str, jobs: int | None, say: Callable[[str], None]) -> Iterator[Mapper]:
    """A mapper on the workers of a cluster. `where`: LOCAL, the address of a scheduler (tcp://node:8786), or the file
    in which a scheduler wrote its address. `jobs`: processes of a local cluster. `say`: shows why it takes long.

    Raises DaskError, also from inside: workers come and go. ImportError without Dask."""
    from distributed import Client, KilledWorker, LocalCluster  # noqa: PLC0415  an extra

    for log in ("distributed", "distributed.client", "tornado"):
        logging.getLogger(log).setLevel(logging.CRITICAL)  # they log at length what DaskError says in a line
    with ExitStack() as stack:
        if where == LOCAL:
            cluster = LocalCluster(
                n_workers=jobs or processor_count(), threads_per_worker=1, dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
            client = stack.enter_context(Client(stack.enter_context(cluster)))
        else:
            try:
                client = stack.enter_context(Client(_address(where), timeout=TIMEOUT))
            except OSError as error:
                raise DaskError(f"no scheduler answers there ({error})") from None
            except ValueError:
                raise DaskError("neither a scheduler file nor an address such as tcp://node:8786") from None
        if not client.nthreads():
            say("no worker has joined the scheduler yet; waiting for the first one")
        client.wait_for_workers(1)
        _check_versions(client)
        try:
            in_flight = max(MIN_IN_FLIGHT, 4 * sum(client.nthreads().values()))
            yield bounded_mapper(partial(client.submit, pure=False), in_flight)
        except KilledWorker as error:
            raise DaskError(f"{error}; give the workers more memory, or look at their logs") from None
        except (OSError, CancelledError) as error:
            raise DaskError("the scheduler is down: " + str(error).partition("\n")[0]) from None


def _address(where: str) -> str:
    """The address of a scheduler, which may be in a file. Raises DaskError for a file without an address."""
    if not os.path.isfile(where):  # noqa: PTH113
        return where
    try:
        cluster = parse_json(read_text(where), where)
    except UserFileError as error:
        raise DaskError(str(error).removeprefix(f"{where}: ")) from None
    address = cluster.get("address") if isinstance(cluster, dict) else None
    if not isinstance(address, str):
        raise DaskError("a file, but not one in which dask scheduler --scheduler-file writes its address")
    return address


def _check_versions(client: Client) -> None:
    """Raises DaskError if workers lack advisor, or have another version, whose findings would differ."""
    try:
        versions = {*client.run(version).values()}
    except Exception as error:  # what it is depends on the versions of Python and Dask there
        raise DaskError(f"the workers have no advisor ({error}); install version {__version__} there") from None
    if versions - {__version__}:
        others = ", ".join(sorted(versions - {__version__}))
        raise DaskError(f"workers have advisor {others}, and this is {__version__}; install the same there")


def version() -> str:
    """The version of advisor in the process that calls this."""
    return __version__


SECONDS = 120.0
"""Of processor time: a host with thousands of mounts takes one or two."""
MEMORY = 4 << 30
"""Bytes of the process that reads and judges it."""


class OverLimitError(BaseException):
    """A host took more than it may. No handler of the program for errors of one line or file catches it."""


@contextmanager
def host_limits() -> Iterator[None]:
    """Raises OverLimitError, or MemoryError. In a thread, as on a worker of Dask, nothing is limited: such a worker has
    its own limits."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    memory = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGPROF, _too_long)
    try:
        most = MEMORY if memory[0] == resource.RLIM_INFINITY else min(memory[0], MEMORY)
        resource.setrlimit(resource.RLIMIT_AS, (most, memory[1]))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        yield
    except MemoryError:
        raise OverLimitError(f"it takes more than {MEMORY >> 30} GiB of memory") from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, memory)


def _too_long(*_: object) -> None:
    raise OverLimitError(f"it takes more than {SECONDS:.0f} s of processor time")
