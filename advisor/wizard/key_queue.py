"""Keys one after the other: each is handled when everything that the one before it set in motion is done.

Textual hands a key to the widget that has the focus when the key arrives: whoever types ahead would answer the next
question on the screen of the last one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING

from textual import events
from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from textual.app import App

PATIENCE = 1.0
"""Seconds after which a key is handled in any case: nothing may swallow keys forever."""
QUIET = 3
"""How many turns without a waiting message mean that all is done: a message is between two queues for one turn."""


class KeyQueue:
    """`handle`: what the application does with a key."""

    def __init__(self, app: App[int], handle: Callable[[events.Key], Awaitable[None]]) -> None:
        self._app, self._handle = app, handle
        self.waiting: deque[events.Key] = deque()
        self._task: asyncio.Task[None] | None = None

    def is_next(self, key: events.Key) -> bool:
        """Whether the key can be handled now; otherwise it is queued, and handled in its turn."""
        if not self.waiting and not self._busy():
            return True
        self.waiting.append(key)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._feed())
        return False

    async def _feed(self) -> None:
        while self.waiting:
            await self.settled()
            key = self.waiting[0]
            try:
                await self._handle(key)
            finally:
                self.waiting.popleft()

    async def settled(self) -> None:
        """Returns when no message waits anywhere and the screen is ready for keys, or patience is at its end."""
        loop = asyncio.get_running_loop()
        end, quiet = loop.time() + PATIENCE, 0
        while quiet < QUIET and loop.time() < end:
            await asyncio.sleep(0)
            quiet = 0 if self._busy() else quiet + 1

    def _busy(self) -> bool:
        """Whether a message waits anywhere, or a screen is not ready for keys yet."""
        screen = self._app.screen
        return not screen.is_mounted or screen.focused is None or any(one.message_queue_size for one in self._pumps())

    def _pumps(self) -> Iterator[MessagePump]:
        yield self._app
        yield self._app.screen
        yield from self._app.screen.walk_children()
