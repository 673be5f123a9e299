"""What works ahead gives way to the key that was just pressed, also in the middle of a question."""

from __future__ import annotations

import threading
from queue import Queue

from advisor.advice.answers import Answers
from advisor.rulebase.base import load
from advisor.session import Request
from advisor.wizard.working_ahead import Ahead

PATIENCE = 60.0


def test_it_stands_still_while_a_key_is_handled_and_goes_on_afterwards() -> None:
    base, told, reached = load(), Queue[Request](), threading.Event()
    ahead = Ahead(lambda: base, told.put)
    wanted = Answers({"storage.platform": "aws-efs", "client.kernel": "5.14"})

    class Gate(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            reached.set()
            return super().wait(timeout)

    ahead._quiet = Gate()
    ahead.hold()
    ahead.want([wanted])
    assert reached.wait(PATIENCE)
    assert told.empty()
    base.engine.remembered("asked by who waits for it", lambda: 1)  # the same rule base holds nobody else up
    ahead.go_on()
    assert told.get(timeout=PATIENCE) == wanted
    ahead.hold()
    ahead.stop()
    assert ahead._thread is not None
    ahead._thread.join(PATIENCE)
    assert not ahead._thread.is_alive()
