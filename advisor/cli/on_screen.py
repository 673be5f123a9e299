"""Whether a terminal can be drawn on, and in which colours."""

from __future__ import annotations

import os
import sys

from advisor.cli.common import CannotRun


def in_browser() -> bool:
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def check_terminal(what: str, instead: str) -> None:
    """Raises CannotRun without a terminal. `what` needs one; `instead` says what to use without.

    In a browser the wizard speaks to the server that started it."""
    if in_browser():
        return
    streams = {"input": sys.__stdin__, "output": sys.__stdout__, "error": sys.__stderr__}
    missing = [name for name, stream in streams.items() if stream is None or not stream.isatty()]
    if missing:
        raise CannotRun(
            f"{what} needs a terminal, and {', '.join(f'standard {name}' for name in missing)} "
            f"{'is' if len(missing) == 1 else 'are'} not one",
            instead,
        )
    if os.environ.get("TERM", "dumb") in ("dumb", ""):
        raise CannotRun("this terminal cannot move its cursor (TERM is dumb)", instead)
    if not has_colours():
        os.environ["NO_COLOR"] = "1"  # it would ignore them, and a row shown by colours alone could not be told apart


def has_colours() -> bool:
    """What the terminal's description says; one that is not described is taken to have them."""
    import curses

    try:
        curses.setupterm()
    except curses.error:
        return True
    return curses.tigetnum("colors") > 0


def usual_theme() -> str:
    """The terminal's own colours where it says that it has few, or where colours are not wanted."""
    term = os.environ.get("TERM", "")
    rich = os.environ.get("COLORTERM") in ("truecolor", "24bit") or "256color" in term or "kitty" in term
    return "dark" if rich and not os.environ.get("NO_COLOR") else "ansi"
