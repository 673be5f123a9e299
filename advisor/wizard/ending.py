"""What a session comes to: the verdict on its mounts, and the words, the lines and the card of its end."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from shlex import quote

from advisor.advice.model import Advice, RefusedPin
from advisor.advice.rows import has_mount, mount_line
from advisor.advice.verdict import AdviceVerdict, said_against, verdict, warning, with_refusals
from advisor.pages.phrases import counted, first_names, remaining_questions
from advisor.rulebase.model import RuleBase
from advisor.rulebase.values import told_name
from advisor.wizard import mounts, questions, state
from advisor.wizard.advice_cache import Cache, advice_for, key_of
from advisor.wizard.files import ANSWERS, FOLDER, SIDES, made_files, name_of
from advisor.wizard.mounts import OtherMount
from advisor.wizard.questions import Ending
from advisor.wizard.state import ROLE, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.answers import Answers
    from advisor.pages.blocks import Block

NAMED = 4
"""How many open settings are named, the most important first."""
MAX_DEPENDENT = 3
"""How many settings are named that depend on one answer."""
READY = AdviceVerdict()
_verdict = partial(verdict, options=False)
_judged_cache: Cache[Advice] = Cache(128)


def failure(base: RuleBase, before: Session, after: Session) -> str:
    """Why this mount will fail with the answers of `after`; "" if it does not, or failed before. The other mounts,
    whose advice takes long, are judged while nobody types."""
    was, found = (judged(base, questions.preview(base, one)) for one in (before, after))
    return why_failing(base, was, found)


def why_failing(base: RuleBase, before: Advice, after: Advice) -> str:
    """The same of advice that is judged."""
    found = _verdict(base, [after])
    fails = found.state == "will-fail" and _verdict(base, [before]).state != "will-fail"
    return found.reasons[0] if fails else ""


def session_verdict(base: RuleBase, session: Session) -> AdviceVerdict:
    """The verdict on all mounts of both sides."""
    every = [mounts.several_advice(base, side) for _, side in mounts.sides(session)]
    conflicts = [conflict for several in every if several for conflict in several.conflicts]
    return _verdict(base, _judged_advices(base, session), conflicts)


def known_verdict(base: RuleBase, session: Session) -> AdviceVerdict:
    """`session_verdict` if the advice for all mounts is cached; else that on the current mount."""
    advice, several = mounts.known_advice(base, session)
    if several or not session.others:
        return session_verdict(base, session)
    return _verdict(base, [judged(base, advice)])


def judged(base: RuleBase, advice: Advice) -> Advice:
    """`with_refusals`, cached for each set of answers."""
    return _judged_cache.get(key_of(base, advice.answers), lambda: with_refusals(base, advice))


def judge(base: RuleBase, answers: Answers) -> None:
    """Computes the judged advice for answers, so that `known_judged` has it."""
    _judged_cache.get(key_of(base, answers), lambda: with_refusals(base, advice_for(base, answers)))


def known_judged(base: RuleBase, answers: Answers) -> Advice | None:
    return _judged_cache.peek(key_of(base, answers))


def result(base: RuleBase, session: Session, columns: int, *, fold: bool = False,
           ask: tuple[str, str] = ("press n for", "{}")) -> list[Block]:
    """The card of what one gets, or why there is none. The parameters are those of `card`."""
    from advisor.pages.blocks import Paragraph, text  # noqa: PLC0415  few questions end with it
    from advisor.pages.card import card  # noqa: PLC0415

    made, _, problem = made_files(base, session)
    if problem:
        return [Paragraph(text(problem))]
    folder, first = session.folder or FOLDER, "" if session.folder else "write files, then "
    return card(_judged_advices(base, session), session_verdict(base, session), folder=folder, first=first,
                files={file.path: file.lines for file in made}, columns=columns, fold=fold, ask=ask)


def result_details(base: RuleBase, session: Session, columns: int) -> list[Block]:
    """What the card sums up; the parameters are those of `details`."""
    from advisor.pages.card import details  # noqa: PLC0415

    return details(_judged_advices(base, session), columns)


def left_questions(found: AdviceVerdict, matter: int, more: int) -> str:
    """How many questions are left at the end."""
    stops = matter and found.state != "open"
    return counted(matter + more, "optional question") if stops else remaining_questions(matter, more)


def title(left: Ending, rest: tuple[OtherMount, ...] = (), found: AdviceVerdict = READY) -> str:
    done = all(mount.matter == 0 for mount in rest)
    if left.barred is not None:
        own = left.barred.consequence == "ignored"  # another client, or what manages its machines
        return "This system mounts it in its own way." if own else "NFS is not the answer here."
    if found.state != "ready" or found.empty:
        return found.title if done else f"{found.title} This mount is complete."
    improves = left.waiting or any(mount.waiting for mount in rest if done)
    what = "The configuration" if done else "This mount"
    names = f", but names are missing ({', '.join(found.unnamed)})" if found.unnamed else ""
    if improves:
        return f"{what} is ready{names}; more answers could still improve it."
    return f"{what} is complete{names}."


def sentences(
    base: RuleBase, left: Ending, rest: tuple[OtherMount, ...] = (), found: AdviceVerdict = READY
) -> list[str]:
    """Sentences on what stands against it, what to do next, which settings are open, and what was assumed."""
    if left.barred is not None:
        return [f"{left.barred.steps.apply} {left.barred.why}".strip()]
    told = 1 if found.state == "ready" else NAMED
    texts = list(found.reasons[:told]) if found.state != "open" else []
    hidden = len(found.reasons) - told
    texts += [f"{counted(hidden, 'more warning')} in the report."] if texts and hidden > 0 else []
    texts += [left.next] if left.next and found.state != "open" else []
    kept = "the defaults stay for" if found.state == "ready" else "open until more is known:"
    open_now: list[str] = []
    for start, waiting in (("", left.waiting), *((f"{mount.target}: ", mount.waiting) for mount in rest)):
        names = setting_names(base, (row.tunable for row in waiting or ()), NAMED)
        open_now += [f"{start}{kept} {names}."] if names else []
    if open_now and found.state == "ready" and all(mount.matter == 0 for mount in rest):
        open_now[0] = f"No more answers are needed; {open_now[0]}"
    return texts + [text if text[0] == "/" else f"{text[0].upper()}{text[1:]}" for text in open_now]


def setting_names(base: RuleBase, tunables: Iterable[str], most: int = MAX_DEPENDENT) -> str:
    """ "vers, nconnect and 3 more"."""
    return first_names([told_name(base.tunables[name]) for name in tunables], most)


def mount_lines(base: RuleBase, session: Session) -> list[str]:
    """The mount line of each mount of the session; [] for a server, or if nothing is settled."""
    return [mount_line(advice) for advice in _mount_advices(base, session)]


def incomplete_notes(base: RuleBase, session: Session) -> list[str]:
    """Sentences on what the mount lines lack, or why they fail; [] if they are ready."""
    found = session_verdict(base, session)
    if found.state == "will-fail" and _mount_advices(base, session):
        return [f"{found.title} {found.reasons[0]}"]
    lacks = dict.fromkeys(filter(None, map(warning, _mount_advices(base, session))))
    told = found.title if (found.state == "open" or found.unnamed) and _mount_advices(base, session) else ""
    return [*lacks] or ([told] if told else [])


def _mount_advices(base: RuleBase, session: Session) -> list[Advice]:
    return [advice for advice in _judged_advices(base, session) if has_mount(advice)]


def _judged_advices(base: RuleBase, session: Session) -> list[Advice]:
    advices: list[Advice] = []
    for _, side in mounts.sides(session):
        several = mounts.several_advice(base, side)
        advices += several.mounts if several else (questions.preview(base, side),)
    return [judged(base, advice) for advice in advices]


def _served(base: RuleBase, session: Session) -> list[str]:
    """The lines of exports, or what a cluster exports; [] for clients alone."""
    if not any(advice.server for advice in _judged_advices(base, session)):
        return []
    from advisor.pages.card import server_lines  # noqa: PLC0415  only at the end

    return server_lines({file.path: file.lines for file in made_files(base, session).artefacts})


def farewell(
    base: RuleBase, session: Session, path: Path | None, option: str = "", *, line: bool = True,
    exported: bool = False,
) -> list[str]:
    """The lines that are printed at the end: the export and the mount lines (with `line`), and how to continue.
    `option`: of the command that continues; `exported`: the answers are among the files."""
    lines = mount_lines(base, session) if line else []
    head = [f"The mount line{'s' if len(lines) > 1 else ''}:"] if lines else []
    served = _served(base, session) if line else []
    head = [*["On the server:"] * bool(served), *served, *head]
    lines += incomplete_notes(base, session) if lines else []
    left = questions.upcoming_questions(base, session._replace(fine=False, at=None))
    lines += ["Not finished: questions that matter are still open."] if left and session.order else []
    if path is None and not exported:
        return [*head, *lines, "The answers are not saved."]
    if path is None:
        side = SIDES.get(str(session.answers.facts.get(ROLE)), "") if session.other_side is not None else ""
        path = Path(session.folder).expanduser() / side / ANSWERS
        which = f"--answers {quote(str(path))}"
    else:
        which = f"--session {name_of(path)}" if name_of(path) else ""
    command = " ".join(filter(None, ("advisor wizard", option, which)))
    lines += [f"The files are in {Path(session.folder).expanduser().absolute()}."] if exported else []
    return [*head, *lines, f"{command} continues from here. The answers are saved in", f"  {path}"]


def refusal_of(base: RuleBase, session: Session, tunable: str, value: object) -> RefusedPin | None:
    """Why a setting must not be pinned to a value; None if it may. Raises Refused if it cannot be pinned."""
    pinned = state.pin(base, session, tunable, value)
    advice = judged(base, questions.preview(base, pinned))
    row = advice.find(tunable)
    return said_against(advice, row) if row else None
