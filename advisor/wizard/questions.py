"""The order of the questions, the values that they offer, and the progress."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from advisor.advice.model import Advice, FactQuestion, Row, Supposition
from advisor.advice.rows import blocked_settings, forbids_mount, in_order
from advisor.engine import EngineError, possible
from advisor.rulebase.model import RuleBase
from advisor.wizard.advice_cache import advice_for
from advisor.wizard.state import NO_ANSWERS, Session, contradiction, infer, is_possible_cached, without_answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.advice.answers import Answers
    from advisor.rulebase.model.types import Scalar, Values
    from advisor.wizard.state import Found


SERVER = ("server", "hardware")
"""Sections about the server, asked once the role is known."""
PLATFORM = "storage.platform"
ROLE = "host.role"
FIRST = (PLATFORM, ROLE, "server.ha")
"""The facts on which most other questions depend."""
ENOUGH = 10
"""After this many answers only questions about settings that must be made are asked; the others are offered at the
end."""


def preview(base: RuleBase, session: Session) -> Advice:
    """The advice for the current mount alone."""
    return advice_for(base, session.answers)


def current_question(base: RuleBase, session: Session) -> str | None:
    """The fact to ask for; None if no question is left."""
    if session.at is not None and session.at in base.facts:
        return session.at
    if session.answers._replace(now={}) == NO_ANSWERS:
        return _first(base)
    asks = upcoming_questions(base, session)
    return asks[0].fact if asks else None


def _first(base: RuleBase) -> str | None:
    """The first question of the first section, found without computing the advice."""
    sections = list(base.sections)
    asked = (name for name, fact in base.facts.items() if fact.ask and not fact.applies)
    return min(asked, key=lambda name: sections.index(base.facts[name].section), default=None)


def upcoming_questions(base: RuleBase, session: Session) -> list[FactQuestion]:
    """The open questions that matter, the most important first; with `fine`, also those that could only fine-tune.
    Questions for FIRST come first. After ENOUGH answers, only those about settings that must be made, and whose answer
    settles something more often than not."""
    advice = preview(base, session)
    asks = [ask for ask in unanswered(advice) if ask.matters or session.fine]
    if len(session.order) >= ENOUGH and not session.fine:
        must = {setting.tunable for setting in advice.open if setting.strength == "must"}
        asks = [ask for ask in asks if ask.settles >= 0.5 and not must.isdisjoint(ask.decisions)]
    if any(ask.fact == ROLE for ask in asks):
        asks = [ask for ask in asks if ask.fact == ROLE or base.facts[ask.fact].section not in SERVER]
    return _prerequisites_first(base, sorted(asks, key=lambda ask: ask.fact not in FIRST))


def _prerequisites_first(base: RuleBase, asks: list[FactQuestion]) -> list[FactQuestion]:
    """The questions, each right after those that have to be asked before it."""
    waiting = {ask.fact: ask for ask in asks}
    ordered: list[FactQuestion] = []

    def put(ask: FactQuestion) -> None:
        for earlier in base.facts[ask.fact].asked_after:
            if earlier in waiting:
                put(waiting.pop(earlier))
        ordered.append(ask)

    while waiting:
        put(waiting.pop(next(iter(waiting))))
    return ordered


def unanswered(advice: Advice) -> list[FactQuestion]:
    """The questions without an answer; "I don't know" is one."""
    given = advice.answers
    return [ask for ask in advice.questions if ask.fact not in given.facts and ask.fact not in given.unknown]


class AskedSection(NamedTuple):
    """A section of the questions. `answered`, `waiting`: its facts that are answered, and that still matter."""

    name: str
    title: str
    answered: tuple[str, ...]
    waiting: tuple[str, ...]


def question_sections(base: RuleBase, session: Session) -> list[AskedSection]:
    """The sections that have answered or open questions, in order."""
    waiting = [ask.fact for ask in upcoming_questions(base, session)]
    sections = [
        AskedSection(
            name, title, tuple(fact for fact in session.order if base.facts[fact].section == name),
            tuple(fact for fact in waiting if base.facts[fact].section == name),
        )
        for name, title in base.sections.items()
    ]
    return [section for section in sections if section.answered or section.waiting]


class OfferedValue(NamedTuple):
    """A value to choose. `fits`: it agrees with the other answers."""

    value: Scalar
    label: str
    fits: bool


def values_to_choose(base: RuleBase, session: Session, fact: str) -> list[OfferedValue]:
    """The values to choose from: those that the other answers make unlikely come after the rest, those that contradict
    them last. [] if the answer has to be typed."""
    definition = base.facts[fact]
    named: dict[Scalar, str] = {}
    if definition.type == "bool":
        named = {True: "Yes", False: "No"}
    elif definition.type == "enum":
        named.update(definition.values or {})
    if not named:
        return []
    others = {name: value for name, value in session.given.facts.items() if name != fact}
    engine, allowed, likely = base.engine, 0, 0
    with suppress(EngineError):
        certain = engine.certain(others)
        allowed, likely = possible(engine, fact, certain), possible(engine, fact, engine.presume(certain))
    allowed = allowed or -1  # contradictory answers exclude no value here; the refusal of one tells the reason
    masks = {value: engine.fact(fact).mask(value) for value in named}
    offered = [OfferedValue(value, label, bool(masks[value] & allowed)) for value, label in named.items()]
    return sorted(offered, key=lambda choice: (not choice.fits, not masks[choice.value] & likely))


def found_value(base: RuleBase, session: Session, host_facts: Found, fact: str) -> tuple[Values, str] | None:
    """The value found on this host and where it was read; None if nothing was found, if it contradicts the answers, or
    if they are about another host."""
    offer = host_facts.get(fact)
    if offer is None or about_another_host(base, session, host_facts):
        return None
    answers = session.answers
    with_offer = answers._replace(facts={**answers.facts, fact: offer[0]})
    return offer if fact in answers.facts or is_possible_cached(base, with_offer) else None


def about_another_host(base: RuleBase, session: Session, host_facts: Found) -> bool:
    """Whether an answer about the host differs from what was found on this one."""
    given = session.given.facts
    return any(
        fact in given and base.facts[fact].scope == "host" and _disjoint(base, fact, given[fact], value)
        for fact, (value, _) in host_facts.items()
    )


def _disjoint(base: RuleBase, fact: str, one: Values, other: Values) -> bool:
    """Whether the fact cannot have both values."""
    if one == other:
        return False
    try:
        masks = [base.engine.state({fact: value})[fact] for value in (one, other)]
    except EngineError:
        return False
    return not masks[0] & masks[1]


class Progress(NamedTuple):
    """Numbers of settings to make, settings that are fine, and open settings; of questions that still matter (`matter`)
    and that could only fine-tune (`more`); `settles`: settings that the current question settles, on average."""

    to_set: int
    fine: int
    open: int
    matter: int
    more: int
    settles: float


def progress(base: RuleBase, session: Session) -> Progress:
    """The progress line's numbers."""
    advice = preview(base, session)
    fact = current_question(base, session)
    asks = unanswered(advice)
    matter = sum(ask.matters for ask in asks)
    settles = next((ask.settles for ask in advice.questions if ask.fact == fact), 0.0)
    return Progress(*counts(advice), matter, len(asks) - matter, settles)


