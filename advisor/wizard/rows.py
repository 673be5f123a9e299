"""The rows of the preview: what has just changed, what to set, what is open, figures and known bugs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from textual.content import Content

from advisor.advice.groups import GROUPS
from advisor.advice.model import Advice, Recommendation
from advisor.session import Change
from advisor.session.changes import OPEN
from advisor.wizard import words
from advisor.wizard.paper import BAD, DIM, GOOD, HEAD, WARN

NEWS = 6
"""How many changes are told with their reasons; the others are marked where they stand."""
_STRENGTHS = ("must", "should", "may")
_WORD = {"must": ("must   ", BAD), "should": ("should ", ""), "may": ("may    ", DIM)}


class Row(NamedTuple):
    """`key`: kind and name of what Enter explains; None for a heading."""

    key: tuple[str, str] | None
    content: Content


def rows(base: Any, advice: Advice, news: list[Change], width: int) -> list[Row]:
    """All rows, for a pane of `width` columns."""
    changed = {change.tunable for change in news}
    return [
        *_news(base, advice, news, width), *_settled(advice, changed, width), *_open(base, advice, changed, width),
        *_figures(advice), *_bugs(advice), *_quiet(advice),
    ]


def tells(one: Recommendation) -> bool:
    """Whether it asks for something that is not so anyway."""
    return one.pinned or (one.opinion and not one.already and not (one.value == "omit" and one.strength == "may"))


def _head(text: str) -> Row:
    return Row(None, Content.styled(text, HEAD))


def _news(base: Any, advice: Advice, news: list[Change], width: int) -> Iterator[Row]:
    if not news:
        return
    yield _head(f"Just changed ({len(news)})")
    ranked = sorted(news, key=lambda change: not change.tunable.startswith("mount."))
    for change in ranked[:NEWS]:
        before = "" if change.before == OPEN else f"  was {change.before}"
        found = advice.find(change.tunable)
        after = words.short(found) if found else f"{words.label(base.tunables[change.tunable])}: {change.after}"
        yield Row(("setting", change.tunable), Content.assemble(
            ("● ", GOOD), (after, "bold"), (before, DIM), "\n  ",
            (words.clipped(change.why, max(width - 5, 20)), DIM),
        ))
    if len(ranked) > NEWS:
        yield Row(None, Content.styled(f"  and {len(ranked) - NEWS} more, marked ● below", DIM))


def _settled(advice: Advice, changed: set[str], width: int) -> Iterator[Row]:
    titles = [title for title, _ in GROUPS] + [words.OTHER]
    for title in titles:
        mine = [one for one in advice.advised if words.group_of(one.kind) == title and tells(one)]
        if mine:
            yield _head(title)
            yield from (_setting(one, changed, width) for one in sorted(mine, key=_strength))


def _strength(one: Recommendation) -> tuple[bool, int]:
    """What somebody holds stands first."""
    return not one.pinned, _STRENGTHS.index(one.strength) if one.strength in _STRENGTHS else 0


def _setting(one: Recommendation, changed: set[str], width: int) -> Row:
    word, style = ("held   ", WARN) if one.pinned else _WORD.get(one.strength or "", ("       ", ""))
    mark = ("● ", GOOD) if one.tunable in changed else ("  ", "")
    text = words.short(one)
    taken = words.clipped(words.resting(one), max(width - len(text) - 11, 0))
    return Row(("setting", one.tunable), Content.assemble(mark, (word, style), text, (taken, DIM)))


def _open(base: Any, advice: Advice, changed: set[str], width: int) -> Iterator[Row]:
    waiting = {one.tunable: one for one in advice.open}
    if not waiting:
        return
    yield _head(f"Open ({len(waiting)})")
    kinds = [kind for _, kinds in GROUPS for kind in kinds]
    ranked = sorted(waiting.values(), key=lambda one: (
        kinds.index(one.kind) if one.kind in kinds else len(kinds), _STRENGTHS.index(one.strength or "may"),
    ))
    for one in ranked:
        mark = ("● ", GOOD) if one.tunable in changed else ("? ", WARN)
        name = words.label(base.tunables[one.tunable])
        yield Row(("setting", one.tunable), Content.assemble(
            mark, name, (words.clipped(f"  {words.values_of(one)}", max(width - len(name) - 5, 12)), DIM)
        ))


def _figures(advice: Advice) -> Iterator[Row]:
    known = [one for one in advice.estimates if one.value is not None]
    if known:
        yield _head("Figures")
    for one in known:
        yield Row(("figure", one.tunable), Content.assemble(f"  {one.title}: ", (f"{one.value:,} {one.unit}", "bold")))


def _bugs(advice: Advice) -> Iterator[Row]:
    if advice.bugs:
        yield _head("Known bugs")
    for one in advice.bugs:
        mark = ("! ", BAD) if one.certain else ("? ", WARN)
        yield Row(("bug", one.erratum), Content.assemble(mark, one.title))


def _quiet(advice: Advice) -> Iterator[Row]:
    """What is right as it is: settings at their defaults, and options that most do well without."""
    mine = [one for one in advice.advised if one.opinion and not tells(one)]
    if mine:
        yield _head("Right without a change")
        yield from (Row(("setting", one.tunable), Content.styled(f"         {words.short(one)}", DIM)) for one in mine)


def unique(found: Iterable[Row]) -> list[tuple[str, Row]]:
    """The rows with ids, as a list on the screen needs them: a setting may stand in it twice."""
    seen: dict[str, int] = {}
    told = []
    for row in found:
        name = "/".join(row.key) if row.key else "head"
        seen[name] = seen.get(name, 0) + 1
        told.append((f"{name}/{seen[name]}", row))
    return told
