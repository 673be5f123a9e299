"""Computes in a background thread, while no key is pressed, the advice that the next answers would give.

The first advice for a platform takes longer than a key press may. The thread has its own rule base; its results are
plain data in the caches of `advice_cache`. Two Python threads share one processor, so this one pauses while the
screen is drawn after a key."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from advisor.wizard.advice_cache import Request, compute

if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase

IDLE = 0.08
"""Seconds without a key after which the thread runs."""


class Prefetcher:
    """`load`: makes the thread's rule base; `tell`: called in the thread after each computed request; `first`: called
    in the thread, with its rule base, before the first request."""

    def __init__(
        self, load: Callable[[], RuleBase], tell: Callable[[Request], None],
        first: Callable[[RuleBase], None] | None = None,
    ) -> None:
        self._load, self._tell, self._first = load, tell, first
        self._requests: list[Request] = []
        self._changed = threading.Condition()
        self._running = threading.Event()
        self._running.set()
        self._stopped = False
        self._thread: threading.Thread | None = None

    def request(self, requests: Iterable[Request]) -> None:
        """Replaces the waiting requests; they are computed in this order."""
        with self._changed:
            self._requests = list(requests)
            self._changed.notify()
        if self._requests:
            self.start()

    def start(self) -> None:
        """Starts the thread, even without a request."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="prefetch", daemon=True)
            self._thread.start()

    def pause(self) -> None:
        """Pauses, even during a computation, until `resume`."""
        self._running.clear()

    def resume(self) -> None:
        self._running.set()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._running.set()

    def _wait_while_paused(self) -> None:
        if threading.current_thread() is self._thread:  # the other thread may use the same rule base
            self._running.wait()

    def _run(self) -> None:
        base = self._load()
        base.engine.pause = self._wait_while_paused
        if self._first is not None:
            self._first(base)
        while True:
            with self._changed:
                while not self._requests and not self._stopped:
                    self._changed.wait()
                if self._stopped:
                    return
                request = self._requests.pop(0)
            try:
                compute(base, request)
            except Exception:  # noqa: S112  the answer is refused with the reason when it is given
                continue
            self._tell(request)
