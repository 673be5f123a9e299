"""The prefetcher pauses for a key that was just pressed, even during a computation."""

from __future__ import annotations

import threading
from queue import Queue

from advisor.advice.answers import Answers
from advisor.rulebase.base import load
from advisor.wizard.advice_cache import Request
from advisor.wizard.schedule import Prefetcher

PATIENCE = 60.0


def test_it_pauses_while_a_key_is_handled_and_continues_afterwards() -> None:
    base, told, reached = load(), Queue[Request](), threading.Event()
    prefetcher = Prefetcher(lambda: base, told.put)
    wanted = Answers({"storage.platform": "aws-efs", "client.kernel": "5.14"})

    class Gate(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            reached.set()
            return super().wait(timeout)

    prefetcher._running = Gate()
    prefetcher.pause()
    prefetcher.request([wanted])
    assert reached.wait(PATIENCE)
    assert told.empty()
    base.engine.remembered("asked by who waits for it", lambda: 1)  # the same rule base holds nobody else up
    prefetcher.resume()
    assert told.get(timeout=PATIENCE) == wanted
    prefetcher.pause()
    reached.clear()
    rare = {"storage.platform": "storage-scale", "workload.kind": "mail", "client.memory_gib": 3, "mount.vers": "4.0"}
    prefetcher.request([wanted._replace(facts=rare)])  # of which no other test has left the answer
    assert reached.wait(PATIENCE)
    prefetcher.request([wanted])  # nobody waits for what is being computed
    prefetcher.resume()
    assert told.get(timeout=PATIENCE) == wanted
    prefetcher.pause()
    prefetcher.stop()
    assert prefetcher._thread is not None
    prefetcher._thread.join(PATIENCE)
    assert not prefetcher._thread.is_alive()
