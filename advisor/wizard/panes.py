"""The panes of the first screen: a step, with its question, help and choices; the sections of questions, with the
number of open ones in each; the mount line; and the live preview of the settings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content, Span
from textual.message import Message
from textual.widgets import Input, OptionList, Static

from advisor.advice.answers import FSTAB
from advisor.advice.model import Advice
from advisor.advice.rows import forbids_mount, fstab_line, missing_options, mount_line, mount_options
from advisor.advice.several import Several
from advisor.pages import wording
from advisor.pages.style import wrap
from advisor.rulebase.model import Fact, RuleBase, Values
from advisor.wizard import questions, state
from advisor.wizard.advice_cache import AdviceChange, LineChange
from advisor.wizard.questions import AskedSection
from advisor.wizard.rows import ListRow, inferred_rows, list_row, preview_rows
from advisor.wizard.screen import SubScreen
from advisor.wizard.state import Session
from advisor.wizard.steps import FOUND, WizardStep, refusals, with_found
from advisor.wizard.widgets import BAD, DIM, GOOD, HEAD, Choices, FittingText, Head, KeyBar, RowList, SettingList

MANY_CHOICES = 9
"""With more choices than this, help and settings get less room."""
BY_NAME = "/ finds an answer by a part of its name"
UNCHOSEN = "Choose an answer first: press its key, or go to it with the arrows."
ASSUMED = f"{GOOD} underline"
"""The style of assumed options in the mount line."""


class AnswerField(Input):
    """The field for a typed answer. `d_is_unknown`: it takes a number or a version, so "d" in the empty field means "I
    don't know"."""

    d_is_unknown = False

    class Unknown(Message):
        """ "I don't know"."""

    def on_key(self, event: events.Key) -> None:
        if self.d_is_unknown and event.key.lower() == "d" and not self.value:
            event.stop()
            event.prevent_default()
            self.post_message(self.Unknown())


