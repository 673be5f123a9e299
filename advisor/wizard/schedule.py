"""When things happen: keys are handled one after the other, and while none is pressed, a thread computes the advice
that the next answers would give.

Textual sends a key to the widget that has the focus when the key arrives; without the queue, keys typed ahead would
answer the wrong question. The first advice for a platform takes longer than a key press may. The thread has its own
rule base; its results are plain data in the caches of `advice_cache`. Two Python threads share one processor, so this
one pauses while the screen is drawn after a key."""

from __future__ import annotations

import asyncio
import re
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from math import inf
from time import monotonic

from textual import events
from textual.app import App
from textual.message_pump import MessagePump

from advisor.rulebase.model import RuleBase
from advisor.wizard.advice_cache import Request, Work, compute
from advisor.wizard.commands import key_name

MAX_WAIT = 5.0
"""Seconds after which a key is handled even if messages are still waiting."""
IDLE_TURNS = 3
"""Turns of the event loop without a waiting message after which the application counts as idle. One is not enough: for
one turn a message can be between two queues."""
IDLE = 0.12
"""Seconds without a key after which the thread runs."""
TOGETHER, WORD = 0.02, 3
"""Seconds between letters that nobody presses one by one, and how many of them are a word, not commands."""
SIGNS, FAR = "-.:_", 16
"""Signs that no command contains: letters or digits with one of them within FAR keys are a word (fs-0a, n1:/srv)."""
CONFIRM = ("enter", *"23456789")
TOO_EARLY = "{} was typed before this question was shown. Press it again."


class KeyQueue:
    """`handle`: handles a key, as the application would without the queue. A word, which a paste or a macro types at
    once, is text: where no field takes it, the screen begins one."""

    def __init__(self, app: App[int], handle: Callable[[events.Key], Awaitable[None]]) -> None:
        self._app, self._handle = app, handle
        self.waiting: deque[events.Key] = deque()
        self._task: asyncio.Task[None] | None = None

    def admit(self, key: events.Key) -> bool:
        """True if the caller may handle the key now; otherwise the key is queued, or dropped if it comes too early."""
        if not self.waiting and not self._busy() and not self._may_be_word(key) and not self._is_held(key):
            return not self._is_early(key)
        self.waiting.append(key)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._feed())
        return False

    async def _feed(self) -> None:
        while self.waiting:
            await self.wait_until_idle()
            key = self.waiting[0]
            if self._is_held(key):
                await asyncio.sleep(TOGETHER)
                continue
            if self._may_be_word(key):
                await self._wait_for_word()
                if self._is_word():
                    self._app.screen.begin_text()  # type: ignore[attr-defined]
                    await self.wait_until_idle()
            try:
                if not self._is_early(key):
                    await self._handle(key)
            finally:
                self.waiting.popleft()

    def _may_be_word(self, key: events.Key) -> bool:
        """Whether it is a letter that no field takes, on a screen that begins a text."""
        screen, letter = self._app.screen, key.character or ""
        focused = screen.focused
        typing = focused is not None and focused.check_consume_key(key.key, letter)
        begins = letter.isalnum() if getattr(screen, "PLACE", "") == "start" else letter.isalpha()  # an address there
        return begins and not typing and hasattr(screen, "begin_text")

    async def _wait_for_word(self) -> None:
        await asyncio.sleep(TOGETHER)

    def _is_word(self) -> bool:
        """Whether the keys that wait begin with a word. A letter that is held down is none; one digit before a letter
        is a choice, as few servers are called so."""
        text, last = "", self.waiting[0].time
        for key in list(self.waiting)[:FAR]:
            if not key.character or key.time - last > TOGETHER:
                break
            text, last = text + key.character, key.time
        name = re.match(r"(?!\d[^\W\d])[^\W_]+", text)
        begin = text[:WORD]
        return bool(begin.isalpha() and len(begin) == WORD and len({*begin}) > 1) or bool(
            name and text[name.end() : name.end() + 1] in {*SIGNS})

    def _is_held(self, key: events.Key) -> bool:
        """Whether it waits until what it confirms is painted, at the latest MAX_WAIT seconds after it was typed."""
        unpainted = getattr(self._app.screen, "painted", 0) == inf
        return key.key in CONFIRM and unpainted and monotonic() < key.time + MAX_WAIT

    def _is_early(self, key: events.Key) -> bool:
        """Whether Enter, or a digit but 1, the safe way, was typed before a question that nobody expects was painted;
        then that is said."""
        screen = self._app.screen
        early = key.key in CONFIRM and key.time < getattr(screen, "painted", 0) and getattr(screen, "asks", True)
        if early:
            self._app.notify(TOO_EARLY.format(key_name(key.key)), markup=False)
        return early

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
        ready = screen.is_mounted and screen.focused is not None and not getattr(screen, "working", False)
        return not ready or self.messages_wait()

    def messages_wait(self) -> bool:
        pumps: list[MessagePump] = [self._app]
        for screen in self._app.screen_stack[-1:]:  # none once the application has ended
            pumps += [screen, *screen.walk_children()]
        return any(pump.message_queue_size for pump in pumps)

class Prefetcher:
    """`load`: makes the thread's rule base; `tell`: called in the thread after each computed request; `first`: called
    in the thread, with its rule base, before the first request."""

    def __init__(
        self, load: Callable[[], RuleBase], tell: Callable[[Request | Work], None],
        first: Callable[[RuleBase], None] | None = None,
    ) -> None:
        self._load, self._tell, self._first = load, tell, first
        self._requests: list[Request | Work] = []
        self._changed = threading.Condition()
        self._running = threading.Event()
        self._running.set()
        self.stopped = self._outdated = self._replaceable = False
        self._thread: threading.Thread | None = None

    def request(self, requests: Iterable[Request | Work]) -> None:
        """Replaces the waiting requests, which are computed in this order, and the one that is being computed, unless
        it is Work."""
        with self._changed:
            self._requests, self._outdated = list(requests), True
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
            self.stopped = True
            self._changed.notify()
        self._running.set()

    def _wait_while_paused(self) -> None:
        if threading.current_thread() is self._thread:  # the other thread may use the same rule base
            self._running.wait()
            if self._outdated and self._replaceable:
                raise _Outdated

    def _run(self) -> None:
        self._running.wait()
        base = self._load()
        base.engine.pause = self._wait_while_paused
        if self._first is not None:
            self._first(base)
        while True:
            with self._changed:
                while not self._requests and not self.stopped:
                    self._changed.wait()
                if self.stopped:
                    return
                request, self._outdated = self._requests.pop(0), False
                self._replaceable = not isinstance(request, Work)
            try:
                compute(base, request)
            except Exception:  # noqa: S112  the answer is refused with the reason when it is given
                continue
            self._tell(request)


class _Outdated(Exception):
    """Nobody waits any more for what is being computed."""
