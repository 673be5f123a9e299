"""Writing the files, at the numbered prompts."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from advisor.render.phrases import counted
from advisor.rulebase.model import RuleBase
from advisor.session import Session
from advisor.wizard.exported import ANSWERS, artefacts
from advisor.wizard.plain_talk import Talk

STATUS = {
    "new": "written", "changed": "written again", "same": "is there already",
    "kept": "kept, because somebody edited it", "removed": "removed: it no longer applies",
    "stale": "no longer applies, but was edited, so it is still there",
}


def export(talk: Talk, base: RuleBase, session: Session, folder: str) -> bool:
    """Writes everything, and says what became of each file; False where it could not be done."""
    from advisor.advice.answers import NAMES  # noqa: PLC0415
    from advisor.artefacts import write_all  # noqa: PLC0415
    from advisor.atomic import WriteError  # noqa: PLC0415
    from advisor.wizard.exported import judged  # noqa: PLC0415

    try:
        place = Path(folder).expanduser()
        made = artefacts(base, session)
        for problem in judged(base, session):
            talk.say(f"Beware: {problem}")
        written = write_all(place, made)
    except (OSError, ValueError, RuntimeError, WriteError) as error:
        talk.say(f"Not written: {error}")
        return False
    titles = {one.path: one.title for one in made}
    for one in written:
        title = f" ({titles[one.path]})" if titles.get(one.path) else ""
        talk.say(f"{one.path}{title}: {STATUS.get(one.status, one.status)}", "  - ")
    kept = sum(one.status in ("kept", "stale") for one in written)
    talk.say(f"Nothing else on this host has changed. {counted(len(written) - kept, 'file')} in")
    talk.line(f"  {place.absolute()}")
    again = f"advisor recommend --answers {quote(str(place / ANSWERS))}"
    if kept:
        talk.say(f"{counted(kept, 'file')} kept as edited. This overwrites them:")
        talk.line(f"  {again} --write-to {quote(str(place))} --force")
    else:
        talk.say("This gives the same again:")
        talk.line(f"  {again}")
    missing = [name for name in NAMES if not session.answers.names.get(name)]
    if missing:
        talk.say(f"The files have placeholders for {', '.join(missing)}; write for example: name server=nfs1.example")
    return True
