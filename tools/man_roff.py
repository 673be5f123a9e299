"""Manual pages of man(7) out of sections, paragraphs and terms; and out of an argparse parser."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

WIDTH = 76
"""Of a line of source; mandoc wants 80 bytes at most."""

_SPECIAL = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti", "…": "..."}


def escaped(text: str) -> str:
    """`text` as roff shows it, in one font."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def capital(text: str) -> str:
    """`text` with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def bold(text: str) -> str:
    return f"\\fB{escaped(text)}\\fR"


def italic(text: str) -> str:
    return f"\\fI{escaped(text)}\\fR"


def prose(text: str) -> str:
    """`text` as roff shows it, with what stands in `backticks` in bold."""
    parts = re.split(r"`([^`]*)`", " ".join(text.split()))
    return "".join(bold(part) if number % 2 else escaped(part) for number, part in enumerate(parts))


def filled(markup: str) -> Iterator[str]:
    """Lines of source for a paragraph of markup; none of them looks like a request."""
    for line in textwrap.wrap(markup, WIDTH, break_long_words=False, break_on_hyphens=False):
        yield rf"\&{line}" if line[0] in ".'" else line


class Page:
    """One page that grows from the top to the end."""

    def __init__(self, name: str, section: int, date: str, version: str) -> None:
        """`date`: YYYY-MM-DD, or nothing."""
        self.lines = [f'.TH {escaped(name).upper()} {section} "{date}" "{version}"', ".nh", ".ad l"]
        self.begun = True

    def heading(self, title: str) -> None:
        self.lines.append(f".SH {title.upper()}")
        self.begun = True

    def part(self, title: str) -> None:
        """A heading within a section."""
        self.lines.append(f'.SS "{escaped(title)}"')
        self.begun = True

    def paragraph(self, markup: str) -> None:
        if not self.begun:
            self.lines.append(".PP")
        self.begun = False
        self.lines += filled(markup)

    def term(self, markup: str, says: str) -> None:
        """`markup`, and indented below it what `says` says of it."""
        self.lines += [".TP", markup, *filled(says)]
        self.begun = False

    def example(self, text: str) -> None:
        """Lines as they are typed."""
        if not self.begun:
            self.lines.append(".PP")
        self.lines += [".RS 4", ".nf", *map(escaped, text.splitlines()), ".fi", ".RE"]
        self.begun = False

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def synopsis(parser: argparse.ArgumentParser) -> str:
    """Markup for how the command is written: options in general, and each operand."""
    words = [bold(parser.prog)]
    if any(action.option_strings and not isinstance(action, argparse._HelpAction) for action in parser._actions):
        words.append(f"[{italic('OPTION')} ...]")
    words += [_values(action) for action in parser._actions if not action.option_strings]
    return " ".join(words)


def _name(action: argparse.Action) -> str:
    """What stands for one value of an action, as markup."""
    name = action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper())
    return italic(name if isinstance(name, str) else " ".join(name))


def _values(action: argparse.Action) -> str:
    """The values that an action takes, as markup."""
    one = _name(action)
    if action.nargs == 0:
        return ""
    return {"?": f"[{one}]", "*": f"[{one} ...]", "+": f"{one} ..."}.get(str(action.nargs), one)


Key = tuple[tuple[str, ...], str, str]


def _key(action: argparse.Action) -> Key:
    return tuple(action.option_strings), action.dest, str(action.help)


def shared(parsers: Sequence[argparse.ArgumentParser]) -> set[Key]:
    """What tells the options that all of several parsers have."""
    sets = [{_key(action) for action in parser._actions if action.option_strings} for parser in parsers]
    return set.intersection(*sets) if len(sets) > 1 else set()


def options(page: Page, parser: argparse.ArgumentParser, wanted: set[Key] | None, without: Iterable[Key] = ()) -> None:
    """The operands and options of a parser, group after group. `wanted`: only these, None for all but `without`."""
    without = set(without)
    for group in parser._action_groups:
        rows = [action for action in group._group_actions
                if action.help != argparse.SUPPRESS and not isinstance(action, argparse._SubParsersAction)
                and (_key(action) not in without if wanted is None else _key(action) in wanted)]
        if rows and group.title and group.title not in ("options", "optional arguments", "positional arguments"):
            page.paragraph(escaped(f"{capital(group.title)}:"))
        for action in rows:
            page.term(_named(action), prose(_says(action)))


def _named(action: argparse.Action) -> str:
    if not action.option_strings:
        return _name(action)
    return ", ".join(f"{bold(name)} {_values(action)}".rstrip() for name in action.option_strings)


def _says(action: argparse.Action) -> str:
    """The help of an action, with the choices and the default that are not seen elsewhere."""
    if isinstance(action, argparse._HelpAction):
        return "show the options and exit"
    says = action.help or ""
    if action.choices and action.metavar:
        says += f"; one of {', '.join(map(str, action.choices))}"
    if action.choices and isinstance(action.default, str) and "default" not in says:
        says += f" (default {action.default})"
    return says.strip() % {"default": action.default}
