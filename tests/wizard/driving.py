"""Drives the wizard without a terminal, and reads its screen as people do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
import textual.app
import textual.pilot
from textual import events
from textual._compositor import Compositor
from textual._context import active_app
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.widgets import OptionList

from advisor.advice.answers import Answers
from advisor.lint.fix import LookAtHost
from advisor.rulebase.base import load
from advisor.wizard import state
from advisor.wizard.app import Wizard
from advisor.wizard.files import SavedSession
from advisor.wizard.schedule import KeyQueue
from advisor.wizard.state import Session
from tests.tiers import sizes

BASE = load()
SIZES = ((80, 24), (120, 40))
both = sizes(*SIZES)
NEW = state.go(state.start(), None)
"""A session at the first question, past the one for the mount."""
Play = Callable[["Driver"], Awaitable[None]]
QUIET_TURNS = 2
"""Turns of the event loop in which nothing was left to run, after which what a key caused is done: in the first one a
task may have been about to start."""
PATIENCE = 60
"""Seconds after which an application that does not come to rest has failed."""
parse_rules = Stylesheet._parse_rules
parsed: dict[Any, list[RuleSet]] = {}
"""Rules of style sheets, by all that they are made of."""


async def settled(*_: float) -> None:
    """Returns when all that a key caused is done: when every task of the application waits for a timer, and nothing is
    left to lay out. Textual's pilot measures instead whether the process is idle, four times for a key and at least
    20 ms each time, and meanwhile draws frame after frame that nobody sees."""
    app: Any = active_app.get()
    loop: Any = asyncio.get_running_loop()
    end, quiet = loop.time() + PATIENCE, 0
    while quiet < QUIET_TURNS and app._running:
        assert loop.time() < end, "it does not come to rest"
        await asyncio.sleep(0)
        screen = app.screen
        quiet += 1
        if loop._ready:
            quiet = 0
        elif screen._update_timer._active.is_set():
            screen._on_timer_update()
            quiet = 0
        elif app._resize_timer is not None or not all(worker.is_finished for worker in app.workers):
            await asyncio.sleep(0.001)
            quiet = 0
        elif quiet == QUIET_TURNS and True in [has_grown(one) for one in screen.query(OptionList)]:
            quiet = 0


def has_grown(options: OptionList) -> bool:
    """Whether the list has found out that it needs a scroll bar, or none any more: it does when it is drawn."""
    before = options.virtual_size
    options._update_lines()
    return options.virtual_size != before


async def settled_word(_: KeyQueue) -> None:
    """What is typed ahead has arrived already."""


def rules_of_styles(sheet: Stylesheet, css: str, *where: Any, **how: Any) -> list[RuleSet]:
    """Parsed once, not by the application of each test."""
    key = (css, where, *how.values(), *sheet._variables.items())
    if key not in parsed:
        parsed[key] = parse_rules(sheet, css, *where, **how)
    return parsed[key]


class Driver:
    """`presses`: how many keys were pressed so far."""

    def __init__(self, app: Wizard, pilot: Any) -> None:
        self.app, self.pilot, self.presses = app, pilot, 0

    async def press(self, *keys: str) -> None:
        for key in keys:
            self.presses += 1
            await self.pilot.press(key)
            await self.app.workers.wait_for_complete()
        await self.pilot.pause()
        await self.pilot.pause()

    async def type_ahead(self, keys: Iterable[str]) -> None:
        """All keys at once, as a paste into a terminal or a slow line brings them."""
        for key in keys:
            name = {".": "full_stop", "-": "minus", "\n": "enter", "\t": "tab"}.get(key, key)
            text = {"slash": "/", "question_mark": "?", "space": " "}.get(key, key)
            self.app.post_message(events.Key(name, text if len(text) == 1 and text.isprintable() else None))
        await self.pilot.pause()
        while self.app.keys_typed.waiting and self.app._running:
            await self.pilot.pause()
        await self.app.keys_typed.wait_until_idle()
        await self.pilot.pause()

    async def write(self, text: str) -> None:
        await self.press(*({".": "full_stop", "-": "minus", " ": "space", "/": "slash"}.get(c, c) for c in text))

    async def effects(self) -> None:
        """Waits until it stands beside each answer what it would do, as far as that is computed already: it is shown
        when no key was pressed for a while."""
        while (timer := self.app.screen.ahead.timer) is not None and timer._task is not None and not timer._task.done():
            await asyncio.sleep(0.01)
        await self.press()

    def text(self) -> str:
        """What can be read on the screen."""
        return "\n".join(strip.text.rstrip() for strip in self.app.screen._compositor.render_strips())

    def sees(self, *texts: str) -> None:
        whole = self.text()
        shown = [" ".join(part.split()) for part in (whole, whole.replace("│", " "), *self.panes())]
        for text in texts:
            assert any(text in part for part in shown), f"{text!r} is not in:\n{whole}"

    def panes(self) -> list[str]:
        """What can be read in each pane, where several stand side by side."""
        rows = self.text().split("\n")
        regions = [one.region for one in self.app.screen.query("#body > *") if one.display]
        return ["\n".join(row[at.x : at.right].replace("│", " ") for row in rows[at.y : at.bottom]) for at in regions]


STUCK = 300
"""Seconds after which a scene that waits for what never comes fails, and does not hold up all other tests."""


def play(
    scene: Play, size: tuple[int, int] = (120, 40), *, session: Session | None = None, path: Path | None = None,
    saved: SavedSession | None = None, others: Sequence[SavedSession] = (),
    found: dict[str, tuple[Any, str]] | None = None,
    theme: str = "dark", check_host: LookAtHost | None = None, may_watch: bool = False, prefetch: bool = False,
) -> Wizard:
    """Starts the wizard and lets the scene happen. `prefetch`: with its thread, for which every pause waits."""
    app = Wizard(
        BASE, session or NEW, found, path=path, saved=saved, others=others, theme=theme, check_host=check_host,
        may_watch=may_watch,
    )
    if not prefetch:
        app.prefetcher.stop()

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await pilot.pause()
            await asyncio.wait_for(scene(Driver(app, pilot)), STUCK)

    with pytest.MonkeyPatch().context() as patched:
        if not prefetch:
            patched.setattr(KeyQueue, "_wait_for_word", settled_word)
            patched.setattr(Stylesheet, "_parse_rules", rules_of_styles)
            patched.setattr(Compositor, "render_update", lambda drawn, **_: drawn._dirty_regions.clear())
            patched.setattr(textual.app, "wait_for_idle", settled)
            patched.setattr(textual.pilot, "wait_for_idle", settled)
            patched.setattr(textual.pilot.Pilot, "_wait_for_screen", settled)  # without a message to each widget
        asyncio.run(run())
    app.prefetcher.stop()
    return app


def given(**facts: Any) -> Session:
    """A session with these answers; a double underscore stands for the dot."""
    return state.start(Answers({name.replace("__", "."): value for name, value in facts.items()}))


ANF = {"storage__platform": "anf", "host__role": "nfs-client"}
DONE = {
    "storage__platform": "aws-efs", "storage__encrypted_transit": True, "workload__static_data": False,
    "workload__kind": "web", "network__cloud": "aws", "workload__durable_writes": False,
    "workload__prompt_changes": False, "network__transport": "tcp", "server__firewall": True,
    "client__distro": "amazon", "identity__owners": "each",
}
"""After these no question matters."""
EDA = {**ANF, "workload__kind": "eda", "storage__volume_protocol": "3", "client__kernel": "5.14.0-362.el9",
       "mount__sec": "sys"}
