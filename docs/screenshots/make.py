"""Makes the screenshots of this folder: `python docs/screenshots/make.py`. They are looked at after every change."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textual.widgets import Input

from advisor import session as state
from advisor.advice.answers import Answers
from advisor.rulebase.base import load
from advisor.wizard.app import Wizard
from advisor.wizard.which_mount import of_text

FOLDER = Path(__file__).resolve().parent
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
    "inferred": ({}, ("down", "3")),
    "end": (ENDED, ()),
    "assumed": (ENDED, ("explain mount.hard",)),
    "choice": ({"storage.platform": "anf", "host.role": "nfs-client"}, ("3",)),
    "number": ({**GIVEN, "workload.static_data": True}, ("at client.kernel",)),
    "settings": (GIVEN, ("1", "tab", "down")),
    "explain": (GIVEN, ("explain mount.nconnect",)),
    "why-not": (GIVEN, ("explain mount.nconnect", "w", "4", "enter")),
    "what-if": (GIVEN, ("explain mount.nconnect", "i")),
    "hold": (GIVEN, ("explain mount.nconnect", "p")),
    "contradiction": (GIVEN, ("at client.distro", "3")),
    "review": (GIVEN, ("r",)),
    "export": (GIVEN, ("e", "enter")),
    "compare": (GIVEN, ("c", "fstab", "enter")),
    "finding": (GIVEN, ("c", "fstab", "enter", "down", "enter")),
    "find": (GIVEN, ("slash", *"slot table")),
    "claim": (GIVEN, ("page anf-module.slots-table",)),
    "keys": (GIVEN, ("question_mark",)),
}


async def shot(base: Any, scene: str, size: tuple[int, int], theme: str) -> str:
    """One screenshot, as SVG."""
    facts, keys = SCENES[scene]
    app = Wizard(base, state.start(Answers(facts)), mounts=of_text(base, LINES, "/etc/fstab"), theme=theme)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        for key in keys:
            word, _, what = key.partition(" ")
            if what and word == "at":
                app.look_at(what)
            elif what:
                app.explain({"explain": "setting"}.get(word, word), what)
            elif key == "fstab":
                app.screen.query_one(Input).value = "fstab"
            else:
                await pilot.press({" ": "space"}.get(key, key))
            await pilot.pause()
        await pilot.pause(0.1)
        return app.export_screenshot(title=f"advisor wizard: {scene}")


def main() -> None:
    base = load()
    for scene in SCENES:
        for size in SIZES:
            for theme in (*THEMES, "ansi") if scene in ("choice", "explain") else THEMES:
                with tempfile.TemporaryDirectory() as folder:
                    os.chdir(folder)  # what the export writes is not kept
                    Path("fstab").write_text(FSTAB, encoding="ascii")
                    svg = asyncio.run(shot(base, scene, size, theme))
                svg = re.sub(r"terminal-\d+-", "t-", svg)  # a number that differs in each run
                (FOLDER / f"{scene}-{size[0]}x{size[1]}-{theme}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
