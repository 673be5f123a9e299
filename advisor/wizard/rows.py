"""The rows of the lists: settings with their reasons, answers, mounts, findings, what differs. A screen draws them as a
list, a prompt prints them.

Settings are in the order of all advice: harm before speed, must before should. Optional ones are folded into a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Union

from advisor.advice.model import NOTHING, Advice, Bug, FactQuestion, Row
from advisor.advice.rows import by_group, in_order
from advisor.advice.several import Several
from advisor.lint.finding import Finding
from advisor.pages import wording
from advisor.pages.blocks import Text, TextRun
from advisor.pages.host import current_value
from advisor.pages.phrases import clipped, counted, first_names, with_unit
from advisor.pages.style import wrap
from advisor.pages.why import refusal
from advisor.pages.wording import outcome
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import told_name
from advisor.wizard import mounts
from advisor.wizard.advice_cache import OPEN, AdviceChange
from advisor.wizard.ending import judged
from advisor.wizard.state import Session

HEAD, DIM, GOOD, BAD, WARN = "heading", "dim", "good", "bad", "warn"
"""Roles of parts of a row."""
SIGNS = {"error": "✗", "warning": "!"}
"""Severity → its sign; a note has the dot."""
WIDE = 10_000
"""Columns for rows that are not shortened."""
Part = Union[str, tuple[str, str]]
FEW_CHANGES = 8
"""How many changes are listed after an answer at the prompts."""
FOLD = ("fold", "")
"""The key of the row that folds the rest."""
_STRENGTHS = ("must", "should", "may")


class ListRow(NamedTuple):
    """`key`: kind and name of what choosing it opens; None for a heading. A newline in `text` starts a new line.
    `mark`: a sign before it, for the eye alone."""

    key: tuple[str, str] | None
    text: Text
    mark: Text = ()

    @property
    def drawn(self) -> Text:
        return (*self.mark, *self.text)

    @property
    def plain(self) -> str:
        """In one line."""
        return " ".join("".join(part.text for part in self.drawn).split())

    @property
    def spoken(self) -> str:
        """In one line, without the mark: what was below is a further sentence."""
        lines = [" ".join(line.split()) for line in "".join(part.text for part in self.text).split("\n")]
        return ". ".join(line for line in lines if line)


def list_row(key: tuple[str, str] | None, *parts: Part, mark: Part = "") -> ListRow:
    """`parts`: each a text, or a text and its role."""
    return ListRow(key, _runs(parts), _runs((mark,)))


def _runs(parts: Iterable[Part]) -> Text:
    return tuple(TextRun(part) if isinstance(part, str) else TextRun(*part) for part in parts if part)


def heading(text: str) -> ListRow:
    return list_row(None, (text, HEAD))


def inferred_rows(inferences: list[tuple[str, str]]) -> list[ListRow]:
    """Rows of facts inferred from the mount; Enter goes to the question. `inferences`: (fact, text)."""
    head = [heading("Inferred from the mount; your answers override it")] if inferences else []
    return head + [list_row(("answer", fact), f"  {text}") for fact, text in inferences]


def preview_rows(
    base: RuleBase, advice: Advice, news: list[AdviceChange], width: int, several: Several | None = None, *,
    unfolded: bool = False,
) -> list[ListRow]:
    """The rows for a pane of `width` columns, one for a setting: those that must or should be made; the rest in one
    row, or in many if `unfolded`. `several`: the advice for all mounts, if there are several."""
    context = _context(base, advice, news, width)
    weighty = list(_setting_rows(context, _STRENGTHS[:2]))
    certain, possible = ([bug for bug in advice.bugs if bug.certain is sure] for sure in (True, False))
    rest = [*_setting_rows(context, _STRENGTHS[2:]), *_other_rows(context, possible)]
    return [
        *_conflict_rows(several, width), *weighty, *_bug_rows(certain), *_rest_rows(rest, context, unfolded),
    ]


def coming_rows(base: RuleBase, asks: Sequence[FactQuestion], width: int, room: int) -> list[ListRow]:
    """The questions that come, as many as fit into `room` rows."""
    if not asks or room < 3:
        return []
    return [list_row(None, ""), heading("Asked next"), *(
        list_row(("answer", ask.fact), f"  {clipped(wording.question(base, ask.fact), width - 2)}")
        for ask in asks[: room - 2]
    )]


class _Context(NamedTuple):
    """The data for rows. `changed`: setting → its earlier advice; `to_set`: the settings to make, the most important
    first; `reasons`: rows have their reasons."""

    base: RuleBase
    advice: Advice
    changed: dict[str, str]
    width: int
    to_set: tuple[Row, ...]
    reasons: bool

    def was(self, tunable: str) -> str:
        before = self.changed.get(tunable, OPEN)
        return "" if before in (OPEN, NOTHING) else f"  was {before}"

    def lines(self, text: str, indent: str = "  ") -> str:
        """A wrapped text below a row."""
        return "\n".join(wrap(text, max(self.width, 16), indent, indent)) if text else ""


def _context(
    base: RuleBase, advice: Advice, news: list[AdviceChange], width: int, *, reasons: bool = False
) -> _Context:
    changed, advice = {change.tunable: change.before for change in news}, judged(base, advice)
    return _Context(base, advice, changed, width, in_order(advice.part("set")), reasons)


def _rest_rows(rest: list[ListRow], context: _Context, unfolded: bool) -> Iterator[ListRow]:
    """One row that folds `rest`, followed by `rest` if it is unfolded."""
    if not rest:
        return
    parts = ["what is open"] * bool(context.advice.part("open"))
    parts += ["what is optional"] * any(strength_of(recommendation) == "may" for recommendation in context.to_set)
    summary = ", ".join(parts) or "settings that are fine"
    text = f"{'hides' if unfolded else 'shows'} the rest: {summary}"
    yield list_row(FOLD, ("o ", "key"), (text, DIM))
    if unfolded:
        yield from rest


def _conflict_rows(several: Several | None, width: int) -> Iterator[ListRow]:
    """The settings of the host for which no value suits all mounts."""
    for conflict in several.conflicts if several else ():
        yield heading(conflict.says)
        for side in conflict.sides:
            value = f"{side.target}: {outcome(side.value)}  "
            why = clipped(side.why, max(width - len(value) - 4, 0))
            yield list_row(("setting", side.tunable), value, (why, DIM), mark=("✗ ", BAD))


def _setting_rows(context: _Context, strengths: tuple[str, ...]) -> Iterator[ListRow]:
    """The settings of these strengths, grouped by where they are written; pinned ones first."""
    wanted = [recommendation for recommendation in context.to_set if strength_of(recommendation) in strengths]
    for title, mine in by_group(wanted):
        if mine:
            yield heading(title if "must" in strengths else f"{title}, optional")
        before = ""
        for recommendation in sorted(mine, key=lambda recommendation: not recommendation.pinned):
            yield _setting_row(context, recommendation, "" if recommendation.why == before else recommendation.why)
            before = recommendation.why


def strength_of(recommendation: Row) -> str:
    """With which it is shown: what is pinned must be."""
    return "must" if recommendation.pinned else recommendation.strength or "may"


def holder(advice: Advice, setting: Row) -> str:
    """Why no rule decides on a setting: it was "pinned", "answered" or "found"; "" if one does."""
    if not setting.pinned:
        return ""
    given = advice.answers
    return "pinned" if setting.tunable in given.pins else "found" if setting.tunable in given.origin else "answered"


def _setting_row(context: _Context, recommendation: Row, why: str) -> ListRow:
    """`why`: its reason, "" if the row above has the same."""
    key, changed = ("setting", recommendation.tunable), recommendation.tunable in context.changed
    text, held = wording.setting_text(recommendation), holder(context.advice, recommendation)
    if recommendation.refused is not None:
        problem = context.lines(refusal(recommendation.refused))
        return list_row(key, (text, BAD), (f"  {held}", BAD), "\n", (problem, BAD), mark=("✗ ", BAD))
    strength = held or recommendation.strength or ""
    style = WARN if held else strength
    mark = ("● ", "key") if changed else ("≈ ", GOOD) if recommendation.rests_on else "  "
    has = current_value(recommendation)
    has = f"  {has}" if has else ""
    asked = f"  for {', '.join(recommendation.mounts)}" if recommendation.mounts else ""
    if context.reasons:
        taken = wording.assumptions_text(recommendation)
        why = f"{why if recommendation.rule else ''} {f'≈{taken[1:]}.' if taken else ''}".strip()
        below = f"\n{context.lines(why, '    ')}" if why and strength_of(recommendation) != "may" else ""
        said = f" ({strength})" if strength else ""
        return list_row(
            key, (text, "strong"), (said, style), (has, WARN), (asked, DIM), (below, DIM), mark=mark)
    if len(text) > context.width - 11:  # a long value is told beside the list
        text = told_name(recommendation.definition)
    harm = wording.OTHERWISE.get(recommendation.consequence or "")
    room, notes = context.width - len(text) - len(strength) - 4, []
    for note in (has, f"{asked}{context.was(recommendation.tunable)}", f", or {harm}" if harm else ""):
        notes.append(note if len(note) <= room else "")  # what does not fit is left out whole
        room -= len(notes[-1])
    if context.width < WIDE:  # strengths and harms end at the edge
        text = text.ljust(context.width - len(strength) - sum(map(len, notes)) - 4)
    return list_row(
        key, text, (f"  {strength}", style), (notes[2], DIM), (notes[0], WARN), (notes[1], DIM), mark=mark)


def _open_rows(context: _Context) -> Iterator[ListRow]:
    waiting = {setting.tunable: setting for setting in in_order(context.advice.part("open"))}
    if waiting:
        yield heading(f"Open ({len(waiting)})")
    for setting in waiting.values():
        mark = ("● ", "key") if setting.tunable in context.changed else ("○ ", WARN)
        name, said = told_name(context.base.tunables[setting.tunable]), wording.open_values(setting)
        if context.width == WIDE and setting.asks:
            said += f". It depends on: {' '.join(wording.question(context.base, fact) for fact in setting.asks)}"
        values = clipped(f"  {said}", max(context.width - len(name) - 5, 8))
        yield list_row(("setting", setting.tunable), name, (values, DIM), mark=mark)


def _figure_rows(advice: Advice) -> Iterator[ListRow]:
    known = [
        (estimate, with_unit(estimate.value, estimate.unit)) for estimate in advice.estimates
        if estimate.value is not None
    ]
    if known:
        yield heading("Figures")
    for estimate, value in known:
        yield list_row(("figure", estimate.tunable), f"  {estimate.title}: ", (value, "strong"))


def _bug_rows(bugs: Iterable[Bug]) -> Iterator[ListRow]:
    known_bugs = list(bugs)
    if known_bugs:
        yield heading("Known bugs")
    for bug in known_bugs:
        mark = ("✗ ", BAD) if bug.certain else ("○ ", WARN)
        yield list_row(("bug", bug.erratum), bug.fault.title, ("" if bug.certain else "  (possible)", DIM), mark=mark)


def _other_rows(context: _Context, bugs: Iterable[Bug]) -> list[ListRow]:
    """What follows the settings to make."""
    advice = context.advice
    return [*_open_rows(context), *_figure_rows(advice), *_bug_rows(bugs), *_unchanged_rows(context)]


def _unchanged_rows(context: _Context) -> Iterator[ListRow]:
    """The settings that need no change; first those that some guides recommend and that are best left out."""
    mine = in_order(context.advice.part("fine", "leave out"))
    if mine:
        yield heading("Fine without a change")
    for recommendation in sorted(mine, key=lambda recommendation: recommendation.part != "leave out"):
        strength = recommendation.strength or "may" if recommendation.part == "leave out" else ""
        text = wording.setting_text(recommendation)
        mark = ("● ", "key") if recommendation.tunable in context.changed else "  "
        yield list_row(("setting", recommendation.tunable), (text, DIM), (f"  {strength}" * bool(strength), strength),
                       mark=mark)


def session_rows(base: RuleBase, session: Session, width: int = WIDE, *, reasons: bool = False) -> list[ListRow]:
    """All answers, pins and settings, one row for each. `reasons`: the settings to make alone, with their reasons, and
    known bugs."""
    several, advice = mounts.several_advice(base, session), mounts.mount_advice(base, session)
    context = _context(base, advice, [], width, reasons=reasons)
    return [
        *_answer_rows(base, session, width), *_conflict_rows(several, width), *_setting_rows(context, _STRENGTHS),
        *(_bug_rows(advice.bugs) if reasons else _other_rows(context, advice.bugs)),
    ]


def _answer_rows(base: RuleBase, session: Session, width: int) -> Iterator[ListRow]:
    yield heading("Your answers" if session.order else "No answers yet")
    given = session.answers
    for fact in session.order:
        asked = wording.question(base, fact)
        answer = clipped(wording.given_answer(base, given, fact), max(width - len(asked) - 4, 20))
        origin = f"  found: {given.origin[fact]}" if fact in given.origin else ""
        yield list_row(("answer", fact), f"  {asked} ", (answer, "strong"), (origin, DIM))
    yield from inferred_rows(mounts.inferred_answers(base, session))


def open_rows(base: RuleBase, session: Session) -> list[ListRow]:
    """The open settings, and the questions that settle them."""
    rows = [*_open_rows(_context(base, mounts.mount_advice(base, session), [], WIDE))]
    return rows or [heading("Nothing is open")]


def mount_rows(base: RuleBase, session: Session) -> list[ListRow]:
    """The mounts of the session, and how many questions on each still matter."""
    far = {mount.place: mounts.mount_progress(mount) for mount in mounts.other_mounts(base, session)}
    return [
        list_row(
            ("mount", str(place)), mounts.mount_label(mount.answers), (f"  {far[place]}" if place in far else "", DIM),
            ("  (current)" if place == session.place and session.others else "", DIM),
            mark=("✓ ", GOOD) if place == session.place else "  ",
        )
        for place, mount in enumerate(session.mounts) if mount.answers.names
    ]


def comparison_rows(base: RuleBase, answers: list[tuple[str, str, str]], settings: list[AdviceChange]) -> list[ListRow]:
    """The answers and the advice that differ in another session."""
    rows = [heading(f"Different answers ({len(answers)})")] if answers else []
    rows += [
        list_row(("answer", fact), f"  {wording.question(base, fact)} ", (here, WARN), " → ", (there, GOOD))
        for fact, here, there in answers
    ]
    rows += [heading(f"Different advice there ({len(settings)})")] if settings else []
    return rows + [
        list_row(
            ("setting", change.tunable), f"  {told_name(base.tunables[change.tunable])}: ", (change.before, WARN),
            " → ", (change.after, GOOD), (f"\n    {change.why}", DIM),
        ) for change in settings
    ]


def finding_row(key: tuple[str, str], finding: Finding, *, line: bool = True, fixable: bool = False) -> ListRow:
    """`line`: with its line number; `fixable`: with the key that fixes it."""
    role = {"error": BAD, "warning": WARN}.get(finding.severity, DIM)
    return list_row(
        key, (f"{finding.severity:<9}", role),
        (f"line {finding.line:<3}  " if line else "", DIM), finding.message,
        ("  f fixes it" if fixable else "", DIM), mark=(f"{SIGNS.get(finding.severity, '·')} ", role),
    )


def change_rows(changes: list[AdviceChange]) -> list[ListRow]:
    """What an answer has changed: mount options first, settings that need not be set any more last."""
    if not changes:
        return [heading("No setting changes.")]
    alike: dict[object, list[AdviceChange]] = {}  # settings that need not be set any more are grouped by reason
    for change in sorted(
        changes, key=lambda change: (not change.tunable.startswith("mount."), change.after == NOTHING)
    ):
        alike.setdefault((change.after, change.why) if change.after == NOTHING else change.tunable, []).append(change)
    groups = list(alike.values())
    rows = [heading(f"{counted(len(changes), 'setting')} changed:")]
    for group in groups[:FEW_CHANGES]:
        change = group[0]
        names = first_names([each.tunable for each in group])
        named = "" if "=" in change.after or change.after.startswith("leave out") else f"{names}: "
        before = "" if change.before == OPEN or group[1:] else f" (was {change.before})"
        rows.append(list_row(("setting", change.tunable), f"{named}{change.after}{before}. {change.why}"))
    left = sum(len(group) for group in groups[FEW_CHANGES:])
    return [*rows, list_row(("review", ""), f"{left} more; s shows everything.")] if left else rows
