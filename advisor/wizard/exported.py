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


INSTEAD = {"systemd", "autofs"}
"""Folders of what mounts in place of the fstab line."""
SIDES = {"nfs-client": "clients", "nfs-server": "server"}
"""The folder of each side, where a session has both."""


def judged(base: RuleBase, session: Session) -> list[str]:
    """What the linter says of the files to install, each thing once and errors first; [] for what is clean. Raises
    ValueError where they cannot be made."""
    from advisor.today.objections import file_objections  # noqa: PLC0415

    found = []
    for _, side in state.sides(session):
        files = [(one.install, one.text) for one in _of_side(base, side) if one.install]
        found += file_objections(base, files, state.preview(base, side).answers.facts)
    messages = {one.message: one for _, one in sorted(found, key=lambda pair: pair[1].severity)}
    return [f"{one.severity}: {message}. {one.why}" for message, one in messages.items()]


def artefacts(base: RuleBase, session: Session) -> list[Artefact]:
    """The files of all mounts, the answers first; of both sides where there are two, each in its folder. Raises
    ValueError where they cannot be made."""
    sides = state.sides(session)
    if len(sides) == 1:
        return _of_side(base, session)
    return [
        one._replace(path=f"{SIDES[role]}/{one.path}", apply=_there(role, one.apply), undo=_there(role, one.undo))
        for role, side in sides for one in _of_side(base, side)
    ]


def _there(role: str, steps: tuple[str, ...]) -> tuple[str, ...]:
    """Steps that name files of the folder are made in it."""
    return (f"cd {SIDES[role]}", *steps, "cd ..") if steps else ()


def install_commands(base: RuleBase, session: Session, folder: str) -> list[str]:
    """What installs the files once they lie in the folder; steps for people are comments. Of ways that stand for one
    another the first."""
    from shlex import quote  # noqa: PLC0415

    from advisor.artefacts.model import for_people  # noqa: PLC0415

    lines = [f"cd {quote(str(Path(folder).expanduser().absolute()))}"]
    for one in artefacts(base, session):
        if one.install and one.apply and not INSTEAD & set(one.path.split("/")):
            lines += [f"# {one.path}: {one.title}", *(f"# {step}" if for_people(step) else step for step in one.apply)]
    return lines if len(lines) > 1 else []


def _of_side(base: RuleBase, session: Session) -> list[Artefact]:
    from advisor import artefacts as making  # noqa: PLC0415
    from advisor.advice.answers_file import answers_text  # noqa: PLC0415
    from advisor.artefacts.build import artefacts_several  # noqa: PLC0415
    from advisor.today.objections import objections  # noqa: PLC0415

    several = state.several_advice(base, session)
    if several is None:
        made = making.artefacts(base, state.preview(base, session), objections)
    else:
        made = artefacts_several(base, several, objections)
    if any(one.path == ANSWERS for one in made):
        return made
    title = f"the answers; advisor recommend --answers {ANSWERS} gives the same again"
    return [making.Artefact(ANSWERS, answers_text(state.combined_answers(base, session)), title), *made]


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
