"""The list of answers to choose from. The key before a choice chooses it at once."""

from __future__ import annotations

from typing import Any, NamedTuple

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList

from advisor.render import wording
from advisor.rulebase.model import RuleBase
from advisor.session import Ending, OtherMount, choice_keys
from advisor.wizard.row_list import ListRow, RowList
from advisor.wizard.words import how_far, left_to_ask, setting_names

UNKNOWN_KEY = "d"


class Choice(NamedTuple):
    """`act`: what choosing it does, with `value`; "do" is an action of the screen. `note`: a word beside the label;
    `now`: it is the answer so far."""

    act: str
    label: str
    value: Any = None
    note: str = ""
    now: bool = False


def ways_on(
    base: RuleBase, left: Ending, rest: tuple[OtherMount, ...] = (), *, line: bool = False, side: str = ""
) -> list[Choice]:
    """What can be done where no question that matters is left: first the mounts that still wait for answers; what was
    not known, and each assumption, leads to its question. `line`: there is a whole line to copy; `side`: the
    other side, in words."""
    ways = [
        Choice("other", f"Continue with {one.target}", one.place, how_far(one)) for one in rest if one.matter != 0
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
        ways.append(Choice("fine", f"Continue: {left_to_ask(left)}"))
    return ways + [Choice("look", f"Assumed: {wording.taken(base, one)}", one.fact) for one in left.taken]


LETTERS = "bfhjknvz"
"""Keys of choices beyond the ninth: letters that do nothing else, also as capitals."""
MANY = 9
"""Choices above which there is less of all else, so that more of them are in sight."""


def keys_of(choices: list[Choice]) -> list[str]:
    """A key for each choice: its number, of a version its last figure, else a letter, and "" if none is left; d for
    "I don't know"."""
    names = choice_keys([one.value if one.act == "answer" else "" for one in choices])
    last = [name[-1:] for name in names]
    letters = iter(LETTERS)
    found: list[str] = []
    for one, name, figure in zip(choices, names, last):
        if one.act == "unknown":
            found.append(UNKNOWN_KEY)
        elif len(name) == 1:
            found.append(name)
        elif "." in name and figure.isdigit() and last.count(figure) == 1:
            found.append(figure)
        else:
            found.append(next(letters, ""))
    return found


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
        """Shows these; the answer so far is highlighted, else `at`, else none. Lines of fstab that are offered again
        stay as they are, with their marks; then False."""
        if choices and choices[0].act == "mount" and choices == [one._replace(now=False) for one in self.choices]:
            self.refresh()  # another line may be highlighted than was drawn
            return False
        self.choices = choices
        self.keys = keys_of(choices)
        self.draw(ListRow(("choice", key), self._label(key or " ", one)) for key, one in zip(self.keys, choices))
        with self.prevent(OptionList.OptionHighlighted):  # the cursor has not been moved
            self.highlighted = next((place for place, one in enumerate(choices) if one.now), at) if choices else None
        if self.highlighted is None and self.scroll_y:
            self.scroll_home(animate=False)
        return True

    def _label(self, number: str, one: Choice) -> Content:
        note = f"  {one.note}" if one.note else ""
        mark = ("✓ ", "$text-success") if one.now else ("  ", "")
        return Content.assemble((f"{number} ", "dim"), mark, one.label, (note, "dim"))

    def on_key(self, event: events.Key) -> None:
        """Arrows are taken here, as all keys are: a binding is looked up later than the key after it arrives."""
        key = event.key.lower() if len(event.key) == 1 else event.key
        if key in self.keys:
            event.stop()
            place = self.keys.index(key)
            if self.marked and self.choices[place].act == "mount":
                self.highlighted = place
                self._mark()
                return
            # Not drawn: what the choice leads to is, at once, and two drawings make the key wait.
            self.set_reactive(OptionList.highlighted, place)
            self.action_select()
        elif event.key == "space" and self._mark():
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
        """Where a choice stands, if it is one of these."""
        return next((place for place, one in enumerate(self.choices) if (one.act, one.value) == (act, value)), None)

    def _mark(self) -> bool:
        """Marks the line that is highlighted, or no more; False if it is none."""
        place, one = self.highlighted, self.choice
        if place is None or one is None or one.act != "mount":
            return False
        self.choices[place] = one._replace(now=not one.now)
        self.replace_option_prompt_at_index(place, self._label(self.keys[place], self.choices[place]))
        return True

    @property
    def marked(self) -> list[Any]:
        """The lines of fstab that are marked."""
        return [one.value for one in self.choices if one.act == "mount" and one.now]

    @property
    def choice(self) -> Choice | None:
        """The choice that is highlighted."""
        return self.choices[self.highlighted] if self.highlighted is not None and self.choices else None
