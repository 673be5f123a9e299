"""Prints questions, settings and changes for the numbered prompts. Nothing here changes a session."""

from __future__ import annotations

from advisor.advice.model import NOTHING, Advice
from advisor.advice.mount_line import has_mount, mount_line
from advisor.advice.ranking import by_group, in_order
from advisor.pages import wording
from advisor.pages.phrases import counted, first_names, remaining_questions
from advisor.pages.why import refusal
from advisor.pages.wording import outcome
from advisor.rulebase.model import RuleBase
from advisor.wizard import mounts, pins, questions, typed_answer, words
from advisor.wizard.advice_cache import AdviceChange
from advisor.wizard.mounts import OfferedLine
from advisor.wizard.plain_talk import Talk
from advisor.wizard.state import Refused, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values
    from advisor.wizard.saved_sessions import DifferentAnswer


NEWS = 8
"""How many changes are listed after an answer; the command `s` lists all."""


def show_mount_question(talk: Talk, session: Session, offered: list[OfferedLine]) -> None:
    """Prints the question for the mount, with the lines of fstab to choose from."""
    talk.say()
    talk.say(mounts.TITLE)
    talk.say(mounts.HELP, "  ")
    talk.say(f"Example: {mounts.EXAMPLE}", "  ")
    wide = len(str(len(offered)))
    for number, line in enumerate(offered, 1):
        talk.say(f"{line.label} ({line.note})", f"  {number:>{wide}}  ")
    if len(offered) > 1:
        talk.say("takes several of them", "  1,2  ")
    talk.say("offers the NFS lines of a file to pick from", "  fstab FILE  ")
    if session.answers.names:
        talk.say(mounts.known_names(session), "  ")


def show_question(
    talk: Talk, base: RuleBase, session: Session, fact: str, found_value: tuple[Values, str] | None
) -> None:
    """Prints a question with its help, the current answer, and the choices."""
    definition = base.facts[fact]
    talk.say()
    talk.say(base.sections.get(definition.section, "Question"))
    about = words.scope_text(base, session, fact)
    if about:
        talk.say(about)
    talk.say(progress_text(base, session))
    talk.say()
    talk.say(wording.question(base, fact))
    examples = ", ".join(map(str, definition.examples)) if definition.type != "enum" else ""
    unit = f"A number of {definition.unit}, or one with its own unit." if definition.unit else ""
    for label, text in (
        ("Why it is asked: ", definition.why), ("Help: ", definition.help), ("Examples: ", examples), ("", unit),
    ):
        if text:
            talk.say(f"{label}{text}", "  ")
    given = session.answers
    if fact in given.unknown:
        talk.say(f"Your answer: {words.UNKNOWN}. An empty line keeps it.", "  ")
    elif fact in given.facts:
        where = given.origin.get(fact)
        label = f"Your answer ({where})" if where else "Your answer"
        label = label if fact in session.order else f"Inferred from {where}"
        talk.say(f"{label}: {wording.answer_text(base, fact, given.facts[fact])}. An empty line keeps it.", "  ")
    elif found_value:
        value = wording.answer_text(base, fact, found_value[0])
        talk.say(f"Found on this host: {value}, in {found_value[1]}. An empty line accepts it.", "  ")
    offered = questions.values_to_choose(base, session, fact)
    names = typed_answer.choice_keys([offer.value for offer in offered])
    wide = max(map(len, names), default=1)
    for name, offer in zip(names, offered):
        talk.say(offer.label if offer.fits else f"{offer.label} ({words.CONTRADICTS})", f"  {name:>{wide}}  ")
    talk.say(words.UNKNOWN, f"  {'d':>{wide}}  ")


def progress_text(base: RuleBase, session: Session) -> str:
    """ "3 questions still matter, 9 more could fine-tune; an answer settles about 2"."""
    now = questions.progress(base, session)
    usual = f"; an answer settles about {round(now.settles)}" if now.settles >= 1 else ""
    return f"{remaining_questions(now.matter, now.more)}{usual}"


def show_end(talk: Talk, base: RuleBase, session: Session) -> None:
    """Prints that no question that matters is left, what is assumed, and how to continue."""
    left = questions.ending(base, session)
    mounts.several_advice(base, session)  # computes the advice for the other mounts, which other_mounts() shows
    rest = mounts.other_mounts(base, session)
    talk.say()
    about = words.scope_text(base, session, None)
    if about:
        talk.say(about)
    talk.say(words.ending_title(left, rest))
    for line in words.ending_text(base, left, rest):
        talk.say(line, "  ")
    for other in rest:
        if other.matter:
            talk.say(f"l {other.place + 1} continues with {other.target}: {words.mount_progress(other)}", "  - ")
    for fact, names in left.hanging.items():
        talk.say(f"Not known: {wording.question(base, fact)} {words.setting_names(base, names)} ({fact})", "  - ")
    for supposition in left.taken:
        talk.say(f"{wording.assumed_answer(base, supposition)} ({supposition.fact})", "  - ")
    side = words.side_name(mounts.other_role(base, session))
    if side:
        talk.say(f"side continues with {side}", "  - ")
    more = f"m continues ({words.remaining_text(left)}), " if left.matter or left.more else ""
    say = "a FACT answers a question that was assumed or not known, " if left.taken or left.hanging else ""
    talk.say(f"x writes the files, s shows what is settled, {say}{more}b goes back, q quits.")


