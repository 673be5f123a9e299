"""What an export writes, on the screen and at the numbered prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor import session as state
from advisor.rulebase.model import RuleBase
from advisor.session import Session

if TYPE_CHECKING:
    from advisor.artefacts import Artefact

ANSWERS = "answers.yaml"


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
