"""Sessions on disk: $XDG_STATE_HOME/advisor/wizard.json, and wizard-NAME.json for those that have a name. Each is
replaced as a whole or not at all."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import NamedTuple

from advisor import atomic


class Saved(NamedTuple):
    """`when`: the day and time of saving, for people; `answers`: how many there are, names included. `name`: "" for the
    one without."""

    text: str
    when: str
    answers: int
    path: Path
    name: str = ""


def is_name(text: str) -> bool:
    """Whether a session may be called so."""
    return 0 < len(text) <= 40 and text[0] not in ".-" and all(char.isalnum() or char in "._-" for char in text)


def place(name: str = "") -> Path:
    """Where the session is kept; `name`: of one that has a name."""
    home = os.environ.get("XDG_STATE_HOME") or ""
    folder = Path(home) if home.startswith("/") else Path.home() / ".local" / "state"
    return folder / "advisor" / (f"wizard-{name}.json" if name else "wizard.json")


def others(path: Path) -> list[Saved]:
    """The sessions that are kept beside this one, the newest first."""
    found = [saved(one) for one in path.parent.glob("wizard*.json") if one != path]
    return sorted((one for one in found if one is not None), key=lambda one: one.when, reverse=True)


def save(path: Path, text: str) -> str | None:
    """Writes the text; returns what went wrong, in words, if something did."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic.save(str(path), text.encode(), 0o600)
    except OSError as error:
        return f"{path}: {error.strerror}"
    except atomic.WriteError as error:
        return str(error)
    return None


def saved(path: Path) -> Saved | None:
    """What was saved; None where there is nothing to go on with."""
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text)
        answers = len(data["order"]) + len(data.get("answers", {}).get("names") or ())
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(path.stat().st_mtime))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    name = path.stem.removeprefix("wizard").removeprefix("-")
    return Saved(text, when, answers, path, name) if answers else None

