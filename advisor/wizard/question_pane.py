"""The pane with one question: its scope, the progress, the text, help, and the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content, Span
from textual.message import Message
from textual.widgets import Input, OptionList, Static

from advisor.pages import wording
from advisor.pages.screen import BAD, DIM, GOOD, HEAD
from advisor.rulebase.model import Fact, RuleBase
from advisor.wizard import questions, state, typed_answer
from advisor.wizard.bars import FittingText
from advisor.wizard.choices import MANY_CHOICES, UNKNOWN_KEY, Choice, Choices
from advisor.wizard.words import CONTRADICTS, UNKNOWN

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values

BY_NAME = "/ finds an answer by a part of its name"
UNCHOSEN = "Choose an answer first: press its key, or go to it with the arrows."


class AnswerField(Input):
    """The field for a typed answer. `d_is_unknown`: it takes a number or a version, so "d" in the empty field means "I
    don't know"."""

    d_is_unknown = False

    class Unknown(Message):
        """ "I don't know"."""

    def on_key(self, event: events.Key) -> None:
        if self.d_is_unknown and event.key.lower() == UNKNOWN_KEY and not self.value:
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

    class Chosen(Message):
        """The act and value of a choice, or "typed" and the text. `fact`: the question, None if it is not a fact."""

        def __init__(self, fact: str | None, act: str, value: Any) -> None:
            super().__init__()
            self.fact, self.act, self.value = fact, act, value

    class Highlighted(Message):
        """Another choice is highlighted."""

    class Understood(Message):
        """The text typed so far is this answer."""

        def __init__(self, value: Values) -> None:
            super().__init__()
            self.value = value

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

    def show_question(
        self, session: state.Session, fact: str, found_value: tuple[Values, str] | None,
        wanted_value: Values | None = None,
    ) -> None:
        """Shows the question. `found_value`: a value to offer, and where it was read. `wanted_value`: the answer to
        highlight; without either, none is highlighted."""
        offered, listed = answer_choices(self.base, session, fact, found_value), self.query_one(Choices)
        again = fact == self.fact
        before = listed.choice if again else None
        self.fact = fact
        definition = self.base.facts[fact]
        self._set_crowded(offered)
        self._text("#ask", Content(definition.ask or definition.says))
        self._help(self.help_for(definition))
        self._show_answer(session, found_value)
        typed = self.query_one(AnswerField)
        by_hand = definition.type in ("int", "version")
        typed.display = typed.d_is_unknown = by_hand
        if by_hand:
            if not again:
                typed.value = ""
            self.default = found_value[0] if found_value else None
            typed.placeholder = self._placeholder(definition)
        listed.offer(offered, 0 if found_value else None)
        aim = ("answer", wanted_value) if wanted_value is not None else before and (before.act, before.value)
        if aim and (place := listed.place_of(*aim)) is not None:
            listed.highlighted = place
        wanted = typed if by_hand else listed
        if not again or not self.has_focus_within:
            wanted.focus(scroll_visible=False)
        self.scroll_home(animate=False)

    def show_choices(self, title: str, text: str, offered: list[Choice], example: str = "") -> None:
        """Shows choices that are not a question of the rule base. `example`: of a text that can be typed instead."""
        typed, choices = self.query_one(AnswerField), self.query_one(Choices)
        if self.fact is not None:
            typed.value = ""
        self.fact, self.default = None, None
        self._set_crowded([])
        self._text("#ask", Content(title))
        self._help(Content(text))
        self._text("#said", Content(""))
        typed.display, typed.d_is_unknown = bool(example), False
        typed.placeholder = f"{example}, then Enter"
        if choices.offer(offered) or not self.has_focus_within:
            (typed if example else choices).focus(scroll_visible=False)

    def show_progress(self, *wordings: str) -> None:
        """Shows the first wording of the progress line that fits, above the question."""
        self.query_one("#where", FittingText).show(*(Content.styled(text, DIM) for text in wordings))

    def show_about(self, text: str) -> None:
        """Shows the mount that the question is about, at the top."""
        self._text("#about", Content.styled(text, GOOD))

    def say(self, text: str) -> None:
        """Shows a line above the choices."""
        self._text("#said", Content.styled(text, DIM))

    def show_problem(self, problem: str) -> None:
        self._text("#said", Content.styled(problem, BAD))

    def _set_crowded(self, offered: Sequence[Choice]) -> None:
        """Gives help and settings less room if there are many choices (the class "-many" of QuestionScreen's CSS)."""
        self.screen.set_class(len(offered) > MANY_CHOICES, "-many")

    def _help(self, text: Content) -> None:
        self.query_one("#help").set_class(not text.plain, "-empty")
        self.query_one("#help", FittingText).show(text)

    def _text(self, name: str, text: Content) -> None:
        widget = self.query_one(name, Static)
        widget.set_class(not text.plain, "-empty")
        if (text.plain, text.spans) != self._texts.get(name):
            self._texts[name] = text.plain, text.spans
            widget.update(text)

    @staticmethod
    def help_for(fact: Fact) -> Content:
        """The help, the reason for asking, and examples."""
        parts: list[Content] = []
        for label, text in (
            ("", fact.help), ("Why it is asked: ", fact.why),
            ("Examples: ", ", ".join(map(str, fact.examples)) if fact.type != "enum" else ""),
        ):
            if text:
                parts.append(Content.assemble((label, DIM), (text, DIM if label else "")))
        return Content("\n").join(parts)

    def _show_answer(self, session: state.Session, found_value: tuple[Values, str] | None) -> None:
        """Shows the current answer, or the value found on this host."""
        fact = str(self.fact)
        if fact in session.answers.unknown:
            self._text("#said", Content.assemble(("Your answer: ", DIM), (UNKNOWN, HEAD)))
        elif fact in session.answers.facts:
            value = wording.answer_text(self.base, fact, session.answers.facts[fact])
            where = session.answers.origin.get(fact)
            label = "Your answer: " if fact in session.order else "Inferred: "
            self._text("#said", Content.assemble(
                (label, DIM), (value, HEAD), (f"  (found: {where})" if where else "", DIM)
            ))
        elif found_value:
            value = wording.answer_text(self.base, fact, found_value[0])
            self._text("#said", Content.assemble(
                ("Found on this host: ", DIM), (value, GOOD), (f"  in {found_value[1]}; take it or choose another", DIM)
            ))
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
        parsed = typed_answer.parse(self.base, self.fact, event.value)
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


def answer_choices(
    base: RuleBase, session: state.Session, fact: str, found_value: tuple[Values, str] | None
) -> list[Choice]:
    """The choices of a question, the value found on this host first."""
    definition = base.facts[fact]
    now = session.answers.facts.get(fact)
    offered = [
        Choice(
            "answer", offer.label, offer.value, "" if offer.fits else CONTRADICTS,
            now == offer.value and now is not None,
        )
        for offer in questions.values_to_choose(base, session, fact)
    ]
    if found_value and now is None:
        seen = f"found in {found_value[1]}"
        offered = [choice for choice in offered if choice.value != found_value[0]]
        offered.insert(0, Choice("found", wording.answer_text(base, fact, found_value[0]), found_value[0], seen))
    unknown = "the usual value is assumed if that is safe" if definition.usual else "what depends on it stays open"
    offered.append(Choice("unknown", UNKNOWN, None, unknown, fact in session.answers.unknown))
    return offered
