"""The commands of the numbered prompts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from advisor.advice.answers import NAMES
from advisor.pages.phrases import counted
from advisor.pages.why import refusal
from advisor.wizard import mounts, pins, plain_session, plain_texts, questions, saved_sessions, state, words
from advisor.wizard.files import FOLDER
from advisor.wizard.state import Refused

if TYPE_CHECKING:
    from advisor.wizard.plain import PlainWizard

WATCH_TIME = "10s"
"""How long the mounts are watched unless a time is given."""


class PlainCommand(NamedTuple):
    """`usage`: the name and its argument, as `?` lists them. `run`: is called with the argument, "" for none.
    `aliases`: other names. `takes_text`: it has an argument; else further words make the input an answer. `asks_again`:
    the question is printed again afterwards, because the output hides it."""

    usage: str
    help: str
    run: Callable[[PlainWizard, str], object]
    aliases: tuple[str, ...] = ()
    takes_text: bool = False
    asks_again: bool = False

    @property
    def name(self) -> str:
        return self.usage.partition(" ")[0]


def numbers_in(text: str) -> list[int]:
    """The numbers of a list such as "1,3"; [] for any other text."""
    parts = [part.strip() for part in text.split(",")]
    return [int(part[:6]) for part in parts] if all(part.isascii() and part.isdigit() for part in parts) else []


def _dont_know(wizard: PlainWizard, _: str) -> None:
    fact = wizard.fact
    if fact is None:
        wizard.talk.say("No question is open.")
    else:
        wizard.change(
            lambda: state.dont_know(wizard.base, wizard.session, fact), same="That was your answer already."
        )


def _go_to_fact(wizard: PlainWizard, fact: str) -> None:
    if fact in wizard.base.facts and wizard.base.facts[fact].ask:
        wizard.go(state.go(wizard.session, fact))
    else:
        wizard.talk.say(f"Unknown question {fact!r}." if fact else "Write a and a fact: a mount.sec")


def _more(wizard: PlainWizard, _: str) -> None:
    wizard.go(wizard.session._replace(fine=not wizard.session.fine, at=None))


def _other_side(wizard: PlainWizard, _: str) -> None:
    if mounts.other_role(wizard.base, wizard.session) is None:
        wizard.talk.say(words.NO_OTHER_SIDE)
    else:
        wizard.change(lambda: mounts.go_to_other_side(wizard.base, wizard.session))


def _mounts(wizard: PlainWizard, text: str) -> None:
    """Lists the mounts, goes to one, removes one, or adds one."""
    base, session = wizard.base, wizard.session
    numbers = numbers_in(text.removeprefix("-"))
    if not text:
        plain_texts.show_mounts(wizard.talk, base, session)
    elif not numbers:
        wizard.change(lambda: state.go(mounts.add_text(base, session, text), session.at))
        if wizard.session != session:
            wizard.talk.say(mounts.known_names(wizard.session))
    elif len(numbers) > 1 or not 0 < numbers[0] <= len(session.mounts):
        wizard.talk.say(f"Mount {text.removeprefix('-')} is not in the list; l shows it.")
    elif text.startswith("-"):
        wizard.change(lambda: mounts.remove(base, session, numbers[0] - 1))
        wizard.talk.say(f"{counted(len(wizard.session.mounts), 'mount')} left.")
    else:
        wizard.set_session(mounts.go_to_mount(base, state.go(session, None), numbers[0] - 1))


def _show_open(wizard: PlainWizard, _: str) -> None:
    plain_texts.show_open(wizard.talk, wizard.base, mounts.mount_advice(wizard.base, wizard.session))


def _why(wizard: PlainWizard, text: str) -> None:
    """Explains a setting."""
    name, problem = wizard.find_setting(text) if text else (None, "Write w and a setting: w nconnect")
    if name is None:
        wizard.talk.say(problem)
        return
    from advisor.pages.why import setting_pages  # noqa: PLC0415  not needed for the first question

    advice = mounts.advice_on(wizard.base, wizard.session, name)
    wizard.talk.say()
    if not wizard.talk.page(setting_pages(wizard.base, advice, name)):
        wizard.talk.line(f"{name}: the rules say nothing about it for these answers.")
    mine = [recommendation for recommendation in advice.advised if recommendation.tunable == name]
    assumed = [taken.fact for recommendation in mine for taken in (*recommendation.rests_on, *recommendation.presumes)]
    if assumed:
        wizard.talk.say(f"To answer what it assumes: {', '.join(f'a {fact}' for fact in assumed)}")


def _pin(wizard: PlainWizard, text: str) -> None:
    """Pins or unpins a setting: "vers=4.1", "vers="."""
    setting, equals, value = (part.strip() for part in text.partition("="))
    usage = "Write p and a setting: p vers=4.1"
    name, problem = wizard.find_setting(setting) if setting and equals else (None, usage)
    if name is None:
        wizard.talk.say(problem)
    elif value and _may_pin(wizard, name, value):
        wizard.change(
            lambda: state.pin(wizard.base, wizard.session, name, value), same="It is pinned.", new=(name, value)
        )
    elif value:
        wizard.talk.say("It is not pinned.")
    else:
        wizard.change(lambda: state.unpin(wizard.base, wizard.session, name), same="It is no longer pinned.")


def _may_pin(wizard: PlainWizard, name: str, value: str) -> bool:
    """Asks for confirmation before a value is pinned that breaks a rule. A value that cannot be pinned at all is
    refused later."""
    try:
        problem = pins.refusal_of(wizard.base, wizard.session, name, value)
    except Refused:
        return True
    if problem is None:
        return True
    wizard.talk.say(refusal(problem))
    return wizard.talk.choose([pins.KEEP, pins.PIN]) == 1


def _name(wizard: PlainWizard, text: str) -> None:
    which, equals, name = (part.strip() for part in text.partition("="))
    if not equals or which not in NAMES:
        wizard.talk.say(f"Write name WHAT=TEXT; WHAT is {', '.join(NAMES)}.")
        return
    try:
        wizard.set_session(state.name(wizard.base, wizard.session, which, name))
    except Refused as refused:
        wizard.talk.say(f"Refused: {refused}")
        return
    wizard.talk.say(f"{which} is {wizard.session.answers.name(which)} in the files.")


def _export(wizard: PlainWizard, text: str) -> None:
    usual = wizard.session.folder or FOLDER
    folder = text or wizard.talk.ask(f"Into which folder? An empty line means {usual}:") or usual
    if plain_session.export(wizard.talk, wizard.base, wizard.session, folder):
        wizard.set_session(wizard.session._replace(folder=folder))


def _check(wizard: PlainWizard, text: str) -> None:
    from advisor.wizard.plain_check import check  # noqa: PLC0415  not needed for the first question

    written = text or wizard.talk.ask("Which file, or which line of fstab?")
    if written:
        check(wizard.talk, wizard.base, written, questions.preview(wizard.base, wizard.session).answers.facts)


def _check_host(wizard: PlainWizard, _: str) -> None:
    from advisor.wizard.plain_check import check_host  # noqa: PLC0415

    check_host(wizard.talk, wizard.base, wizard.check_host, words.host_facts(wizard.base, wizard.session))


def _diagnose(wizard: PlainWizard, text: str) -> None:
    from advisor.wizard.plain_diagnose import diagnose  # noqa: PLC0415

    diagnose(wizard.talk, wizard.base, text)


def _watch(wizard: PlainWizard, text: str) -> None:
    if wizard.observe is None:
        wizard.talk.say("advisor observe shows what the mounts of a host do.")
        return
    span = text or WATCH_TIME
    wizard.talk.say(f"Watching the mounts for {span} …")
    try:
        wizard.talk.page(wizard.observe(span))
    except ValueError as error:
        wizard.talk.say(str(error))


def _compare(wizard: PlainWizard, text: str) -> None:
    name = text or wizard.talk.ask("Which answers file, or which session?")
    try:
        other = saved_sessions.find_answers(wizard.base, wizard.path, name)
    except ValueError as error:
        wizard.talk.say(str(error))
        return
    answers, settings = saved_sessions.compare_answers(wizard.base, wizard.session, other)
    plain_texts.show_comparison(wizard.talk, wizard.base, answers, settings)


def _help(wizard: PlainWizard, _: str) -> None:
    wizard.talk.say("Write the number of a choice, its name, or the value that is asked for. Or a command:")
    for command in COMMANDS:
        wizard.talk.say(command.help, f"  {command.usage:<15}")


COMMANDS = (
    PlainCommand("d", "I don't know", _dont_know, ("dont-know", "unknown")),
    PlainCommand("b", "back to the answer before", lambda wizard, _: wizard.go(state.back(wizard.session)), ("back",)),
    PlainCommand("f", "forward again", lambda wizard, _: wizard.go(state.forward(wizard.session)), ("forward",)),
    PlainCommand(
        "u", "undo the last change",
        lambda wizard, _: wizard.change(lambda: state.undo(wizard.session), same="There is nothing to undo."),
        ("undo",),
    ),
    PlainCommand(
        "r", "redo what was undone",
        lambda wizard, _: wizard.change(lambda: state.redo(wizard.session), same="There is nothing to redo."),
        ("redo",),
    ),
    PlainCommand("s", "the settled settings, and the mount line", lambda wizard, _: wizard.show_settled(), ("show",)),
    PlainCommand("o", "the open settings, and what settles them", _show_open, ("waiting",)),
    PlainCommand("w NAME", "why a setting has its value: w nconnect", _why, ("why",), takes_text=True),
    PlainCommand(
        "p NAME=VALUE", "pin a setting to a value; p NAME= unpins it", _pin, ("pin",), takes_text=True
    ),
    PlainCommand(
        "name WHAT=TEXT", "a name for the files: server, export, target or clients", _name, takes_text=True
    ),
    PlainCommand(
        "a FACT", "answer a fact at once, also one that is assumed: a mount.sec", _go_to_fact, ("answer",),
        takes_text=True,
    ),
    PlainCommand(
        "l", "the mounts; l 2 goes to the second, l -2 removes it, l nas1:/data /mnt/data adds one more", _mounts,
        ("mounts",), takes_text=True,
    ),
    PlainCommand("side", "the other side: the server of these clients, or the clients of this server", _other_side),
    PlainCommand("m", "also the questions that could only fine-tune, or not these", _more, ("more",)),
    PlainCommand("h", "the question again", lambda wizard, _: wizard.ask_again(), ("question",)),
    PlainCommand(
        "x FOLDER", "write the files to install, a report and the answers into a folder", _export, ("export",),
        takes_text=True,
    ),
    PlainCommand(
        "check WHAT", "check a file or a line of fstab: each finding explained, fixed or accepted", _check,
        takes_text=True, asks_again=True,
    ),
    PlainCommand(
        "host", "check this host: its files, and what is in effect", _check_host, takes_text=True, asks_again=True
    ),
    PlainCommand(
        "wrong WHAT", "something is wrong: a message, or a file that contains it, and what causes it", _diagnose,
        ("diagnose",), takes_text=True, asks_again=True,
    ),
    PlainCommand(
        "watch TIME", "what the mounts of this host do, and what limits them: watch 30s", _watch, takes_text=True,
        asks_again=True,
    ),
    PlainCommand(
        "compare WHAT", "an answers file or another session beside this one", _compare, takes_text=True,
        asks_again=True,
    ),
    PlainCommand("q", "quit", lambda wizard, _: wizard.quit(), ("quit", "exit")),
    PlainCommand("?", "these commands", _help, ("help",)),
)
BY_NAME = {name: command for command in COMMANDS for name in (command.name, *command.aliases)}
