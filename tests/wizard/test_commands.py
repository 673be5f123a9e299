"""The list of commands: each is bound, shown and read where it is offered, and does something there."""

from __future__ import annotations

import pytest
from textual.binding import Binding

from advisor.wizard import commands
from advisor.wizard.app import StartScreen
from advisor.wizard.check import CheckScreen, EnvironmentsScreen, HostScreen
from advisor.wizard.commands import BARS, COMMANDS, PROMPTS, Command
from advisor.wizard.diagnose import DiagnoseScreen
from advisor.wizard.explanation import ExplanationScreen, FindScreen
from advisor.wizard.lists import ExportScreen, MountsScreen, ResultScreen, ReviewScreen, TextScreen
from advisor.wizard.live import MountList, MountPage
from advisor.wizard.prompts import PlainWizard
from advisor.wizard.question_screen import QuestionScreen
from advisor.wizard.screen import KeyedScreen, KeyPage, bindings
from tests.each import each

SCREENS: dict[str, type[KeyedScreen]] = {
    "question": QuestionScreen, "field": QuestionScreen, "settings": QuestionScreen,
    "page": ExplanationScreen,
    **{kind.PLACE: kind for kind in (
        ExplanationScreen, CheckScreen, HostScreen, EnvironmentsScreen, DiagnoseScreen,
        ExportScreen, TextScreen, FindScreen, MountsScreen, ReviewScreen, ResultScreen, MountList, MountPage, KeyPage,
        StartScreen,
    )},
}


def does_something(kind: type[KeyedScreen], action: str) -> bool:
    name = action.partition("(")[0]
    return name.startswith("app.") or hasattr(kind, f"action_{name}")


def test_every_place_with_keys_at_the_bottom_is_a_screen() -> None:
    assert set(BARS) == set(SCREENS)


@pytest.mark.parametrize("place", BARS)
def test_each_key_at_the_bottom_does_something_and_the_last_one_leaves(place: str) -> None:
    keys = commands.bar(place)
    assert all(key and label and does_something(SCREENS[place], action) for key, label, action in keys)
    assert keys[-1][1] in ("back", "quit")
    assert len({key for key, _, _ in keys}) == len(keys)


@each(lambda: sorted(set(SCREENS.values()), key=lambda kind: kind.__name__))
def test_each_bound_key_does_something(kind: type[KeyedScreen]) -> None:
    bound = [one for base in kind.__mro__ for one in vars(base).get("BINDINGS", ()) if issubclass(base, KeyedScreen)]
    assert bound
    assert all(isinstance(one, Binding) and does_something(kind, one.action) for one in bound)


def test_the_page_of_keys_names_every_command_that_has_a_key_and_a_description() -> None:
    lines = {says: keys for keys, says in commands.key_page(["question", "session", "everywhere"])}
    assert lines["Undo the last change"] == "u Ctrl+Z"
    assert lines["Also the questions that could only fine-tune, or not these"] == "m F6"
    assert lines["I don't know"] == "d", "D is left out"
    assert lines["Quit; asks if the answers are not saved"] == "q Ctrl+Q"


def test_every_command_of_the_prompts_can_be_run_and_no_two_have_one_word() -> None:
    for command in PROMPTS:
        assert command.change or callable(getattr(PlainWizard, f"do_{command.name}")), command.name
        assert command.help
        assert commands.usage(command).split()[0] == command.words.split()[0]
    words = [word for command in PROMPTS for word in command.words.split()]
    assert len(words) == len(set(words))


def test_a_command_of_a_place_comes_before_one_that_all_have() -> None:
    assert commands.command_at("quit", "question") == commands.command_at("quit", "review"), "one key, one meaning"
    assert commands.command_at("undo", "check").change is None
    assert commands.command_at("undo", "mounts").change is not None
    assert commands.command_at("leave", "live-mount").says == "Back to the list"
    assert commands.command_at("other", "settings") == commands.command_at("other", "question")


ELSEWHERE = {
    "a": {"answer", "accept", "fix"}, "f": {"fix", "force"}, "p": {"pin", "app.pause"}, "r": {"review", "report"},
    "s": {"side", "save", "next_sort"}, "w": {"explain", "why_not"}, "x": {"forget", "remove"},
}
"""Letters that mean something else on another screen, where the first meaning has nothing to work on."""


def test_a_letter_means_one_thing_on_a_screen_and_on_others_but_for_these() -> None:
    meanings: dict[str, dict[str, set[str]]] = {}
    for command in commands.COMMANDS:
        for key in filter(None, command.keys.split(",")):
            for place in command.on.split():
                on_screen = meanings.setdefault(key, {}).setdefault(commands.PLACES.get(place, place), set())
                on_screen.add(command.name.partition("(")[0])
    assert all(len(names) == 1 for screens in meanings.values() for names in screens.values()), "one thing on a screen"
    everywhere = {key: set().union(*screens.values()) for key, screens in meanings.items() if len(key) == 1}
    assert {key: names for key, names in everywhere.items() if len(names) > 1} == ELSEWHERE


@pytest.mark.parametrize(("place", "key"), [
    ("question", "e"), ("field", "F5"), ("settings", "e"), ("export", "F1"), ("review", "?"), ("mounts", "F1"),
])
def test_while_a_field_takes_letters_other_keys_are_shown(place: str, key: str) -> None:
    typing = place in ("field", "export", "mounts")
    assert key in [shown for shown, _, _ in commands.bar(place, typing=typing)]
    assert not any(len(shown) == 1 and shown.isalpha() for shown, _, _ in commands.bar("check", typing=True))


@each(lambda: [
    ("ctrl+z", "Ctrl+Z"), ("slash", "/"), ("f5", "F5"), ("f", "f"), ("U", "Shift+U"), ("alt+left", "Alt+←"), ("x", "x"),
])
def test_keys_have_names_that_people_know(key: str, name: str) -> None:
    assert commands.key_name(key) == name


def test_what_changes_the_session_alone_and_what_opens_a_screen_is_run_by_name() -> None:
    assert commands.action_of(Command("undo", "x", change=lambda _, session: session)) == "command('undo')"
    assert commands.action_of(Command("find", "x", screen="a:B")) == "command('find')"
    assert commands.action_of(Command("forget", "x")) == "forget"


def test_hidden_keys_are_bound_and_urgent_ones_come_first() -> None:
    bound = {one.key: one for one in bindings("question") if isinstance(one, Binding)}
    assert bound["D"].action == bound["d"].action == "unknown"
    assert [key for key, one in bound.items() if one.priority] == ["down"]


def test_every_screen_that_a_command_opens_is_there() -> None:
    opened = {command.screen for command in COMMANDS if command.screen}
    kinds = {f"{kind.__module__.rpartition('.')[2]}:{kind.__name__}" for kind in SCREENS.values()}
    assert opened <= kinds
