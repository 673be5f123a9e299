"""Facts of a mount that are inferred from its names, its line of fstab, and other mounts of the same host or server.

They are inferred anew for each set of answers and never contradict one: answers take precedence over the line, and the
line over names."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from advisor.advice.advise import all_pins
from advisor.advice.answers import Answers, to_plain
from advisor.advice.answers_file import SHARED_NAMES, Sign, infer_signs, is_complete, mount_key, same_server
from advisor.advice.arguments import counterarguments
from advisor.engine import EngineError, consistent, decided
from advisor.rulebase.model import RuleBase
from advisor.session.cache import Cache
from advisor.session.model import MountAnswers

T = TypeVar("T")
_inferred: Cache[Answers] = Cache(256)
_fits: Cache[bool] = Cache(256)


def infer(base: RuleBase, mount: MountAnswers, others: tuple[MountAnswers, ...]) -> Answers:
    """The answers for a mount with the inferred facts, each with its origin."""
    line = _shared_line(base, mount, others)
    wanted = base.hash, json.dumps([to_plain(mount.answers), line], sort_keys=True)
    return _inferred.get(wanted, lambda: _infer(base, mount.answers, line))


def _infer(base: RuleBase, given: Answers, line: tuple[Sign, ...]) -> Answers:
    settings = [sign for sign in line if sign.fact in base.decisions]
    answers = _with_signs(base, given, [sign for sign in line if sign not in settings])
    if given.names:
        answers = _with_signs(base, answers, infer_signs(base, answers.names, answers.facts).values())
    for sign in settings:  # the current setting of the line, if the rules allow it
        values = sign.value if isinstance(sign.value, list) else [sign.value]
        if any(counterarguments(base, answers, sign.fact, value).fits for value in values):
            answers = _with_signs(base, answers, [sign])
    return answers


def _with_signs(base: RuleBase, answers: Answers, signs: Iterable[Sign]) -> Answers:
    """The answers with the signs that do not contradict them and whose facts were not answered."""
    for sign in signs:
        more = answers._replace(
            facts={**answers.facts, sign.fact: sign.value}, origin={**answers.origin, sign.fact: sign.where}
        )
        if sign.fact not in answers.facts and sign.fact not in answers.unknown and is_possible(base, more):
            answers = more
    return answers


def _shared_line(base: RuleBase, mount: MountAnswers, others: tuple[MountAnswers, ...]) -> tuple[Sign, ...]:
    """The signs of a mount from its line of fstab, and from the lines of other mounts that share the fact. Signs about
    the host that contradict the answers for any mount are left out."""
    shared = {
        sign.fact: sign for other in others for sign in other.line
        if shared_by(base, mount.answers, other.answers)(sign.fact)
    }
    signs = (shared | {sign.fact: sign for sign in mount.line}).values()
    return tuple(
        sign for sign in signs if base.facts[sign.fact].scope != "host" or _fits_all(base, sign, (mount, *others))
    )


def _fits_all(base: RuleBase, sign: Sign, mounts: tuple[MountAnswers, ...]) -> bool:
    """Whether a sign about the host agrees with the answers for each mount and with the mount's own line."""
    for mount in mounts:
        line = {own.fact: own.value for own in mount.line if own.fact not in base.decisions}
        facts = {**line, **mount.answers.facts, sign.fact: sign.value}
        if sign.fact not in mount.answers.facts and not is_possible_cached(base, mount.answers._replace(facts=facts)):
            return False
    return True


def is_possible_cached(base: RuleBase, answers: Answers) -> bool:
    """`is_possible`, cached."""
    wanted = base.hash, json.dumps(to_plain(answers), sort_keys=True)
    return _fits.get(wanted, lambda: is_possible(base, answers))


def is_possible(base: RuleBase, answers: Answers) -> bool:
    """Whether the answers agree with each other and with the pins, without computing the advice."""
    try:
        known = base.engine.state(answers.facts)
        if answers.pins:
            decided(base.engine, known, all_pins(base, answers))
        return consistent(base.engine, known)
    except EngineError:
        return False


def shared_by(base: RuleBase, one: Answers, other: Answers) -> Callable[[str], bool]:
    """A predicate: whether two mounts share a fact, because it is about the host or about the server of both."""
    scopes = ("host", "server") if same_server(one, other) else ("host",)
    return lambda fact: base.facts[fact].scope in scopes


def share_answers(base: RuleBase, given: Answers, order: tuple[str, ...], other: MountAnswers) -> MountAnswers:
    """`other` with the shared facts of this mount. `given`, `order`: of this mount, as in MountAnswers."""
    shared, own = shared_by(base, given, other.answers), other.answers

    def joined(mine: Mapping[str, T], theirs: Mapping[str, T]) -> dict[str, T]:
        kept = {fact: value for fact, value in theirs.items() if not shared(fact)}
        return kept | {fact: value for fact, value in mine.items() if shared(fact)}

    names = {name: text for name, text in own.names.items() if name not in SHARED_NAMES}
    answers = given._replace(
        facts=joined(given.facts, own.facts), origin=joined(given.origin, own.origin),
        unknown=frozenset(joined(dict.fromkeys(given.unknown), dict.fromkeys(own.unknown))), observed=own.observed,
        names=names | {name: text for name, text in given.names.items() if name in SHARED_NAMES},
    )
    kept = tuple(fact for fact in other.order if fact in order or not shared(fact))
    return MountAnswers(answers, (*kept, *(fact for fact in order if shared(fact) and fact not in kept)), other.line)


def share_server(base: RuleBase, mount: MountAnswers, others: tuple[MountAnswers, ...]) -> MountAnswers:
    """A mount that was just named, with the answers about its server that another mount has."""
    for other in others:
        if same_server(mount.answers, other.answers):
            return share_answers(base, other.answers, other.order, mount)
    return mount


def names_problem(names: Mapping[str, str], others: tuple[MountAnswers, ...]) -> str | None:
    """The problem with the names of a mount that is one of several; None if there is none."""
    if not is_complete(names):
        return "Each of several mounts needs a server, an export and a mount point: write server:/export /mount/point."
    if any(mount_key(names) == mount_key(other.answers.names) for other in others):
        return f"{names['server']}:{names['export']} on {names['target']} is already in the list."
    return None