class QuestionPane(VerticalScroll):
    """Shows a question and posts `Chosen` with the answer. It does not change the session."""

    DEFAULT_CSS = """
    QuestionPane { padding: 0 1; scrollbar-size-vertical: 1; }
    QuestionPane Static { height: auto; }
    QuestionPane #ask { text-style: bold; margin-bottom: 1; }
    QuestionPane #help { height: auto; max-height: 99; margin-bottom: 1; }
    QuestionPane Input { margin-bottom: 1; }
    QuestionPane .-empty { display: none; }
    """

    @dataclass
    class Chosen(Message):
        """The act and value of a choice, or "typed" and the text. `fact`: the question, None if it is not a fact."""

        fact: str | None
        act: str
        value: Any

    class Highlighted(Message):
        """Another choice is highlighted."""

    @dataclass
    class Understood(Message):
        """The text typed so far is this answer."""

        value: Values

    def __init__(self, base: RuleBase) -> None:
        super().__init__(can_focus=False)
        self.base = base
        self._texts: dict[str, tuple[str, Sequence[Span]]] = {}
        """Id of a line → its text and styles, because drawing an unchanged line again would delay the key."""
        self.fact: str | None = None
        self.default: Values | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="about", markup=False, classes="-empty")
        yield FittingText(id="where")
        yield Static(id="ask", markup=False)
        yield FittingText(id="help")
        yield AnswerField(id="typed", compact=True)
        yield Static(id="said", markup=False)
        yield Choices()

    def show(self, asked: WizardStep, wanted_value: Values | None = None) -> None:
        """Shows a step. `wanted_value`: the answer to highlight; without it, that was given or was found, or none."""
        listed, typed = self.query_one(Choices), self.query_one(AnswerField)
        again, was_fact = asked.fact == self.fact, self.fact is not None
        before = listed.choice if again and was_fact else None
        choices = with_found(self.base, asked)
        self.fact, found = asked.fact, choices[0] if choices[0].act == "found" else None
        crowded = asked.fact is not None and len(choices) > MANY_CHOICES
        self.screen.set_class(crowded, "-many")  # gives help and settings less room
        self._text("#about", Content.styled(asked.about, GOOD))
        self._text("#ask", Content(asked.title))
        self._help(asked.notes)
        definition = self.base.facts[asked.fact] if asked.fact is not None else None
        by_hand = definition is not None and definition.type in ("int", "version")
        typed.display, typed.d_is_unknown = by_hand or bool(asked.example), by_hand
        if (typed.display and not again) or (was_fact and asked.fact is None):
            typed.value = ""
        self.default = found.value if found is not None and by_hand else None
        typed.placeholder = self._placeholder(definition) if definition else f"{asked.example}, then Enter"
        self._show_known(asked)
        drawn = listed.offer(choices, 0 if found is not None or definition is None else None)
        aim = ("answer", wanted_value) if wanted_value is not None else before and (before.act, before.value)
        if aim and (place := listed.place_of(*aim)) is not None:
            listed.highlighted = place
        if not self.has_focus_within or (not again if definition else drawn):
            (typed if typed.display else listed).focus(scroll_visible=False)
        if definition:
            self.scroll_home(animate=False)

    def show_progress(self, *wordings: str) -> None:
        """Shows the first wording of the progress line that fits, above the question."""
        self.query_one("#where", FittingText).show(*(Content.styled(text, DIM) for text in wordings))

    def say(self, text: str) -> None:
        """Shows a line above the choices."""
        self._text("#said", Content.styled(text, DIM))

    def show_problem(self, problem: str) -> None:
        self._text("#said", Content.styled(problem, BAD))

    def _help(self, notes: Sequence[tuple[str, str]]) -> None:
        """Shows the help of a step; further notes come with a label, in dim letters."""
        text = Content("\n").join(
            Content.assemble((label, DIM), (note, DIM if label else "")) for label, note in notes
        )
        self.query_one("#help").set_class(not text.plain, "-empty")
        self.query_one("#help", FittingText).show(text)

    def _text(self, name: str, text: Content) -> None:
        widget = self.query_one(name, Static)
        widget.set_class(not text.plain, "-empty")
        if (text.plain, text.spans) != self._texts.get(name):
            self._texts[name] = text.plain, text.spans
            widget.update(text)

    def _show_known(self, asked: WizardStep) -> None:
        """Shows the current answer, or the value found on this host."""
        if asked.known is not None:
            label, answer, where = asked.known
            found = label == FOUND
            note = f"  in {where}; take it or choose another" if found else f"  (found: {where})" if where else ""
            self._text("#said", Content.assemble((f"{label}: ", DIM), (answer, GOOD if found else HEAD), (note, DIM)))
        else:
            crowded = self.screen.has_class("-many") and not self.screen.has_class("-low")
            self._text("#said", Content.styled(BY_NAME if crowded else "", DIM))

    def _placeholder(self, fact: Fact) -> str:
        if self.default is not None:
            return f"{self.default} (found; Enter takes it)"
        unit = fact.unit
        examples = fact.examples
        hint = f"a number of {unit}" if unit else f"for example {examples[0]}" if examples else ""
        return f"{hint}, then Enter" if hint else "then Enter"

    @on(Input.Changed)
    def _check(self, event: Input.Changed) -> None:
        if self.fact is None or not event.value.strip():
            return
        parsed = questions.parse(self.base, self.fact, event.value)
        if parsed.value is None:
            self.show_problem(parsed.problem or "")
        else:
            self.post_message(self.Understood(parsed.value))
            self._text("#said", Content.assemble(
                ("Understood as ", DIM), (wording.answer_text(self.base, self.fact, parsed.value), GOOD)
            ))

    @on(AnswerField.Unknown)
    def _unknown(self, event: AnswerField.Unknown) -> None:
        event.stop()
        self.post_message(self.Chosen(self.fact, "unknown", None))

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        if not event.value.strip() and self.default is not None:
            self.post_message(self.Chosen(self.fact, "found", self.default))
        else:
            self.post_message(self.Chosen(self.fact, "typed", event.value))

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        offered = self.query_one(Choices)
        if event.option not in offered.options:
            return  # the question was answered meanwhile
        choice = offered.choices[event.option_index]
        marked = offered.marked if choice.act in ("mount", "skip") else []
        act, value = ("marked", marked) if marked else (choice.act, choice.value)
        self.post_message(self.Chosen(self.fact, act, value))

    @on(Choices.Unchosen)
    def _unchosen(self, event: Choices.Unchosen) -> None:
        event.stop()
        self.say(f"{UNCHOSEN} {BY_NAME}." if self.screen.has_class("-many") else UNCHOSEN)

    @on(OptionList.OptionHighlighted)
    def _looked(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.post_message(self.Highlighted())


WIDTH = 21
"""Columns to assume before the list has a size."""


class SectionList(RowList):
    """The sections; Enter goes to the first open question of one."""

    DEFAULT_CSS = """
    SectionList > .option-list--option-highlighted { background: transparent; color: $foreground; text-style: none; }
    """

    class Hidden(Message):
        """The list had the focus when a narrower terminal hid it."""

    @dataclass
    class Jumped(Message):
        """A section was chosen. `fact`: the question to show."""

        fact: str

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []

    def on_hide(self) -> None:
        if self.has_focus:
            self.post_message(self.Hidden())

    def show(self, base: RuleBase, session: Session) -> None:
        here = questions.current_question(base, session) if session.at != state.MOUNT else state.MOUNT
        sections = [AskedSection("", "The mount", (state.MOUNT,) if session.answers.names else (), ())]
        sections += questions.question_sections(base, session)
        rows: list[ListRow] = []
        at = None
        for section in sections:
            target = (*section.waiting, *section.answered, state.MOUNT)[0]
            if here in (*section.answered, *section.waiting) or (here == state.MOUNT and not section.name):
                at = len(rows)
            rows.append(_section_row(target, section, len(rows) == at, self.content_size.width or WIDTH))
        if rows != self.rows:
            self.targets = [row.key[1] for row in rows if row.key is not None]
            self.draw(rows)
        if not self.has_focus:
            self.highlighted = at

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Jumped(self.targets[event.option_index]))


