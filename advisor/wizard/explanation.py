"""Explanations of a setting, a figure, a bug, a finding, or an entry of the rule base, as a screen and as a pane beside
the list of settings; and the search for entries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.timer import Timer
from textual.widgets import Input, Static

from advisor.advice.answers import AnswerError, pin_value
from advisor.advice.arguments import argue, counterarguments, ways_to_change
from advisor.pages import why, wording
from advisor.pages.blocks import Block, Document
from advisor.pages.phrases import clipped, counted
from advisor.rulebase.model import RuleBase
from advisor.wizard import mounts, questions, steps
from advisor.wizard.commands import Key
from advisor.wizard.dialogs import Prompt
from advisor.wizard.row_lists import SettingList
from advisor.wizard.rows import ListRow, list_row
from advisor.wizard.screen import FieldScreen, PageScreen, SessionScreen, SubScreen, WizardApp, bindings
from advisor.wizard.widgets import DIM, LineField, Sections, screen

DELAY = 0.06
"""Seconds before the highlighted setting is explained, so that scrolling through a list explains none."""
LIMIT = 60
FEW = 5
"""With fewer hits than this, entries that lack one of the words are listed too."""
HINT = "words of a question, an answer, an option, a claim, a source; disputed shows where sources disagree"
MakePage = Callable[[int], Iterable["Block"]]
"""Makes a page for a screen of the given number of columns."""


class ExplanationScreen(PageScreen, SubScreen):
    """`make`: makes its page. `about`: the setting that it explains, if any. `name`: its title. `then`: the action to
    run at once, without `action_`."""

    NAME = "Explanation"
    PLACE = "explanation"
    BINDINGS = bindings(PLACE)

    def __init__(self, make: MakePage, about: str | None = None, name: str = "Explanation", then: str = "") -> None:
        super().__init__()
        self.make, self.about, self._then, self.working = make, about, then, bool(then)
        self.NAME = name
        self._width = 0
        """The columns for which the page was made last."""

    def recreate(self) -> SessionScreen:
        return ExplanationScreen(self.make, self.about, self.NAME)

    def bar(self) -> list[Key]:
        return self.bar_of(self.PLACE if self.about else "page")

    def on_mount(self) -> None:
        super().on_mount()
        self.call_after_refresh(self._run_then)

    def _run_then(self) -> None:
        self.working = False
        if self._then:
            getattr(self, f"action_{self._then}")()

    def on_resize(self) -> None:
        if self.size.width != self._width:  # Textual sends several events for one change
            self.show_session()

    def show_session(self) -> None:
        self._width = self.size.width
        if self._width:
            self.query_one(Sections).show(self.make(self._width - 5))

    def action_why_not(self) -> None:
        if self.about is None or self.about not in self.wizard.base.decisions:
            return
        label = wording.label(self.wizard.base.tunables[self.about])
        row = questions.preview(self.wizard.base, self.wizard.session).find(self.about)
        now = str(row.written) if row is not None else ""
        self.wizard.push_screen(
            Prompt(f"Why is {label} not …", "Write a value, or choose one that some rule gives.",
                   offered=[one for one in questions.rule_values(self.wizard.base, self.about) if one[0] != now]),
            partial(self._why_not, self.about),
        )

    def _why_not(self, about: str, written: str | None) -> None:
        app = self.wizard
        if not written:
            return
        try:
            value = pin_value(app.base, about, written, app.session.answers.facts)
        except AnswerError as error:
            self.notify(str(error), severity="warning", timeout=8, markup=False)
            return
        app.push_screen(ExplanationScreen(lambda _: why.why_not_page(
            app.base, about, value, counterarguments(app.base, app.session.answers, about, value)
        ), about, "Why not"))

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
            recommendation = advice.find(self.about)
            if recommendation is not None:
                facts = [supposition.fact for supposition in (*recommendation.rests_on, *recommendation.presumes)]
                facts += [reason.fact for reason in argue(app.base, advice, recommendation).because]
        asked = [fact for fact in facts if fact in app.base.facts and app.base.facts[fact].ask]
        if asked:
            app.go_to_question(asked[0])
        else:
            self.notify("No question bears on it.", timeout=3)


def explanation(app: WizardApp, kind: str, name: str, then: str = "") -> ExplanationScreen:
    """`kind`: "setting", "figure", "bug", or "page" for any entry of the rule base. `then`: "why_not", "what_if",
    "answer", or "" for no action."""
    return ExplanationScreen(partial(_named_page, app, kind, name), name if kind == "setting" else None, then=then)


def _named_page(app: WizardApp, kind: str, name: str, _: int) -> Iterable[Block]:
    page = Document()
    if kind == "page":
        from advisor.pages.kb import pages_of  # noqa: PLC0415

        for named_page in pages_of(app.base, name):
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


def _what_if_page(app: WizardApp, tunable: str, _: int) -> Iterable[Block]:
    advice = questions.preview(app.base, app.session)
    return why.what_if_page(app.base, advice, tunable, ways_to_change(app.base, advice, tunable))


class Detail(VerticalScroll):
    """Explains the highlighted setting, beside the list."""

    KINDS = ("setting", "figure", "bug")
    DEFAULT_CSS = "Detail { scrollbar-size-vertical: 1; }"
    app: WizardApp

    def __init__(self) -> None:
        super().__init__(can_focus=False, classes="pane")
        self.border_title = "Why"
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
            width = self.content_size.width - 1
            self.query_one(Static).update(screen(_named_page(self.app, *self._about, width), width))
            self.scroll_home(animate=False)


class Hit(NamedTuple):
    """An entry that can be found. `name`: its id, of an answer "fact=value"; `text`: further text to search;
    `verdict`: of a claim that is not accepted."""

    kind: str
    name: str
    title: str
    text: str
    verdict: str = ""


class FindScreen(FieldScreen):
    """A search field and its hits."""

    NAME = "Find"
    PLACE = "find"
    LASTS = KEEPS = False
    BINDINGS = bindings("list")

    def __init__(self) -> None:
        super().__init__()
        self.hits: list[Hit] = []
        self.entries: list[Hit] = []

    def compose(self) -> ComposeResult:
        field = LineField(placeholder=HINT, compact=True)
        about = "in questions, answers, settings, rules, claims and sources", "in the rule base"
        yield from self.parts(field, "Words to find", "Open questions, then those answered", *about)

    def on_mount(self) -> None:
        super().on_mount()
        self.entries = list(all_hits(self.wizard.base))
        self._find("")

    def on_resize(self) -> None:
        if self.entries:
            self._find(self.query_one(Input).value)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._find(event.value)

    def _find(self, text: str) -> None:
        app = self.wizard
        asked = questions.current_question(app.base, app.session)
        hits = search(self.entries, text, app.base.reading["synonyms"])
        hits.sort(key=lambda hit: not (hit.kind == "answer" and hit.name.partition("=")[0] == asked))
        self.hits = hits[:LIMIT]
        more = f", the first {LIMIT} are shown" if len(hits) > LIMIT else ""
        listed = self.query_one(SettingList)
        listed.border_title = f"{counted(len(hits), 'hit')}{more}"
        if not text.strip():
            listed.border_title = "Open questions, then those answered"
            asks = questions.upcoming_questions(app.base, app.session)
            self.hits = [Hit("question", ask.fact, ask.ask, "") for ask in asks]
            if asked is not None and len(app.screen_stack) == 2:  # over the question
                further = steps.answer_choices(app.base, app.session, asked)[steps.DIGITS:]
                answers = [choice for choice in further if choice.act == "answer"]
                self.hits[:0] = [Hit("answer", f"{asked}={choice.value}", choice.label, "") for choice in answers]
                if answers:
                    listed.border_title = "Further answers, then open questions, then those answered"
            self.hits += [
                Hit("answered", fact, f"{wording.question(app.base, fact)} "
                    f"{wording.given_answer(app.base, app.session.answers, fact)}", "")
                for fact in app.session.order
            ]
        width = max(self.size.width - 7, 30)
        listed.draw(_hit_row(hit, width) for hit in self.hits)
        nothing = "Nothing has these words. Fewer or other ones may; Esc goes back." if not self.hits else ""
        self.show_result(nothing, DIM)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        """Opens the highlighted hit, else the first."""
        listed = self.query_one(SettingList)
        if listed.highlighted is None:
            listed.action_first()
        super().action_open()

    def open_row(self, kind: str, name: str) -> None:
        app, (fact, _, value) = self.wizard, name.partition("=")
        if kind in ("question", "answered"):
            app.go_to_question(name)
        elif kind == "answer":
            app.go_to_question(fact, value)
        elif kind == "setting" and name in app.base.decisions:
            app.explain("setting", name)
        else:
            app.explain("page", name)


def all_hits(base: RuleBase) -> Iterator[Hit]:
    """Every entry of the rule base that can be found."""
    for name, fact in base.facts.items():
        if fact.ask:
            yield Hit("question", name, fact.ask, f"{fact.says} {fact.help or ''}")
            for value, label in (fact.values or {}).items() if fact.type == "enum" else ():
                yield Hit("answer", f"{name}={value}", f"{label}: {fact.ask}", "")
    for name, tunable in base.tunables.items():
        yield Hit("setting", name, f"{wording.label(tunable)}: {tunable.title}", tunable.about or "")
    for decision in base.decisions.values():
        for name, rule in decision.rules.items():
            yield Hit("rule", name, f"{name}: {rule.why}", "")
    for name, check in base.checks.items():
        yield Hit("check", name, f"{name}: {check.title}", "")
    for name, erratum in base.errata.items():
        yield Hit("bug", name, erratum.title, erratum.symptom)
    for name, message in base.messages.items():
        yield Hit("message", name, f"{message.program}: {message.text}", message.means)
    for name, cause in base.causes.items():
        yield Hit("cause", name, cause.title, f"{cause.why} {cause.remedy.do}")
    for name, claim in base.claims.items():
        verdict = "" if claim.verdict == "accepted" else claim.verdict
        yield Hit("claim", name, claim.says, claim.at, verdict)
    for name, source in base.sources.items():
        yield Hit("source", name, f"{source.title}, {source.publisher}", "")


def search(hits: list[Hit], text: str, synonyms: Sequence[Sequence[str]] = ()) -> list[Hit]:
    """The entries that contain every word or a synonym of it, matches in names and titles first. If there are fewer
    than FEW, entries that lack one word follow. `synonyms`: groups of words that mean the same."""
    words = text.lower().split()
    if not words:
        return []
    wanted = [_with_synonyms(word, synonyms) for word in words]
    ranked = []
    for place, hit in enumerate(hits):
        near = f"{hit.name} {hit.title}".lower()
        far = f"{near} {hit.text} {hit.verdict} {hit.kind}".lower()
        missing = sum(not any(word in far for word in group) for group in wanted)
        if missing < len(wanted):
            last = re.split(r"[./=]", hit.name)[-1]
            apart = not all(any(word in near for word in group) for group in wanted)
            ranked.append(((missing, last != words[0], not last.startswith(words[0]), apart, place), hit))
    ranked.sort(key=lambda ranked_hit: ranked_hit[0])
    whole = [hit for rank, hit in ranked if not rank[0]]
    return whole if len(whole) >= FEW or len(words) == 1 else whole + _near_hits(ranked, wanted)


def _near_hits(ranked: list[tuple[tuple[int, bool, bool, bool, int], Hit]], wanted: list[list[str]]) -> list[Hit]:
    """The entries that contain all words but one, as whole words."""
    hits = []
    for rank, hit in ranked:
        there = set(re.split(r"[^a-z0-9]+", f"{hit.name} {hit.title} {hit.text}".lower()))
        if rank[0] and sum(bool(there & set(group)) for group in wanted) >= max(len(wanted) - 1, 1):
            hits.append(hit)
    return hits[:LIMIT]


def _with_synonyms(word: str, synonyms: Sequence[Sequence[str]]) -> list[str]:
    groups = [[other.lower() for other in group] for group in synonyms]
    return [word, *(other for group in groups if word in group for other in group if other != word)]


def _hit_row(hit: Hit, width: int) -> ListRow:
    verdict = f"[{hit.verdict}] " if hit.verdict else ""
    title = clipped(hit.title, width - 11 - len(verdict))
    return list_row((hit.kind, hit.name), (f"{hit.kind:<10}", "dim"), (verdict, "warn"), title)
