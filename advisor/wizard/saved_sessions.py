"""Saved sessions: $XDG_STATE_HOME/advisor/wizard.json, and wizard-NAME.json for sessions with a name; and how the
answers of another session or of a file differ from the current ones."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import NamedTuple

from advisor import atomic
from advisor import session as state
from advisor.advice.answers import Answers
from advisor.pages import wording
from advisor.rulebase.model import RuleBase
from advisor.session import AdviceChange, Session


class SavedSession(NamedTuple):
    """`text`: JSON; `when`: local time of saving, as 2026-12-31 23:59; `answers`: their number, names included. `name`:
    "" for the session without a name."""

    text: str
    when: str
    answers: int
    path: Path
    name: str = ""


def is_valid_name(text: str) -> bool:
    """Whether a session may have this name."""
    return 0 < len(text) <= 40 and text[0] not in ".-" and all(char.isalnum() or char in "._-" for char in text)


def path_of(name: str = "") -> Path:
    """The file of a session; `name`: "" for the session without a name."""
    home = os.environ.get("XDG_STATE_HOME") or ""
    folder = Path(home) if home.startswith("/") else Path.home() / ".local" / "state"
    return folder / "advisor" / (f"wizard-{name}.json" if name else "wizard.json")


def name_of(path: Path) -> str:
    """The name of the session in a file."""
    return path.stem.removeprefix("wizard").removeprefix("-")


def save(path: Path, text: str) -> str | None:
    """Writes the text atomically; returns the problem as a sentence, or None."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic.save(str(path), text.encode(), 0o600)
    except OSError as error:
        return f"{path}: {error.strerror}"
    except atomic.WriteError as error:
        return str(error)
    return None


def read(path: Path) -> SavedSession | None:
    """The session in a file; None if it has no answers or cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text)
        answers = len(data["order"]) + len(data.get("answers", {}).get("names") or ())
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(path.stat().st_mtime))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return SavedSession(text, when, answers, path, name_of(path)) if answers else None


def other_sessions(path: Path) -> list[SavedSession]:
    """The sessions in the same folder, the newest first."""
    sessions = [read(file) for file in path.parent.glob("wizard*.json") if file != path]
    return sorted(
        (session for session in sessions if session is not None), key=lambda session: session.when, reverse=True
    )


def session_names(path: Path | None) -> list[str]:
    """The names of all saved sessions. `path`: of the current one."""
    return [session.name for session in _all_sessions(path) if session.name]


def _all_sessions(path: Path | None) -> list[SavedSession]:
    path = path or path_of()
    return [*other_sessions(path), *filter(None, [read(path)])]


def find_answers(base: RuleBase, path: Path | None, name: str) -> Answers:
    """The answers of a saved session or an answers file. `path`: of the current session. Raises ValueError if `name` is
    neither."""
    from advisor.advice.answers_file import read_answers  # noqa: PLC0415  few compare anything

    for session in _all_sessions(path):
        if session.name == name and name:
            return state.from_text(base, session.text).session.answers
    return read_answers(base, name)


class DifferentAnswer(NamedTuple):
    """`here`, `there`: the answers of the current and the other session, in words."""

    fact: str
    here: str
    there: str


def compare_answers(
    base: RuleBase, session: Session, other: Answers
) -> tuple[list[DifferentAnswer], list[AdviceChange]]:
    """The facts whose values differ between the session and other answers, and the settings whose advice differs."""
    mine = state.preview(base, session)
    theirs = state.advice_for(base, other._replace(mounts=()))
    here, there = mine.answers.facts, other.facts

    def in_words(answers: Answers, fact: str) -> str:
        return wording.answer_text(base, fact, answers.facts[fact]) if fact in answers.facts else "not known"

    different = [
        DifferentAnswer(fact, in_words(mine.answers, fact), in_words(other, fact)) for fact in base.facts
        if (fact in here or fact in there) and here.get(fact) != there.get(fact)
    ]
    return different, state.changes(mine, theirs)
