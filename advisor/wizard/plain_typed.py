"""What can be written at the numbered prompts: commands, and answers."""

from __future__ import annotations

from advisor import session as state
from advisor.rulebase.model import RuleBase

COMMANDS = (
    ("d", "I don't know"), ("b", "back to the answer before"), ("f", "forward again"),
    ("u", "undo the last change"), ("r", "redo what was undone"),
    ("s", "show what is settled, and the mount line"), ("o", "what is open, and what settles it"),
    ("w NAME", "why a setting is so: w nconnect"), ("p NAME=VALUE", "pin a setting to a value; p NAME= unpins it"),
    ("name WHAT=TEXT", "a name for the files: server, export, target or clients"),
    ("a FACT", "answer a fact at once, also one that is assumed: a mount.sec"),
    ("l", "the mounts; l 2 goes to the second, l -2 takes it out, l nas1:/data /mnt/data adds one more"),
    ("side", "the other side: the server of these clients, or the clients of this server"),
    ("m", "also the questions that could only fine-tune, or not these"),
    ("h", "the question again"), ("x FOLDER", "write the files to install, a report and the answers into a folder"),
    ("check WHAT", "check a file or a line of fstab: each finding explained, fixed or accepted"),
    ("host", "check this host: its files, and what is in effect"),
    ("wrong WHAT", "something is wrong: a message, or a file that holds it, and what causes it"),
    ("watch TIME", "what the mounts of this host do, and what limits them: watch 30s"),
    ("compare WHAT", "an answers file or another session beside this one"),
    ("q", "quit"), ("?", "these commands"),
)
LONG = {
    "dont-know": "d", "unknown": "d", "back": "b", "forward": "f", "undo": "u", "redo": "r", "show": "s",
    "waiting": "o",
    "why": "w", "answer": "a", "more": "m", "mounts": "l", "pin": "p", "question": "h", "export": "x", "quit": "q",
    "exit": "q", "help": "?", "diagnose": "wrong",
}
"""Whole words for those who do not remember the letters."""


def parsed(base: RuleBase, session: state.Session, fact: str, text: str) -> state.Parsed:
    """The answer that a text means. A key of the list, or several with commas between them, chooses from it."""
    values = [one.value for one in state.values_to_choose(base, session, fact)]
    offered = dict(zip(state.choice_keys(values), values))
    parts = [part.strip() for part in text.split(",")]
    if not offered or not all(part.isascii() and part.isdigit() for part in parts):
        return state.parse(base, fact, text)
    if not all(part in offered for part in parts):
        named = [key for key in offered if not key.isdigit()]
        return state.Parsed(None, f"The choices are {', '.join(offered) if named else f'1 to {len(offered)}'}.")
    chosen = list(dict.fromkeys(offered[part] for part in parts))
    if len(chosen) > 1 and isinstance(chosen[0], bool):
        return state.Parsed(None, "Choose one of them, or d.")
    return state.Parsed(chosen if len(chosen) > 1 else chosen[0])
