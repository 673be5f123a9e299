"""The pictures in docs/screenshots show what the program draws."""

from __future__ import annotations

import asyncio
import html
import re
import runpy
from pathlib import Path

import pytest

from tests.wizard.driving import BASE, SIZES

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
MAKE = runpy.run_path(str(FOLDER / "make.py"))
SCENES = ("choice", "explain", "why-not", "what-if", "review", "claim", "keys")


def words(svg: str) -> str:
    """The text of a picture, in its rows. What is worked out in the background may come a moment later."""
    rows: dict[str, list[str]] = {}
    for row, text in re.findall(r'<text class="[^"]*" x="[^"]*" y="([^"]*)"[^>]*>(.*?)</text>', svg):
        rows.setdefault(row, []).append(html.unescape(text).replace("\xa0", " "))
    text = "\n".join("".join(row).rstrip() for row in rows.values())
    return re.sub(r"; this answer settles (about )?\d+ *", "", text)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("scene", SCENES)
def test_a_picture_is_what_is_drawn(scene: str, size: tuple[int, int]) -> None:
    kept = (FOLDER / f"{scene}-{size[0]}x{size[1]}-dark.svg").read_text(encoding="utf-8")
    for _ in range(3):  # a busy machine may not have drawn everything yet
        drawn = asyncio.run(MAKE["shot"](BASE, scene, size, "dark"))
        if words(drawn) == words(kept):
            break
    assert len(words(kept)) > 300
    assert words(drawn) == words(kept), "look at the change, then run: python docs/screenshots/make.py"
