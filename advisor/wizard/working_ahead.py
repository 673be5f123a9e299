"""Works out, while no key is pressed, what the next answers would lead to.

The first advice for a platform takes longer than a key press may. A thread with its own rule base works ahead; its
results are plain data, in the cache where `advice_for` looks first. Two threads of Python share one processor, so this
one pauses while what a key has changed is drawn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from advisor.session import Request, work_out

if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase

IDLE = 0.08
"""Seconds without a key after which the wizard works ahead."""


class Ahead:
    """`load`: makes a rule base; `tell`: called, in this thread, after each advice that was worked out; `first`: done
    before all that, with the rule base."""

    def __init__(
        self, load: Callable[[], RuleBase], tell: Callable[[Request], None],
        first: Callable[[RuleBase], None] | None = None,
    ) -> None:
        self._load, self._tell, self._first = load, tell, first
        self._wanted: list[Request] = []
        self._ready = threading.Condition()
        self._quiet = threading.Event()
        self._quiet.set()
        self._stopped = False
        self._thread: threading.Thread | None = None

    def want(self, wanted: Iterable[Request]) -> None:
        """Works these out next, in this order, and nothing else that was wanted before."""
        with self._ready:
            self._wanted = list(wanted)
            self._ready.notify()
        if self._wanted:
            self.begin()

    def begin(self) -> None:
        """Starts the thread, even if nothing is wanted yet."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="ahead", daemon=True)
            self._thread.start()

    def hold(self) -> None:
        """Pauses, also in the middle of something, until `go_on`."""
        self._quiet.clear()

    def go_on(self) -> None:
        self._quiet.set()

    def stop(self) -> None:
        with self._ready:
            self._stopped = True
            self._ready.notify()
        self._quiet.set()

    def _pause(self) -> None:
        if threading.current_thread() is self._thread:  # the other thread may use the same rule base
            self._quiet.wait()

    def _run(self) -> None:
        base = self._load()
        base.engine.pause = self._pause
        if self._first is not None:
            self._first(base)
        while True:
            with self._ready:
                while not self._wanted and not self._stopped:
                    self._ready.wait()
                if self._stopped:
                    return
                asked = self._wanted.pop(0)
            try:
                work_out(base, asked)
            except Exception:  # noqa: S112  the answer is refused with the reason when it is given
                continue
            self._tell(asked)

