"""The steps of the wizard: what is asked, its texts and its choices. A screen draws a step, a prompt prints it; neither
decides what it says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from advisor.advice.answers_file import same_server
from advisor.advice.model import Advice, RefusedPin
from advisor.advice.rows import has_mount, mount_line
from advisor.advice.verdict import AdviceVerdict, missing_options, verdict, warning, with_refusals
from advisor.engine.errors import word_list
from advisor.pages import wording
from advisor.pages.phrases import counted, first_names, remaining_questions
from advisor.rulebase.model import RuleBase, Values
from advisor.rulebase.values import told_name
from advisor.wizard import mounts, questions, state, typed_answer
from advisor.wizard.advice_cache import Cache, advice_for, key_of
from advisor.wizard.commands import BY_NAME, Command, usage
from advisor.wizard.files import ANSWERS, FOLDER, SIDES, SavedSession, made_files, name_of
from advisor.wizard.mounts import OtherMount
from advisor.wizard.questions import Ending
from advisor.wizard.state import ROLE, Found, Refused, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.answers import Answers
    from advisor.lint.evidence import NfsLine
    from advisor.pages.blocks import Block

UNKNOWN, FOUND = "I don't know", "Found on this host"
STAY, LOSE = "Stay here", "Leave without saving"
CONTRADICTS = "contradicts earlier answers"
NAMED = 4
"""How many open settings are named, the most important first."""
MAX_DEPENDENT = 3
"""How many settings are named that depend on one answer."""
READY = AdviceVerdict()
_verdict = partial(verdict, options=False)
KEEP, PIN = "Leave it as advised", "Pin it all the same"
OTHER_ANSWER, SO_ALL_THE_SAME = "Choose another answer", "Answer so all the same"
_judged_cache: Cache[Advice] = Cache(128)
_TYPED = {"unknown": "d", "skip": "d", "write": " ", "file": "fstab FILE", "mounts": "l", "fine": "m"}
"""What choosing it does → what is typed at a prompt instead of a number."""


class Choice(NamedTuple):
    """`act`: what choosing it does with `value`; for "do", `value` is the name of a command. `note`: text after the
    label. `selected`: it is the current answer, or a marked line of fstab."""

    act: str
    label: str
    value: Any = None
    note: str = ""
    selected: bool = False


class WizardStep(NamedTuple):
    """A step. `notes`: (label, text) of its help. `fact`: the fact that it asks for, None if it is no question of the
    rule base. `section`, `about`: what the question belongs to, and which host or mount it is about. `known`: (label,
    answer, where it is from) of the current answer, or of the value that was found on this host. `example`: of a text
    that can be written. `refused`: it asks whether to do what is refused."""

    title: str
    choices: list[Choice]
    notes: tuple[tuple[str, str], ...] = ()
    fact: str | None = None
    section: str = ""
    about: str = ""
    known: tuple[str, str, str] | None = None
    found: tuple[Values, str] | None = None
    example: str = ""
    refused: bool = False


def start_choices(
    session: Session, tasks: Iterable[Command], saved: Sequence[SavedSession], lines: Sequence[NfsLine] = ()
) -> list[Choice]:
    """What the first screen offers: first the session that was saved last, at the end the others and the lines of
    fstab."""
    if session.order or session.answers.names:
        says = f"goes on with {counted(len(session.order), 'answer') if session.order else 'the names given'}"
    else:
        says = "anew; the saved answers are kept" if saved else "a few questions, then the line and the files"
    resumes = [Choice("resume", f"Continue with {one.name or 'the saved answers'}", one,
                      f"{counted(one.answers, 'answer')}, saved {one.when}") for one in saved]
    return [
        *resumes[:1], Choice("configure", "Configure a mount", None, says),
        *(Choice("do", task.title, task.name, task.says) for task in tasks), *resumes[1:], *_line_choices(lines),
    ]


def _line_choices(lines: Sequence[NfsLine]) -> list[Choice]:
    return [Choice("mount", mounts.label_of(*line.mount), line, line.mount.place) for line in lines]


def mount_question(
    base: RuleBase, session: Session, lines: Sequence[NfsLine], tasks: Iterable[Command]
) -> WizardStep:
    """Which mount it is about: a line of fstab, or names that are written; below them the other tasks."""
    skip = "Continue with these names" if session.answers.names else "Continue without names"
    known = mounts.known_names(session)
    return WizardStep(mounts.TITLE, [
        *_line_choices(lines), Choice("write", "Write it, as in fstab", None, mounts.EXAMPLE),
        Choice("file", "Pick a line of another fstab …"), Choice("skip", skip),
        Choice("mounts", "Name several mounts …"),
        *(Choice("do", task.title, task.name, task.says) for task in tasks),
    ], (("", mounts.HELP),), about=scope_text(base, session, None), example=mounts.EXAMPLE,
        known=("So far", known, "") if known else None)


def question(base: RuleBase, session: Session, fact: str, found: tuple[Values, str] | None) -> WizardStep:
    """The question for a fact. `found`: its value on this host, and where it was read."""
    definition, given = base.facts[fact], session.answers
    known = None
    if fact in given.unknown:
        known = "Your answer", UNKNOWN, ""
    elif fact in given.facts:
        label = "Your answer" if fact in session.order else "Inferred"
        known = label, wording.answer_text(base, fact, given.facts[fact]), given.origin.get(fact) or ""
    elif found:
        known = FOUND, wording.answer_text(base, fact, found[0]), found[1]
    return WizardStep(
        wording.question(base, fact), answer_choices(base, session, fact), fact_notes(base, fact, given.facts), fact,
        base.sections.get(definition.section, ""), scope_text(base, session, fact), known, found,
        next(iter(_examples(base, fact, given.facts)), ""),
    )


def current(
    base: RuleBase, session: Session, lines: Sequence[NfsLine], found: Found, tasks: Iterable[Command] = ()
) -> WizardStep:
    """The step at which a session is. `lines`, `tasks`: those of the question for the mount."""
    fact = None if session.at == state.MOUNT else questions.current_question(base, session)
    if fact is not None:
        return question(base, session, fact, questions.found_value(base, session, found, fact))
    return mount_question(base, session, lines, tasks) if session.at == state.MOUNT else end(base, session)


def _examples(base: RuleBase, fact: str, facts: Mapping[str, Values]) -> Sequence[str]:
    form = typed_answer.form_of(base, fact, facts)
    return form.examples if form is not None else list(map(str, base.facts[fact].examples))


def fact_notes(base: RuleBase, fact: str, facts: Mapping[str, Values]) -> tuple[tuple[str, str], ...]:
    """The help of a question, why it is asked, and examples."""
    definition = base.facts[fact]
    examples = ", ".join(_examples(base, fact, facts)) if definition.type != "enum" else ""
    notes = (("", definition.help or ""), ("Why it is asked: ", definition.why or ""), ("Examples: ", examples))
    return tuple(note for note in notes if note[1])


def answer_choices(base: RuleBase, session: Session, fact: str) -> list[Choice]:
    """The values of a question, and "I don't know"."""
    now = session.answers.facts.get(fact)
    unknown = (
        "the usual value, if that is safe" if base.facts[fact].usual else "what depends on it stays open"
    )
    return [
        *(Choice("answer", offer.label, offer.value,
                 CONTRADICTS if not offer.fits else f"a guess: {offer.guess}" if offer.guess else "",
                 now == offer.value is not None)
          for offer in questions.values_to_choose(base, session, fact)),
        Choice("unknown", UNKNOWN, None, unknown, fact in session.answers.unknown),
    ]


def with_found(base: RuleBase, asked: WizardStep) -> list[Choice]:
    """The choices of a question, the value found on this host first unless it was answered."""
    if asked.known is None or asked.known[0] != FOUND or asked.found is None:
        return asked.choices
    value, where = asked.found
    choice = Choice("found", wording.answer_text(base, str(asked.fact), value), value, f"found in {where}")
    return [choice, *(other for other in asked.choices if other.act != "answer" or other.value != value)]


def end(base: RuleBase, session: Session) -> WizardStep:
    """What to do if no question that matters is left: first mounts with open questions, then the tasks, then the
    questions that were answered with "I don't know" or by an assumption."""
    left, rest = questions.ending(base, session), mounts.other_mounts(base, session)
    advice, found = questions.preview(base, session), known_verdict(base, session)
    side = side_name(mounts.other_role(base, session))
    ways = [
        Choice("other", f"Continue with {mount.target}", mount.place, mounts.mount_progress(mount))
        for mount in rest if mount.matter != 0
    ]
    if side:
        ways.append(Choice("do", f"Continue with {side}", "side"))
    ways.append(Choice("do", "Show the result", "result", "to copy its line, or the card"))
    if has_mount(advice) and not missing_options(advice):
        ways.append(Choice("do", "Copy the mount command", "copy_command"))
    ways += [
        Choice("do", "Export the configuration", "export", "the files, and a report"),
        Choice("do", "Review all answers and settings", "review"),
        Choice("do", "Compare with an fstab", "check"),
        *(Choice("look", f"Not known: {wording.question(base, fact)}", fact, setting_names(base, names))
          for fact, names in left.hanging.items()),
    ]
    if left.matter or left.more:
        ways.append(Choice("fine", "More questions", None, left_questions(found, left.matter, left.more)))
    if found.unnamed and left.barred is None:
        names = word_list(map("the {}".format, found.unnamed), "and")
        from advisor.pages.card import until_named  # noqa: PLC0415  only at the end

        folders = [f"{SIDES[role]}/" for role, _ in mounts.sides(session)] if session.other_side else []
        ways.append(Choice("do", f"Name {names}", "name", until_named(found.unnamed, folders)))
    ways += [
        Choice("look", f"Assumed: {wording.assumed_answer(base, supposition)}", supposition.fact,
               wording.at_stake(advice.rows, supposition.fact))
        for supposition in left.taken
    ]
    return WizardStep(
        ending_title(left, rest, found), ways, tuple(("", text) for text in ending_text(base, left, rest, found)),
        section="What next", about=scope_text(base, session, None),
    )


def take(base: RuleBase, session: Session, fact: str | None, act: str, value: Any, *, found: Found) -> Session:
    """The session after a choice of a step, or with a text that was written: act "typed", or "named" for other
    questions. `fact`: which the step asks for. Raises Refused."""
    if act == "mount":
        return mounts.use_line(base, session, value)
    if act == "marked":
        return mounts.add_lines(base, session, value)
    if act == "other":
        return mounts.go_to_mount(base, session, value)
    if act == "fine":
        return session._replace(fine=True, at=None)
    if act in ("instead", "pin instead"):
        name, given, dropped, of = value
        change = state.answer if act == "instead" else state.pin
        return change(base, session, name, given, instead_of=dropped, of=of)
    if fact is None:
        return mounts.use_text(base, session, value or "")
    if act == "unknown":
        return state.dont_know(base, session, fact)
    if act == "named":
        past = session.with_undo_step().past
        for name, told in value.items():
            session = state.answer(base, session, name, told)
        return state.dont_know(base, session, fact)._replace(past=past)
    return state.answer(base, session, fact, value, origin=found[fact][1] if act == "found" else None)


def last_answer(base: RuleBase, session: Session) -> tuple[str, str]:
    """The question that was answered last, and its answer; both "" if the last change was another one."""
    if not session.past or session.past[-1].place != session.place:
        return "", ""
    before, now = session.past[-1].answers, session.answers
    for fact in reversed(session.order):
        if now.facts.get(fact) != before.facts.get(fact) or (fact in now.unknown) != (fact in before.unknown):
            answer = wording.answer_text(base, fact, now.facts[fact]) if fact in now.facts else UNKNOWN
            return wording.question(base, fact), answer
    return "", ""


def contradiction(
    base: RuleBase, session: Session, name: str, value: object, refused: Refused, *, pin: bool = False
) -> WizardStep:
    """Whether to drop an earlier answer that a new one contradicts, or a pin. `name`: the fact, or the setting that is
    pinned; some are both."""
    earlier = earlier_answers(base, session, refused)
    return WizardStep(
        f"{wording.answer_text(base, name, value)}: this contradicts an earlier answer.",
        [Choice("keep", "Keep the earlier answer"), *(
            Choice("pin instead" if pin else "instead", f"Drop it: {text}", (name, value, (other,), refused.place))
            for other, text in earlier.items()
        )],
        tuple(("", text) for text in ([] if refused.place is None else [str(refused)]) + [*earlier.values()]),
        about=scope_text(base, session, name), refused=True,
    )


def earlier_answers(base: RuleBase, session: Session, refused: Refused) -> dict[str, str]:
    """Fact or pinned setting → the earlier answer that a new one contradicts, as question and answer."""
    answers = session.answers if refused.place is None else session.mounts[refused.place].answers
    given = {**answers.facts, **answers.pins}
    return {
        other: f"{wording.question(base, other)} {wording.answer_text(base, other, given[other])}"
        for other in refused.against
    }


def failing(base: RuleBase, given: tuple[str, str, object], reason: str) -> WizardStep:
    """Whether to give an answer with which it will fail. `given`: as in `take`; `reason`: why."""
    fact, _, value = given
    return WizardStep(
        f"{wording.answer_text(base, fact, value)}: this will fail.",
        [Choice("keep", OTHER_ANSWER), Choice("all the same", SO_ALL_THE_SAME, given)],
        (("", reason),), refused=True,
    )


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


def keys_of(choices: list[Choice]) -> list[str]:
    """A key for each choice: its place in the list up to 9, also of a version; else "", because `/` finds the others by
    name; "d" for "I don't know"."""
    return ["d" if choice.act == "unknown" else str(place) if place < 10 else ""
            for place, choice in enumerate(choices, 1)]


def typed_keys(choices: Sequence[Choice]) -> list[str]:
    """What is typed at a prompt for each choice: its place among those that have no command, or the command; "" for one
    that only a screen offers."""
    places = count(1)
    return [(_command(choice) or str(next(places))).strip() for choice in choices]


def _command(choice: Choice) -> str:
    """What is typed for a choice that has no number."""
    if choice.act == "do":
        command = BY_NAME.get(choice.value)
        return usage(command) if command is not None and command.words else " "
    if choice.act in ("look", "other"):
        return f"a {choice.value}" if choice.act == "look" else f"l {choice.value + 1}"
    return _TYPED.get(choice.act, "")


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


def marked_choices(base: RuleBase, session: Session, asked: WizardStep) -> list[Choice]:
    """The choices of a question that is a setting too, those with which the mount would fail marked with the reason."""
    if asked.fact is None or asked.fact not in base.decisions:
        return asked.choices
    now = judged(base, questions.preview(base, session))
    marked = []
    for choice in asked.choices:
        why = ""
        if choice.act == "answer" and not choice.note:
            then = advice_for(base, questions.trial_answers(base, session, asked.fact, choice.value))
            why = why_failing(base, now, judged(base, then))
        marked.append(choice._replace(note=f"fails: {why}") if why else choice)
    return marked


def result(base: RuleBase, session: Session, columns: int, *, fold: bool = False,
           ask: tuple[str, str] = ("press n and write", "{}"), most: int = 0) -> list[Block]:
    """The card of what one gets, or why there is none. The parameters are those of `card`."""
    from advisor.pages.blocks import Paragraph, text  # noqa: PLC0415  few questions end with it
    from advisor.pages.card import LINES, card  # noqa: PLC0415

    made, _, problem = made_files(base, session)
    if problem:
        return [Paragraph(text(problem))]
    folder, first = session.folder or FOLDER, "" if session.folder else "write the files, then "
    return card(_judged_advices(base, session), session_verdict(base, session), folder=folder, first=first,
                files={file.path: file.lines for file in made}, columns=columns, fold=fold, ask=ask,
                most=max(most, LINES))


def left_questions(found: AdviceVerdict, matter: int, more: int) -> str:
    """How many questions are left at the end."""
    stops = matter and found.state != "open"
    return counted(matter + more, "optional question") if stops else remaining_questions(matter, more)


def ending_title(left: Ending, rest: tuple[OtherMount, ...] = (), found: AdviceVerdict = READY) -> str:
    done = all(mount.matter == 0 for mount in rest)
    if left.barred is not None:
        own = left.barred.consequence == "ignored"  # another system's client mounts it
        return "This is not mounted by Linux." if own else "NFS is not the answer here."
    if found.state != "ready" or found.empty:
        return found.title if done else f"{found.title} This mount is complete."
    improves = left.waiting or any(mount.waiting for mount in rest if done)
    what = "The configuration" if done else "This mount"
    names = f", but names are missing ({', '.join(found.unnamed)})" if found.unnamed else ""
    if improves:
        return f"{what} is ready{names}; more answers could still improve it."
    return f"{what} is complete{names}."


def ending_text(
    base: RuleBase, left: Ending, rest: tuple[OtherMount, ...] = (), found: AdviceVerdict = READY
) -> list[str]:
    """Sentences on what stands against it, what to do next, which settings are open, and what was assumed."""
    if left.barred is not None:
        return [f"{left.barred.steps.apply} {left.barred.why}".strip()]
    told = 1 if found.state == "ready" else NAMED
    sentences = list(found.reasons[:told]) if found.state != "open" else []
    hidden = len(found.reasons) - told
    sentences += [f"{counted(hidden, 'more warning')} in the report."] if sentences and hidden > 0 else []
    sentences += [left.next] if left.next and found.state != "open" else []
    kept = "the defaults stay for" if found.state == "ready" else "open until more is known:"
    open_now: list[str] = []
    for start, waiting in (("", left.waiting), *((f"{mount.target}: ", mount.waiting) for mount in rest)):
        names = setting_names(base, (row.tunable for row in waiting or ()), NAMED)
        open_now += [f"{start}{kept} {names}."] if names else []
    if open_now and found.state == "ready" and all(mount.matter == 0 for mount in rest):
        open_now[0] = f"No more answers are needed; {open_now[0]}"
    return sentences + [text if text[0] == "/" else f"{text[0].upper()}{text[1:]}" for text in open_now]


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
    row = judged(base, questions.preview(base, pinned)).find(tunable)
    return row.refused if row else None
