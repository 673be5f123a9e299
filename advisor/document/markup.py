"""Single texts as GitHub Flavored Markdown. Markup in them is shown, not obeyed."""

from __future__ import annotations

import re

from advisor.document.escape import visible

_MARKUP = re.compile(r"([\\`*_\[\]<>|~&$])")
_LINKED = re.compile(r"://|www\.|@|#\d|\b(?:mailto|xmpp):", re.IGNORECASE)
"""What becomes a link, or calls somebody, without any markup."""


def escaped(text: str) -> str:
    """Text from anywhere that shows as it is, in a paragraph or a table cell: a word that would become a link, or call
    somebody, is code."""
    if not _LINKED.search(text):
        return literal(text)
    return " ".join(code(word) if _LINKED.search(word) else literal(word) for word in text.split(" "))


def literal(text: str) -> str:
    """Text of ours without markup of its own; an address in it becomes a link, as it should."""
    return _MARKUP.sub(r"\\\1", visible(text))


def code(text: str, table: bool = True) -> str:
    """A code span. In a table a bar needs a backslash even there, and must not have one already."""
    text = visible(text).strip(" ") or "(empty)"
    if table:
        text = text.replace("\\|", "\\ |")
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    span = f"{fence}{blank}{text}{blank}{fence}"
    return span.replace("|", "\\|") if table else span


def fenced(text: str, language: str) -> str:
    """A block of code that its text cannot end."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return "\n".join((f"{fence}{language}", *(visible(line) for line in text.split("\n")), fence))
