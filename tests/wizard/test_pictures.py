"""The pictures that the documentation shows are what the program draws."""

from __future__ import annotations

import html
import re
import runpy
from pathlib import Path

import pytest
import textual.app
import textual.pilot

from tests.tiers import thorough
from tests.wizard.driving import BASE, settled

MAKE = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "screenshots.py"))
FOLDER = MAKE["FOLDER"]
SHOWN = MAKE["shown"]()


@pytest.fixture(autouse=True)
def settled_not_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (textual.app, textual.pilot):
        monkeypatch.setattr(module, "wait_for_idle", settled)


def words(svg: str) -> str:
    """The text of a picture, in its rows. What is worked out in the background may come a moment later."""
    rows: dict[str, list[str]] = {}
    for row, text in re.findall(r'<text class="[^"]*" x="[^"]*" y="([^"]*)"[^>]*>(.*?)</text>', svg):
        rows.setdefault(row, []).append(html.unescape(text).replace("\xa0", " "))
    text = "\n".join("".join(row).rstrip() for row in rows.values())
    return re.sub(  # each new rule counts
        r" *\d+ settings? to make, \d+ fine, \d+ undecided|([■▣□✗] )*\d+ of \d+ risks? closed[^│]*|"
        r"─*[^─]*still matter[^─]*|the rest: \d+ open|rules [0-9a-f]{8} · \d{4}-\d\d-\d\d", "", text)


@pytest.mark.parametrize("picture", [
    pytest.param(one, id=one.name, marks=thorough if number else ()) for number, one in enumerate(SHOWN)
])
def test_a_picture_is_what_is_drawn(picture) -> None:
    kept = (FOLDER / f"{picture.name}.svg").read_text(encoding="utf-8")
    for _ in range(3):  # a busy machine may not have drawn everything yet
        drawn = MAKE["draw"](BASE, picture)
        if words(drawn) == words(kept):
            break
    assert len(words(kept)) > 300
    assert words(drawn) == words(kept), "look at the change, then run: python tools/screenshots.py"


def test_no_picture_is_kept_that_no_page_shows() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(picture.name for picture in SHOWN)


@thorough
@pytest.mark.parametrize(
    "picture", [one for one in MAKE["every"]() if one.theme == "light" and one not in SHOWN], ids=lambda one: one.name
)
def test_every_other_scene_can_be_drawn(picture) -> None:
    assert len(words(MAKE["draw"](BASE, picture))) > 300
