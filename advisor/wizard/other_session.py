"""Another environment beside this one: a session under its name, or an answers file, and what differs there."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from advisor import session as state
from advisor.advice.answers import Answers
from advisor.render import wording
from advisor.rulebase.model import RuleBase
from advisor.session import AdviceChange, Session
from advisor.wizard import autosave


class AnsweredOtherwise(NamedTuple):
    """`here` and `there`: the answers, in words."""

    fact: str
    here: str
    there: str


def saved_sessions(path: Path | None) -> list[autosave.Saved]:
    """The sessions that are kept. `path`: of this one."""
    path = path or autosave.place()
    return [*autosave.others(path), *filter(None, [autosave.saved(path)])]


def answers_of(base: RuleBase, path: Path | None, name: str) -> Answers:
    """`name`: of a session or of a file of answers. Raises ValueError for what is neither."""
    from advisor.advice.answers_file import read_answers  # noqa: PLC0415

    for one in saved_sessions(path):
        if one.name == name and name:
            return state.from_text(base, one.text).session.answers
    return read_answers(base, name)


def compared(
    base: RuleBase, session: Session, other: Answers
) -> tuple[list[AnsweredOtherwise], list[AdviceChange]]:
    """What is answered otherwise there, and what is advised otherwise."""
    mine = state.preview(base, session)
    theirs = state.advice_for(base, other._replace(mounts=()))
    here, there = mine.answers.facts, other.facts

    def said(answers: Answers, fact: str) -> str:
        return wording.answer_text(base, fact, answers.facts[fact]) if fact in answers.facts else "not known"

    apart = [
        AnsweredOtherwise(fact, said(mine.answers, fact), said(other, fact)) for fact in base.facts
        if (fact in here or fact in there) and here.get(fact) != there.get(fact)
    ]
    return apart, state.changes(mine, theirs)