def _section_row(target: str, section: AskedSection, here: bool, width: int) -> ListRow:
    done = section.answered and not section.waiting
    mark, style = ("▸ ", "heading") if here else ("✓ ", "good") if done else ("  ", "")
    number = f" {len(section.waiting)}" if section.waiting else ""
    # the last column is the scroll bar's
    title = "\n".join(wrap(f"{mark}{section.title}{number}", width - 1, "", "  "))
    title = title[len(mark) : len(title) - len(number)]
    look = "strong" if here else "" if section.waiting else "dim"
    return list_row(("section", target), (mark, style), (title, look), (number, "dim"))


class SectionsScreen(SubScreen):
    """The sections on a separate screen, if there is no room beside the question."""

    NAME = "Sections"
    DEFAULT_CSS = """
    SectionsScreen SectionList { height: 1fr; margin: 1 1 0 1; }
    """
    PLACE = "sections-screen"

    def compose(self) -> ComposeResult:
        yield Head("Sections", "how many questions matter in each")
        yield SectionList()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(SectionList).focus()
        self.show_session()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_session)

    def show_session(self) -> None:
        self.query_one(SectionList).show(self.wizard.base, self.wizard.session)

    def action_go(self) -> None:
        self.query_one(SectionList).action_select()

    @on(SectionList.Jumped)
    def _jumped(self, event: SectionList.Jumped) -> None:
        self.wizard.go_to_question(event.fact)


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

    @dataclass
    class RowSelected(Message):
        """A row was selected, to be explained. `kind`, `name`: its key."""

        kind: str
        name: str

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