def counts(advice: Advice) -> tuple[int, int, int]:
    """The numbers of settings to make, of settings that are fine, and of open settings. Settings without advice are in
    none of them."""
    to_do, waiting = ({row.tunable for row in advice.part(part)} for part in ("set", "open"))
    return len(to_do), len(advice.part("fine", "leave out")), len(waiting)


class Ending(NamedTuple):
    """The state after the last question. `taken`: the assumed usual values. `waiting`: open settings that must or
    should be made. `matter`, `more`: numbers of skipped questions that still matter, and that could only fine-tune.
    `barred`: the recommendation not to mount with NFS, if there is one. `side`: "client", "server" or "cluster".
    `hanging`: fact that was answered with "I don't know" → names of the settings in `waiting` that depend on it."""

    taken: tuple[Supposition, ...]
    waiting: tuple[Row, ...]
    matter: int
    more: int
    barred: Row | None
    side: str = "client"
    hanging: Mapping[str, tuple[str, ...]] = {}


def ending(base: RuleBase, session: Session) -> Ending:
    """The state to show if no question is left."""
    advice = preview(base, session)
    taken = {supposition.fact: supposition for setting in in_order(advice.assumed) for supposition in setting.rests_on}
    barred = next((recommendation for recommendation in advice.advised if forbids_mount(recommendation)), None)
    cluster = any(recommendation.kind == "cluster" and recommendation.recommends for recommendation in advice.advised)
    side = "cluster" if cluster else "server" if advice.server else "client"
    waiting = waiting_settings(advice)
    missing = blocked_settings(base, advice, waiting) if waiting else {}
    order = tuple(supposition for fact, supposition in taken.items() if fact not in missing)
    asks = unanswered(advice)
    matter = sum(ask.matters for ask in asks)
    return Ending(order, waiting, matter, len(asks) - matter, barred, side, {
        fact: missing[fact] for fact in session.order if fact in missing
    })


def waiting_settings(advice: Advice) -> tuple[Row, ...]:
    """The open settings that must or should be made, the most important first."""
    return tuple(setting for setting in in_order(advice.open) if setting.strength in ("must", "should"))


def trial_answers(base: RuleBase, session: Session, fact: str, value: Values) -> Answers:
    """The answers with this one added."""
    answers = without_answers(session.given, (fact,))
    return _inferred(base, session, answers._replace(facts={**answers.facts, fact: value}))


def trial_without_answer(base: RuleBase, session: Session, fact: str) -> Answers:
    """The answers with "I don't know" for a fact."""
    answers = without_answers(session.given, (fact,))
    return _inferred(base, session, answers._replace(unknown=answers.unknown | {fact}))


def _inferred(base: RuleBase, session: Session, answers: Answers) -> Answers:
    return infer(base, session.mount._replace(answers=answers), session.others)


def settled_by(base: RuleBase, session: Session, fact: str, value: Values) -> int | None:
    """How many open settings this answer would settle; None if it would be refused."""
    answers = trial_answers(base, session, fact, value)
    if contradiction(base, answers) is not None:
        return None
    before, after = (
        {row.tunable for row in advice_for(base, known).part("open")} for known in (session.answers, answers)
    )
    return len(before - after)
