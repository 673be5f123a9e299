"""An earlier session taken up, and what is said of this one in the end, at the numbered prompts."""

from __future__ import annotations

from pathlib import Path

from advisor import session as state
from advisor.render.phrases import counted
from advisor.rulebase.model import RuleBase
from advisor.session import Session
from advisor.wizard import autosave, words
from advisor.wizard.plain_talk import Talk


def resumed(talk: Talk, base: RuleBase, session: Session, path: Path | None) -> Session:
    """Asks, before anything else, whether to go on where the last session ended. Raises Ended."""
    saved = autosave.saved(path) if path is not None else None
    if saved is None:
        return session
    talk.say(f"There is an earlier session: {counted(saved.answers, 'answer')}, saved {saved.when}.")
    talk.say("Go on with it", "  1  ")
    talk.say("Start with the answers given now" if session.order else "Start anew", "  2  ")
    while (text := talk.ask("Which?")) not in ("1", "2"):
        talk.say("Write 1 or 2.")
    if text == "2":
        return session
    try:
        found = state.from_text(base, saved.text)
    except ValueError as error:
        talk.say(f"It cannot be taken up: {error}")
        return session
    for lost in found.lost:
        talk.say(f"Not taken over, as the rules are others now: {lost}", "  - ")
    return found.session


def farewell(talk: Talk, base: RuleBase, session: Session, path: Path | None, *, line: bool) -> None:
    """What stays on the terminal. `line`: with the mount lines."""
    if not session.touched:
        talk.say("Nothing was answered.")
        return
    whole = words.mount_lines(base, session)
    for text in words.farewell(base, session, path, "--plain", line=line):
        if text in whole or text.startswith("  "):  # a path
            talk.line(text)
        else:
            talk.say(text)
