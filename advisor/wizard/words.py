"""Texts shared by the screens and the numbered prompts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from advisor.advice.answers_file import same_server
from advisor.advice.model import Advice, Row
from advisor.advice.mount_line import has_mount, missing_options, mount_line
from advisor.pages import wording
from advisor.pages.phrases import counted, remaining_questions
from advisor.rulebase.model import RuleBase
from advisor.wizard import mounts, questions
from advisor.wizard.advice_cache import LineChange
from advisor.wizard.mounts import OtherMount
from advisor.wizard.questions import ROLE, Ending
from advisor.wizard.saved_sessions import name_of
from advisor.wizard.state import Refused, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values

UNKNOWN = "I don't know"
STAY, LOSE = "Stay here", "Leave without saving"
START_WITH_GIVEN, START_AGAIN = "Start with the answers given now", "Start again"
ANOTHER_HOST = "Your answer is about another host: values found on this one are no longer offered."
CONTRADICTS = "contradicts earlier answers"
NO_OTHER_SIDE = "There is no other side: such storage has no server that you configure."
LOST = "Left out, because the rules have changed:"
NAMED = 4
"""How many open settings are named, the most important first."""
MAX_DEPENDENT = 3
"""How many settings are named that depend on one answer."""


def side_name(role: object) -> str:
    """ "the server"; "" for no role."""
    return {"nfs-client": "the clients", "nfs-server": "the server"}.get(str(role), "")


def scope_text(base: RuleBase, session: Session, fact: str | None) -> str:
    """The hosts or mounts that a question is about, if the session has several mounts or sides; without a question, the
    current mount or side."""
    mounts = [mount.answers for mount in session.mounts]
    if len(mounts) < 2:
        return side_name(session.answers.facts.get(ROLE)) if session.other_side is not None else ""
    scope = base.facts[fact].scope if fact is not None and fact in base.facts else "mount"
    if scope == "host":
        return f"about the host, for all {len(mounts)} mounts"
    served = sum(same_server(answers, session.answers) for answers in mounts)
    if scope == "server" and served > 1:
        return f"about the server {session.answers.name('server')}, for {served} of {len(mounts)} mounts"
    return f"mount {session.place + 1} of {len(mounts)}: {session.answers.name('target')}"


def host_facts(base: RuleBase, session: Session) -> dict[str, Values]:
    """The answers about the host and its servers, which apply to all files of the host."""
    return {fact: value for fact, value in session.given.facts.items() if base.facts[fact].scope != "mount"}


def ending_title(left: Ending, rest: tuple[OtherMount, ...] = ()) -> str:
    """Whether the configuration, or only this mount, is complete."""
    done = all(mount.matter == 0 for mount in rest)
    if left.barred is not None:
        return "NFS is not the answer here."
    number = len(left.waiting) + sum(len(mount.waiting or ()) for mount in rest if done)
    but = f" but for {counted(number, 'setting')}" if number else ""
    what = "The configuration" if done else "This mount"
    return f"{what} is complete{but}."


def contradicted_answers(base: RuleBase, session: Session, refused: Refused) -> dict[str, str]:
    """Fact or setting → the earlier answer or pin that a refused one contradicts: "Which kernel? 5.14"."""
    answers = session.answers if refused.place is None else session.mounts[refused.place].answers
    given = {**answers.facts, **answers.pins}
    return {
        name: f"{wording.question(base, name)} {wording.answer_text(base, name, given[name])}"
        for name in refused.against
    }


NEXT = {
    "server": "Next: export the configuration, and install its files on the server.",
    "cluster": "Next: export the configuration, install its settings on every node, load the group on one of them, and "
               "go through cluster/test-plan.md.",
}
"""Side → what to do next. A client has a mount line to copy instead."""


def ending_text(base: RuleBase, left: Ending, rest: tuple[OtherMount, ...] = ()) -> list[str]:
    """Sentences on what to do next, which settings are open, and what was assumed."""
    if left.barred is not None:
        return [f"{left.barred.steps.apply} {left.barred.why}".strip()]
    sentences = [NEXT[left.side]] if left.side in NEXT else []
    if left.waiting:
        sentences.append(f"Still open, because they depend on what is not known: {_setting_list(base, left.waiting)}.")
    sentences += [
        f"{mount.target}: still open: {_setting_list(base, mount.waiting)}." for mount in rest if mount.waiting
    ]
    if left.taken:
        sentences.append("Usual values were assumed where you gave no answer. A wrong one costs speed at most.")
    return sentences


def _setting_list(base: RuleBase, waiting: tuple[Row, ...]) -> str:
    names = [f"{wording.label(base.tunables[setting.tunable])} ({setting.strength})" for setting in waiting]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def remaining_text(left: Ending) -> str:
    """ "2 questions still matter, 9 more could fine-tune"."""
    if left.matter:
        return remaining_questions(left.matter, left.more)
    return f"{counted(left.more, 'answer')} could fine-tune"


def setting_names(base: RuleBase, tunables: Iterable[str]) -> str:
    """ "vers, nconnect and 3 more"."""
    names = [wording.label(base.tunables[name]) for name in tunables]
    more = f" and {len(names) - MAX_DEPENDENT} more" if len(names) > MAX_DEPENDENT else ""
    return f"{', '.join(names[:MAX_DEPENDENT])}{more}"


def mount_progress(mount: OtherMount) -> str:
    """ "complete", or how many questions still matter; "" if that is not computed."""
    if mount.matter is None:
        return ""
    if not mount.matter:
        return "complete"
    return f"{counted(mount.matter, 'question')} still matter{'s' * (mount.matter == 1)}"


def line_changes_text(base: RuleBase, line_changes: Sequence[LineChange], width: int) -> str:
    """Answers that would change the mount line, the easiest first: "Is the mount read-only? yes (hard)". As many as fit
    into `width` characters, at least one."""
    questions = [
        f"{wording.question(base, change.fact)} {wording.mask_text(base, change.fact, change.mask)} "
        f"({setting_names(base, change.tunables)})" for change in line_changes
    ]
    for number in range(len(questions), 0, -1):
        more = [f"{len(questions) - number} more"] if number < len(questions) else []
        text = " · ".join((*questions[:number], *more))
        if len(text) <= width or number == 1:
            return text
    return "nothing that can be changed here"


def mount_lines(base: RuleBase, session: Session) -> list[str]:
    """The mount line of each mount of the session; [] for a server, or if nothing is settled."""
    return [mount_line(advice) for advice in _mount_advices(base, session)]


def incomplete_notes(base: RuleBase, session: Session) -> list[str]:
    """Sentences on what the mount lines lack; [] if they are complete."""
    lacks = dict.fromkeys(
        wording.label(base.tunables[missing.tunable])
        for advice in _mount_advices(base, session) for missing in missing_options(advice)
    )
    return [f"It is not complete: {', '.join(lacks)} must be settled first."] if lacks else []


def _mount_advices(base: RuleBase, session: Session) -> list[Advice]:
    advices: list[Advice] = []
    for _, side in mounts.sides(session):
        several = mounts.several_advice(base, side)
        advices += several.mounts if several else (questions.preview(base, side),)
    return [advice for advice in advices if has_mount(advice)]


def farewell(
    base: RuleBase, session: Session, path: Path | None, option: str = "", *, line: bool = True
) -> list[str]:
    """The lines that are printed at the end: the mount lines (with `line`), and how to continue. `option`: of the
    command that continues."""
    lines = mount_lines(base, session) if line else []
    head = [f"The mount line{'s' if len(lines) > 1 else ''}:"] if lines else []
    lines += incomplete_notes(base, session) if lines else []
    if path is None:
        return [*head, *lines, "The answers are not saved."]
    name = name_of(path)
    words = ("advisor wizard", option, f"--session {name}" if name else "")
    command = " ".join(filter(None, words))
    return [*head, *lines, f"{command} continues from here. The answers are saved in", f"  {path}"]
