"""What an export writes, on the screen and at the numbered prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor import session as state
from advisor.rulebase.model import RuleBase
from advisor.session import Session

if TYPE_CHECKING:
    from advisor.artefacts import Artefact

ANSWERS = "answers.yaml"


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
