"""Pages of `advisor kb`, from the data that it prints as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from advisor.document.blocks import Block, Document, Items, ListItem, Paragraph, TextRun, code, text
from advisor.render.conditions import condition, outcome
from advisor.render.figures import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    Rows = Sequence[Mapping[str, Any]]


def sources(data: Rows) -> list[Block]:
    page = Document()
    for one in data:
        date = f", {one['date']}" if one.get("date") else ""
        told = f"  [{one['grade']}] {one['title']}, {one['publisher']}{date} ({one['language']})"
        address = one.get("address")
        link = (Paragraph((TextRun(address, "", address),)),) if address else ()
        page.item(text(code(one["source"]), told, f"; {one['claims']} claims"), *link)
    page.para(f"{len(data)} sources")
    return page.blocks


def search(data: Rows, wanted: str) -> list[Block]:
    page = Document()
    for one in data:
        verdict = f" [{one['verdict']}]" if one.get("verdict") else ""
        page.item(f"{one['kind']} {one['id']}{verdict}: {one.get('says') or one.get('title') or ''}")
    page.para(f"{len(data)} found for {wanted!r}" if data else f"nothing contains all of {wanted!r}")
    return page.blocks


def unchecked(data: Rows) -> list[Block]:
    page = Document()
    for one in data:
        figures = words(one.get("figures") or {})
        page.item(f"{one['id']}, {one['at']}: {one['says']}", *((Paragraph(text(figures)),) if figures else ()))
    page.para(f"{len(data)} claims" if data else "every claim was checked")
    return page.blocks


def disputes(data: Rows) -> list[Block]:
    page = Document()
    for one in data:
        page.heading(code(one["tunable"]))
        sides = [*(_side(side, "") for side in one["claims"]), *(_side(side, "against: ") for side in one["against"])]
        page.add([Items(tuple(sides))])
        if one["decided"]:
            page.para("decided:")
        for rule in one["decided"]:
            strength = f", {rule['strength']}" if rule["strength"] else ""
            page.item(
                f"{outcome(rule['value'])} when {condition(rule['when'])} ({rule['rule']}, {rule['layer']}{strength}): "
                f"{rule['why']}"
            )
    if not data:
        page.para("no disputes")
    return page.blocks


def _side(side: Mapping[str, Any], prefix: str) -> ListItem:
    date = f", {side['date']}" if side["date"] else ""
    scope = f" For {side['scope']}." if side["scope"] else ""
    place = f"({side['publisher']}{date}, {side['at']}; {side['claim']})"
    note = (Paragraph(text(side["note"])),) if side["note"] else ()
    return ListItem(text(f"{prefix}{side['says']}{scope} [{side['verdict']}] {place}"), blocks=note)
