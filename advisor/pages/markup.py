"""Single texts escaped for GitHub Flavored Markdown."""

from __future__ import annotations

import re

from advisor.pages.escape import visible

_MARKUP = re.compile(r"([\\`*_\[\]<>|~&$])")
_LINKED = re.compile(r"://|www\.|@|#\d|\b(?:mailto|xmpp):", re.IGNORECASE)
"""What becomes a link or a mention without any markup."""


def escape_markdown(text: str) -> str:
    """Text that is shown as it is, in a paragraph or a table cell; a word that would become a link or a mention becomes
    code."""
    if not _LINKED.search(text):
        return literal(text)
    return " ".join(code(word) if _LINKED.search(word) else literal(word) for word in text.split(" "))


def literal(text: str) -> str:
    """Trusted text without markup; an address in it may become a link."""
    return _MARKUP.sub(r"\\\1", visible(text))


def code(text: str, table: bool = True) -> str:
    """A code span. In a table, even there a bar needs a backslash, and must not have one yet."""
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
