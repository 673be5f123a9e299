"""When things happen: keys are handled one after the other, and while none is pressed, a thread computes the advice
that the next answers would give.

Textual sends a key to the widget that has the focus when the key arrives; without the queue, keys typed ahead would
answer the wrong question. The first advice for a platform takes longer than a key press may. The thread has its own
rule base; its results are plain data in the caches of `advice_cache`. Two Python threads share one processor, so this
one pauses while the screen is drawn after a key."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from textual import events
from textual.message_pump import MessagePump

from advisor.wizard.advice_cache import Request, compute

if TYPE_CHECKING:
    from textual.app import App

    from advisor.rulebase.model import RuleBase

MAX_WAIT = 1.0
"""Seconds after which a key is handled even if messages are still waiting."""
IDLE_TURNS = 3
"""Turns of the event loop without a waiting message after which the application counts as idle. One is not enough: for
one turn a message can be between two queues."""
IDLE = 0.08
"""Seconds without a key after which the thread runs."""


class KeyQueue:
    """`handle`: handles a key, as the application would without the queue."""

    def __init__(self, app: App[int], handle: Callable[[events.Key], Awaitable[None]]) -> None:
        self._app, self._handle = app, handle
        self.waiting: deque[events.Key] = deque()
        self._task: asyncio.Task[None] | None = None

    def admit(self, key: events.Key) -> bool:
        """True if the caller may handle the key now; otherwise the key is queued."""
        if not self.waiting and not self._busy():
            return True
        self.waiting.append(key)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._feed())
        return False

    async def _feed(self) -> None:
        while self.waiting:
            await self.wait_until_idle()
            key = self.waiting[0]
            try:
                await self._handle(key)
            finally:
                self.waiting.popleft()

    async def wait_until_idle(self) -> None:
        """Returns when no message is waiting and the screen is ready for keys, at the latest after MAX_WAIT seconds."""
        loop = asyncio.get_running_loop()
        end, quiet = loop.time() + MAX_WAIT, 0
        while quiet < IDLE_TURNS and loop.time() < end:
            await asyncio.sleep(0)
            quiet = 0 if self._busy() else quiet + 1

    def _busy(self) -> bool:
        """Whether a message is waiting in any queue, or the screen is not ready for keys yet."""
        screen = self._app.screen
        return not screen.is_mounted or screen.focused is None or any(pump.message_queue_size for pump in self._pumps())

    def _pumps(self) -> Iterator[MessagePump]:
        yield self._app
        yield self._app.screen
        yield from self._app.screen.walk_children()


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
