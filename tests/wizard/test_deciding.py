"""What screens decide before anything is drawn, on values made up for it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from advisor.wizard import live
from advisor.wizard.screen import KeyedScreen
from tests.each import each


@each(lambda: [
    ((59, 17), ["-tiny", "-low"]), ((60, 18), ["-narrow", "-short"]), ((99, 29), ["-narrow", "-short"]),
    ((100, 30), ["-wide", "-tall"]), ((159, 30), ["-wide", "-tall"]), ((160, 99), ["-broad", "-tall"]),
    ((0, 0), ["-tiny", "-low"]),
])
def test_the_size_of_a_screen_has_its_class_before_the_layout(size: tuple[int, int], classes: list[str]) -> None:
    found: list[str] = []
    screen: Any = SimpleNamespace(
        app=SimpleNamespace(size=size), HORIZONTAL_BREAKPOINTS=KeyedScreen.HORIZONTAL_BREAKPOINTS,
        VERTICAL_BREAKPOINTS=KeyedScreen.VERTICAL_BREAKPOINTS, add_class=lambda name, update: found.append(name))
    KeyedScreen.on_compose(screen)
    assert found == classes


@each(lambda: [
    (80, (16, 10)), (200, (40, 24)), (60, (10, 5)), (57, (10, 4)), (54, (24, 0)), (40, (10, 0)), (20, (6, 0)),
])
def test_the_columns_of_the_list_of_mounts(width: int, columns: tuple[int, int]) -> None:
    assert live._columns(width) == columns
