"""The list of answers. Each has a key, which chooses it at once."""

from __future__ import annotations

from typing import Any, NamedTuple

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList

from advisor.pages import wording
from advisor.rulebase.model import RuleBase
from advisor.wizard.mounts import OtherMount
from advisor.wizard.questions import Ending
from advisor.wizard.row_list import ListRow, RowList
from advisor.wizard.typed_answer import choice_keys
from advisor.wizard.words import mount_progress, remaining_text, setting_names

UNKNOWN_KEY = "d"


class Choice(NamedTuple):
    """`act`: what choosing it does with `value`; for "do", `value` is an action of the screen. `note`: text after the
    label. `selected`: it is the current answer, or a marked line of fstab."""

    act: str
    label: str
    value: Any = None
    note: str = ""
    selected: bool = False


def ending_choices(
    base: RuleBase, left: Ending, rest: tuple[OtherMount, ...] = (), *, line: bool = False, side: str = ""
) -> list[Choice]:
    """The choices when no question that matters is left: first mounts with open questions, then the tasks, then the
    questions that were answered with "I don't know" or by an assumption. `line`: the mount line is complete and can be
    copied; `side`: name of the other side, "" for none."""
    ways = [
        Choice("other", f"Continue with {mount.target}", mount.place, mount_progress(mount))
        for mount in rest if mount.matter != 0
    ]
    if side:
        ways.append(Choice("do", f"Continue with {side}", "side"))
    if line:
        ways += [Choice("do", "Copy the mount line", "copy"), Choice("do", "Copy the mount command", "commands")]
    ways += [
        Choice("do", "Export the configuration", "export", note="files to install, the answers, a report"),
        Choice("do", "Review all answers and settings", "review"),
        Choice("do", "Compare with an fstab", "compare"),
    ]
    ways += [
        Choice("look", f"Not known: {wording.question(base, fact)}", fact, setting_names(base, names))
        for fact, names in left.hanging.items()
    ]
    if left.matter or left.more:
        ways.append(Choice("fine", f"Continue: {remaining_text(left)}"))
    return ways + [
        Choice("look", f"Assumed: {wording.assumed_answer(base, supposition)}", supposition.fact)
        for supposition in left.taken
    ]


LETTERS = "bfhjknvz"
"""Keys of choices beyond the ninth: letters that have no other function, in upper case either."""
MANY_CHOICES = 9
"""With more choices than this, help and settings get less room."""


def keys_of(choices: list[Choice]) -> list[str]:
    """A key for each choice: its number; the last digit of a version; else a letter, or "" if none is left; "d" for "I
    don't know"."""
    names = choice_keys([choice.value if choice.act == "answer" else "" for choice in choices])
    last = [name[-1:] for name in names]
    letters = iter(LETTERS)
    keys: list[str] = []
    for choice, name, figure in zip(choices, names, last):
        if choice.act == "unknown":
            keys.append(UNKNOWN_KEY)
        elif len(name) == 1:
            keys.append(name)
        elif "." in name and figure.isdigit() and last.count(figure) == 1:
            keys.append(figure)
        else:
            keys.append(next(letters, ""))
    return keys


class Choices(RowList):
    """Choices with their keys."""

    DEFAULT_CSS = "Choices { height: 1fr; min-height: 4; }"

    class Unchosen(Message):
        """Enter, while no choice is highlighted."""

    def __init__(self) -> None:
        super().__init__()
        self.choices: list[Choice] = []
        self.keys: list[str] = []

    def offer(self, choices: list[Choice], at: int | None = 0) -> bool:
        """Shows the choices, with the current answer highlighted, else number `at`. Returns False, and changes
        nothing, if they are the lines of fstab that are already shown: these keep their marks."""
        shown = [choice._replace(selected=False) for choice in self.choices]
        if choices and choices[0].act == "mount" and choices == shown:
            self.refresh()  # the highlighted line may have changed since it was drawn
            return False
        self.choices = choices
        self.keys = keys_of(choices)
        self.draw(ListRow(("choice", key), self._label(key or " ", choice)) for key, choice in zip(self.keys, choices))
        with self.prevent(OptionList.OptionHighlighted):  # the cursor has not been moved
            selected = next((place for place, choice in enumerate(choices) if choice.selected), at)
            self.highlighted = selected if choices else None
        if self.highlighted is None and self.scroll_y:
            self.scroll_home(animate=False)
        return True

    def _label(self, number: str, choice: Choice) -> Content:
        note = f"  {choice.note}" if choice.note else ""
        mark = ("✓ ", "$text-success") if choice.selected else ("  ", "")
        return Content.assemble((f"{number} ", "dim"), mark, choice.label, (note, "dim"))

    def on_key(self, event: events.Key) -> None:
        """Handles arrows too: as bindings they would run after the next key has arrived."""
        key = event.key.lower() if len(event.key) == 1 else event.key
        if key in self.keys:
            event.stop()
            place = self.keys.index(key)
            if self.marked and self.choices[place].act == "mount":
                self.highlighted = place
                self._toggle_mark()
                return
            # The highlight is not drawn: the next question is drawn at once, and drawing twice would delay the key.
            self.set_reactive(OptionList.highlighted, place)
            self.action_select()
        elif event.key == "space" and self._toggle_mark():
            event.stop()
        elif event.key in ("down", "up"):
            event.stop()
            self.action_cursor_down() if event.key == "down" else self.action_cursor_up()

    def on_resize(self) -> None:
        self.scroll_to_highlight()

    def action_select(self) -> None:
        if self.highlighted is None and self.choices:
            self.post_message(self.Unchosen())
        else:
            super().action_select()

    def place_of(self, act: str, value: object) -> int | None:
        """The index of a choice; None if it is not in the list."""
        return next((
            place for place, choice in enumerate(self.choices) if (choice.act, choice.value) == (act, value)
        ), None)

    def _toggle_mark(self) -> bool:
        """Marks or unmarks the highlighted line of fstab; False if the highlighted choice is something else."""
        place, choice = self.highlighted, self.choice
        if place is None or choice is None or choice.act != "mount":
            return False
        self.choices[place] = choice._replace(selected=not choice.selected)
        self.replace_option_prompt_at_index(place, self._label(self.keys[place], self.choices[place]))
        return True

    @property
    def marked(self) -> list[Any]:
        """The lines of fstab that are marked."""
        return [choice.value for choice in self.choices if choice.act == "mount" and choice.selected]

    @property
    def choice(self) -> Choice | None:
        """The highlighted choice."""
        return self.choices[self.highlighted] if self.highlighted is not None and self.choices else None
