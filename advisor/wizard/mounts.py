"""The mounts of a session: named by a line of fstab or typed, several of one host with the advice for all together, and
the other side of one environment.

Answers about the server, the mounts and the clients apply to both sides; answers about the host only to its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.advice.answers import Answers
from advisor.advice.answers_file import Sign, infer_signs, is_complete, joined_answers, mount_key, same_server
from advisor.advice.model import Advice, Row
from advisor.advice.rows import bracketed_host
from advisor.advice.several import Several
from advisor.engine import possible as possible_values
from advisor.pages import wording
from advisor.pages.phrases import counted
from advisor.rulebase.model import RuleBase, Values
from advisor.sections import NAMES, Section, common_value
from advisor.user_files import UserFileError
from advisor.wizard import state
from advisor.wizard.advice_cache import AllMounts, advice_for, cached, several_for
from advisor.wizard.questions import answered, waiting_settings, worth_asking
from advisor.wizard.state import (
    CLIENT,
    NO_ANSWERS,
    PLATFORM,
    ROLE,
    SERVER,
    MountAnswers,
    Refused,
    Session,
    Step,
    check_names,
    infer,
    is_possible,
    mount,
    names_problem,
    share_answers,
    share_server,
    start,
    without_answers,
)
from advisor.wizard.texts import CheckedText, read_file

if TYPE_CHECKING:
    from advisor.lint.evidence import NfsLine


def start_mounts(base: RuleBase, *mounts: Answers) -> Session:
    """A session with these answers for each mount, which must be checked already. Facts inferred from names are
    inferred again. Raises Refused if mounts contradict each other about a server."""
    started: list[MountAnswers] = []
    for answers in mounts:
        named = {
            fact for fact, sign in infer_signs(base, answers.names, {}).items()
            if answers.origin.get(fact) == sign.where
        }
        first = start(without_answers(answers, tuple(named)))
        started.append(MountAnswers(first.answers, first.order))
    if len(started) > 1:
        started = [_with_server(base, mount_answers, started) for mount_answers in started]
    session = start(started[0].answers)._replace(others=tuple(started[1:]))
    return _at_mount(base, session, started, 0, session.at)


def _with_server(base: RuleBase, mount_answers: MountAnswers, mounts: list[MountAnswers]) -> MountAnswers:
    """The mount with the answers about its server that were given for other mounts."""
    facts: dict[str, Values] = {}
    for other in mounts:
        if same_server(mount_answers.answers, other.answers):
            facts |= {
                fact: value for fact, value in other.answers.facts.items()
                if base.facts[fact].scope == "server" and fact not in facts
            }
    answers = mount_answers.answers._replace(
        facts={**mount_answers.answers.facts, **facts}, unknown=mount_answers.answers.unknown - set(facts)
    )
    own = mount_answers.answers.facts
    agree = all(fact not in own or common_value(base, fact, own[fact], value) is not None
                for fact, value in facts.items())
    if not (agree and is_possible(base, answers)):
        raise Refused(
            f"The answers for {mount_answers.answers.name('server')} cannot be true for "
            f"{mount_answers.answers.name('target')}."
        )
    return MountAnswers(
        answers, (*mount_answers.order, *(fact for fact in facts if fact not in mount_answers.order)),
        mount_answers.line,
    )


def add(
    base: RuleBase, session: Session, names: Mapping[str, str], facts: Mapping[str, Values] | None = None,
    where: str = "",
) -> Session:
    """Adds a mount, or names the only one if it has no names yet. The parameters are those of `mount`."""
    mine = session.answers.names
    if not session.others and not is_complete(mine):
        if any(mine.get(name, text) != text for name, text in names.items()):
            raise Refused("Complete the first mount before you add another: server:/export /mount/point.")
        return mount(base, session, names, facts, where)
    check_names(names)
    problem = names_problem(names, session.mounts)
    if problem:
        raise Refused(problem)
    line = tuple(Sign(fact, value, where) for fact, value in (facts or {}).items())
    of_mount = {name for name, kind in base.kinds.items() if kind.scope == "mount"}
    host = {name: now for name, now in session.answers.now.items() if base.tunables[name].kind not in of_mount}
    new = MountAnswers(Answers(names=dict(names), now=host), (), line)
    new = share_server(base, share_answers(base, session.given, session.order, new), session.mounts)
    return _stepped(base, session, [*session.mounts, new], session.place)


def remove(base: RuleBase, session: Session, place: int) -> Session:
    """Removes a mount. Raises Refused for the only one."""
    if not session.others:
        raise Refused("It is the only mount.")
    mounts = list(session.mounts)
    del mounts[place]
    return _stepped(base, session, mounts, min(session.place - (place < session.place), len(mounts) - 1))


def go_to_mount(base: RuleBase, session: Session, place: int) -> Session:
    """Goes to another mount. Like going to another question, this is not undone."""
    return session if place == session.place else _at_mount(base, session, list(session.mounts), place, None)


def _stepped(base: RuleBase, session: Session, mounts: list[MountAnswers], place: int) -> Session:
    same = mounts[place] == session.mount
    return _at_mount(base, session.with_undo_step(), mounts, place, session.at if same else None)


def _at_mount(base: RuleBase, session: Session, mounts: list[MountAnswers], place: int, at: str | None) -> Session:
    mine, others = mounts[place], (*mounts[:place], *mounts[place + 1 :])
    return session._replace(
        answers=infer(base, mine, others), order=mine.order, line=mine.line, others=others, place=place, at=at
    )


def combined_answers(base: RuleBase, session: Session) -> Answers:
    """The answers as for a file: with a section for each mount, if there are several."""
    return all_mounts(base, session).answers if session.others else session.answers


_last: tuple[RuleBase, Session, AllMounts] | None = None
"""The last call of `all_mounts` and its result: all parts of a screen ask for the same."""


def all_mounts(base: RuleBase, session: Session) -> AllMounts:
    """The answers for each mount, with inferred facts."""
    global _last  # noqa: PLW0603  a cache of one entry
    if _last is not None and _last[0] is base and _last[1] is session:
        return _last[2]
    mounts = session.mounts
    answers = tuple(
        session.answers if place == session.place
        else infer(base, mount_answers, (*mounts[:place], *mounts[place + 1 :]))
        for place, mount_answers in enumerate(mounts)
    )
    combined = AllMounts(joined_answers(base, answers), answers)
    _last = base, session, combined
    return combined


def several_advice(base: RuleBase, session: Session) -> Several | None:
    """The advice for all mounts, with settings of the host that suit all; None if there is one mount. Slow unless it
    is cached."""
    return several_for(base, all_mounts(base, session)) if session.others else None


def mount_advice(base: RuleBase, session: Session) -> Advice:
    """The advice for the current mount, with settings of the host that suit all mounts."""
    together = several_advice(base, session)
    return advice_for(base, session.answers) if together is None else together.mounts[session.place]


def known_advice(base: RuleBase, session: Session) -> tuple[Advice, Several | None]:
    """`mount_advice` and `several_advice` if they are cached; else the advice for this mount alone, and None."""
    together = cached(base, all_mounts(base, session)) if session.others else None
    return (advice_for(base, session.answers), None) if together is None else (together.mounts[session.place], together)


def advice_on(base: RuleBase, session: Session, tunable: str) -> Advice:
    """The advice that explains a setting: for the mount that asks for it, or the current one if mounts disagree."""
    together = several_advice(base, session)
    if together is None or any(tunable in (side.tunable for side in conflict.sides) for conflict in together.conflicts):
        return advice_for(base, session.answers)
    mine = together.mounts[session.place]
    wanted = together.wanted.get(tunable, ())
    if not wanted or mine.answers.name("target") in wanted:
        return mine
    return next(advice for advice in together.mounts if advice.answers.name("target") == wanted[0])


class OtherMount(NamedTuple):
    """The progress of another mount. `matter`: how many of its questions would be asked; `waiting`: its open settings
    that must or should be made; both None if its advice is not cached."""

    place: int
    target: str
    matter: int | None
    waiting: tuple[Row, ...] | None


def other_mounts(base: RuleBase, session: Session) -> tuple[OtherMount, ...]:
    """The progress of the other mounts, as far as it is cached."""
    others: list[OtherMount] = []
    for place, answers in enumerate(all_mounts(base, session).mounts if session.others else ()):
        if place == session.place:
            continue
        target, advice = answers.name("target"), cached(base, answers)
        if advice is None:
            others.append(OtherMount(place, target, None, None))
        else:
            matter = len(worth_asking(base, advice, answered(session, place)))
            others.append(OtherMount(place, target, matter, waiting_settings(advice)))
    return tuple(others)


def mount_progress(mount: OtherMount) -> str:
    """ "complete", or how many questions still matter; "" if that is not computed."""
    if mount.matter is None:
        return ""
    if not mount.matter:
        return "complete"
    return f"{counted(mount.matter, 'question')} still matter{'s' * (mount.matter == 1)}"


OTHER = {CLIENT: SERVER, SERVER: CLIENT}


def other_role(base: RuleBase, session: Session) -> str | None:
    """The role of the other side; None if there is none to configure: the server is a service or an appliance."""
    role = OTHER[_role(session)]
    if session.other_side is None:
        platform = session.answers.facts.get(PLATFORM)
        if platform is None:
            return None
        roles = possible_values(base.engine, ROLE, base.engine.state({PLATFORM: platform}))
        if not isinstance(base.engine.answer(ROLE, roles), list):
            return None
    return role


def go_to_other_side(base: RuleBase, session: Session) -> Session:
    """The session at the other side, as a step that can be undone; unchanged if there is no other side."""
    role = other_role(base, session)
    if role is None:
        return session
    there = session.other_side or Step(NO_ANSWERS, (), None)
    theirs, mine = Session(there.answers, there.order).given, session.given
    # Facts of both sides have the answers of this side, which are newer; other facts keep the answers of the other one.
    facts: dict[str, Values] = {ROLE: role, **{
        fact: value for fact, value in theirs.facts.items()
        if fact != ROLE and not _shared(base, OTHER[role], fact, value)
    }}
    for fact, value in mine.facts.items():
        if _shared(base, role, fact, value) and is_possible(base, Answers({**facts, fact: value})):
            facts[fact] = value
    origin = {**mine.origin, **theirs.origin}
    given = theirs._replace(
        facts=facts, origin={fact: where for fact, where in origin.items() if fact in facts},
        names=_names_of_both(session, there),
        unknown=(theirs.unknown | {fact for fact in mine.unknown if _of_both(base, fact)}) - set(facts),
    )
    order = tuple(dict.fromkeys(
        fact for fact in (*there.order, *session.order, ROLE) if fact in given.facts or fact in given.unknown
    ))
    return session.with_undo_step()._replace(
        answers=infer(base, MountAnswers(given, order, session.line), there.others), order=order, at=None,
        others=there.others, place=there.place, other_side=session.step._replace(other_side=None),
    )


def configure_server(base: RuleBase, session: Session) -> Session:
    """The session at the questions on a server: the other side of clients that were answered for. Raises Refused."""
    role = session.answers.facts.get(ROLE)
    if role == CLIENT:
        return go_to_other_side(base, session)
    return state.go(session, None) if role == SERVER else state.answer(base, session, ROLE, SERVER)


def _names_of_both(session: Session, there: Step) -> dict[str, str]:
    """The names on the other side: those of this one, also those that were taken back, where each has one mount."""
    if session.others or there.others:
        return {**session.answers.names, **there.answers.names}
    return session.answers.names


def sides(session: Session) -> list[tuple[str, Session]]:
    """(role, session) of each side that was shown, the clients first."""
    role = _role(session)
    if session.other_side is None:
        return [(role, session)]
    there = session._replace(**session.other_side._asdict())
    there = there._replace(answers=there.answers._replace(names=_names_of_both(session, session.other_side)))
    return sorted([(role, session), (OTHER[role], there)])


def _role(session: Session) -> str:
    """The role of the current side; that of clients if it is unknown, or the answer leaves it open."""
    return SERVER if session.answers.facts.get(ROLE) == SERVER else CLIENT


def _of_both(base: RuleBase, fact: str) -> bool:
    """Whether a fact is the same on both sides: it is about the server, the mounts or the clients, whichever side asks
    for them, and not about one host."""
    of_clients = "client" in f"{fact} {base.facts[fact].ask}"
    return fact != ROLE and (base.facts[fact].scope != "host" or of_clients)


def _shared(base: RuleBase, role: str, fact: str, value: Values) -> bool:
    """Whether a fact is the same on both sides, and can have this value on the side of a role."""
    return _of_both(base, fact) and is_possible(base, Answers({ROLE: role, fact: value}))


NAME_HELP = {
    "server": "the NFS server's name or address", "export": "the path that it exports",
    "target": "where clients mount it", "clients": "who may mount it, as exports(5) writes it",
}
"""Name for the files → what it is."""
TITLE = "Which mount is this for?"
HELP = (
    "Write it as in fstab, server:/export /mount/point, or only part of it. The names answer some of the questions, "
    "and go into the files to install."
)
EXAMPLE = "nas1.example:/data /mnt/data"
WRITTEN = "the line that you wrote"


def lines_of_file(base: RuleBase, path: str) -> list[NfsLine]:
    """The NFS lines of a file. Raises UserFileError for one that cannot be read, or has none."""
    from advisor.lint.evidence import nfs_lines  # noqa: PLC0415  only where there is a file

    lines = nfs_lines(base, read_file(path), path)
    if not lines:
        raise UserFileError(f"{path}: no NFS line found")
    return lines


def use_line(base: RuleBase, session: Session, line: NfsLine) -> Session:
    """The session with this line as its mount. Raises Refused."""
    return state.mount(base, session, _names(line), _facts(line), line.mount.place)


def use_text(base: RuleBase, session: Session, text: str) -> Session:
    """The session with the typed mount; with an empty text, without names. Raises Refused."""
    if not text.strip():
        return state.go(session, None)
    line = _line(base, text)
    return state.mount(base, session, _names(line), line.facts, WRITTEN)


def add_lines(base: RuleBase, session: Session, lines: Sequence[NfsLine]) -> Session:
    """The session with these lines as further mounts, except those that it has already. One undo removes all of them.
    Raises Refused."""
    past = session.past
    for line in lines:
        names = _names(line)
        if all(mount_key(names) != mount_key(mount.answers.names) for mount in session.mounts):
            session = add(base, session, names, _facts(line), line.mount.place)
    return session if session.past == past else session._replace(past=session.past[: len(past) + 1])


def add_text(base: RuleBase, session: Session, text: str) -> Session:
    """The session with one more, typed mount. Raises Refused."""
    line = _line(base, text)
    return add(base, session, _names(line), line.facts, WRITTEN)


def _line(base: RuleBase, text: str) -> NfsLine:
    from advisor.lint.evidence import line_of  # noqa: PLC0415

    try:
        return line_of(base, text)
    except ValueError as error:
        raise Refused(str(error)) from None


def _names(line: NfsLine) -> dict[str, str]:
    return {name: text for name, text in line.mount._asdict().items() if text and name != "place"}


def _facts(line: NfsLine) -> Mapping[str, Values]:
    """The facts that the options of a line show; and the role of a client, because only clients mount."""
    return {ROLE: CLIENT, **line.facts} if line.mount.target else line.facts


def host_facts(base: RuleBase, session: Session) -> dict[str, Values]:
    """The answers about the host and its servers, which apply to all files of the host; not those about a server that
    is named, because its clients may mount others."""
    others = ("mount", "server") if session.answers.names.get("server") and _role(session) == CLIENT else ("mount",)
    return {fact: value for fact, value in session.given.facts.items() if base.facts[fact].scope not in others}


def judge_by_answers(base: RuleBase, session: Session, text: CheckedText) -> None:
    """Has a text judged by the answers. Once a server is named, they say nothing of lines of other servers."""
    answers = combined_answers(base, session)
    text.facts, text.sections = advice_for(base, answers._replace(mounts=())).answers.facts, answers.mounts
    names = {name: own for name, own in answers.names.items() if name in NAMES}
    if session.others or "server" not in names or not text.is_fstab:
        return
    known = {scope: {fact: value for fact, value in text.facts.items() if base.facts[fact].scope == scope}
             for scope in ("host", "server", "mount")}
    text.facts = known["host"]
    text.sections = (Section("", {"server": names["server"]}, known["server"], {}),
                     Section("", names, known["mount"], {}))


def mount_label(answers: Answers) -> str:
    """ "nas1:/data on /mnt/data"."""
    return label_of(answers.name("server"), answers.name("export"), answers.name("target"))


def label_of(server: str, export: str, target: str, _place: str = "") -> str:
    return f"{bracketed_host(server)}:{export} on {target}"


def known_names(session: Session) -> str:
    """The names given so far; "" for none."""
    if session.others:
        return ", ".join(mount_label(mount.answers) for mount in session.mounts)
    names = session.answers.names
    return ", ".join(f"{name} {names[name]}" for name in ("server", "export", "target") if name in names)


def inferred_answers(base: RuleBase, session: Session) -> list[tuple[str, str]]:
    """(fact, question with answer and origin) of each fact inferred from the mount; facts of the host and usual values
    come last."""
    drawn = {fact: value for fact, value in session.answers.facts.items() if fact not in session.order}
    facts = sorted(drawn, key=lambda fact: (
        drawn[fact] in [usual.value for usual in base.facts[fact].usual], base.facts[fact].scope == "host"))
    origin = session.answers.origin
    return [
        (fact, f"{wording.question(base, fact)} {wording.answer_text(base, fact, drawn[fact])} ({origin[fact]})")
        for fact in facts
    ]
