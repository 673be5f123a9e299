"""The most processor time and memory that one host of a fleet may take, so that it does not stop the report on all."""

from __future__ import annotations

import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

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
