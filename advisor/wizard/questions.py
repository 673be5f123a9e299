"""The order of the questions, the values that they offer, and the progress."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from advisor.advice.answers import Answers
from advisor.advice.model import Advice, FactQuestion, Row, Supposition
from advisor.advice.rows import ACCESS, blocked_settings, forbids_mount, in_order
from advisor.advice.supposed import usual_values
from advisor.advice.verdict import wanting
from advisor.engine import EngineError, possible
from advisor.pages import wording
from advisor.pages.phrases import remaining_questions
from advisor.rulebase.model import RuleBase, Scalar, Values
from advisor.wizard.advice_cache import advice_for
from advisor.wizard.state import NO_ANSWERS, PLATFORM, ROLE, Found, Session, infer, is_possible_cached, without_answers

SERVER = ("server", "hardware")
"""Sections about the server, asked once the role is known."""
FIRST = (PLATFORM, ROLE, "server.ha")
"""The facts on which most other questions depend."""
KIND, MUCH = "workload.kind", 1.5
"""What uses the data is asked early, although its usual value harms nothing, where it settles MUCH."""
ENOUGH, MOST = 7, 8
"""After ENOUGH answers, only questions that the verdict waits for are asked, and up to MOST, the mount among them, if
there is none, those that settle one, on average, that must be made, or that should be made and has no usual value; the
others are offered at the end."""


def preview(base: RuleBase, session: Session) -> Advice:
    """The advice for the current mount alone."""
    return advice_for(base, session.answers)


def current_question(base: RuleBase, session: Session) -> str | None:
    """The fact to ask for; None if no question is left."""
    if session.at is not None and session.at in base.facts:
        return session.at
    if session.answers._replace(now={}) == NO_ANSWERS:
        return PLATFORM  # nothing else comes first, whatever the advice is
    asks = upcoming_questions(base, session)
    return asks[0].fact if asks else None


def upcoming_questions(base: RuleBase, session: Session) -> list[FactQuestion]:
    """The open questions that matter, the most important first; with `fine`, also those that could only fine-tune.
    Questions for FIRST come first. After ENOUGH answers, few are left."""
    advice = preview(base, session)
    asks = worth_asking(base, advice, answered(session, session.place), fine=session.fine)
    if any(ask.fact == ROLE for ask in asks):
        asks = [ask for ask in asks if ask.fact == ROLE or base.facts[ask.fact].section not in SERVER]
    return _prerequisites_first(base, sorted(asks, key=lambda ask: ask.fact not in FIRST and not _settles_much(ask)))


def _settles_much(ask: FactQuestion) -> bool:
    return ask.fact == KIND and not ask.matters and ask.settles >= MUCH


def answered(session: Session, place: int) -> int:
    """How many questions were answered here for a mount. What was given at the start, for another mount or for the
    other side before this one was on the screen is carried over."""
    role, order = session.answers.facts.get(ROLE), session.mounts[place].order
    orders = [(step.answers.facts.get(ROLE), step.order) for step in session.past if step.place == place]
    orders.append((role, order))
    first = next(number for number, (told, _) in enumerate(orders) if told == role)
    carried = orders[first if any(told for told, _ in orders[:first]) else 0][1]
    return sum(fact not in carried for fact in order)


def worth_asking(base: RuleBase, advice: Advice, answered: int, *, fine: bool = False) -> list[FactQuestion]:
    """`upcoming_questions` in the order of the advice. `answered`: how many questions were answered."""
    asks = [ask for ask in unanswered(advice) if ask.matters or fine or _settles_much(ask)]
    if answered >= ENOUGH and not fine:
        wanted = {row.tunable for row in wanting(advice)}
        must, should = ({row.tunable for row in advice.open if row.strength == strength}
                        for strength in ("must", "should"))
        first = [ask for ask in asks if ask.settles >= 0.5 and not wanted.isdisjoint(ask.decisions)]
        room = answered + bool(advice.answers.names) < MOST
        asks = first or [ask for ask in asks if room and ask.settles >= 1 and (
            not must.isdisjoint(ask.decisions) or (not should.isdisjoint(ask.decisions) and not any(
                usual_values(base, ask.fact, advice.state))))]
    return asks


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


def rule_values(base: RuleBase, tunable: str) -> list[tuple[str, str]]:
    """(value, in words) of each rule whose value is literal, not a bound or a formula."""
    values = dict.fromkeys(str(rule.value) for rule in base.decisions[tunable].rules.values())
    return [(value, wording.outcome(value)) for value in values
            if value not in ("keep", "n/a") and not any(char in value for char in "<>=*(")]


class OfferedValue(NamedTuple):
    """A value to choose. `fits`: it agrees with the other answers; `guess`: what suggests it, or ""."""

    value: Scalar
    label: str
    fits: bool
    guess: str = ""


_SHORTEST = 4
"""Letters of the shortest name of a product that is looked for in the name of a server."""


def guesses(base: RuleBase, names: Mapping[str, str]) -> dict[Scalar, str]:
    """Platform → what suggests it: the name of its product in that of the server, or the form of its exported paths.
    It is offered before the others, and no advice rests on it."""
    definition, found = base.facts[PLATFORM], dict[Scalar, str]()
    server, export = names.get("server", "").lower(), names.get("export", "").rstrip("/")
    words = {word for word in re.split(r"[^a-z]+", server) if len(word) >= _SHORTEST}
    for value in definition.values or {}:
        if words & {name.lower() for name in (value, *definition.aliases.get(value, ()))}:
            found[value] = f"the server is called {server}"
    for platform in base.platforms:
        if export and any(re.fullmatch(form.line, f"{export}/\t") for form in platform.exports_lines):
            found.setdefault(platform.platform, f"its paths look like {export}")
    return found


def values_to_choose(base: RuleBase, session: Session, fact: str) -> list[OfferedValue]:
    """The values to choose from: the usual one of several names comes first, those that the other answers make unlikely
    after the rest, those that contradict them last. [] if the answer has to be typed."""
    definition = base.facts[fact]
    named: dict[Scalar, str] = {}
    if definition.type == "bool":
        named = {True: "Yes", False: "No"}
    elif definition.type == "enum":
        named.update(definition.values or {})
    if not named:
        return []
    others = {name: value for name, value in session.given.facts.items() if name != fact}
    engine, allowed, likely, usual, meant = base.engine, 0, 0, None, -1
    with suppress(EngineError):
        certain = engine.certain(others)
        meant = possible(engine, fact, certain)  # below, an earlier answer may turn out not to matter
        certain = {name: mask | engine.fact(name).not_applicable for name, mask in certain.items()}
        allowed = possible(engine, fact, certain)
        inferred = {name: value for name, value in session.answers.facts.items() if name != fact}
        presumed = engine.presume(engine.certain(inferred))  # what a name suggests rules nothing out, but orders
        likely, usual = possible(engine, fact, presumed), next(usual_values(base, fact, presumed, (True,)), None)
    allowed = allowed or -1  # contradictory answers exclude no value here; the refusal of one tells the reason
    masks = {value: engine.fact(fact).mask(value) for value in named}
    guessed = guesses(base, session.answers.names) if fact == PLATFORM else {}
    offered = [
        OfferedValue(value, label, bool(masks[value] & allowed), guessed.get(value, ""))
        for value, label in named.items()
    ]
    named_first = definition.type == "enum" and not (usual and (usual.once_unknown or str(usual.value)[0].isdigit()))
    first = usual.value if usual and named_first else None
    return sorted(offered, key=lambda choice: (
        not choice.fits, not masks[choice.value] & meant, not masks[choice.value] & likely,
        choice.value != first))


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
    if one == other:
        return False
    try:
        masks = [base.engine.state({fact: value})[fact] for value in (one, other)]
    except EngineError:
        return False
    return not masks[0] & masks[1]


def remaining(advice: Advice) -> tuple[int, int]:
    """The numbers of questions that still matter, and of those that could only fine-tune."""
    matter = sum(ask.matters for ask in unanswered(advice))
    return matter, len(unanswered(advice)) - matter


def progress(base: RuleBase, session: Session) -> str:
    """ "question 3 of about 8; 16 questions still matter"."""
    matter, more = remaining(preview(base, session))
    number = answered(session, session.place) + bool(session.answers.names) + 1
    left = remaining_questions(matter, more)
    if session.fine or session.at in session.order or not matter:
        return left
    return f"question {number} of about {max(min(MOST, number + matter - 1), number)}; {left}"


def counts(advice: Advice) -> tuple[int, int, int]:
    """The numbers of settings to make, of settings that are fine, and of open settings. Settings without advice are in
    none of them."""
    to_do, waiting = ({row.tunable for row in advice.part(part)} for part in ("set", "open"))
    return len(to_do), len(advice.part("fine", "leave out")), len(waiting)


class Ending(NamedTuple):
    """The state after the last question. `taken`: the assumed usual values. `waiting`: open settings that must or
    should be made. `matter`, `more`: numbers of skipped questions that still matter, and that could only fine-tune.
    `barred`: the recommendation not to mount with NFS, if there is one. `next`: what to do then, "" for clients.
    `hanging`: fact that was answered with "I don't know" → names of the settings in `waiting` that depend on it."""

    taken: tuple[Supposition, ...]
    waiting: tuple[Row, ...]
    matter: int
    more: int
    barred: Row | None
    next: str = ""
    hanging: Mapping[str, tuple[str, ...]] = {}


def ending(base: RuleBase, session: Session) -> Ending:
    """The state to show if no question is left."""
    advice = preview(base, session)
    taken = {supposition.fact: supposition for setting in in_order(advice.assumed) for supposition in setting.rests_on}
    barred = next((recommendation for recommendation in advice.advised if forbids_mount(recommendation)), None)
    cluster = any(recommendation.kind == "cluster" and recommendation.recommends for recommendation in advice.advised)
    by_hand = "Next: export the configuration. Its report says what to install and to do by hand"
    by_hand += ", and cluster/test-plan.md how to try a failover." if cluster else " on the server."
    waiting = waiting_settings(advice)
    missing = blocked_settings(base, advice, waiting) if waiting else {}
    order = tuple(supposition for fact, supposition in taken.items() if fact not in missing)
    return Ending(order, waiting, *remaining(advice), barred, by_hand * (advice.server or cluster), {
        fact: missing[fact] for fact in session.order if fact in missing
    })


def waiting_settings(advice: Advice) -> tuple[Row, ...]:
    """The open settings that must or should be made, the most important first."""
    return tuple(row for row in in_order(advice.open) if row.strength in ("must", "should") and row.kind != ACCESS)


def trial_answers(base: RuleBase, session: Session, fact: str, value: Values | None) -> Answers:
    """The answers with this one; None is "I don't know"."""
    answers = without_answers(session.given, (fact,))
    answers = (answers._replace(unknown=answers.unknown | {fact}) if value is None
               else answers._replace(facts={**answers.facts, fact: value}))
    return infer(base, session.mount._replace(answers=answers), session.others)


def settled(before: Advice, after: Advice) -> int:
    """How many of the open settings are settled in other advice."""
    was, now = ({row.tunable for row in advice.part("open")} for advice in (before, after))
    return len(was - now)


def last_answer(base: RuleBase, session: Session) -> tuple[str, str]:
    """The question that was answered last, and its answer; both "" if the last change was another one."""
    if not session.past or session.past[-1].place != session.place:
        return "", ""
    before, now = session.past[-1].answers, session.answers
    for fact in reversed(session.order):
        if now.facts.get(fact) != before.facts.get(fact) or (fact in now.unknown) != (fact in before.unknown):
            return wording.question(base, fact), wording.given_answer(base, now, fact)
    return "", ""
