"""The screen that searches questions, answers, settings, rules, checks, bugs, messages, claims and sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from advisor.pages import wording
from advisor.pages.blocks import Block, Document
from advisor.pages.phrases import clipped, counted
from advisor.pages.screen import DIM, WARN
from advisor.rulebase.model import RuleBase
from advisor.wizard import questions
from advisor.wizard.bars import Head, KeyBar
from advisor.wizard.explanation import ExplanationScreen
from advisor.wizard.screen import SubScreen

LIMIT = 60
FEW = 5
"""With fewer hits than this, entries that lack one of the words are listed too."""
HINT = "words of a question, an answer, an option, a claim, a source; disputed shows where sources disagree"


class Hit(NamedTuple):
    """An entry that can be found. `name`: its id, of an answer "fact=value"; `text`: further text to search;
    `verdict`: of a claim that is not accepted."""

    kind: str
    name: str
    title: str
    text: str
    verdict: str = ""


class FindScreen(SubScreen):
    """A search field and its hits."""

    NAME = "Find"
    DEFAULT_CSS = """
    FindScreen Input { margin: 1 1 0 1; }
    FindScreen #count { padding: 0 1; color: $text-muted; height: 1; }
    FindScreen OptionList {
        height: 1fr; border: none; margin: 0 1; background: transparent; scrollbar-size-vertical: 1;
    }
    FindScreen OptionList:focus { border: none; }
    """
    KEYS = [("Enter", "open", "open"), ("↓", "to the list", "list"), ("Esc", "back", "leave")]
    BINDINGS = [Binding("down", "list", "To the hits"), Binding("tab", "list", show=False)]

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.text = text
        self.hits: list[Hit] = []
        self.entries: list[Hit] = []

    def compose(self) -> ComposeResult:
        yield Head("Find", "in questions, answers, settings, rules, claims and sources", "in the rule base")
        yield Input(self.text, placeholder=HINT, compact=True)
        yield Static(id="count", markup=False)
        yield OptionList(markup=False, compact=True)
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.entries = list(all_hits(self.wizard.base))
        self.query_one(Input).focus()
        self._find(self.text)

    def recreate(self) -> FindScreen:
        return FindScreen(self.query_one(Input).value)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._find(event.value)

    def _find(self, text: str) -> None:
        app = self.wizard
        asked = questions.current_question(app.base, app.session)
        hits = search(self.entries, text, app.base.synonyms)
        hits.sort(key=lambda hit: not (hit.kind == "answer" and _fact(hit) == asked))
        self.hits = hits[:LIMIT]
        more = f", the first {LIMIT} are shown" if len(hits) > LIMIT else ""
        self.query_one("#count", Static).update(f"{counted(len(hits), 'hit')}{more}" if text.strip() else
                                                "Questions still open:")
        if not text.strip():
            asks = questions.upcoming_questions(app.base, app.session)
            self.hits = [Hit("question", ask.fact, ask.ask, "") for ask in asks]
        width = max(self.size.width - 4, 30)
        self.query_one(OptionList).set_options([Option(_hit_line(hit, width)) for hit in self.hits])

    def action_list(self) -> None:
        hit_list = self.query_one(OptionList)
        if hit_list.has_focus:
            self.query_one(Input).focus()
        else:
            hit_list.focus()
            if hit_list.highlighted is None:
                hit_list.action_first()

    @on(Input.Submitted)
    def action_open(self) -> None:
        at = self.query_one(OptionList).highlighted or 0
        if at < len(self.hits):
            self._open(self.hits[at])

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self._open(self.hits[event.option_index])

    def _open(self, hit: Hit) -> None:
        app = self.wizard
        if hit.kind == "question":
            app.go_to_question(hit.name)
        elif hit.kind == "answer":
            app.go_to_question(_fact(hit), hit.name.partition("=")[2])
        elif hit.kind == "setting" and hit.name in app.base.decisions:
            app.explain("setting", hit.name)
        elif hit.kind in ("message", "cause"):
            app.push_screen(ExplanationScreen(partial(_message_page, app.base, hit), name=hit.kind.capitalize()))
        else:
            app.explain("page", hit.name)


def _fact(hit: Hit) -> str:
    """The fact of an answer."""
    return hit.name.partition("=")[0]


def _message_page(base: RuleBase, hit: Hit, _: int) -> list[Block]:
    """A message and its possible causes, or a cause with its check and remedy."""
    page = Document()
    page.heading(hit.title, 1)
    if hit.kind == "message":
        page.para(base.messages[hit.name].means)
        causes = [cause.title for cause in base.causes.values() if hit.name in cause.explains]
        if causes:
            page.heading("Possible causes")
        for title in causes:
            page.item(title)
        return page.blocks
    cause = base.causes[hit.name]
    page.para(cause.why)
    page.pairs([
        ("check", cause.check.do), ("it shows", cause.check.tells), ("do", cause.remedy.do),
        ("undo", cause.remedy.undo),
    ])
    return page.blocks


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


def _hit_line(hit: Hit, width: int) -> Content:
    verdict = f"[{hit.verdict}] " if hit.verdict else ""
    return Content.assemble(
        (f"{hit.kind:<9}", DIM), (verdict, WARN), clipped(hit.title, width - 10 - len(verdict))
    )
