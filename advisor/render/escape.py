"""Text that comes from a file is shown, never obeyed: control and formatting characters become visible."""

from __future__ import annotations

import re

# C0 and C1 controls, DEL, the characters that reorder or hide text, line and paragraph separators, lone surrogates
# (bytes that were not UTF-8), byte-order mark.
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]")


def _show(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def visible(text: str) -> str:
    """`text` with every character that a terminal might obey written as an escape: "\\x1b", "\\u202e"."""
    return _UNSAFE.sub(_show, text)


def width(text: str) -> int:
    """Columns that `text`, already visible, takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def line_with_caret(text: str, column: int, end_column: int, columns: int) -> tuple[str, str]:
    """A source line and the carets under its characters [column, end_column), both cut to `columns`.

    Tabs become one blank; a long line is cut around the caret, with "…" where something is left out."""
    text = text.replace("\t", " ")
    before, marked, after = text[: column - 1], text[column - 1 : end_column - 1], text[end_column - 1 :]
    before, marked, after = visible(before), visible(marked), visible(after)
    room = max(columns, 12)
    if width(before) + width(marked) + width(after) > room:
        keep = max(room - width(marked) - 2, 4)
        left = min(width(before), max(keep // 2, keep - width(after)))
        if width(before) > left:
            before = "…" + before[len(before) - left + 1 :] if left > 1 else "…"
        if width(marked) > room - width(before):
            marked, after = marked[: max(room - width(before) - 1, 1)], "…"
        rest = room - width(before) - width(marked)
        if width(after) > rest:
            after = after[: max(rest - 1, 0)] + "…"
    return before + marked + after, " " * width(before) + "^" * max(width(marked), 1)
