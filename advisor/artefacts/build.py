"""`artefacts`: all files that apply to an advice."""

from __future__ import annotations

from typing import Any

from advisor.advice.answers import NAMES, AnswerError, bad_name
from advisor.advice.model import Advice
from advisor.artefacts.ansible import ansible
from advisor.artefacts.benchmarks import benchmarks
from advisor.artefacts.context import Context
from advisor.artefacts.kubernetes import kubernetes
from advisor.artefacts.model import Artefact
from advisor.artefacts.mounts import mounts
from advisor.artefacts.report import report
from advisor.artefacts.system import system


def artefacts(base: Any, advice: Advice) -> list[Artefact]:
    """The files, reports last. Equal advice gives equal files.

    Raises AnswerError for a name that has no place in a file that root installs, Unwritable for such a value."""
    for name in NAMES:
        wrong = bad_name(name, advice.answers.name(name))
        if wrong:
            raise AnswerError(("names", name), wrong)
    context = Context(base, advice)
    made = [*mounts(context), *system(context), *kubernetes(context)]
    made += ansible(context, made)
    made += benchmarks(context)
    return [*made, *report(context, made)]
