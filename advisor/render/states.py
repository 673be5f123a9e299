"""What a host sets, what is in effect there, and what is advised, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from advisor.advice.steps import as_written
from advisor.document.blocks import Block, Document, code, dim, text
from advisor.render.wording import label

if TYPE_CHECKING:
    from advisor.advice.answers import Before, Now
    from advisor.advice.model import Recommendation
    from advisor.document.blocks import Said


def side_by_side(settings: Iterable[Recommendation], now: Mapping[str, Now]) -> list[Block]:
    """The table for these settings, nothing where none of them was looked at."""
    rows: list[tuple[Said, ...]] = []
    for one in settings:
        if one.tunable in now:
            has = now[one.tunable]
            cells = (_cell(one, part, has.unread) for part in (has.set, has.in_effect))
            rows.append((label(one.definition), *cells, _advised(one)))
    page = Document()
    if rows:
        page.table(("setting", "set", "in effect", "advised"), rows)
    return page.blocks


def short(one: Recommendation, now: Now | None) -> str:
    """What is in effect, else what is set, in a few letters, where it is not what is advised; else ""."""
    has = now and (now.in_effect or now.set)
    if not has or has.value is None or one.written is None:
        return ""
    mine, wanted = as_written(one.definition, has.value), as_written(one.definition, one.written)
    return "" if mine == wanted else f"now {mine.rpartition('=')[2]}"


def _cell(one: Recommendation, has: Before | None, unread: str) -> Said:
    if has is None:
        return dim(unread)
    if has.value is None:
        return dim(has.where if has.where.startswith("not ") else "not set")
    return text(code(as_written(one.definition, has.value)), dim(f" {has.where}"))


def _advised(one: Recommendation) -> Said:
    if one.written is None:
        return "leave out" if one.value == "omit" else "keep"
    return code(as_written(one.definition, one.written))
