"""Explanations of a setting, a figure, a bug, a finding, or an entry of the rule base, as a screen and as a pane beside
the list of settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from advisor.pages import wording
from advisor.pages.screen import BAD, DIM, WARN, screen
from advisor.wizard import mounts, questions
from advisor.wizard.bars import Head, KeyBar
from advisor.wizard.screen import SessionScreen, SubScreen

if TYPE_CHECKING:
    from advisor.lint.finding import Finding
    from advisor.lint.lines import Result
    from advisor.pages.blocks import Block
    from advisor.wizard.app import Wizard

SETTING_KEYS = [
    ("w", "why not …", "why_not"), ("i", "what if", "what_if"),
    ("p", "pin", "pin"), ("a", "answer", "answer"), ("m", "more", "more"), ("?", "keys", "keys"),
    ("Esc", "back", "leave"),
]
SEVERITIES = {"error": BAD, "warning": WARN}
DELAY = 0.06
"""Seconds before the highlighted setting is explained, so that scrolling through a list explains none."""
MakePage = Callable[[int], Iterable["Block"]]
"""Makes a page for a screen of the given number of columns."""


class ExplanationScreen(SubScreen):
    """`make`: makes its page. `about`: the setting that it explains, if any. `name`: its title. `then`: the action to
    run at once, without `action_`."""

    NAME = "Explanation"
    DEFAULT_CSS = """
    ExplanationScreen VerticalScroll { padding: 0 1 0 2; scrollbar-size-vertical: 1; }
    """
    BINDINGS = [
        Binding("w", "why_not", "Why not another value"),
        Binding("i", "what_if", "What would have to be different for another value"),
        Binding("p", "pin", "Pin the setting to a value"),
        Binding("a", "answer", "Answer the question that settles it, or that it rests on"),
        Binding("m", "more", "All rules and sources about it, for all platforms"),
    ]

    def __init__(self, make: MakePage, about: str | None = None, name: str = "Explanation", then: str = "") -> None:
        super().__init__()
        self.make, self.about, self._then = make, about, then
        self.NAME = name
        self._width = 0
        """The columns for which the page was made last."""

    def recreate(self) -> SessionScreen:
        return ExplanationScreen(self.make, self.about, self.NAME)

    def compose(self) -> ComposeResult:
        yield Head()
        with VerticalScroll():
            yield Static(id="text", markup=False)
        yield KeyBar(self.bar())

    def bar(self) -> list[tuple[str, str, str]]:
        keys = SETTING_KEYS if self.about else [("/", "find", "find"), ("Esc", "back", "leave")]
        return [(key, says, f"screen.{action}") for key, says, action in keys]

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        if self._then:
            self.call_after_refresh(getattr(self, f"action_{self._then}"))

    def on_resize(self) -> None:
        if self.size.width != self._width:  # Textual sends several events for one change
            self.show_session()

    def show_session(self) -> None:
        self._width = self.size.width
        if self._width:
            width = self._width - 5
            self.query_one(Head).update_with(self.NAME, "Esc goes back")
            self.query_one("#text", Static).update(screen(self.make(width), width))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("why_not", "what_if", "pin", "answer", "more"):
            return self.about is not None
        return super().check_action(action, parameters)

    def action_why_not(self) -> None:
        from advisor.wizard.pins import offered_values  # noqa: PLC0415
        from advisor.wizard.prompt import Prompt  # noqa: PLC0415

        if self.about is None or self.about not in self.wizard.base.decisions:
            return
        label = wording.label(self.wizard.base.tunables[self.about])
        self.wizard.push_screen(
            Prompt(f"Why is {label} not …", "Write a value, or choose one that some rule gives.",
                   offered=offered_values(self.wizard, self.about)),
            partial(self._why_not, self.about),
        )

    def _why_not(self, about: str, written: str | None) -> None:
        if written:
            make = partial(_why_not_page, self.wizard, about, written)
            self.wizard.push_screen(ExplanationScreen(make, about, "Why not"))

    def action_what_if(self) -> None:
        if self.about is not None and self.about in self.wizard.base.decisions:
            make = partial(_what_if_page, self.wizard, self.about)
            self.wizard.push_screen(ExplanationScreen(make, self.about, "What if"))

    def action_pin(self) -> None:
        if self.about:
            self.wizard.pin(self.about)

    def action_more(self) -> None:
        if self.about:
            self.wizard.explain("page", self.about)

    def action_answer(self) -> None:
        """Goes to the question that settles the setting, else to an assumption or an answer that it rests on."""
        if self.about is None:
            return
        app = self.wizard
        advice = mounts.advice_on(app.base, app.session, self.about)
        facts = [fact for setting in advice.open if setting.tunable == self.about for fact in setting.asks]
        if not facts:
            from advisor.advice.arguments import argue  # noqa: PLC0415

            recommendation = advice.find(self.about)
            if recommendation is not None:
                facts = [supposition.fact for supposition in (*recommendation.rests_on, *recommendation.presumes)]
                facts += [reason.fact for reason in argue(app.base, advice, recommendation).because]
        asked = [fact for fact in facts if fact in app.base.facts and app.base.facts[fact].ask]
        if asked:
            app.go_to_question(asked[0])
        else:
            self.notify("No question bears on it.", timeout=3)


def explanation(app: Wizard, kind: str, name: str, then: str = "") -> ExplanationScreen:
    """`kind`: "setting", "figure", "bug", or "page" for any entry of the rule base. `then`: "why_not", "what_if",
    "answer", or "" for no action."""
    return ExplanationScreen(partial(_named_page, app, kind, name), name if kind == "setting" else None, then=then)


def finding_text(finding: Finding, *, line: bool = True, fixable: bool = False) -> Content:
    """A finding as a row of a list. `line`: with its line number; `fixable`: with the key that fixes it."""
    return Content.assemble(
        (f"{finding.severity:<8}", SEVERITIES.get(finding.severity, DIM)),
        (f"line {finding.line:<4}" if line else "", DIM), finding.message, ("  f fixes it" if fixable else "", DIM),
    )


def finding_screen(app: Wizard, finding: Finding, result: Result) -> ExplanationScreen:
    """Explains a finding of the linter in this result."""

    def make(width: int) -> Iterable[Block]:
        from advisor.lint.evidence import evidence  # noqa: PLC0415
        from advisor.pages.finding import finding_page as page_of_finding  # noqa: PLC0415

        behind = evidence(result, finding)
        return page_of_finding(app.base, finding, behind, lambda _, number: str(result.line(number)), width)

    return ExplanationScreen(make)


def _named_page(app: Wizard, kind: str, name: str, _: int) -> Iterable[Block]:
    """The page about `name`; `kind` as for `explanation`."""
    from advisor.pages import why  # noqa: PLC0415
    from advisor.pages.blocks import Document  # noqa: PLC0415  not needed for the first frame

    page = Document()
    if kind == "page":
        from advisor.pages.kb import pages_by_name  # noqa: PLC0415

        for named_page in pages_by_name(app.base).get(name, ()):
            page.add(named_page.make())
        return page.blocks
    advice = mounts.advice_on(app.base, app.session, name)
    if kind == "bug":
        for bug in advice.bugs:
            if bug.erratum == name:
                page.add(why.bug_page(app.base, bug))
        return page.blocks
    page.add(why.setting_pages(app.base, advice, name))
    if not page.blocks:
        page.heading(wording.title(app.base, name), 1)
        page.para("The rule base has nothing on it for these answers; m shows what it says for others.")
    return page.blocks


def _why_not_page(app: Wizard, tunable: str, written: str, _: int) -> Iterable[Block]:
    from advisor.advice.answers import AnswerError, pin_value  # noqa: PLC0415
    from advisor.advice.arguments import counterarguments  # noqa: PLC0415
    from advisor.pages import why  # noqa: PLC0415
    from advisor.pages.blocks import Document, TextRun  # noqa: PLC0415

    try:
        value = pin_value(app.base, tunable, written)
    except AnswerError as error:
        page = Document()
        page.heading(f"{wording.label(app.base.tunables[tunable])} = {written}", 1)
        page.para(TextRun(str(error), "bad"))
        return page.blocks
    return why.why_not_page(app.base, tunable, value, counterarguments(app.base, app.session.answers, tunable, value))


def _what_if_page(app: Wizard, tunable: str, _: int) -> Iterable[Block]:
    from advisor.advice.arguments import ways_to_change  # noqa: PLC0415
    from advisor.pages import why  # noqa: PLC0415

    advice = questions.preview(app.base, app.session)
    return why.what_if_page(app.base, advice, tunable, ways_to_change(app.base, advice, tunable))


class Detail(VerticalScroll):
    """Explains the highlighted setting, beside the list."""

    KINDS = ("setting", "figure", "bug")
    DEFAULT_CSS = "Detail { padding: 0 1; scrollbar-size-vertical: 1; }"
    app: Wizard

    def __init__(self) -> None:
        super().__init__(can_focus=False)
        self._timer: Timer | None = None
        self._about: tuple[str, str] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="detail", markup=False)

    def explain_soon(self, kind: str, name: str) -> None:
        """Explains it after DELAY, unless another row is highlighted by then."""
        self._about = (kind, name) if kind in self.KINDS else None
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(DELAY, self._explain)

    def on_resize(self) -> None:
        self._explain()

    def _explain(self) -> None:
        if self._about is not None and self.display and self.size.width:
            width = self.size.width - 1
            self.query_one(Static).update(screen(_named_page(self.app, *self._about, width), width))
            self.scroll_home(animate=False)
