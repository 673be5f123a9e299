"""Compares the texts that a C program prints with the catalogue: those that kb/messages lacks are listed.

    python tools/missing_messages.py PROGRAM FILE.c…      e.g. mount.nfs nfs-utils/utils/mount/*.c

A text counts as catalogued when a message of that program has the same literal pieces between its fields."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from ruamel.yaml import YAML

from advisor.rulebase.words import message_pieces

CALLS = ("nfs_error", "xlog", "xlog_err", "xlog_warn", "printf", "fprintf", "perror", "die", "errx", "warnx")
INTO_ERRORS = {"error.c": ("snprintf",)}
"""Files that put their messages together with other calls."""
HELP = ("\\t", "usage:", "options:")
"""How lines of a program's help begin, which are no messages."""
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[A-Za-z_]\w*|.', re.S)
CONVERSION = re.compile(r"%[-+ #0]*[0-9.*]*(?:hh|h|ll|l|L|z|j|t)?[a-zA-Z%]")
MESSAGES = Path(__file__).parent.parent / "kb" / "messages"


def printed(source: str, calls: tuple[str, ...]) -> Iterator[str]:
    """The format that each call of these names prints: its first string, with those that follow it at once."""
    tokens = [token for token in TOKEN.findall(source) if not token.isspace() and not token.startswith(("/*", "//"))]
    for index, token in enumerate(tokens):
        if token not in calls or index + 1 == len(tokens) or tokens[index + 1] != "(":
            continue
        text, depth = "", 0
        for inner in tokens[index + 1 :]:
            depth += (inner == "(") - (inner == ")")
            if inner.startswith('"'):
                text += inner[1:-1]
            elif depth == 0 or (text and not inner.isidentifier()):
                break
        yield text


def shape(text: str) -> str:
    """The letters of a text, with one mark for each run of fields: what is the same in both forms."""
    text = text.replace("\\n", " ").replace("\\t", " ").replace('\\"', '"')
    text = re.sub(r"^%s: ", "", CONVERSION.sub("%s", text))
    return re.sub(r"[^a-z%]+", "", text.lower().replace("%s", "%")).replace("%%", "%").strip("%")


def catalogued(program: str) -> set[str]:
    """The shapes of all texts that the catalogue has for a program."""
    found: set[str] = set()
    for file in MESSAGES.glob("*.yaml"):
        data = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
        for message in data["messages"]:
            if program in (data.get("program"), message.get("program")):
                for text in (message.get("text", ""), *message.get("also", ())):
                    found.add(shape("%s".join(literal for literal, _ in message_pieces(text))))
    return found


def missing(program: str, files: list[Path]) -> Iterator[tuple[Path, str]]:
    """The texts with words of their own that no message of the program has."""
    known = catalogued(program)
    for file in files:
        for text in printed(file.read_text(encoding="utf-8", errors="replace"), CALLS + INTO_ERRORS.get(file.name, ())):
            mark = shape(text)
            if text.startswith(HELP):
                continue
            if sum(one.isalpha() for one in mark) > 2 and not any(mark in one for one in known):
                yield file, text


if __name__ == "__main__":
    lacking = list(missing(sys.argv[1], [Path(name) for name in sys.argv[2:]]))
    for file, text in lacking:
        print(f"{file.name}: {text}")
    sys.exit(1 if lacking else 0)
