"""The screen that finds the causes of a message or a report, and narrows them down by one check after another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

from textual import events, on
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static, TextArea

from advisor.user_files import UserFileError
from advisor.wizard.row_lists import Choices
from advisor.wizard.screen import SubScreen, bindings
from advisor.wizard.steps import Choice
from advisor.wizard.texts import asked_text, read_file_or_text, ruled_out
from advisor.wizard.widgets import BAD, DIM, HEAD, Closable, Head, KeyBar, screen

if TYPE_CHECKING:
    from advisor.diagnose.diagnosis import Diagnosis, DiagnosisStep

HELP = (
    "Paste a message, what a command printed, a log, or the whole story with fstab and exports; or write the name of a "
    "file. Enter says what may cause it; Alt+Enter begins a line."
)

CAUSES = "What may cause it"
PRINTED = "Or paste what it printed below your text, and press Enter."

_BELOW = {"#causes": "Tab ↓", "#how": "Tab ↓ what it tells", "Choices": "↓ outcomes"}
"""A part that scrolls → the keys to what is below its last row."""


class _Sent(Enum):
    ALT_ENTER = "alt+enter"


cast("dict[str, object]", ANSI_SEQUENCES_KEYS)["\x1b\r"] = (_Sent.ALT_ENTER,)  # else Textual takes it for Enter


class ReportField(Closable, TextArea):
    """The text; Enter diagnoses it, Alt+Enter begins a line."""

    class Entered(Message):
        """Enter was pressed."""

    async def _on_key(self, event: events.Key) -> None:
        if self.opened and event.key in ("enter", "alt+enter", "shift+enter"):
            event.stop()
            event.prevent_default()
            self.post_message(self.Entered()) if event.key == "enter" else self.insert("\n")


class Printed(NamedTuple):
    """What a check printed."""

    text: str


class DiagnoseScreen(SubScreen):
    """A field for the text, the diagnosis, and the next check with its outcomes."""

    NAME = "Something is wrong"
    DEFAULT_CSS = """
    DiagnoseScreen #text { height: 8; }
    DiagnoseScreen TextArea, DiagnoseScreen TextArea:focus { height: 1fr; border: none; padding: 0; }
    DiagnoseScreen.-judged #text { height: 5; }
    DiagnoseScreen.-short #text { height: 5; }
    DiagnoseScreen.-short.-judged #text { height: 3; }
    DiagnoseScreen.-low #text { height: 2; }
    DiagnoseScreen VerticalScroll { height: 1fr; min-height: 3; scrollbar-size-vertical: 1; }
    DiagnoseScreen #next { height: auto; }
    DiagnoseScreen #how { height: auto; min-height: 1; max-height: 18vh; }
    DiagnoseScreen Choices { height: auto; min-height: 0; max-height: 38vh; }
    """
    PLACE = "diagnose"
    KEEPS = True
    BINDINGS = bindings(PLACE)

    def __init__(self, text: str = "", evidence: tuple[object, ...] = ()) -> None:
        super().__init__()
        self.written = self.text = self.told = text
        """The text in the field at first; the text that was diagnosed; and the part of it that was written before the
        first check."""
        self.evidence: list[object] = list(evidence)
        self.diagnosis: Diagnosis | None = None
        self.step: DiagnosisStep | None = None
        self._parts = (0, 0)
        """Rows at most of the outcomes and of what the check tells."""
        self.working = False
        """Whether the text is being diagnosed: a key waits for that."""

    @property
    def unsaved(self) -> str:
        written = self.query_one(ReportField).text if self.is_mounted else self.written
        return f"The text in {self.NAME!r} is not diagnosed yet." if written.strip() != self.text.strip() else ""

    def recreate(self) -> DiagnoseScreen:
        again = DiagnoseScreen(self.told, tuple(self.evidence))
        again.written, again.text = self.query_one(ReportField).text, self.text
        return again

    def compose(self) -> ComposeResult:
        yield Head(self.NAME, "from a message to its cause")
        with Vertical(id="text", classes="pane") as text:
            text.border_title = "What is wrong"
            yield ReportField(self.written, tab_behavior="focus")
        with VerticalScroll(id="causes", can_focus=True, classes="pane") as answer:
            answer.border_title = CAUSES
            yield Static(HELP, id="answer", markup=False)
        with Vertical(id="next", classes="pane") as following:
            following.border_title = "Check next"
            with VerticalScroll(id="how", can_focus=False):
                yield Static(id="step", markup=False)
            yield Choices()
        yield KeyBar(self.bar())

    def on_mount(self) -> None:
        self.query_one(ReportField).focus()
        self.query_one("#next").display = False
        if self.text:
            self.call_after_refresh(self._begin)

        for part in map(self.query_one, _BELOW):
            for changed in ("scroll_y", "virtual_size", "size"):
                self.watch(part, changed, self._share_room, init=False)
        self.call_after_refresh(self._share_room)

    def on_resize(self) -> None:
        self.show_session()

    def on_key(self, event: events.Key) -> None:
        """A key of an outcome, and Enter, mean the same from every focus but the open text."""
        choices = self.query_one(Choices)
        if self.step is not None and not (isinstance(self.focused, ReportField) and self.focused.opened):
            choices.action_select() if event.key == "enter" else choices.press(event.key)

    def show_session(self) -> None:
        if self.diagnosis is not None:
            self._show()

    def action_enter(self) -> None:
        field = self.query_one(ReportField)
        if not field.has_focus:
            self.query_one(Choices).action_select()
        elif field.opened:
            self.action_run()
        else:
            field.open(again=True)

    @on(ReportField.Entered)
    def action_run(self) -> None:
        text = self.query_one(ReportField).text
        more = text.startswith(self.text) and text[len(self.text) :].strip()
        if self.diagnosis is not None and self.step is not None and more:  # what the check printed, below the text
            self.evidence.append(Printed(more))
        else:
            self.evidence, self.told = [], text
        self.text = text
        self._begin()

    def _begin(self) -> None:
        answer = self.query_one("#answer", Static)
        self.working = bool(self.told.strip())
        answer.update("Looking …" if self.working else HELP)
        if self.working:
            self.run_worker(self._look(answer), exclusive=True)

    async def _look(self, answer: Static) -> None:
        try:
            self.diagnosis = await asyncio.to_thread(self._diagnosed)
        except UserFileError as error:
            answer.update(Content.styled(str(error), BAD))
        else:
            self._show()
            self._go_on()
        finally:
            self.working = False

    def _diagnosed(self) -> Diagnosis:
        """What the text says, with the outcomes that were chosen so far. Raises UserFileError."""
        from advisor.diagnose.diagnosis import Diagnosis  # noqa: PLC0415  seldom used
        from advisor.probe.evidence import ask  # noqa: PLC0415

        diagnosis = Diagnosis(self.wizard.base, read_file_or_text(self.told.strip()))
        diagnosis.ask_server = partial(ask, self.wizard.base)
        for chosen in tuple(self.evidence):
            step = diagnosis.step()
            if step is not None and isinstance(chosen, Printed):
                diagnosis.add_output(step, chosen.text)
            elif step is not None:
                diagnosis.choose(step, chosen)
        return diagnosis

    def _show(self) -> None:
        from advisor.diagnose.messages import without_secrets  # noqa: PLC0415
        from advisor.pages.diagnose import page  # noqa: PLC0415

        if self.diagnosis is None or not self.size.width:
            return
        width = self.size.width - 6
        self.query_one("#answer", Static).update(screen(page(self.diagnosis, without_secrets, steps=False), width))
        self.step = self.diagnosis.step()
        self.add_class("-judged")
        choices = self.query_one(Choices)
        self.query_one("#next").display = self.step is not None
        if self.step is None:
            self.query_one("#step", Static).update("")
            return
        where = f"Check on the {self.step.on}: " if self.step.on else ""
        tells = "".join(f"\n{meaning}" for meaning in (*self.step.tells, PRINTED))
        self.query_one("#step", Static).update(Content.assemble((where, HEAD), self.step.do, (tells, DIM)))
        choices.offer([
            Choice("unknown" if value in ("cannot", None) else "outcome", words, value)
            for value, words in self.step.choices
        ])

    def _go_on(self) -> None:
        self.query_one("#causes" if self.step is None else "Choices").focus()

    def _share_room(self) -> None:
        """Gives the outcomes what they need, half of the rest to what the check tells, and says where more follows."""
        if self.step is not None:
            choices, how = self.query_one(Choices), self.query_one("#how")
            taken = 5 if self.has_class("-low") or self.has_class("-tiny") else 7
            room = self.size.height - self.query_one("#text").region.height - taken
            left = room - choices.virtual_size.height
            parts = max(room - 1, 1), max((left + 1) // 2, min(left, 2), 1)
            if parts != self._parts:
                self._parts = choices.styles.max_height, how.styles.max_height = parts
            how.can_focus = how.max_scroll_y > 0
        for pane, parts_of in (("#causes", ("#causes",)), ("#next", ("#how", "Choices"))):
            below = [_BELOW[part] for part in parts_of if (at := self.query_one(part)).scroll_y < at.max_scroll_y]
            self.query_one(pane).border_subtitle = f"more: {', '.join(below)}" if below else ""

    @on(OptionList.OptionSelected)
    def action_choose(self) -> None:
        chosen = self.query_one(Choices).choice
        if self.diagnosis is None or self.step is None or chosen is None:
            return
        from advisor.diagnose.diagnosis import ASK  # noqa: PLC0415

        if chosen.value == ASK:
            self.query_one("#step", Static).update("Asking …")
            self.run_worker(self._ask(self.diagnosis), exclusive=True)
        else:
            self._take(chosen.value)

    async def _ask(self, diagnosis: Diagnosis) -> None:
        self._take(await asyncio.to_thread(diagnosis.asked))

    def _take(self, chosen: object) -> None:
        if self.diagnosis is not None and self.step is not None:
            self.evidence.append(chosen)
            before = ruled_out(self.diagnosis)
            self.diagnosis.choose(self.step, chosen)
            said = f" · {asked_text(self.diagnosis, before)}" if isinstance(chosen, Mapping) else ""
            self.query_one("#causes").border_title = f"{CAUSES}{said}"
            self._show()
            self._go_on()

    def action_undo(self) -> None:
        if self.evidence:
            self.evidence.pop()
            self._begin()

    def action_forget(self) -> None:
        """Begins with another text."""
        self.wizard.kept.pop(type(self), None)
        self.dismiss(None)
        self.wizard.push_screen(DiagnoseScreen())
