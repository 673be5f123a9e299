"""The live preview of the advice: the mount line at the top, and beside the question the latest changes, the settings
with their reasons, and the answers that would change the line.

Settings are in the order of all advice: harm before speed, must before should. Optional ones are folded into a row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList

from advisor.advice.answers import FSTAB
from advisor.advice.model import Advice, Bug, Row
from advisor.advice.mount_line import fstab_line, missing_options, mount_line, mount_options
from advisor.advice.ranking import by_group, forbids_mount, in_order
from advisor.advice.several import Several
from advisor.pages import wording
from advisor.pages.host_state import current_value
from advisor.pages.phrases import clipped, fine_settings, with_unit
from advisor.pages.screen import BAD, DIM, GOOD, HEAD, WARN
from advisor.pages.style import wrap
from advisor.pages.why import refusal
from advisor.pages.wording import outcome
from advisor.rulebase.model import RuleBase
from advisor.wizard import words
from advisor.wizard.advice_cache import OPEN, AdviceChange, LineChange
from advisor.wizard.bars import FittingText
from advisor.wizard.pins import refusals
from advisor.wizard.row_list import ListRow, SettingList

if TYPE_CHECKING:
    from advisor.advice.model import RefusedPin

NEWS = 6
"""How many changes are listed that have no row among the settings."""
FOLD, LINE_CHANGES = ("fold", ""), ("line-changes", "")
"""Keys of the row that folds the rest, and of the row with answers that would change the mount line."""
_STRENGTHS = ("must", "should", "may")
ASSUMED = f"{GOOD} underline"
"""The style of assumed options in the mount line."""
_STRENGTH_LABELS = {"must": ("must   ", BAD), "should": ("should ", ""), "may": ("may    ", DIM)}


class MountLineBar(FittingText):
    """The mount line: assumed options are underlined, options that break a rule are red. Notes are left out if they do
    not fit."""

    DEFAULT_CSS = "MountLineBar { height: auto; max-height: 5; padding: 0 1; background: $surface; }"

    def update_with(self, base: RuleBase, advice: Advice) -> None:
        self.show(*mount_line_texts(base, advice))


def mount_line_texts(base: RuleBase, advice: Advice) -> tuple[Content, ...]:
    """The mount line with notes on assumed and missing options, in several wordings, the longest first."""
    if advice.server:
        return (Content.styled("What to set on the server. Enter explains a line.", DIM),)
    bar = next((recommendation for recommendation in advice.advised if forbids_mount(recommendation)), None)
    if bar is not None:
        return (Content.styled(f"No mount line. {bar.why}", DIM),)
    if not mount_options(advice):
        return (Content.styled("The mount line comes with the first answers. Enter explains a line.", DIM),)
    text = mount_line(advice)
    assumed = [option.text for option in mount_options(advice) if option.rests_on]
    missing = [wording.label(base.tunables[option.tunable]) for option in missing_options(advice)]
    file = f"{FSTAB}  " if text == fstab_line(advice) else ""
    line = Content.assemble((file, DIM), *_styled_line(text, base, advice))
    lack = f"not complete: {', '.join(missing)}" if missing else ""
    notes = [f"assumed: {', '.join(assumed)}"] if assumed else []
    wordings = ["; ".join([*notes, lack] if lack else notes), lack, "not complete" if lack else ""]
    return tuple(Content.assemble(line, (f"  ({note})" if note else "", DIM)) for note in dict.fromkeys(wordings))


def _styled_line(text: str, base: RuleBase, advice: Advice) -> list[tuple[str, str]]:
    """The line as (text, style), with neighbouring parts of one style joined."""
    refused = refusals(base, advice)
    styles = {option.text: ASSUMED for option in mount_options(advice) if option.rests_on}
    styles |= {option.text: BAD for option in mount_options(advice) if option.tunable in refused}
    pieces: list[tuple[str, str]] = []
    for part in re.split(r"([\s,]+)", text):
        style = styles.get(part, GOOD)
        before = pieces.pop()[0] if pieces and pieces[-1][1] == style else ""
        pieces.append((before + part, style))
    return pieces


class Preview(Vertical):
    """The live preview. `unfolded`: with open and optional settings, figures and possible bugs."""

    DEFAULT_CSS = "Preview { padding: 0 1; }"

    class RowSelected(Message):
        """A row was selected, to be explained. `kind`, `name`: its key."""

        def __init__(self, kind: str, name: str) -> None:
            super().__init__()
            self.kind, self.name = kind, name

    class RowHighlighted(Message):
        """Another row is highlighted."""

    def __init__(self) -> None:
        super().__init__()
        self.unfolded = False

    def compose(self) -> ComposeResult:
        yield SettingList()

    def show(
        self, base: RuleBase, advice: Advice, news: list[AdviceChange], inferences: list[tuple[str, str]], *,
        several: Several | None = None, line_changes: Sequence[LineChange] | None = (),
    ) -> None:
        """`inferences`: (fact, text) of facts inferred from the mount. The other parameters: see `preview_rows`."""
        wide = max(self.size.width - 3, 20) if self.size.width else 50
        rows = preview_rows(base, advice, news, wide, several, line_changes=line_changes, unfolded=self.unfolded)
        self.query_one(SettingList).fill([*inferred_rows(inferences), *rows])

    @property
    def key(self) -> tuple[str, str] | None:
        return self.query_one(SettingList).key

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        key = self.key
        if key is not None:
            self.post_message(self.RowSelected(*key))

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.post_message(self.RowHighlighted())


def inferred_rows(inferences: list[tuple[str, str]]) -> list[ListRow]:
    """Rows of facts inferred from the mount; Enter goes to the question. `inferences`: (fact, text)."""
    head = [_heading("Inferred from the mount; your answers override it")] if inferences else []
    return head + [ListRow(("answer", fact), Content(f"  {text}")) for fact, text in inferences]


def preview_rows(
    base: RuleBase, advice: Advice, news: list[AdviceChange], width: int, several: Several | None = None, *,
    every: bool = False, line_changes: Sequence[LineChange] | None = (), unfolded: bool = False,
) -> list[ListRow]:
    """The rows for a pane of `width` columns: settings that must or should be made, with their reasons, and
    `line_changes` (None while they are computed); the rest in one row, or in many if `unfolded`. `every`: one row for
    each setting, without reasons. `several`: the advice for all mounts, if there are several."""
    changed = {change.tunable: change.before for change in news}
    to_do = in_order(advice.part("set"))
    context = _Context(base, advice, changed, width, several, to_do, reasons=not every)
    if every:
        return [
            *_conflict_rows(several, width), *_setting_rows(context, _STRENGTHS), *_open_rows(context),
            *_figure_rows(advice), *_bug_rows(advice.bugs), *_unchanged_rows(advice),
        ]
    weighty = list(_setting_rows(context, _STRENGTHS[:2]))
    there = {row.key[1] for row in weighty if row.key is not None}
    certain = [bug for bug in advice.bugs if bug.certain]
    rest = [
        *_setting_rows(context, _STRENGTHS[2:]), *_open_rows(context), *_figure_rows(advice),
        *_bug_rows(bug for bug in advice.bugs if not bug.certain), *_unchanged_summary(advice),
    ]
    return [
        *_news_rows(context, news, there), *_line_change_rows(context, line_changes), *_conflict_rows(several, width),
        *weighty, *_bug_rows(certain), *_rest_rows(rest, context, unfolded),
    ]


def _heading(text: str) -> ListRow:
    return ListRow(None, Content.styled(text, HEAD))


class _Context(NamedTuple):
    """The data for rows. `changed`: setting → its earlier advice; `to_set`: the settings to make, the most important
    first; `reasons`: rows have their reasons."""

    base: RuleBase
    advice: Advice
    changed: dict[str, str]
    width: int
    several: Several | None
    to_set: tuple[Row, ...]
    reasons: bool

    def was(self, tunable: str) -> str:
        before = self.changed.get(tunable, OPEN)
        return "" if before == OPEN else f"  was {before}"

    def lines(self, text: str, indent: str = "  ") -> str:
        """A wrapped text below a row."""
        return "\n".join(wrap(text, max(self.width, 16), indent, indent)) if text else ""


def _news_rows(context: _Context, news: list[AdviceChange], there: set[str]) -> Iterator[ListRow]:
    """The latest changes, except settings in `there`, whose rows are marked instead."""
    if not news:
        return
    yield _heading(f"Just changed ({len(news)}), marked ●")
    ranked = sorted(
        (change for change in news if change.tunable not in there), key=lambda change: change.tunable[:6] != "mount."
    )
    for change in ranked[:NEWS]:
        recommendation = context.advice.find(change.tunable)
        label = wording.label(context.base.tunables[change.tunable])
        after = wording.setting_text(recommendation) if recommendation else f"{label}: {change.after}"
        text = clipped(f"{context.was(change.tunable)}  {change.why}", max(context.width - len(after) - 2, 12))
        yield ListRow(("setting", change.tunable), Content.assemble(("● ", GOOD), after, (text, DIM)))
    if len(ranked) > NEWS:
        yield ListRow(None, Content.styled(f"  and {len(ranked) - NEWS} more", DIM))


def _line_change_rows(context: _Context, line_changes: Sequence[LineChange] | None) -> Iterator[ListRow]:
    if line_changes is None or line_changes:
        text = "…" if line_changes is None else words.line_changes_text(
            context.base, line_changes, 2 * context.width - 20
        )
        yield ListRow(LINE_CHANGES, Content.assemble(("Would change if: ", HEAD), text))


def _rest_rows(rest: list[ListRow], context: _Context, unfolded: bool) -> Iterator[ListRow]:
    """One row that folds `rest`, followed by `rest` if it is unfolded."""
    if not rest:
        return
    number = len({setting.tunable for setting in context.advice.part("open")})
    optional = sum(_strength(recommendation) == "may" for recommendation in context.to_set)
    parts = [f"{number} open"] * bool(number) + [f"{optional} optional"] * bool(optional)
    summary = ", ".join(parts) or "settings that are fine"
    text = f"{'hides' if unfolded else 'shows'} the rest: {summary}"
    yield ListRow(FOLD, Content.assemble(("o ", "bold"), (text, DIM)))
    if unfolded:
        yield from rest


def _conflict_rows(several: Several | None, width: int) -> Iterator[ListRow]:
    """The settings of the host for which no value suits all mounts."""
    for conflict in several.conflicts if several else ():
        yield _heading(f"No value suits all mounts: {conflict.title}")
        for side in conflict.sides:
            value = f"{side.target}: {outcome(side.value)}  "
            yield ListRow(("setting", side.tunable), Content.assemble(
                ("! ", BAD), value, (clipped(side.why, max(width - len(value) - 4, 0)), DIM)
            ))


def _setting_rows(context: _Context, strengths: tuple[str, ...]) -> Iterator[ListRow]:
    """The settings of these strengths, grouped by where they are written; pinned ones first."""
    refused = refusals(context.base, context.advice)
    wanted = [recommendation for recommendation in context.to_set if _strength(recommendation) in strengths]
    for title, mine in by_group(wanted):
        if mine:
            yield _heading(title if context.reasons is False or "must" in strengths else f"{title}, optional")
        before = ""
        for recommendation in sorted(mine, key=lambda recommendation: not recommendation.pinned):
            yield _setting_row(
                context, recommendation, refused.get(recommendation.tunable),
                why="" if recommendation.why == before else recommendation.why,
            )
            before = recommendation.why


def _strength(recommendation: Row) -> str:
    return "must" if recommendation.pinned else recommendation.strength or "may"


def _setting_row(context: _Context, recommendation: Row, refused: RefusedPin | None, why: str) -> ListRow:
    """`refused`: why its pinned value must not be used; `why`: its reason, "" if the row above has the same."""
    key, mark = (
        ("setting", recommendation.tunable), ("● ", GOOD) if recommendation.tunable in context.changed else ("  ", "")
    )
    if refused is not None:
        return ListRow(key, Content.assemble(
            ("! pinned ", BAD), (wording.setting_text(recommendation), BAD), "\n",
            (context.lines(refusal(refused)), BAD),
        ))
    word, style = (
        ("pinned ", WARN) if recommendation.pinned
        else _STRENGTH_LABELS.get(recommendation.strength or "", ("       ", ""))
    )
    mark = ("≈ ", DIM) if recommendation.rests_on and recommendation.tunable not in context.changed else mark
    text, asked = wording.setting_text(recommendation), _wanting_mounts(recommendation)
    taken = wording.assumptions_text(recommendation)
    has = current_value(recommendation)
    has = f"  {has}" if has and len(text) + len(has) + 13 <= context.width else ""
    if not context.reasons:
        taken = clipped(f"{asked}{taken}", max(context.width - len(text) - len(has) - 11, 0))
        return ListRow(key, Content.assemble(mark, (word, style), text, (has, WARN), (taken, DIM)))
    why = f"{why if recommendation.rule else ''} {f'≈{taken[1:]}.' if taken else ''}".strip()
    below = f"\n{context.lines(why, '    ')}" if why and _strength(recommendation) != "may" else ""
    return ListRow(key, Content.assemble(
        mark, (word, style), (text, "bold"), (has, WARN), (f"{asked}{context.was(recommendation.tunable)}", DIM),
        (below, DIM),
    ))


def _wanting_mounts(recommendation: Row) -> str:
    """The mounts that ask for a setting of the host; "" if all do."""
    return f"  for {', '.join(recommendation.mounts)}" if recommendation.mounts else ""


def _open_rows(context: _Context) -> Iterator[ListRow]:
    waiting = {setting.tunable: setting for setting in in_order(context.advice.part("open"))}
    if waiting:
        yield _heading(f"Open ({len(waiting)})")
    for setting in waiting.values():
        mark = ("● ", GOOD) if setting.tunable in context.changed else ("? ", WARN)
        name = wording.label(context.base.tunables[setting.tunable])
        yield ListRow(("setting", setting.tunable), Content.assemble(
            mark, name, (clipped(f"  {wording.open_values(setting)}", max(context.width - len(name) - 5, 12)), DIM)
        ))


def _figure_rows(advice: Advice) -> Iterator[ListRow]:
    known = [
        (estimate, with_unit(estimate.value, estimate.unit)) for estimate in advice.estimates
        if estimate.value is not None
    ]
    if known:
        yield _heading("Figures")
    for estimate, value in known:
        yield ListRow(("figure", estimate.tunable), Content.assemble(f"  {estimate.title}: ", (value, "bold")))


def _bug_rows(bugs: Iterable[Bug]) -> Iterator[ListRow]:
    known_bugs = list(bugs)
    if known_bugs:
        yield _heading("Known bugs")
    for bug in known_bugs:
        mark = ("! ", BAD) if bug.certain else ("? ", WARN)
        yield ListRow(("bug", bug.erratum), Content.assemble(mark, bug.title))


def _unchanged_summary(advice: Advice) -> Iterator[ListRow]:
    """The settings that need no change, in one row."""
    mine = in_order(advice.part("fine", "leave out"))
    left_out = [
        wording.setting_text(recommendation).removeprefix("leave out ") for recommendation in mine
        if recommendation.part == "leave out"
    ]
    if mine:
        yield ListRow(("review", ""), Content.styled(f"  {fine_settings(len(mine) - len(left_out), left_out)}", DIM))


def _unchanged_rows(advice: Advice) -> Iterator[ListRow]:
    """The settings that need no change; first those that some guides recommend and that are best left out."""
    mine = in_order(advice.part("fine", "leave out"))
    if mine:
        yield _heading("Fine without a change")
    for recommendation in sorted(mine, key=lambda recommendation: recommendation.part != "leave out"):
        word, style = (
            _STRENGTH_LABELS[recommendation.strength or "may"] if recommendation.part == "leave out"
            else ("       ", DIM)
        )
        yield ListRow(("setting", recommendation.tunable), Content.assemble(
            "  ", (word, style), (wording.setting_text(recommendation), DIM)
        ))
