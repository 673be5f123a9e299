"""What this host tells is offered once the first frame is on the screen."""

from __future__ import annotations

import asyncio
from typing import Any

from advisor import session as state
from advisor.wizard.app import Wizard
from tests.wizard.driving import BASE, NEW

FOUND = {"client.kernel": ("6.1.0-26-amd64", "/proc/sys/kernel/osrelease")}


async def _started(probe: Any) -> Wizard:
    app = Wizard(BASE, state.start(), probe=probe)
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(200):
            if app.found:
                break
            await pilot.pause(0.05)
        else:
            await pilot.pause()
    return app


def test_the_host_is_asked_in_the_background() -> None:
    assert asyncio.run(_started(lambda _: (FOUND, []))).found == FOUND


def test_a_host_that_tells_nothing_stops_nobody() -> None:
    def fails(_: Any) -> Any:
        raise OSError("no /proc")

    async def scene() -> Wizard:
        app = Wizard(BASE, NEW, probe=fails)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("1")
            await pilot.pause(0.3)
            assert app.session.answers.facts == {"storage.platform": "anf"}
        return app

    assert asyncio.run(scene()).found == {}
