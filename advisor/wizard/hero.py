"""The annotated line, on top of the screens that show the session: the verdict, the risks that are closed, the options
in the form of fstab or of exports with the strength of each, and the reason of the one under the cursor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.style import Style
from textual.timer import Timer
from textual.widget import Widget

from advisor.advice.answers import FSTAB
from advisor.advice.model import NOTHING, Advice, Row
from advisor.advice.rows import (
    field,
    forbids_mount,
    fstab_line,
    kept_options,
    mount_line,
    mount_options,
)
from advisor.advice.verdict import AdviceVerdict, said_against
from advisor.pages import wording
from advisor.pages.phrases import clipped, counted, first_sentence, some
from advisor.pages.style import wrap
from advisor.rulebase.model import RuleBase
from advisor.wizard.advice_cache import OPEN, AdviceChange, LineChange
from advisor.wizard.questions import settled, waiting_settings
from advisor.wizard.risks import Risk, gauge_texts, left_word, risks
from advisor.wizard.rows import holder, strength_of
from advisor.wizard.theme import CELL, LEGEND, SIGN, STRENGTH, STROKE
from advisor.wizard.widgets import LaidOut

SHORTEST = 12
"""Columns in which the beginning of a setting's name says which it is."""
FLASH = 2.0
"""Seconds for which what just changed is lit."""
WIDE = 100
"""Columns from which the changed settings are in sight beside the line."""
FEW_OPEN = 6
"""How many open options stand in the line."""
FAILS = "✗ fails"
"""Stands beside an answer with which the mount fails, before the reason."""
EXPORTS = "The export"
"""The title of a server's line."""


class LineOption(NamedTuple):
    """One option of the line. `look`: its strength, "open" or "broken"; "" for one that is only kept."""

    tunable: str
    text: str
    look: str = ""
    assumed: bool = False
    changed: bool = False


class ShownLine(NamedTuple):
    """A line of a file, or one sentence in `head` where there is none. `file`: its file."""

    file: str
    head: str
    options: tuple[LineOption, ...] = ()
    tail: str = ""


def shown_line(advice: Advice, changed: Iterable[str] = ()) -> ShownLine:
    """`advice`: judged; `changed`: the settings that the last answer changed."""
    changed = set(changed)
    bar = next((row for row in advice.advised if forbids_mount(row)), None)
    if bar is not None:
        return ShownLine("No mount line", bar.steps.apply or bar.why)
    kind = "export-option" if advice.server else "mount-option"
    exported = [row for row in advice.part("set", "fine") if row.kind == kind and row.text]
    written = exported if advice.server else list(mount_options(advice))
    known = {"", "nfs", "nfs4", field(advice, "type", "nfs")}  # others' options have no place in this line
    waiting = [*{row.tunable: row for row in waiting_settings(advice) if row.kind == kind
                 and known & {*(row.definition.applies_to or [""])}}.values()]
    options = [
        LineOption(row.tunable, row.text, "broken" if said_against(advice, row) else
                   strength_of(row), bool(row.rests_on), row.tunable in changed)
        for row in written
    ]
    there = {option.text for option in options}
    if not advice.server:
        options += [LineOption("", text) for text in kept_options(advice) if text not in there]
    shown = waiting if len(waiting) <= FEW_OPEN else waiting[: FEW_OPEN - 2]
    options += [LineOption(row.tunable, _open_text(row), "open", changed=row.tunable in changed) for row in shown]
    if len(shown) < len(waiting):
        options.append(LineOption("", f"and {len(waiting) - len(shown)} open", "open"))
    if not options:
        if advice.server and advice.part("set"):
            return ShownLine(EXPORTS, "No file has them: these settings are made with the server's own tools.")
        return ShownLine(EXPORTS if advice.server else FSTAB, "The line comes with the first answers.")
    if advice.server:
        head = f"{advice.answers.name('export')}  {advice.answers.name('clients')}("
        return ShownLine(EXPORTS, head, tuple(options), ")")
    line = mount_line(advice)
    if line != fstab_line(advice):
        return ShownLine("The mount", line)
    fields = line.split("  ")
    return ShownLine(FSTAB, "  ".join(fields[:3]), tuple(options), fields[-1])


