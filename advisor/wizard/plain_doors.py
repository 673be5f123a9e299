"""What the numbered prompts offer besides a configuration: checking what is there, causes of trouble, comparing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from advisor import session as state
from advisor.wizard import plain_texts, words

if TYPE_CHECKING:
    from advisor.wizard.plain import Plain


WATCHED = "10s"
"""How long the mounts are watched unless somebody says."""


def doors(plain: Plain) -> dict[str, Callable[[str], None]]:
    """Command → what it does with the text after it."""
    known = {"check": _check, "host": _host, "wrong": _wrong, "watch": _watch, "compare": _compare}
    return {name: partial(door, plain) for name, door in known.items()}


def _check(plain: Plain, rest: str) -> None:
    from advisor.wizard.plain_checking import check  # noqa: PLC0415  behind a door

    written = rest or plain.talk.ask("Which file, or which line of fstab?")
    if written:
        check(plain.talk, plain.base, written, state.preview(plain.base, plain.session).answers.facts)


def _host(plain: Plain, _: str) -> None:
    from advisor.wizard.plain_checking import check_host  # noqa: PLC0415

    check_host(plain.talk, plain.base, plain.look, words.of_host(plain.base, plain.session))


def _wrong(plain: Plain, rest: str) -> None:
    from advisor.wizard.plain_diagnosing import diagnose  # noqa: PLC0415

    diagnose(plain.talk, plain.base, rest)


def _watch(plain: Plain, rest: str) -> None:
    if plain.observe is None:
        plain.talk.say("advisor observe tells what the mounts of a host do.")
        return
    from advisor.document.layout import terminal  # noqa: PLC0415
    from advisor.document.style import Style  # noqa: PLC0415

    span = rest or WATCHED
    plain.talk.say(f"Watching the mounts for {span} …")
    try:
        found = plain.observe(span)
    except ValueError as error:
        plain.talk.say(str(error))
        return
    for line in terminal(found, plain.talk.columns, Style(False)).splitlines():
        plain.talk.line(line)


def _compare(plain: Plain, rest: str) -> None:
    from advisor.wizard import other_session  # noqa: PLC0415

    name = rest or plain.talk.ask("Which answers file, or which session?")
    try:
        other = other_session.answers_of(plain.base, plain.path, name)
    except ValueError as error:
        plain.talk.say(str(error))
        return
    plain_texts.compared(plain.talk, plain.base, *other_session.compared(plain.base, plain.session, other))
