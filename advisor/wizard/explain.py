"""Explains one thing: a setting and its argument, an open setting, a figure, a bug, or a page of the rule base."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from advisor import session as state
from advisor.wizard import words
from advisor.wizard.keybar import KeyBar
from advisor.wizard.paper import DIM, HEAD
from advisor.wizard.sheet import Leaf

SETTING_KEYS = [
    ("Esc", "back", "leave"), ("w", "why not …", "why_not"), ("i", "what if", "what_if"),
    ("p", "hold", "pin"), ("a", "answer", "answer"), ("m", "more", "more"), ("?", "keys", "keys"),
]


class Explain(Leaf):
    """`kind`: "setting", "figure", "bug", "finding", or "page" for anything that the rule base names."""

    NAME = "Explanation"
    DEFAULT_CSS = """
    Explain #head { height: 1; background: $panel; padding: 0 1; }
    Explain VerticalScroll { padding: 0 1 0 2; scrollbar-size-vertical: 1; }
    """
    BINDINGS = [
        Binding("w", "why_not", "Why not another value"),
        Binding("i", "what_if", "What would have to be otherwise for another value"),
        Binding("p", "pin", "Hold the setting at a value"),
        Binding("a", "answer", "Answer the question that settles it, or that it rests on"),
        Binding("m", "more", "Everything that the rule base says on it, for all platforms"),
    ]

    def __init__(self, kind: str, what: Any) -> None:
        super().__init__()
        self.kind, self.what = kind, what

    def compose(self) -> ComposeResult:
        yield Static(id="head", markup=False)
        with VerticalScroll():
            yield Static(id="text", markup=False)
        yield KeyBar(self.bar())

    def bar(self) -> list[tuple[str, str, str]]:
        keys = SETTING_KEYS if self.kind == "setting" else [("Esc", "back", "leave"), ("/", "find", "find")]
        return [(key, says, f"screen.{action}") for key, says, action in keys]

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def on_resize(self) -> None:
        self.show_session()

    def show_session(self) -> None:
        if self.size.width:
            self.query_one("#head", Static).update(Content.assemble((self.NAME, HEAD), ("  Esc goes back", DIM)))
            self.query_one("#text", Static).update(self.text(self.size.width - 5))

    def text(self, width: int) -> Content:
        from advisor.wizard import explained, pages  # noqa: PLC0415

        app = self.wizard
        if self.kind == "page":
            return pages.page(app.base, self.what, width)
        if self.kind == "finding":
            return pages.finding(app.base, self.what, width)
        advice = state.speaking(app.base, app.session, self.what)
        return explained.explained(app.base, advice, self.kind, self.what, width)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("why_not", "what_if", "pin", "answer", "more"):
            return self.kind == "setting"
        return super().check_action(action, parameters)

    def action_why_not(self) -> None:
        from advisor.wizard.hold import values  # noqa: PLC0415
        from advisor.wizard.prompt import Prompt  # noqa: PLC0415

        if self.what not in self.wizard.base.decisions:
            return
        label = words.label(self.wizard.base.tunables[self.what])
        self.wizard.push_screen(
            Prompt(f"Why is {label} not …", "Write a value, or choose one that some rule gives.",
                   offered=values(self.wizard, self.what)),
            self._why_not,
        )

    def _why_not(self, text: str | None) -> None:
        if text:
            self.wizard.push_screen(Against(self.what, text))

    def action_what_if(self) -> None:
        if self.what in self.wizard.base.decisions:
            self.wizard.push_screen(Otherwise("setting", self.what))

    def action_pin(self) -> None:
        self.wizard.hold(self.what)

    def action_more(self) -> None:
        self.wizard.explain("page", self.what)

    def action_answer(self) -> None:
        """To the question that settles it, or to what it assumes; for a settled one to the answer that it rests on."""
        app = self.wizard
        advice = state.speaking(app.base, app.session, self.what)
        facts = [fact for one in advice.open if one.tunable == self.what for fact in one.asks]
        if not facts:
            from advisor.advice.argue import argue  # noqa: PLC0415

            found = advice.find(self.what)
            if found is not None:
                facts = [one.fact for one in found.rests_on]
                facts += [one.fact for one in argue(app.base, advice, found).because]
        asked = [fact for fact in facts if fact in app.base.facts and app.base.facts[fact].ask]
        if asked:
            app.look_at(asked[0])
        else:
            self.notify("No question bears on it.", timeout=3)


class Against(Explain):
    """What stands against a value."""

    NAME = "Why not"

    def __init__(self, tunable: str, value: str) -> None:
        super().__init__("setting", tunable)
        self.value = value

    def text(self, width: int) -> Content:
        from advisor.wizard import pages  # noqa: PLC0415

        return pages.why_not(self.wizard.base, self.wizard.session.answers, self.what, self.value, width)


class Otherwise(Explain):
    """The smallest changes that lead to other values."""

    NAME = "What if"

    def text(self, width: int) -> Content:
        from advisor.wizard import pages  # noqa: PLC0415

        app = self.wizard
        return pages.what_if(app.base, state.preview(app.base, app.session), self.what, width)
