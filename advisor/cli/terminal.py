"""What commands share with people: refusing to run, remarks, the terminal with its width and colours, and printing
documents."""

from __future__ import annotations

import os
import sys
import time

from advisor import __version__
from advisor.pages.style import Style, has_links, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from advisor.pages.blocks import Block

THIS_PROGRAM = "import sys; sys.path[:] = filter(None, sys.path); from advisor.cli import main; sys.exit(main())"
"""`python -P -m advisor`, which Python 3.11 has: without the folder in which it is started."""
DOCUMENT_FORMATS = ("text", "markdown", "html", "svg")
"""The formats of `render_document`."""


class CannotRun(Exception):
    """The command cannot do its work; `lines` say what is wrong and what to do. Exit code 2."""

    def __init__(self, *lines: str) -> None:
        super().__init__(*lines)
        self.lines = lines


class refuse_on:  # noqa: N801  it reads as a statement
    """In its body these errors, whose messages are for people, become CannotRun. `before`: begins the message."""

    def __init__(self, *kinds: type[Exception], before: str = "") -> None:
        self.kinds, self.before = kinds, before

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, self.kinds):
            raise CannotRun(f"{self.before}{error}") from None


def not_installed(what: str, extra: str, *instead: str) -> CannotRun:
    """What to raise for `what`, a sentence on a missing package that an extra of advisor brings. The program is on no
    package index, so only a checkout is named."""
    return CannotRun(what, "; ".join([f"pip install '.[{extra}]' in a checkout of advisor installs it", *instead]))


def save_file(path: str, content: bytes) -> None:
    """Write a file, whole or not at all. CannotRun if it cannot be written."""
    from advisor.user_files import WriteError, save

    with refuse_on(WriteError):
        save(path, content)


def warn(line: str) -> None:
    """Print a remark to standard error: standard output is for results."""
    print(f"advisor: {visible(line)}", file=sys.stderr)


class ProgressLine:
    """A line of standard error, if that is a terminal, that shows how far long work is, and is empty after it."""

    EVERY = 0.1
    """Seconds between two updates."""

    def __init__(self, title: str) -> None:
        self._title, self._work, self._next = title, "", 0.0

    def __enter__(self) -> ProgressLine:
        return self

    def show(self, what: str, done: int, of: int) -> None:
        """`of`: how many there are, or 0 for what cannot be counted."""
        now = time.monotonic()
        if (what == self._work and now < self._next) or not sys.stderr.isatty():
            return
        if not self._work:
            warn(self._title)
        self._work, self._next = what, now + self.EVERY
        overwrite_line(f"  {done} of {of} {what}" if of else f"  {what}")

    def __exit__(self, *_: object) -> None:
        if self._work:
            overwrite_line("")


def overwrite_line(text: str) -> None:
    """Writes over the last line of standard error, with spaces: a terminal may know no escape codes."""
    width = columns() - 1
    print(f"\r{text[:width]:{width}}", end="" if text else "\r", file=sys.stderr, flush=True)


def columns(default: int = 100) -> int:
    """Width to wrap at: COLUMNS, or the terminal's, or the default if there is none; 20 at least, 140 at most."""
    try:
        width = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        width = 0
    if width <= 0:
        try:
            width = os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else 0
        except (OSError, ValueError):  # no terminal, or closed
            width = 0
    return max(min(width or default, 140), 20)


def duration(seconds: float) -> str:
    """A length of time in words: "40 s", "12 min", "3 h 5 min"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def add_color_option(top: argparse.ArgumentParser) -> None:
    top.add_argument("--color", choices=("auto", "always", "never"), default="auto",
                     help="auto, the default: on a terminal, unless NO_COLOR or FORCE_COLOR says otherwise")


def wants_colour(choice: str) -> bool:
    """--color auto: never with NO_COLOR (no-color.org), else always with FORCE_COLOR (force-color.org), else on a
    terminal that is not TERM=dumb. As in Python's own tools, NO_COLOR wins if both are set."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (os.environ.get("TERM") != "dumb" and sys.stdout.isatty())


def print_json(data: object) -> None:
    from advisor.pages.phrases import json_text

    sys.stdout.write(json_text(data))


def print_document(args: argparse.Namespace, blocks: Iterable[Block]) -> None:
    """Print a document for people, as wide as the terminal; with links where the terminal knows them."""
    from advisor.pages.layout import terminal

    sys.stdout.write(terminal(blocks, columns(), Style(wants_colour(args.color), has_links(os.environ))))


def render_document(form: str, blocks: list[Block], title: str, color: str) -> str:
    """A document's text in one of DOCUMENT_FORMATS. `title`: of a page or picture; `color`: what --color says."""
    if form == "text":
        from advisor.pages.layout import terminal

        return terminal(blocks, columns(), Style(wants_colour(color)))
    from advisor.pages.markup import html_page, markdown, svg

    if form == "markdown":
        return markdown(blocks)
    return (html_page if form == "html" else svg)(blocks, title, f"advisor {__version__}")


def in_browser() -> bool:
    """Whether textual-serve runs this process for a browser."""
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def check_terminal(what: str, instead: str) -> None:
    """CannotRun if nothing can be drawn on the terminal. `what` needs one; `instead`: what works without.

    In a browser the wizard speaks to the server that started it."""
    if in_browser():
        return
    streams = {"input": sys.__stdin__, "output": sys.__stdout__, "error": sys.__stderr__}
    missing = [name for name, stream in streams.items() if stream is None or not stream.isatty()]
    if missing:
        raise CannotRun(
            f"{what} needs a terminal, and standard {' and '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} not one",
            instead,
        )
    if os.environ.get("TERM", "dumb") in ("dumb", ""):
        raise CannotRun("this terminal cannot move its cursor (TERM is dumb)", instead)
    if not has_colours():
        os.environ["NO_COLOR"] = "1"  # rows that differ by colour alone would look the same


def has_colours() -> bool:
    """Whether terminfo lists colours for this terminal. One that terminfo does not know counts as having them."""
    import curses

    try:
        curses.setupterm()
    except curses.error:
        return True
    return curses.tigetnum("colors") > 0


def usual_theme() -> str:
    """The name of the default theme: "ansi", the terminal's own colours, if it has few or NO_COLOR is set."""
    term = os.environ.get("TERM", "")
    rich = os.environ.get("COLORTERM") in ("truecolor", "24bit") or "256color" in term or "kitty" in term
    return "dark" if rich and not os.environ.get("NO_COLOR") else "ansi"