def _open_text(row: Row) -> str:
    name = wording.label(row.definition).removeprefix("exports.")
    return f"{name}{'?' if row.definition.type == 'flag' else '=?'}"


def effect(before: Advice, after: Advice, failing: str = "") -> tuple[str, str]:
    """What another answer does to the line, with two spaces between the options, or how many settings it settles; and
    its role. `failing`: why the mount fails with it."""
    if any(map(forbids_mount, after.advised)) and not any(map(forbids_mount, before.advised)):
        return "✗ not with NFS", "bad"
    if failing:
        return f"{FAILS}  {first_sentence(failing)}", "bad"
    old, new = (
        {option.tunable: option.text for option in shown_line(advice).options if option.look != "open"}
        for advice in (before, after)
    )
    parts = [f"+ {text}" for name, text in new.items() if old.get(name) != text]
    parts += [f"− {text}" for name, text in old.items() if name not in new]
    if parts:
        return "  ".join(parts), "should"
    number = settled(before, after)
    return (f"settles {counted(number, 'setting')}" if number else "no change to the line"), "dim"


def badge(found: AdviceVerdict) -> tuple[str, str]:
    """The verdict in a word, and its style. What can be installed but is warned of is not plainly ready."""
    ready = "$open" if found.beside else "$ready"
    return f" {found.badge} ", f"reverse bold {({'ready': ready, 'open': '$open'}).get(found.state, '$broken')}"


def gauge_cells(every: Sequence[Risk]) -> list[tuple[str, str]]:
    return [(CELL[risk.state] + " ", SIGN[risk.state][1]) for risk in every]


def risk_rows(every: Sequence[Risk], width: int) -> Content:
    """The risks in words, one a line, with the settings whose names fit whole."""
    said = [wording.OTHERWISE[risk.harm] for risk in every]
    room = width - 4 - max(map(len, said), default=0)
    lines = []
    for risk, harm in zip(every, said):
        first = clipped(risk.settings[0], room) if room >= SHORTEST else ""
        names = next((names for names in (some(risk.settings, room), first) if len(names) <= room), "")
        sign, style = SIGN[risk.state]
        column = f"{harm[0].upper()}{harm[1:]}".ljust(width - 2 - room)
        lines.append(Content.assemble((f"{sign} ", style), (column, "$ink"), (names, "$quiet")))
    return Content("\n").join(lines)


def source_text(base: RuleBase, row: Row) -> str:
    """Title, publisher and date of the first source of a setting; "" without one."""
    claim = next((base.claims[cite] for cite in (row.rule.cites if row.rule else ()) if cite in base.claims), None)
    if claim is None:
        return ""
    source = base.sources[claim.source]
    return " · ".join(filter(None, (source.title, source.publisher, source.date)))


