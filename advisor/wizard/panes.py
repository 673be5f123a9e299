"""The panes beside each other below the line: a step, with its question, help and choices; and the live preview of the
settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content, Span
from textual.message import Message
from textual.widgets import Input, OptionList, Static

from advisor.advice.model import Advice, FactQuestion
from advisor.advice.several import Several
from advisor.pages import wording
from advisor.rulebase.model import Fact, RuleBase, Values
from advisor.wizard import typed_answer
from advisor.wizard.advice_cache import AdviceChange
from advisor.wizard.row_lists import Choices, SettingList
from advisor.wizard.rows import coming_rows, inferred_rows, preview_rows
from advisor.wizard.steps import DIGITS, FOUND, WizardStep, with_found
from advisor.wizard.widgets import BAD, DIM, GOOD, HEAD, FittingText, LaidOut, LineField, Passage

BY_NAME = " · / finds one by name"
FEWEST, FEW = 8, 5
"""How many choices are in sight beside the help: of many, and of up to nine."""
AHEAD = 10
"""The most rows for the questions that come."""
UNWRITTEN = "Write the mount first, or press ↓ for the choices."
UNCHOSEN = "Choose an answer first: press its key, or go to it with the arrows."


class QuestionPane(LaidOut, VerticalScroll):
    """Shows a question and posts `Chosen` with the answer. It does not change the session."""

    DEFAULT_CSS = """
    QuestionPane { scrollbar-size-vertical: 1; }
    QuestionPane Static { height: auto; }
    QuestionPane #ask { text-style: bold; margin-bottom: 1; }
    QuestionPane #ask.-refused { color: $broken; }
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
        super().__init__(can_focus=False, classes="pane")
        self.base = base
        self._texts: dict[str, tuple[str, Sequence[Span]]] = {}
        """Id of a line → its text and styles, because drawing an unchanged line again would delay the key."""
        self.fact: str | None = None
        self.default: Values | None = None
        self.facts: Mapping[str, Values] = {}
        """The answers to the other questions."""
        self.takes_digits = False
        """Whether a digit opens the field, because the answer is a number or a version."""
        self.refused = False
        """Whether it asks in red whether to do what is refused."""
        self._writes = False
        """Whether the question is answered with a text of any letters, so that its field is open when it is shown."""

    def open_field(self, text: str = "") -> None:
        """Lets the keys go into the field; `text` is the first of them."""
        field = self.query_one(LineField)
        field.open()
        if text:
            field.insert_text_at_cursor(text)

    def reopen_field(self) -> None:
        """Opens the field where it is open when the question is shown, with the question in sight."""
        if self._writes:
            self.scroll_home(animate=False)
            self.query_one(LineField).open()

    @on(events.DescendantFocus)
    @on(events.DescendantBlur)
    def _show_digits(self) -> None:
        """A digit that would go into the field stands beside no choice."""
        self.query_one(Choices).show_keys(not (self._writes and self.query_one(Input).has_focus))

    def compose(self) -> ComposeResult:
        yield Passage(id="about", markup=False, classes="-empty")
        yield Passage(id="ask", markup=False)
        yield FittingText(id="help")
        yield LineField(id="typed", compact=True, select_on_focus=False)
        yield Passage(id="said", markup=False)
        yield Choices()

    def show(
        self, asked: WizardStep, wanted_value: Values | None = None, facts: Mapping[str, Values] = {}
    ) -> None:
        """Shows a step. `wanted_value`: the answer to highlight; without it, that was given or was found, or none."""
        listed, typed = self.query_one(Choices), self.query_one(Input)
        self.facts = facts
        again, was_fact = asked.fact == self.fact, self.fact is not None
        before = listed.choice if again and was_fact else None
        choices = with_found(self.base, asked)
        self.refused = asked.refused
        self.fact, found = asked.fact, choices[0] if choices[0].act == "found" else None
        crowded = asked.fact is not None and len(choices) > DIGITS
        self.screen.query("#help, #risks, Hero").set_class(crowded, "-many")  # help and settings get less room
        self._text("#about", Content.styled(asked.about, GOOD))
        self.border_title = asked.section or "Question"
        if crowded and len(self.border_title) + len(BY_NAME) + 7 <= (self.size.width or self.app.size.width):
            self.border_title += BY_NAME
        self._text("#ask", Content(asked.title))
        self.query_one("#ask").set_class(asked.refused, "-refused")
        definition = self.base.facts[asked.fact] if asked.fact is not None else None
        by_hand = definition is not None and definition.type in ("int", "version")
        wide, tall = self.content_size.width or len(asked.title), self.screen.has_class("-tall")
        beside = -(-len(asked.title) // wide) + bool(asked.about) + bool(asked.known) + 2 * tall + by_hand * (1 + tall)
        least = FEW if not crowded else len(choices) if self.screen.has_class("-close") else FEWEST
        beside += sum(-(-(len(choice.label) + 9) // wide) for choice in choices[:least])
        self._help(asked.notes, beside if definition is not None and not asked.refused else 0)
        wrote, self._writes = self._writes, definition is None and bool(asked.example)
        typed.display, self.takes_digits = by_hand or self._writes, by_hand
        if (typed.display and not again) or (was_fact and asked.fact is None):
            typed.value = ""
        listed.styles.min_height = min(len(choices), 3)
        self.default = found.value if found is not None and by_hand else None
        typed.placeholder = self._placeholder(definition, asked.example) if definition else asked.example
        self._show_known(asked)
        drawn = listed.offer(choices, 0 if found is not None or definition is None else None, digits=not by_hand)
        aim = ("answer", wanted_value) if wanted_value is not None else before and (before.act, before.value)
        if aim and (place := listed.place_of(*aim)) is not None:
            listed.highlighted = place
        if self._writes:
            if not wrote:  # what the host tells meanwhile takes no key from it
                self.reopen_field()
        elif self.screen.focused is None or (not again if definition else drawn):
            listed.focus(scroll_visible=False)
        if definition:
            self.scroll_home(animate=False)

    def show_progress(self, *wordings: str) -> None:
        """Shows the first wording of the progress line that fits, in the frame."""
        room = self.size.width - 4
        self.border_subtitle = next((text for text in wordings if len(text) <= room), "")

    def say(self, text: str, style: str = DIM) -> None:
        """Shows a line above the choices."""
        self._text("#said", Content.styled(text, style))

    def _help(self, notes: Sequence[tuple[str, str]], beside: int) -> None:
        """Shows the help of a step; further notes come with a label, in dim letters, if there is room for all.
        `beside`: how many rows the rest needs."""
        parts = [Content.assemble((label, DIM), (note, DIM if label else "")) for label, note in notes]
        text = Content("\n").join(parts)
        self.query_one("#help").set_class(not text.plain, "-empty")
        self.query_one("#help", FittingText).show(text, *parts[: len(parts) > 1], beside=beside)

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
            self._text("#said", Content())

    def _placeholder(self, fact: Fact, example: str) -> str:
        if self.default is not None:
            return f"{self.default}: found, Enter takes it; a digit or Tab writes another"
        unit = fact.unit
        hint = f"a number of {unit}" if unit else f"for example {example}" if example else "the answer"
        return f"Enter, then {hint}"

    @on(Input.Changed)
    def _check(self, event: Input.Changed) -> None:
        if self.fact is None or not event.value.strip():
            return
        parsed = typed_answer.parse(self.base, self.fact, event.value, self.facts)
        named = typed_answer.named_instead(self.base, self.fact, event.value) if parsed.value is None else {}
        if parsed.value is None and not named:
            self.say(parsed.problem or "", BAD)
            return
        if parsed.value is not None:
            self.post_message(self.Understood(parsed.value))
            named = {self.fact: parsed.value}
        understood = (wording.answer_text(self.base, fact, value) for fact, value in named.items())
        self._text("#said", Content.assemble(("Understood as ", DIM), (", ".join(understood), GOOD)))

    def drop_refused_text(self) -> None:
        """Empties the field if its text does not answer the question."""
        field = self.query_one(LineField)
        if self.fact is not None and typed_answer.parse(self.base, self.fact, field.value, self.facts).problem:
            field.value = ""
            self.say("")

    @on(Input.Submitted)
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        if not event.value.strip() and self.default is not None:
            self.post_message(self.Chosen(self.fact, "found", self.default))
        elif not event.value.strip() and self._writes:
            self.say(UNWRITTEN)
        else:
            self.post_message(self.Chosen(self.fact, "typed", event.value))

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        offered = self.query_one(Choices)
        if event.option not in offered.options:
            return  # the question was answered meanwhile
        choice = offered.choices[event.option_index]
        if choice.act == "write":
            self.open_field()
            return
        marked = offered.marked if choice.act in ("mount", "skip") else []
        act, value = ("marked", marked) if marked else (choice.act, choice.value)
        self.post_message(self.Chosen(self.fact, act, value))

    @on(Choices.Unchosen)
    def _unchosen(self, event: Choices.Unchosen) -> None:
        event.stop()
        if self.query_one(Input).display:
            self.open_field()
        else:
            self.say(UNCHOSEN)

    @on(OptionList.OptionHighlighted)
    def _looked(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.post_message(self.Highlighted())


class Preview(SettingList):
    """The live preview. `unfolded`: with open and optional settings, figures and possible bugs."""

    unfolded = False

    def show(
        self, base: RuleBase, advice: Advice, news: list[AdviceChange], inferences: list[tuple[str, str]], *,
        several: Several | None = None, coming: Sequence[FactQuestion] = (),
    ) -> None:
        """`inferences`: (fact, text) of facts inferred from the mount; `coming`: the next questions, told where most of
        the pane would be empty. The other parameters: see `preview_rows`."""
        columns = 3 if self.screen.has_class("-broad") else 2 if self.screen.has_class("-wide") else 1
        wide = max(self.content_size.width - 1 if self.size.width else self.app.size.width // columns - 6, 20)
        self.border_subtitle = "● changed by your last answer" if news else ""
        rows = preview_rows(base, advice, news, wide, several, unfolded=self.unfolded)
        rows = [*inferred_rows(inferences), *rows]
        room = self.content_size.height - len(rows)
        self.fill([*rows, *coming_rows(base, coming, wide, min(room, AHEAD) if room > len(rows) else 0)])
