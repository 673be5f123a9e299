"""Makes the recording that README.md shows, docs/recording.svg: lint, why, the wizard and its result, in
one picture that plays by itself.

Run: python tools/recording.py

Every frame is what the program prints or draws. Who prefers no motion sees the last one."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from advisor.advice.answers import Answers
from advisor.rulebase.base import load
from advisor.rulebase.model import RuleBase
from advisor.wizard import advice_cache, state
from advisor.wizard.app import Wizard
from advisor.wizard.screen import SessionScreen

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "docs" / "recording.svg"
WIDE, HIGH = 120, 36
"""Columns and rows of every frame."""
FSTAB = "anf1:/eda-tools  /eda/tools  nfs  vers=4.1,nconect=8,soft,timeo=30,rsize=1048576  0 0\n"
FACTS = ("storage.platform=anf", "workload.kind=eda", "client.kernel=6.1")
COMMANDS = (("lint", "fstab"), ("why", "nconnect", *(word for fact in FACTS for word in ("--set", fact))))
GIVEN = Answers(
    {"storage.platform": "anf", "host.role": "nfs-client", "storage.volume_protocol": "3",
     "client.kernel": "5.14.0-362.el9", "mount.sec": "sys"},
    names={"server": "anf1", "export": "/eda-tools", "target": "/eda/tools"},
)


class Frame(NamedTuple):
    """A picture, and for how many seconds it is shown."""

    svg: str
    seconds: float


def command(folder: str, *words: str) -> Frame:
    """What a command prints, below the prompt, as far as a screen shows it."""
    done = subprocess.run(  # noqa: S603  its own words
        [sys.executable, "-m", "advisor", *words, "--color", "always"], cwd=folder, capture_output=True, text=True,
        check=False, env={"PYTHONPATH": str(ROOT), "COLUMNS": str(WIDE), "TERM": "xterm-256color", "HOME": folder},
    )
    console = Console(record=True, width=WIDE, file=StringIO())
    shown = [f"$ advisor {' '.join(words)}", *done.stdout.splitlines()]
    for line in (shown + [""] * HIGH)[:HIGH]:
        console.print(Text.from_ansi(line), soft_wrap=True)
    return Frame(console.export_svg(title="advisor", unique_id="terminal-1"), 6)


async def wizard(base: RuleBase) -> list[Frame]:
    """The questions that are left, each answer's outcome, and the result."""
    app = Wizard(base, state.start(GIVEN))
    app.prefetcher.stop()
    frames = []
    async with app.run_test(size=(WIDE, HIGH)) as pilot:
        async def take(seconds: float) -> None:
            advice_cache.compute(base, advice_cache.LineChangesOf(app.session.answers))
            if isinstance(app.screen, SessionScreen):
                app.screen.show_session()
            await pilot.pause(0.1)
            frames.append(Frame(app.export_screenshot(title="advisor"), seconds))

        await take(3)
        for key in ("2", "1", "1"):
            await pilot.press(key)
            await take(3)
        await pilot.press("R")
        await take(8)
    return frames


def joined(frames: list[Frame]) -> str:
    """One picture of all frames, one after the other, again and again."""
    whole = sum(frame.seconds for frame in frames)
    size = re.search(r'viewBox="([^"]+)"', frames[0].svg)
    rules, parts, at = [], [], 0.0
    for number, (svg, seconds) in enumerate(frames):
        start, end = 100 * at / whole, 100 * (at + seconds) / whole
        at += seconds
        last = number == len(frames) - 1
        rules.append(
            f"@keyframes s{number} {{ 0% {{ opacity: {int(not number)} }} {start:.2f}% {{ opacity: 1 }} "
            f"{end:.2f}%{', 100%' if last else ''} {{ opacity: {int(last)} }} }}\n"
            f"#s{number} {{ opacity: 0; animation: s{number} {whole:.1f}s step-end infinite }}"
        )
        parts.append(f'<g id="s{number}">{re.sub(r"terminal-[0-9]+-", f"f{number}-", svg)}</g>')
    still = "\n".join(
        f"#s{number} {{ animation: none; opacity: {int(number == len(frames) - 1)} }}" for number in range(len(frames))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size[1] if size else ""}" role="img">\n'
        "<title>advisor: lint, why, the wizard and its result</title>\n"
        f"<style>\n{chr(10).join(rules)}\n@media (prefers-reduced-motion: reduce) {{\n{still}\n}}\n</style>\n"
        f"{chr(10).join(parts)}\n</svg>\n"
    )


def main() -> None:
    base = load()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "fstab").write_text(FSTAB, encoding="ascii")
        frames = [command(folder, *words) for words in COMMANDS]
    frames += asyncio.run(wizard(base))
    FILE.write_text(joined(frames), encoding="utf-8")
    print(f"{FILE}: {len(frames)} frames, {FILE.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
