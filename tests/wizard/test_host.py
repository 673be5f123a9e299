"""What this host tells is offered once the first frame is on the screen."""

from __future__ import annotations

import asyncio
from typing import Any

from textual.widgets import Static

from advisor import session as state
from advisor.advice.answers import Answers, Before, Now
from advisor.wizard.app import Wizard
from advisor.wizard.rows import rows
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


def test_what_the_host_has_stands_beside_what_is_advised() -> None:
    """In the preview where there is room, and with its places where the setting is explained."""
    now = {"mount.nconnect": Now(Before("8", "/etc/fstab:3"), Before(2, "/proc/self/mountinfo"))}
    facts = {"storage.platform": "azure-files", "client.kernel": "6.1", "host.role": "nfs-client"}
    session = state.start(Answers(facts, now=now))
    advice = state.preview(BASE, session)
    assert any("nconnect=4  now 2" in row.content.plain for row in rows(BASE, advice, [], 42))
    assert not any("now 2" in row.content.plain for row in rows(BASE, advice, [], 20))

    async def scene() -> str:
        app = Wizard(BASE, session)
        async with app.run_test(size=(80, 24)) as pilot:
            app.explain("setting", "mount.nconnect")
            await pilot.pause(0.2)
            return "\n".join(str(one.render()) for one in app.screen.query(Static))

    text = asyncio.run(scene())
    for part in ("nconnect=8", "/etc/fstab:3", "nconnect=2", "/proc/self/mountinfo"):
        assert part in text