def show_changes(talk: Talk, changes: list[AdviceChange]) -> None:
    """Prints what an answer has changed: mount options first, settings that need not be set any more last."""
    if not changes:
        talk.say("No setting changes.")
        return
    talk.say(f"{counted(len(changes), 'setting')} changed:")
    alike: dict[object, list[AdviceChange]] = {}  # settings that need not be set any more are grouped by reason
    for change in sorted(
        changes, key=lambda change: (not change.tunable.startswith("mount."), change.after == NOTHING)
    ):
        alike.setdefault((change.after, change.why) if change.after == NOTHING else change.tunable, []).append(change)
    groups = list(alike.values())
    for group in groups[:NEWS]:
        change = group[0]
        names = first_names([each.tunable for each in group])
        named = "" if "=" in change.after or change.after.startswith("leave out") else f"{names}: "
        before = "" if change.before == "open" or group[1:] else f" (was {change.before})"
        talk.say(f"{named}{change.after}{before}. {change.why}", "  - ")
    left = sum(len(group) for group in groups[NEWS:])
    if left:
        talk.say(f"{left} more; s shows everything.", "  - ")


def ask_what_to_drop(talk: Talk, base: RuleBase, session: Session, refused: Refused) -> str | None:
    """Asks which of the contradicted answers to drop; None to keep all."""
    earlier = words.contradicted_answers(base, session, refused)
    chosen = talk.choose(["Keep the earlier answer", *(f"Drop it: {answer}" for answer in earlier.values())])
    return list(earlier)[chosen - 1] if chosen else None


def show_settled(talk: Talk, base: RuleBase, session: Session, advice: Advice) -> None:
    """Prints the answers, all settings to make, known bugs, and the mount line."""
    given, refused = session.answers, pins.refusals(base, advice)
    talk.say()
    talk.say("Your answers:" if session.order else "No answers yet.")
    for fact in session.order:
        answer = words.UNKNOWN if fact in given.unknown else wording.answer_text(base, fact, given.facts[fact])
        where = f" (found: {given.origin[fact]})" if fact in given.origin else ""
        talk.say(f"{wording.question(base, fact)} {answer}{where}", "  - ")
    inferred = mounts.inferred_answers(base, session)
    if inferred:
        talk.say("Inferred from the mount; your answers override it:")
    for _, value in inferred:
        talk.say(value, "  - ")
    for title, mine in by_group(advice.part("set")):
        if mine:
            talk.say(f"{title}:")
        for recommendation in mine:
            problem = f", but {refusal(refused[recommendation.tunable])}" if recommendation.tunable in refused else ""
            strength = f"pinned{problem}" if recommendation.pinned else recommendation.strength or ""
            assumes = wording.assumptions_text(recommendation).strip()
            notes = f"{strength}; {assumes}" if assumes else strength
            talk.say(
                f"{wording.setting_text(recommendation)} ({notes}). "
                f"{recommendation.why if recommendation.rule else ''}".rstrip(), "  - ",
            )
    for bug in advice.bugs:
        talk.say(f"{'Known bug' if bug.certain else 'Possibly a known bug'}: {bug.title}", "  - ")
    talk.say(f"{wording.progress_text(questions.counts(advice))}.")
    several = mounts.several_advice(base, session)
    for conflict in several.conflicts if several else ():
        talk.say(f"No value suits all mounts: {conflict.title}")
        for side in conflict.sides:
            talk.say(f"{side.target}: {outcome(side.value)}. {side.why}", "  - ")
    lines = [
        mount_line(mount_advice) for mount_advice in (several.mounts if several else (advice,))
        if has_mount(mount_advice)
    ]
    if lines:
        talk.say("The mount line:" if len(lines) == 1 else "The mount lines:")
    for line in lines:
        talk.line(line)
    for text in words.incomplete_notes(base, session) if lines else ():
        talk.say(text)


def show_open(talk: Talk, base: RuleBase, advice: Advice) -> None:
    """Prints the open settings, and the questions that settle them."""
    talk.say()
    waiting = in_order(advice.part("open"))
    talk.say(f"{counted(len(waiting), 'setting')} open." if waiting else "Nothing is open.")
    for setting in waiting:
        asks = " ".join(wording.question(base, fact) for fact in setting.asks)
        depends = f" It depends on: {asks}" if asks else ""
        talk.say(f"{setting.tunable}: {wording.open_values(setting)}.{depends}", "  - ")


def show_comparison(talk: Talk, base: RuleBase, different: list[DifferentAnswer], changes: list[AdviceChange]) -> None:
    """Prints the answers and the advice that differ in another session."""
    talk.say()
    differ = f"{counted(len(different), 'answer')} and {counted(len(changes), 'setting')} differ"
    talk.say(f"{differ}: here, then there.")
    for answer in different:
        talk.say(f"{wording.question(base, answer.fact)} {answer.here}, there {answer.there}", "  - ")
    for change in changes:
        name = wording.label(base.tunables[change.tunable])
        talk.say(f"{name}: {change.before}, there {change.after}. {change.why}", "  - ")


def show_mounts(talk: Talk, base: RuleBase, session: Session) -> None:
    """Prints the mounts of the session, and how many questions on each still matter."""
    mounts.several_advice(base, session)
    far = {mount.place: f": {words.mount_progress(mount)}" for mount in mounts.other_mounts(base, session)}
    talk.say()
    for place, mount in enumerate(session.mounts):
        here = "" if place in far else " (current)"
        talk.say(f"{mounts.mount_label(mount.answers)}{far.get(place, here)}", f"  {place + 1}  ")
    talk.say("l 2 goes to the second, l -2 removes it, l nas1:/data /mnt/data adds one more.")
