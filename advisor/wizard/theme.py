"""The colours of the screens, named by what they mean, and the frames. Widgets name a token, never a colour; nothing is
told by colour alone: a strength has its stroke and its word, a state its sign.

All text has a contrast of 5:1 or more on `paper`, `raise` and `flash`."""

from __future__ import annotations

import os
from collections.abc import Mapping

from textual.app import App
from textual.driver import Driver
from textual.theme import BUILTIN_THEMES, Theme

_TOKENS = (
    "paper", "raise", "flash", "rule", "ink", "quiet", "action", "must", "should", "may", "ready", "open", "broken",
)
_COLOURS = {
    "dark": "#0f141a #1c2733 #173a4a #3a4757 #e6ebf1 #9dabba #62b5ff #d3aaff #69d2c4 #b4c0cd #86d67b #f2bd5c #ff8088",
    "light": "#fcfcfd #e3edfa #d3eee9 #b4bfcc #18202a #515d6b #0859b5 #7429b8 #00645a #4d5c6d #19662a #7f4c00 #b1152a",
    "ansi": "ansi_default ansi_default ansi_default ansi_bright_black ansi_default ansi_default ansi_blue ansi_magenta "
            "ansi_cyan ansi_default ansi_green ansi_yellow ansi_red",
}
THEMES = ("dark", "light", "ansi", "ansi-light")
FEW_COLOURS = ("linux", "ansi", "vt100", "vt220", "xterm-16color", "screen-16color")
"""Terminals that have 16 colours or none."""


def tokens(theme: str) -> dict[str, str]:
    """Token → colour."""
    return dict(zip(_TOKENS, _COLOURS[theme.partition('-')[0]].split()))


def _theme(name: str) -> Theme:
    ours, ansi = tokens(name), name.startswith("ansi")
    base = BUILTIN_THEMES["ansi-light" if name == "ansi-light" else "ansi-dark"].variables if ansi else {}
    return Theme(
        name, primary=ours["action"], accent=ours["action"], foreground=ours["ink"], background=ours["paper"],
        surface=ours["paper"], panel=ours["raise"], warning=ours["open"], error=ours["broken"], success=ours["ready"],
        dark="light" not in name, ansi=ansi, variables={**base, **ours},
    )


STRENGTH = {"must": "bold $must", "should": "$should", "may": "$may", "open": "italic $open", "broken": "bold $broken"}
STROKE = {"must": "━", "should": "─", "may": "╌", "open": "·", "broken": "^", "assumed": "≈"}
LEGEND = "━ must  ─ should  ╌ may  ≈ assumed  · open  ^ fails"
SIGN = {"closed": ("✓", "$ready"), "assumed": ("≈", "$ready"), "open": ("○", "$open"), "broken": ("✗", "bold $broken")}
"""State of a risk → its sign and style."""
CELL = {"closed": "■", "assumed": "▣", "open": "□", "broken": "✗"}


class _Ascii(dict[int, str]):
    def __missing__(self, code: int) -> str:
        return chr(code) if code < 128 else "?"


_STANDS_FOR = {
    "=": "━▆", "-": "─−–—▄", "~": "≈", ":": "╌▅░", ".": "·□▃", "*": "●▒", "o": "○", "#": "■█", "+": "▣╭╮╰╯┏┓┗┛┌┐└┘├┤┬▇",
    "|": "│┃▏▎▍▌▋▊▉", "v": "✓↓▾", "x": "✗", ">": "→›…", "<": "←", "^": "↑", "%": "▓", "&": "▚", "_": "▁▂␣",
}
ASCII = _Ascii({ord(sign): plain for plain, signs in _STANDS_FOR.items() for sign in signs})
"""Sign → the one that stands for it in a terminal without UTF-8; "?" for every other one."""


def is_ascii(variables: Mapping[str, str]) -> bool:
    """Whether the locale says that the terminal has no UTF-8. Python sets LC_CTYPE to C.UTF-8 if it is C. Without
    any of these variables, as in a container, nothing is said."""
    said = [variables.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG")]
    if said[1] == "C.UTF-8":
        said[1] = ""
    locale = next(filter(None, said), "UTF-8").upper()
    return "UTF-8" not in locale and "UTF8" not in locale


class ThemedApp(App[int]):
    """An application in these colours. Under NO_COLOR, and with a terminal of 16 colours or none, it uses those of the
    terminal: Textual decides in its constructor whether NO_COLOR takes the colours away or turns them to greys. In a
    terminal without UTF-8, ASCII stands for all other signs."""

    CSS = """
    Screen { background: $paper; color: $ink; }
    ModalScreen { background: $paper 50%; }
    Jump { background: transparent; }
    .pane {
        background: $paper; border: round $rule; padding: 0 1; border-title-color: $quiet;
        border-subtitle-color: $quiet;
    }
    .pane:focus, .pane:focus-within, .pane.-lit {
        border: round $action; border-title-color: $action; border-title-style: bold;
    }
    .pane:focus:nocolor, .pane:focus-within:nocolor, .pane.-lit:nocolor { border: heavy $action; }
    Screen.-tiny .pane, Screen.-low .pane, Screen.-short Hero.-many.pane { border: none !important; padding: 0 1; }
    Toast { background: $raise; color: $ink; width: auto; max-width: 100%; padding: 0 1; margin-top: 0; }
    Screen.-wide Toast, Screen.-broad Toast { max-width: 38%; }
    Toast.-warning, Toast.-error { color: $open; }
    Input, Input:focus { background: $raise; color: $ink; }
    """

    def __init__(self, theme: str) -> None:
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        for name in THEMES:
            self.register_theme(_theme(name))
        few = "NO_COLOR" in os.environ or os.environ.get("TERM") in FEW_COLOURS
        self.theme = "ansi" if few and not theme.startswith("ansi") else theme

    def get_driver_class(self) -> type[Driver]:
        kind = super().get_driver_class()
        if not is_ascii(os.environ):
            return kind

        class AsciiDriver(kind):  # type: ignore[misc, valid-type]
            def write(self, data: str) -> None:
                super().write(data.translate(ASCII))

        return AsciiDriver

    def action_next_theme(self) -> None:
        self.theme = THEMES[(THEMES.index(self.theme) + 1) % len(THEMES)] if self.theme in THEMES else THEMES[0]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return tokens("dark")
