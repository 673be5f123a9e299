"""Text on a terminal: what a terminal might obey is escaped; columns, colours, hyperlinks, and lines wrapped fast
enough for thousands of findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial


def visible(text: str) -> str:
    """The text with every character escaped that a terminal might obey or that is invisible.

    Control characters, characters that reorder or hide text, unusual spaces, and bytes that were not UTF-8 (lone
    surrogates) become "\\x1b", "\\u202e", "\\U000e0041". The result is printable."""
    if text.isprintable():
        return text
    return "".join([char if char.isprintable() else _escape(ord(char)) for char in text])


def _escape(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def width(text: str) -> int:
    """The columns of `text`, already escaped, on a terminal."""
    return len(text) if text.isascii() else len(cells(text))


def cells(text: str) -> list[str]:
    """The content of each column of `text`, already escaped. A wide character is followed by an empty cell; a combining
    mark is in the cell of its character."""
    if text.isascii():
        return list(text)
    columns: list[list[str]] = []
    for char in text:
        if _is_narrow(char):
            columns.append([char])
        elif is_mark(char) and columns:
            columns[-2 if not columns[-1] and len(columns) > 1 else -1].append(char)
        else:
            from unicodedata import east_asian_width  # noqa: PLC0415

            columns += ([char], []) if east_asian_width(char) in "WF" else ([char],)
    return ["".join(parts) for parts in columns]


def is_mark(char: str) -> bool:
    """Whether a character occupies no column."""
    if _is_narrow(char):
        return False
    from unicodedata import category  # noqa: PLC0415

    return category(char) in ("Mn", "Me") or "\u1160" <= char <= "\u11ff"  # the latter: parts of Korean syllables


def _is_narrow(char: str) -> bool:
    """Whether a character is known to occupy one column without unicodedata, which few runs need: Latin letters, and
    the dashes, quotation marks and ellipsis of our own messages."""
    return char < "\u0300" or "\u2010" <= char <= "\u2027"


_COLOUR = {"error": "1;31", "warning": "1;33", "note": "1;36", "bold": "1", "dim": "2", "good": "32"}
_PROGRAMS = {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio"}
_TERMS = ("xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm", "contour")
NARROWEST = 20
"""Text is wrapped at this many columns at least, even if the terminal has fewer."""
LEAST = 8
"""Columns for text beside what stands in front of it."""

Part = tuple[str, "Callable[[str], str] | None"]
"""A text, and a function that colours or links it after wrapping."""


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


def wrap(text: str, columns: int, first: str = "", rest: str = "") -> list[str]:
    """At least one line of at most `columns` columns. `text`: already escaped; `first`, `rest`: ASCII prefixes of the
    first and the other lines."""
    columns = max(columns, NARROWEST)
    if len(text) + len(first) <= columns and text.isascii():
        return [first + text]
    return [head + body for head, body in fold_text(text, columns, first, rest)]


def wrap_parts(parts: Sequence[Part], columns: int, first: str = "", rest: str = "") -> list[str]:
    """`wrap` for separately coloured parts, joined by a space. No part is empty, or starts or ends with a space."""
    columns = max(columns, NARROWEST)
    text = " ".join([part for part, _ in parts])
    if len(first) + len(text) <= columns and text.isascii():
        return [first + " ".join([paint(part) if paint else part for part, paint in parts])]
    if not any(paint for _, paint in parts):
        return wrap(text, columns, first, rest)
    lines = []
    at = 0
    for head, body in fold_text(text, columns, first, rest):
        end, start, pieces = at + len(body), 0, [head]
        for part, paint in parts:
            stop = start + len(part)
            piece = text[max(start, at) : min(stop, end)]
            pieces += (paint(piece) if paint and piece else piece, text[max(stop, at) : min(stop + 1, end)])
            start = stop + 1
        lines.append("".join(pieces))
        at = end + (text[end : end + 1] == " ")  # the space at which the line was broken
    return lines


def fold_text(text: str, columns: int, first: str, rest: str) -> list[tuple[str, str]]:
    """(prefix, text) of each line; at most one space is lost between two lines."""
    rest = rest[: max(columns - LEAST, 0)]  # beside a longer one there would be no room for a character
    if not text.isascii():
        return _folded_wide(text, columns, first, rest)
    lines = []
    head = first
    room = columns - len(head)
    while len(text) > room:
        cut = text.rfind(" ", 0, room + 1) if room > 0 else 0
        if cut > 0:
            lines.append((head, text[:cut]))
            text = text[cut + 1 :]
        elif len(head) > len(rest):  # the word has more room on a line of its own
            lines.append((head.rstrip(), ""))
        else:
            # after a comma, slash or colon, or at the end of the line
            cut = max(text.rfind(sign, room // 2, room) for sign in ",/:") + 1 or room
            lines.append((head, text[:cut]))
            text = text[cut:]
        head = rest
        room = columns - len(head)
    lines.append((head, text))
    return lines


def _folded_wide(text: str, columns: int, first: str, rest: str) -> list[tuple[str, str]]:
    """`fold_text` for text with characters that do not have one column each."""
    lines = []
    head = first
    line: list[str] = []
    started = False  # is there a word on this line?
    for word in text.split(" "):
        more = cells(word)
        if started and len(head) + len(line) + 1 + len(more) > columns:
            lines.append((head, "".join(line)))
            head, line, started = rest, [], False
        if started:
            line.append(" ")
        while len(head) + len(line) + len(more) > columns:
            room = columns - len(head) - len(line)
            if len(head) > len(rest) and not line:
                lines.append((head.rstrip(), ""))
            else:
                room -= more[room] == ""  # not through the middle of a wide character
                lines.append((head, "".join(line + more[:room])))
                more = more[room:]
            head, line = rest, []
        line += more
        started = True
    lines.append((head, "".join(line)))
    return lines
