"""The export: the files to install, a report and the answers, and the commands that install them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from advisor import user_files
from advisor.rulebase.model import RuleBase
from advisor.wizard import advice_cache, mounts, questions
from advisor.wizard.advice_cache import Cache
from advisor.wizard.state import Session

if TYPE_CHECKING:
    from advisor.install import Artefact
    from advisor.install.write import Written

ANSWERS, FOLDER = "answers.yaml", "nfs-config"
"""The file with the answers, and the proposed folder of the export."""
STATUS_TEXT = {
    "new": "written", "changed": "written again", "same": "is there already", "kept": "kept as edited",
    "removed": "removed: it no longer applies", "stale": "no longer applies, but was edited, so it is still there",
}
"""Status of an exported file → in words."""
KEPT = ("kept", "stale")
"""Statuses of files that an administrator has edited, so they are not overwritten."""
ALTERNATIVES = {"systemd", "autofs"}
"""Folders of files that are alternatives to the fstab line."""
SIDES = {"nfs-client": "clients", "nfs-server": "server"}
"""Role → folder of its files, if a session has both sides."""
_made: Cache[tuple[Artefact, ...]] = Cache(4)
"""The files of each side: the export shows, checks and writes the same ones, and making them takes long."""


def lint_artefacts(base: RuleBase, session: Session) -> list[str]:
    """The linter's findings in the files to install as sentences, errors first, each message once. Raises ValueError if
    the files cannot be made."""
    from advisor.advice.beside_fstab import file_objections  # noqa: PLC0415

    findings = []
    for _, side in mounts.sides(session):
        files = [(artefact.install, artefact.text) for artefact in _side_artefacts(base, side) if artefact.install]
        findings += file_objections(base, files, questions.preview(base, side).answers.facts)
    messages = {finding.message: finding for _, finding in sorted(findings, key=lambda pair: pair[1].severity)}
    return [f"{finding.severity}: {message}. {finding.why}" for message, finding in messages.items()]


def artefacts(base: RuleBase, session: Session) -> list[Artefact]:
    """The files for all mounts, the answers first; for both sides, if there are two, each in its folder. Raises
    ValueError if they cannot be made."""
    sides = mounts.sides(session)
    if len(sides) == 1:
        return [*_side_artefacts(base, session)]
    return [
        artefact._replace(
            path=f"{SIDES[role]}/{artefact.path}", apply=_in_folder(role, artefact.apply),
            undo=_in_folder(role, artefact.undo),
        )
        for role, side in sides for artefact in _side_artefacts(base, side)
    ]


def _in_folder(role: str, steps: tuple[str, ...]) -> tuple[str, ...]:
    """The steps, run in the folder of a role."""
    return (f"cd {SIDES[role]}", *steps, "cd ..") if steps else ()


def install_commands(base: RuleBase, session: Session, folder: str) -> list[str]:
    """The commands that install the files of a folder, without ALTERNATIVES; steps that are no commands are
    comments."""
    from shlex import quote  # noqa: PLC0415

    from advisor.install.context import for_people  # noqa: PLC0415

    lines = [f"cd {quote(str(Path(folder).expanduser().absolute()))}"]
    for artefact in artefacts(base, session):
        if artefact.install and artefact.apply and not ALTERNATIVES & set(artefact.path.split("/")):
            lines += [
                f"# {artefact.path}: {artefact.title}",
                *(f"# {step}" if for_people(step) else step for step in artefact.apply),
            ]
    return lines if len(lines) > 1 else []


def _side_artefacts(base: RuleBase, session: Session) -> tuple[Artefact, ...]:
    """The files for all mounts of the current side, cached."""
    request = mounts.all_mounts(base, session) if session.others else session.answers
    return _made.get(advice_cache.key_of(base, request), lambda: _make_artefacts(base, session))


def _make_artefacts(base: RuleBase, session: Session) -> tuple[Artefact, ...]:
    from advisor import install as making  # noqa: PLC0415
    from advisor.advice.answers_file import answers_text  # noqa: PLC0415
    from advisor.install.build import artefacts_several  # noqa: PLC0415

    several = mounts.several_advice(base, session)
    if several is None:
        made = making.artefacts(base, questions.preview(base, session))
    else:
        made = artefacts_several(base, several)
    if any(artefact.path == ANSWERS for artefact in made):
        return (*made,)
    title = f"the answers; advisor recommend --answers {ANSWERS} gives the same advice again"
    return (making.Artefact(ANSWERS, answers_text(mounts.combined_answers(base, session)), title), *made)


def mount_commands(base: RuleBase, session: Session) -> list[str]:
    """The commands that mount manually, until the next restart. Raises ValueError if the files cannot be made."""
    return [
        line for artefact in artefacts(base, session) if artefact.path == "mount.sh"
        for line in artefact.text.splitlines()
        if line and not line.startswith(("#", "set "))
    ]


def write(base: RuleBase, session: Session, folder: str, force: bool = False) -> list[Written]:
    """Writes the files of the export; returns the status of each. Raises ValueError, with the reason."""
    from advisor.install import write_all  # noqa: PLC0415

    if not folder:
        raise ValueError("Write the name of a folder.")
    try:
        return write_all(Path(folder).expanduser(), artefacts(base, session), force)
    except (OSError, RuntimeError, user_files.WriteError) as error:
        raise ValueError(str(error)) from None
