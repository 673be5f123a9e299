"""Escapes control and formatting characters in text from files, so that no terminal obeys them."""

from __future__ import annotations


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
