"""Pages of `advisor kb`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from advisor.render.conditions import condition, outcome
from advisor.render.figures import words
from advisor.rulebase.model import Claim

if TYPE_CHECKING:
    from advisor.render.explain import Page


def checked(claim: Claim) -> str | None:
    """ "2026-11-21, corrected: fs/nfs/super.c of Linux 6.12"; None for a claim that nobody has checked."""
    told = claim.checked
    if told is None:
        return None
    if told.outcome == "not-opened":
        return f"{told.date}, its source could not be opened: {told.because}"
    return f"{told.date}, {told.outcome}: {told.against}"


def fared(claim: Claim) -> str:
    """The same in two words, to stand behind the claim's name."""
    told = claim.checked
    if told is None:
        return ""
    return ", source not opened" if told.outcome == "not-opened" else f", checked {told.date}"


def sources(page: Page, data: list[dict[str, Any]]) -> None:
    for one in data:
        page.para(
            f"{one['source']}  [{one['grade']}] {one['title']}, {one['publisher']}"
            f"{', ' + one['date'] if one.get('date') else ''} ({one['language']}); {one['claims']} claims", 0,
        )
        page.para(one.get("address"), 4)
    page.para(f"{len(data)} sources", 0)


def search(page: Page, data: list[dict[str, Any]], words: str) -> None:
    for one in data:
        text = one.get("says") or one.get("title") or ""
        verdict = f" [{one['verdict']}]" if one.get("verdict") else ""
        page.para(f"{one['kind']} {one['id']}{verdict}: {text}", 0)
    page.para(f"{len(data)} found for {words!r}" if data else f"nothing holds all of {words!r}", 0)


def unchecked(page: Page, data: list[dict[str, Any]]) -> None:
    for one in data:
        page.para(f"{one['id']}, {one['at']}: {one['says']}", 0)
        page.para(words(one.get("figures", {})), 4)
    page.para(f"{len(data)} claims" if data else "every claim was checked", 0)


def disputes(page: Page, data: list[dict[str, Any]]) -> None:
    for one in data:
        page.heading(one["tunable"])
        for side in one["claims"]:
            _side(page, side)
        for side in one["against"]:
            _side(page, side, "against: ")
        if one["decided"]:
            page.para("decided:", 2)
        for rule in one["decided"]:
            strength = f", {rule['strength']}" if rule["strength"] else ""
            page.para(
                f"{outcome(rule['value'])} when {condition(rule['when'])} ({rule['rule']}, {rule['layer']}{strength}): "
                f"{rule['why']}", 4, "- ",
            )
    if not data:
        page.para("no disputes", 0)


def _side(page: Page, side: dict[str, Any], prefix: str = "") -> None:
    date = f", {side['date']}" if side["date"] else ""
    scope = f" For {side['scope']}." if side["scope"] else ""
    page.para(
        f"{prefix}{side['says']}{scope} [{side['verdict']}] ({side['publisher']}{date}, {side['at']}; {side['claim']})",
        2, "- ",
    )
    page.para(side["note"], 6)
