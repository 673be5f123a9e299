"""The beginning and end of a session at the numbered prompts: continuing an earlier one, the export, the last lines."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from advisor.advice.answers import NAMES
from advisor.pages.phrases import counted
from advisor.rulebase.model import RuleBase
from advisor.wizard import files, saved_sessions, words
from advisor.wizard.plain_talk import Talk
from advisor.wizard.state import Session


def resume(talk: Talk, base: RuleBase, session: Session, path: Path | None) -> Session:
    """Asks whether to continue the saved session; returns the session to use. Raises InputEnded."""
    saved = saved_sessions.read(path) if path is not None else None
    if saved is None:
        return session
    talk.say(f"There is an earlier session: {counted(saved.answers, 'answer')}, saved {saved.when}.")
    talk.say("Continue with it", "  1  ")
    talk.say(words.START_WITH_GIVEN if session.order else words.START_AGAIN, "  2  ")
    while (text := talk.ask("Which?")) not in ("1", "2"):
        talk.say("Write 1 or 2.")
    if text == "2":
        return session
    try:
        resumed = saved_sessions.from_text(base, saved.text)
    except ValueError as error:
        talk.say(f"It cannot be continued: {error}")
        return session
    for lost in resumed.lost:
        talk.say(f"{words.LOST} {lost}", "  - ")
    return resumed.session


def export(talk: Talk, base: RuleBase, session: Session, folder: str) -> bool:
    """Writes the files and prints the status of each; False if they could not be written."""
    try:
        place = Path(folder).expanduser()
        titles = {artefact.path: artefact.title for artefact in files.artefacts(base, session)}
        for problem in files.lint_artefacts(base, session):
            talk.say(f"Beware: {problem}")
        written = files.write(base, session, folder)
    except (ValueError, RuntimeError) as error:
        talk.say(f"Not written: {error}")
        return False
    for file in written:
        title = f" ({titles[file.path]})" if titles.get(file.path) else ""
        talk.say(f"{file.path}{title}: {files.STATUS_TEXT[file.status]}", "  - ")
    kept = sum(file.status in files.KEPT for file in written)
    talk.say(f"Nothing else on this host has changed. {counted(len(written) - kept, 'file')} in")
    talk.line(f"  {place.absolute()}")
    again = f"advisor recommend --answers {quote(str(place / files.ANSWERS))}"
    if kept:
        talk.say(f"{counted(kept, 'file')} kept as edited. This overwrites them:")
        talk.line(f"  {again} --write-to {quote(str(place))} --force")
    else:
        talk.say("This shows the same advice again:")
        talk.line(f"  {again}")
    missing = [name for name in NAMES if not session.answers.names.get(name)]
    if missing:
        talk.say(f"The files have placeholders for {', '.join(missing)}; write for example: name server=nfs1.example")
    return True


def farewell(talk: Talk, base: RuleBase, session: Session, path: Path | None, *, line: bool) -> None:
    """Prints the last lines. `line`: with the mount lines."""
    if not session.touched:
        talk.say("Nothing was answered.")
        return
    mount_lines = words.mount_lines(base, session)
    for text in words.farewell(base, session, path, "--plain", line=line):
        if text in mount_lines or text.startswith("  "):  # a path
            talk.line(text)
        else:
            talk.say(text)