class Hero(LaidOut, Widget):
    """The line with its verdict. Posts `Moved` when the cursor goes to another option."""

    DEFAULT_CSS = "Hero { height: auto; }"

    class Moved(Message):
        """Another option is under the cursor."""

    def __init__(self) -> None:
        super().__init__(classes="pane")
        self.line, self.risks, self.verdict = ShownLine(FSTAB, ""), list[Risk](), AdviceVerdict()
        self.cursor, self._lit, self._asking = 0, False, False
        self.auto_links = False  # an option under the pointer keeps its colour
        self._about: tuple[RuleBase, Advice, dict[str, AdviceChange], Sequence[LineChange]] | None = None
        self._timer: Timer | None = None

    def show(
        self, base: RuleBase, advice: Advice, verdict: AdviceVerdict, *,
        news: Sequence[AdviceChange] = (), line_changes: Sequence[LineChange] = (),
        answered: tuple[str, str] = ("", ""), asking: bool = False,
    ) -> None:
        """`advice`: judged; `answered`: the last question and its answer; `asking`: questions are still to come, so
        that nothing that is open is missed yet."""
        changed = {change.tunable: change for change in news}
        before, under = self.line, self.option
        new = self._about is None or changed != self._about[2]
        self.line, self.risks, self.verdict = shown_line(advice, changed), risks(advice), verdict
        self._about, self._asking = (base, advice, changed, line_changes), asking
        names = [option.tunable for option in self.line.options]
        if self.line != before:
            first = next((place for place, one in enumerate(self.line.options) if one.look in ("broken", "open")), 0)
            fresh = next((place for place, one in enumerate(self.line.options) if one.changed), first)
            self.cursor = names.index(under.tunable) if under and not new and under.tunable in names else fresh
        told = f"● {counted(len(changed), 'setting')} changed" if changed and self.app.size.width < WIDE else LEGEND
        room = self.app.size.width - len(self.line.file) - 19
        left = room - len(answered[1]) - 1
        said = clipped(" ".join(filter(None, (clipped(answered[0], left) if left > 20 else "", answered[1]))), room)
        self.border_title = f"{self.line.file} · answered: {said}" if answered[1] else self.line.file
        self.border_subtitle = told if self.line.options else ""
        if new and changed and not self.app.no_color:
            self._flash()
        self.refresh(layout=len(self._rows(self.content_size.width)) != self.content_size.height)

    def _flash(self) -> None:
        self._lit = True
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(FLASH, self._fade)

    def _fade(self) -> None:
        self._lit = False
        self.refresh()

    @property
    def option(self) -> LineOption | None:
        return self.line.options[self.cursor] if self.cursor < len(self.line.options) else None

    def move(self, place: int) -> None:
        """Puts the cursor on an option; a place beyond the ends is the other end."""
        if self.line.options:
            self.cursor = place % len(self.line.options)
            self.refresh(layout=len(self._rows(self.content_size.width)) != self.content_size.height)
            self.post_message(self.Moved())

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        del container, viewport
        return len(self._rows(width))

    def render(self) -> Content:
        return Content("\n").join(self._rows(self.content_size.width))

    def _rows(self, width: int) -> list[Content]:
        height = self.app.size.height
        if width <= 0:
            return []
        rows = [self._gauge(width)] if self.line.options or self.verdict.reasons else []
        if not self.line.options:
            return [*rows, *Content.styled(self.line.head, "$quiet").wrap(width)[:2]]
        crowded = height < 30 and self.has_class("-many")
        lines = self._line(width, strokes=height >= 22 and not crowded)
        return [*rows, *lines, *(self._reason(width, 4 if height >= 30 else 3) if height >= 22 and not crowded else [])]

    def _gauge(self, width: int) -> Content:
        named = self.verdict.state == "ready" or not self._asking  # before that, nothing is missed yet
        beside = f" {self.verdict.beside}" if named and self.verdict.beside else ""
        open_now = "open" if self._asking else left_word(self.verdict)
        left = Content.assemble(badge(self.verdict), (beside, "$open"))
        for said in gauge_texts(self.risks, open_now if named else ""):
            right = Content.assemble(*gauge_cells(self.risks), (f" {said}" if said else "", "$quiet"))
            if left.cell_length + right.cell_length + 2 <= width:
                break
        gap = width - left.cell_length - right.cell_length
        return Content.assemble(left, " " * gap, right) if gap >= 2 else left

    def _line(self, width: int, *, strokes: bool) -> list[Content]:
        """The line, broken between options only, and below each row the strokes of its options."""
        head, options, tail = self.line.head, self.line.options, self.line.tail
        joined = len(head) + 2 + sum(len(option.text) + 1 for option in options) + len(tail) + 1 <= width
        start = f"{head}{'' if head.endswith('(') else '  '}" if joined else ""
        rows: list[Content] = [] if joined else [*Content.styled(head, "$ink").wrap(width)]
        text: list[Content | tuple[str, str]] = [(start, "$ink")]
        under, used = [(" " * len(start), "")], len(start)
        last = len(options) - 1
        for place, option in enumerate(options):
            comma = "" if place == last else ","
            if used and used + len(option.text) + len(comma) > width:
                rows += [Content.assemble(*text), *([Content.assemble(*under)] if strokes else [])]
                text, under, used = [], [], 0
            look = STRENGTH.get(option.look, "$ink")
            lit = f"{look} on $flash" if option.changed and self._lit else look
            style = f"reverse {look}" if place == self.cursor else lit
            click = Style.from_meta({"@click": f"screen.option({place})"})
            text += [Content.styled(option.text, style).stylize(click), (comma, "$quiet")]
            stroke = STROKE["assumed"] if option.assumed else STROKE.get(option.look, " ")
            under += [(stroke * len(option.text), "$ready" if option.assumed else look), (" ", "")]
            used += len(option.text) + len(comma)
        if used + len(tail) + 2 <= width:
            text.append((f"{'' if tail == ')' else '  '}{tail}", "$quiet"))
        return [*rows, Content.assemble(*text), *([Content.assemble(*under)] if strokes else [])]

    def _reason(self, width: int, room: int) -> list[Content]:
        """What the option under the cursor is, why, who says so, and what would change it; always `room` rows, so that
        nothing below moves."""
        option = self.option
        rows: list[Content] = []
        if option is not None and self._about is not None:
            rows = self._reason_rows(option, width - 2)
        rows = [*rows[:room], *[Content("")] * (room - len(rows))]
        return [Content.assemble(("▏ ", "$action"), row) for row in rows]

    def _reason_rows(self, option: LineOption, width: int) -> list[Content]:
        base, advice, changed, line_changes = self._about or (None, None, {}, ())
        if base is None or advice is None:
            return []
        row = next((row for row in advice.rows if row.tunable == option.tunable), None)
        if row is None:
            said = "  questions settle them" if option.look == "open" else "  kept from your line"
            return [Content.assemble((option.text, "bold $action"), (said, "$quiet"))]
        change = changed.get(option.tunable)
        was = "● new" if change else ""
        if change and change.before not in (OPEN, NOTHING):
            was = f"● was {change.before}"
        word = "fails" if option.look == "broken" else holder(advice, row) or option.look
        head = [(option.text, "bold $action"), (word, STRENGTH.get(option.look, "$quiet")), (row.title, "$ink"),
                (was, "$action")]
        for least in (row.title, was):  # what has no room is left out whole
            if sum(len(text) + 2 for text, _ in head) > width:
                head = [part for part in head if part[0] != least]
        asks = " ".join(f"Depends on: {wording.question(base, fact)}" for fact in row.asks[:1])
        against = said_against(advice, row)
        said = f"{against.problem}. {against.why}" if against else row.why
        reason = f"Possible: {wording.open_values(row)}." if row.possible else said
        taken, wide = " ".join(usual.why for usual in row.rests_on), min(width, 110)
        wordings = [f"{reason} {asks or (taken and f'Assumed: {taken}')}".strip(), asks, reason, first_sentence(reason)]
        below = next((lines for lines in (wrap(text, wide) for text in wordings if text) if len(lines) <= 2), None)
        below = below or wrap(f"{clipped(first_sentence(reason), 2 * wide - 20)} w: all of it", wide)[:2]
        turn = next((change for change in line_changes if option.tunable in change.tunables), None)
        other = "" if turn is None else (
            f"Changes if: {wording.question(base, turn.fact)} {wording.mask_text(base, turn.fact, turn.mask)}"
        )
        source = source_text(base, row)
        both = " · ".join(filter(None, (source, other)))
        last = next((text for text in (both, other, source) if text and len(text) <= width), "")
        return [Content("  ").join(Content.styled(*part) for part in head if part[0]),
                *(Content.styled(line, "$ink") for line in below), Content.styled(last, "$quiet")]
