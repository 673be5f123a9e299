"""Runs a fleet on Dask: on a cluster of processes of this machine, or on one with a scheduler elsewhere."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from advisor import __version__
from advisor.fleet.run import Mapper, bounded_mapper, processor_count
from advisor.user_files import UserFileError, parse_json, read_text

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
"""Instead of an address: a cluster of this machine, which ends with the report."""
TIMEOUT = 10
"""Seconds in which a scheduler has to answer."""
MIN_IN_FLIGHT = 64
"""Chunks of hosts, some hundred KiB each, that are in flight at least."""


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
