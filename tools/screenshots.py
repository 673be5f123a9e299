"""Makes the pictures of the wizard and of observe --live that the documentation shows, in docs/screenshots.

Run: python tools/screenshots.py [--all DIR]

With --all, every scene in every size and theme goes to DIR, to be looked at after a change of the screens."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from textual.widgets import Input

from advisor.advice.answers import Answers
from advisor.lint.evidence import nfs_lines
from advisor.rulebase.base import load
from advisor.wizard import advice_cache, state
from advisor.wizard.app import Wizard
from advisor.wizard.question_screen import QuestionScreen
from advisor.wizard.screen import SessionScreen

sys.path.insert(0, str(Path(__file__).parent))  # when a test runs this file
from live_scene import watched

DOCS = Path(__file__).resolve().parents[1] / "docs"
FOLDER = DOCS / "screenshots"
SIZES = ((80, 24), (120, 40))
THEMES = ("dark", "light")
GIVEN = {
    "storage.platform": "anf", "host.role": "nfs-client", "workload.kind": "eda", "storage.volume_protocol": "3",
    "client.kernel": "5.14.0-362.el9", "mount.sec": "sys",
}
FSTAB = "nfs-server.example:/vol  /data  nfs  vers=3,udp,nconnect=32,rsize=8192  0 0\n"
LINES = """\
nas1.example:/vol/tools  /opt/tools  nfs  vers=3,ro  0 0
acct.file.core.windows.net:/acct/share  /mnt/share  nfs  vers=4.1  0 0
10.0.0.4:/hana-log  /hana/log/H01  nfs  vers=4.1,hard  0 0
"""
ENDED = {
    **GIVEN, "workload.static_data": True, "network.azure_load_balancer": False, "workload.durable_writes": False,
}
SCENES: dict[str, tuple[dict[str, Any], Sequence[str]]] = {
    "start": ({}, ()),
    "mount": ({}, ("1",)),
    "inferred": ({}, ("up", "enter")),
    "end": (ENDED, ()),
    "result": (ENDED, ("R",)),
    "assumed": (ENDED, ("explain mount.hard",)),
    "choice": ({"storage.platform": "anf", "host.role": "nfs-client"}, ("1",)),
    "number": ({**GIVEN, "workload.static_data": True}, ("at client.kernel",)),
    "settings": (GIVEN, ("1", "tab", "down", "down")),
    "explain": (GIVEN, ("explain mount.nconnect",)),
    "why-not": (GIVEN, ("explain mount.nconnect", "w", "4", "enter")),
    "what-if": (GIVEN, ("explain mount.nconnect", "i")),
    "pin": (GIVEN, ("explain mount.nconnect", "p")),
    "contradiction": (GIVEN, ("at client.distro", "3")),
    "review": (GIVEN, ("r",)),
    "export": (GIVEN, ("e", "enter")),
    "compare": (GIVEN, ("c", "fstab", "enter")),
    "finding": (GIVEN, ("c", "fstab", "enter", "down", "enter")),
    "find": (GIVEN, ("slash", *"slot table")),
    "claim": (GIVEN, ("page anf-module.slots-table",)),
    "keys": (GIVEN, ("question_mark",)),
}
NAMED = {scene: {"server": "anf1.example", "export": "/eda", "target": "/mnt/eda"} for scene in ("end", "result")}
"""Scene → names, without which the files are not ready."""
LIVE: dict[str, Sequence[str]] = {"live": (), "live-mount": ("enter",)}


async def shot(base: Any, scene: str, size: tuple[int, int], theme: str) -> str:
    """One screenshot, as SVG."""
    if scene in LIVE:
        return await live_shot(base, scene, size, theme)
    facts, keys = SCENES[scene]
    session = state.start(Answers(facts, names=NAMED.get(scene, {})))
    app = Wizard(base, session, mounts=nfs_lines(base, LINES, "/etc/fstab"), theme=theme)
    app.prefetcher.stop()  # a picture does not depend on how far it came
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        for key in keys:
            word, _, what = key.partition(" ")
            if what and word == "at":
                app.go_to_question(what)
            elif what:
                app.explain({"explain": "setting"}.get(word, word), what)
            elif key == "fstab":
                app.screen.query_one(Input).value = "fstab"
            else:
                await pilot.press({" ": "space"}.get(key, key))
            await pilot.pause()
        await pilot.pause(0.1)
        line_changes = advice_cache.LineChangesOf(app.session.answers)
        advice_cache.compute(base, line_changes)  # else while idle
        if isinstance(app.screen, QuestionScreen):
            app.screen.show_computed(line_changes)
        elif isinstance(app.screen, SessionScreen):
            app.screen.show_session()
        await pilot.pause()
        return app.export_screenshot(title=f"advisor wizard: {scene}")


async def live_shot(base: Any, scene: str, size: tuple[int, int], theme: str) -> str:
    """One screenshot of observe --live, as SVG."""
    app = watched(base, theme)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press(*LIVE[scene])
        await pilot.pause()
        return app.export_screenshot(title="advisor observe --live")


class Picture(NamedTuple):
    """One picture; its file is `name`.svg."""

    scene: str
    size: tuple[int, int]
    theme: str

    @property
    def name(self) -> str:
        return f"{self.scene}-{self.size[0]}x{self.size[1]}-{self.theme}"


def shown() -> list[Picture]:
    """The pictures that README and docs/ show."""
    pages = [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]
    names = {name for page in pages for name in re.findall(r"screenshots/([\w-]+)\.svg", page.read_text("utf-8"))}
    pictures = []
    for name in sorted(names):
        scene, size, theme = name.rsplit("-", 2)
        columns, _, rows = size.partition("x")
        pictures.append(Picture(scene, (int(columns), int(rows)), theme))
    return pictures


def every() -> list[Picture]:
    """All there is to look at."""
    return [
        Picture(scene, size, theme) for scene in (*SCENES, *LIVE) for size in SIZES
        for theme in ((*THEMES, "ansi") if scene in ("choice", "explain") else THEMES)
    ]


def draw(base: Any, picture: Picture) -> str:
    """The picture as SVG, without the number that differs in each run."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # what the export writes is not kept
        try:
            Path("fstab").write_text(FSTAB, encoding="ascii")
            svg = asyncio.run(shot(base, *picture))
        finally:
            os.chdir(before)
    return re.sub(r"terminal-\d+-", "t-", svg)


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes pictures of the wizard and of observe --live.")
    parser.add_argument("--all", metavar="DIR", type=Path, help="every scene, size and theme, into DIR")
    args = parser.parse_args()
    base = load()
    folder = args.all or FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for picture in every() if args.all else shown():
        (folder / f"{picture.name}.svg").write_text(draw(base, picture), encoding="utf-8")


if __name__ == "__main__":
    main()
