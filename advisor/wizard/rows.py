"""The rows of the preview: what has just changed, what to set, what is open, figures and known bugs.

Harm comes before speed, and must before should, as in all that is advised; what needs no change folds into one row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content

from advisor.advice.line import to_set
from advisor.advice.model import Advice, Recommendation
from advisor.advice.ranking import GROUPS, in_order, warns
from advisor.advice.several import Several
from advisor.document.screen import BAD, DIM, GOOD, HEAD, WARN
from advisor.render import wording
from advisor.render.plain import let_be, with_unit
from advisor.render.wording import outcome
from advisor.rulebase.model import RuleBase
from advisor.session import AdviceChange
from advisor.session.advice_cache import OPEN
from advisor.wizard.pins import against, words

if TYPE_CHECKING:
    from advisor.today.pinned import Defied

NEWS = 6
"""How many changes are told with their reasons; the others are marked where they stand."""
_WORD = {"must": ("must   ", BAD), "should": ("should ", ""), "may": ("may    ", DIM)}


class ListRow(NamedTuple):
    """`key`: kind and name of what Enter explains; None for a heading."""

    key: tuple[str, str] | None
    content: Content


def inferred(drawn: list[tuple[str, str]]) -> list[ListRow]:
    """What the mount gives away; Enter leads to the question. `drawn`: fact and text."""
    head = [_head("Inferred from the mount; your answers override it")] if drawn else []
    return head + [ListRow(("answer", fact), Content(f"  {text}")) for fact, text in drawn]


def rows(
    base: RuleBase, advice: Advice, news: list[AdviceChange], width: int, told: Several | None = None, *,
    every: bool = False,
) -> list[ListRow]:
    """The rows for a pane of `width` columns. `every`: also the settings that need no change, one by one. `told`: the
    advice for all of several mounts."""
    changed = {change.tunable for change in news}
    return [
        *_news(base, advice, news, width), *_disagreeing(told, width), *_settled(base, advice, changed, width, told),
        *_open(base, advice, changed, width),
        *_figures(advice), *_bugs(advice), *(_quiet(advice) if every else _folded(advice)),
    ]


def _head(text: str) -> ListRow:
    return ListRow(None, Content.styled(text, HEAD))


def _news(base: RuleBase, advice: Advice, news: list[AdviceChange], width: int) -> Iterator[ListRow]:
    if not news:
        return
    yield _head(f"Just changed ({len(news)})")
    ranked = sorted(news, key=lambda change: not change.tunable.startswith("mount."))
    for change in ranked[:NEWS]:
        before = "" if change.before == OPEN else f"  was {change.before}"
        found = advice.find(change.tunable)
        after = wording.short(found) if found else f"{wording.label(base.tunables[change.tunable])}: {change.after}"
        yield ListRow(("setting", change.tunable), Content.assemble(
            ("● ", GOOD), (after, "bold"), (before, DIM), "\n  ",
            (wording.clipped(change.why, max(width - 5, 20)), DIM),
        ))
    if len(ranked) > NEWS:
        yield ListRow(None, Content.styled(f"  and {len(ranked) - NEWS} more, marked ● below", DIM))


def _disagreeing(told: Several | None, width: int) -> Iterator[ListRow]:
    """The settings of the host for which no value suits all mounts."""
    for one in told.conflicts if told else ():
        yield _head(f"No value suits all mounts: {one.title}")
        for side in one.sides:
            value = f"{side.target}: {outcome(side.value)}  "
            yield ListRow(("setting", side.tunable), Content.assemble(
                ("! ", BAD), value, (wording.clipped(side.why, max(width - len(value) - 4, 0)), DIM)
            ))


def _settled(
    base: RuleBase, advice: Advice, changed: set[str], width: int, told: Several | None
) -> Iterator[ListRow]:
    defied = against(base, advice)
    titles = [title for title, _ in GROUPS] + [wording.OTHER]
    for title in titles:
        mine = [one for one in in_order(advice.advised) if wording.group_of(one.kind) == title and to_set(one, advice)]
        if mine:
            yield _head(title)
            held_first = sorted(mine, key=lambda one: not one.pinned)
            yield from (_setting(one, changed, width, told, defied.get(one.tunable)) for one in held_first)


def _setting(
    one: Recommendation, changed: set[str], width: int, told: Several | None, defied: Defied | None
) -> ListRow:
    if defied is not None:
        return ListRow(("setting", one.tunable), Content.assemble(
            ("! pinned ", BAD), (wording.short(one), BAD), (f"  {words(defied)}", BAD)
        ))
    word, style = ("pinned ", WARN) if one.pinned else _WORD.get(one.strength or "", ("       ", ""))
    mark = ("● ", GOOD) if one.tunable in changed else ("≈ ", DIM) if one.rests_on else ("  ", "")
    text = wording.short(one)
    taken = wording.clipped(f"{_asked_by(one, told)}{wording.resting(one)}", max(width - len(text) - 11, 0))
    return ListRow(("setting", one.tunable), Content.assemble(mark, (word, style), text, (taken, DIM)))


def _asked_by(one: Recommendation, told: Several | None) -> str:
    """For which mounts a setting of the host is, where it is not for all."""
    targets = told.wanted.get(one.tunable, ()) if told else ()
    return f"  for {', '.join(sorted(targets))}" if told and targets and len(targets) < len(told.mounts) else ""


def _open(base: RuleBase, advice: Advice, changed: set[str], width: int) -> Iterator[ListRow]:
    if advice.open:
        yield _head(f"Open ({len({one.tunable for one in advice.open})})")
    for one in {one.tunable: one for one in in_order(advice.open)}.values():
        mark = ("● ", GOOD) if one.tunable in changed else ("? ", WARN)
        name = wording.label(base.tunables[one.tunable])
        yield ListRow(("setting", one.tunable), Content.assemble(
            mark, name, (wording.clipped(f"  {wording.values_of(one)}", max(width - len(name) - 5, 12)), DIM)
        ))


def _figures(advice: Advice) -> Iterator[ListRow]:
    known = [(one, with_unit(one.value, one.unit)) for one in advice.estimates if one.value is not None]
    if known:
        yield _head("Figures")
    for one, value in known:
        yield ListRow(("figure", one.tunable), Content.assemble(f"  {one.title}: ", (value, "bold")))


def _bugs(advice: Advice) -> Iterator[ListRow]:
    if advice.bugs:
        yield _head("Known bugs")
    for one in advice.bugs:
        mark = ("! ", BAD) if one.certain else ("? ", WARN)
        yield ListRow(("bug", one.erratum), Content.assemble(mark, one.title))


def _folded(advice: Advice) -> Iterator[ListRow]:
    """What needs no change, in one row."""
    mine = _unchanged(advice)
    left_out = [wording.short(one).removeprefix("leave out ") for one in mine if warns(one)]
    if mine:
        yield ListRow(("review", ""), Content.styled(f"  {let_be(len(mine) - len(left_out), left_out)}", DIM))


def _quiet(advice: Advice) -> Iterator[ListRow]:
    """What needs no change, one by one; first what some guides recommend and is best left out."""
    mine = _unchanged(advice)
    if mine:
        yield _head("Fine without a change")
    for one in sorted(mine, key=lambda one: not warns(one)):
        word, style = _WORD[one.strength or "may"] if warns(one) else ("       ", DIM)
        yield ListRow(("setting", one.tunable), Content.assemble("  ", (word, style), (wording.short(one), DIM)))


def _unchanged(advice: Advice) -> list[Recommendation]:
    return [one for one in in_order(advice.advised) if one.opinion and not to_set(one, advice)]


def unique(found: Iterable[ListRow]) -> list[tuple[str, ListRow]]:
    """The rows with ids, as a list on the screen needs them: a setting may stand in it twice."""
    seen: dict[str, int] = {}
    told = []
    for row in found:
        name = "/".join(row.key) if row.key else "head"
        seen[name] = seen.get(name, 0) + 1
        told.append((f"{name}/{seen[name]}", row))
    return told
