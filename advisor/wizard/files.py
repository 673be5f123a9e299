"""The files that the wizard reads and writes, on the screen and at the numbered prompts: texts, and the export."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from advisor import atomic, user_files
from advisor import session as state
from advisor.rulebase.model import RuleBase
from advisor.session import Session

if TYPE_CHECKING:
    from advisor.artefacts import Artefact
    from advisor.artefacts.write import Written

LIMIT = 5_000_000
"""Bytes of a file that is read."""
ANSWERS, FOLDER = "answers.yaml", "nfs-config"
"""The file with the answers, and the folder that is proposed."""
STATUS = {
    "new": "written", "changed": "written again", "same": "is there already", "kept": "kept as edited",
    "removed": "removed: it no longer applies", "stale": "no longer applies, but was edited, so it is still there",
}
"""What became of a file of the export, in words."""
KEPT = ("kept", "stale")
"""Files that were edited since, and left alone."""
INSTEAD = {"systemd", "autofs"}
"""Folders of what mounts in place of the fstab line."""
SIDES = {"nfs-client": "clients", "nfs-server": "server"}
"""The folder of each side, where a session has both."""


def read_file(path: str) -> str:
    """The text of a file. Raises UserFileError."""
    content = user_files.read_bytes(os.path.expanduser(path), LIMIT)  # noqa: PTH111  (pathlib raises if there is no home)
    return content.decode("utf-8", "surrogateescape")


def read_file_or_text(written: str) -> str:
    """The text of a file with this name, if there is one; else what was written. Raises UserFileError."""
    alone = len(written.split()) == 1 and os.path.isfile(os.path.expanduser(written))  # noqa: PTH111, PTH113
    return read_file(written) if alone else written


def lint_artefacts(base: RuleBase, session: Session) -> list[str]:
    """What the linter finds in the files to install, each message once and errors first. Raises ValueError if they
    cannot be made."""
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
        one._replace(
            path=f"{SIDES[role]}/{one.path}", apply=_in_folder(role, one.apply), undo=_in_folder(role, one.undo)
        )
        for role, side in sides for one in _of_side(base, side)
    ]


def _in_folder(role: str, steps: tuple[str, ...]) -> tuple[str, ...]:
    """The same steps, done in the folder of a role."""
    return (f"cd {SIDES[role]}", *steps, "cd ..") if steps else ()


def install_commands(base: RuleBase, session: Session, folder: str) -> list[str]:
    """The commands that install the files once they are in the folder; steps for people are comments. What mounts
    instead of the fstab line is left out."""
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
    title = f"the answers; advisor recommend --answers {ANSWERS} gives the same advice again"
    return [making.Artefact(ANSWERS, answers_text(state.combined_answers(base, session)), title), *made]


def mount_commands(base: RuleBase, session: Session) -> list[str]:
    """The commands that mount manually, until the next restart. Raises ValueError if the files cannot be made."""
    return [
        line for one in artefacts(base, session) if one.path == "mount.sh" for line in one.text.splitlines()
        if line and not line.startswith(("#", "set "))
    ]


def write(base: RuleBase, session: Session, folder: str, force: bool = False) -> list[Written]:
    """Writes the files of the export; what became of each. Raises ValueError, with the reason."""
    from advisor.artefacts import write_all  # noqa: PLC0415

    if not folder:
        raise ValueError("Write the name of a folder.")
    try:
        return write_all(Path(folder).expanduser(), artefacts(base, session), force)
    except (OSError, RuntimeError, atomic.WriteError) as error:
        raise ValueError(str(error)) from None
