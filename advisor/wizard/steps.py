"""The steps of the wizard: what is asked, its texts and its choices. A screen draws a step, a prompt prints it; neither
decides what it says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, NamedTuple

from advisor.advice.answers_file import same_server
from advisor.advice.rows import has_mount
from advisor.advice.verdict import missing_options
from advisor.engine import EngineError, word_list
from advisor.pages import wording
from advisor.rulebase.model import RuleBase, Values
from advisor.wizard import ending, mounts, questions, state, typed_answer
from advisor.wizard.advice_cache import advice_for
from advisor.wizard.commands import BY_NAME, Command, usage
from advisor.wizard.files import SIDES, SavedSession, number_of_answers
from advisor.wizard.state import ROLE, Found, Refused, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.evidence import NfsLine

FOUND = "Found on this host"
STAY, LOSE = "Stay here", "Leave without saving"
CONTRADICTS = "contradicts earlier answers"
KEEP, PIN = "Leave it as advised", "Pin it all the same"
OTHER_ANSWER, SO_ALL_THE_SAME = "Choose another answer", "Answer so all the same"
DIGITS = 9
"""Choices that have a digit. With more, help and settings get less room, and a prompt prints these alone."""
_TYPED = {"guess": "0", "unknown": "d", "skip": "d", "write": " ", "file": "fstab FILE", "mounts": "l", "fine": "m"}
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
        says = f"goes on with {number_of_answers(session)}"
    else:
        says = "anew; the saved answers are kept" if saved else "a few questions, then the line and the files"
    resumes = [Choice("resume", f"Continue with {one.name or 'the saved answers'}", one,
                      ", ".join(filter(None, (one.mount, one.answers, f"saved {one.when}"))))
               for one in saved]
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
        known = "Your answer", wording.given_answer(base, given, fact), ""
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
    offered = questions.values_to_choose(base, session, fact)
    guesses = [offer for offer in offered if offer.guess and offer.fits and now is None]
    return [
        *(Choice("guess", offer.label, offer.value, f"a guess: {offer.guess}") for offer in guesses[:1]),
        *(Choice("answer", offer.label, offer.value, "" if offer.fits else CONTRADICTS,
                 now == offer.value is not None) for offer in offered),
        Choice("unknown", wording.UNKNOWN, None, unknown, fact in session.answers.unknown),
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
    advice, found = questions.preview(base, session), ending.known_verdict(base, session)
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
        *(Choice("look", _hanging(base, session, fact), fact, ending.setting_names(base, names))
          for fact, names in left.hanging.items()),
    ]
    if left.matter or left.more:
        ways.append(Choice("fine", "More questions", None, ending.left_questions(found, left.matter, left.more)))
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
        ending.title(left, rest, found), ways,
        tuple(("", text) for text in ending.sentences(base, left, rest, found)),
        section="What next", about=scope_text(base, session, None),
    )


def _hanging(base: RuleBase, session: Session, fact: str) -> str:
    """A question without an answer; of a version whose release was named, only what the release leaves open is not
    known."""
    asks, told = wording.question(base, fact), wording.given_answer(base, session.answers, fact)
    return f"Not known: {asks}" if told == wording.UNKNOWN else f"Known in part: {asks} {told}"


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


def keys_of(choices: list[Choice]) -> list[str]:
    """A key for each choice: its place in the list up to 9, also of a version; else "", because `/` finds the others by
    name; "d" for "I don't know", and "0" for a guess, so that the others keep theirs."""
    first = 0 if choices and choices[0].act == "guess" else 1
    return ["d" if choice.act == "unknown" else str(place) if place < 10 else ""
            for place, choice in enumerate(choices, first)]


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
        return f"about {side_name(session.answers.facts.get(ROLE))}" if session.other_side is not None else ""
    scope = base.facts[fact].scope if fact is not None and fact in base.facts else "mount"
    if scope == "host":
        return f"about the host, for all {len(mounts)} mounts"
    served = sum(same_server(answers, session.answers) for answers in mounts)
    if scope == "server" and served > 1:
        return f"about the server {session.answers.name('server')}, for {served} of {len(mounts)} mounts"
    return f"mount {session.place + 1} of {len(mounts)}: {session.answers.name('target')}"


def marked_choices(base: RuleBase, session: Session, asked: WizardStep) -> list[Choice]:
    """The choices of a question, the first of them with which the mount would fail marked with the reason."""
    if asked.fact is None or session.answers._replace(now={}) == state.NO_ANSWERS:
        return asked.choices
    now, marked = ending.judged(base, questions.preview(base, session)), []
    for place, choice in enumerate(asked.choices):
        why = ""
        if place < DIGITS and choice.act == "answer" and not choice.note:
            with suppress(EngineError):  # it is refused with the reason when it is given
                then = advice_for(base, questions.trial_answers(base, session, asked.fact, choice.value))
                why = ending.why_failing(base, now, ending.judged(base, then))
        marked.append(choice._replace(note=f"fails: {why}") if why else choice)
    return marked
