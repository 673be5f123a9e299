"""Handles keys one after the other: each waits until all messages that the key before it caused are processed.

Textual sends a key to the widget that has the focus when the key arrives. Without the queue, keys typed ahead would
answer the wrong question."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from textual import events
from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from textual.app import App

MAX_WAIT = 1.0
"""Seconds after which a key is handled even if messages are still waiting."""
IDLE_TURNS = 3
"""Turns of the event loop without a waiting message after which the application counts as idle. One is not enough: for
one turn a message can be between two queues."""


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
