"""What an export writes, on the screen and at the numbered prompts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from advisor import session as state
from advisor.rulebase.model import RuleBase
from advisor.session import Session

if TYPE_CHECKING:
    from advisor.artefacts import Artefact

ANSWERS, FOLDER = "answers.yaml", "nfs-config"
"""The file with the answers, and the folder that is proposed."""


def judged(base: RuleBase, session: Session, made: list[Artefact]) -> list[str]:
    """What the linter says of the files to install, each thing once and errors first; [] for what is clean."""
    from advisor.today.pinned import judged_files  # noqa: PLC0415

    advice = state.preview(base, session)
    files = [(one.install, one.text) for one in made if one.install]
    found = judged_files(base, files, advice.answers.facts)
    told = {one.message: one for _, one in sorted(found, key=lambda pair: pair[1].severity)}
    return [f"{one.severity}: {message}. {one.why}" for message, one in told.items()]


def artefacts(base: RuleBase, session: Session) -> list[Artefact]:
    """The files of all mounts, the answers first. Raises ValueError where they cannot be made."""
    from advisor import artefacts as making  # noqa: PLC0415
    from advisor.advice.answers_file import answers_text  # noqa: PLC0415
    from advisor.artefacts.build import artefacts_several  # noqa: PLC0415
    from advisor.today.lines import objections  # noqa: PLC0415

    several = state.several(base, session)
    if several is None:
        made = making.artefacts(base, state.preview(base, session), objections)
    else:
        made = artefacts_several(base, several, objections)
    if any(one.path == ANSWERS for one in made):
        return made
    title = f"the answers; advisor recommend --answers {ANSWERS} gives the same again"
    return [making.Artefact(ANSWERS, answers_text(state.whole(base, session)), title), *made]


class File(NamedTuple):
    """A file of the export. `made`: the artefact to write."""

    path: str
    title: str
    text: str
    made: Artefact


def files(base: RuleBase, session: Session) -> tuple[list[File], str | None]:
    """What would be written, and what is wrong, if anything is."""
    try:
        made = artefacts(base, session)
    except ValueError as error:
        return [], f"The files cannot be made: {error}"
    return [File(one.path, one.title, one.text, one) for one in made], None


def write(base: RuleBase, session: Session, folder: str, force: bool) -> tuple[list[tuple[str, str]], str | None]:
    """Writes them; (path, status) of each, and what went wrong."""
    from advisor.artefacts import write_all  # noqa: PLC0415
    from advisor.atomic import WriteError  # noqa: PLC0415

    if not folder:
        return [], "Write the name of a folder."
    found, problem = files(base, session)
    if problem:
        return [], problem
    try:
        done = write_all(Path(folder).expanduser(), [one.made for one in found], force)
    except (OSError, ValueError, RuntimeError, WriteError) as error:
        return [], str(error)
    return [(one.path, one.status) for one in done], None
