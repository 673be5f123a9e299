"""What can be written at the numbered prompts: commands, and answers."""

from __future__ import annotations

from typing import Any

from advisor import session as state
from advisor.wizard.plain_told import choices

COMMANDS = (
    ("d", "I don't know"), ("b", "back to the answer before"), ("f", "forward again"),
    ("u", "undo the last change"), ("r", "redo what was undone"),
    ("s", "show what is settled, and the mount line"), ("o", "what is open, and what settles it"),
    ("w NAME", "why a setting is so: w nconnect"), ("p NAME=VALUE", "hold a setting at a value; p NAME= lets it go"),
    ("name WHAT=TEXT", "a name for the files: server, export, target or clients"),
    ("h", "the question again"), ("x FOLDER", "write the files to install, a report and the answers into a folder"),
    ("q", "quit"), ("?", "these commands"),
)
LONG = {
    "dont-know": "d", "unknown": "d", "back": "b", "forward": "f", "undo": "u", "redo": "r", "show": "s", "open": "o",
    "why": "w", "pin": "p", "question": "h", "export": "x", "quit": "q", "exit": "q", "help": "?",
}
"""Whole words for those who do not remember the letters."""


def parsed(base: Any, fact: str, text: str) -> state.Parsed:
    """The answer that a text means. A number, or several with commas between them, chooses from the list."""
    offered = choices(base.facts[fact])
    parts = [part.strip() for part in text.split(",")]
    if not offered or not all(part.isascii() and part.isdigit() for part in parts):
        return state.parse(base, fact, text)
    numbers = [int(part[:9]) for part in parts]
    if not all(0 < number <= len(offered) for number in numbers):
        return state.Parsed(None, f"The choices are 1 to {len(offered)}.")
    values = list(dict.fromkeys(offered[number - 1][0] for number in numbers))
    if len(values) > 1 and isinstance(values[0], bool):
        return state.Parsed(None, "Choose one of them, or d.")
    return state.Parsed(values if len(values) > 1 else values[0])
