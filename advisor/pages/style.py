"""Colours and hyperlinks of a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

_COLOUR = {"error": "1;31", "warning": "1;33", "note": "1;36", "bold": "1", "dim": "2", "good": "32"}


class Style:
    """Terminal output with ANSI colours if `colour`, and OSC 8 hyperlinks if also `links`."""

    __slots__ = ("colour", "links")

    def __init__(self, colour: bool, links: bool = False) -> None:
        self.colour = colour
        self.links = colour and links

    def __call__(self, kind: str, text: str) -> str:
        """`text` as `kind`: a severity, "bold", "dim" or "good"."""
        return f"\x1b[{_COLOUR[kind]}m{text}\x1b[0m" if self.colour else text

    def painter(self, kind: str) -> Callable[[str], str] | None:
        """A function that colours text as `kind`; None without colours."""
        return partial(self, kind) if self.colour else None

    def link(self, text: str, address: str | None) -> str:
        """`text` as a link, if the terminal has links and the address is plain http(s)."""
        if not self.links or not address or not is_address(address):
            return text
        return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"


def is_address(text: str) -> bool:
    """True for an http(s) address in plain ASCII, without spaces, quotes or brackets that could end it early."""
    return (
        text.startswith(("https://", "http://")) and text.isascii() and text.isprintable()
        and not any(char in text for char in " \"'<>`()[]{}|\\^")
    )


_PROGRAMS = {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio"}
_TERMS = ("xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm", "contour")


def has_links(environ: Mapping[str, str]) -> bool:
    """Whether the terminal is known to have OSC 8 hyperlinks. Inside tmux or screen, the variables of the outer
    terminal mean nothing; FORCE_HYPERLINK turns links on (0: off)."""
    forced = environ.get("FORCE_HYPERLINK")
    if forced:
        return forced != "0"
    term = environ.get("TERM", "")
    inside = environ.get("TMUX") or environ.get("STY") or term.startswith(("tmux", "screen"))
    if inside or term in ("", "dumb", "linux"):
        return False
    vte = environ.get("VTE_VERSION", "")
    return (
        environ.get("TERM_PROGRAM") in _PROGRAMS or term.startswith(_TERMS)
        or (vte.isascii() and vte.isdigit() and int(vte[:9]) >= 5000)
        or any(name in environ for name in ("KONSOLE_VERSION", "WT_SESSION", "KITTY_WINDOW_ID", "DOMTERM"))
    )
