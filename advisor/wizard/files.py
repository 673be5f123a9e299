"""What the wizard keeps in files: sessions, in $XDG_STATE_HOME/advisor/wizard.json or wizard-NAME.json, as JSON to
continue after a crash or beside the current answers; and the export, with the commands that install it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sized
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from advisor import user_files
from advisor.advice.answers import AnswerError, Answers, fact_value, from_plain, pin_value, to_plain
from advisor.advice.answers_file import Sign, answers_text, read_answers
from advisor.engine import EngineError
from advisor.pages import wording
from advisor.pages.phrases import counted
from advisor.rulebase.model import RuleBase
from advisor.wizard import advice_cache, mounts, questions
from advisor.wizard.advice_cache import AdviceChange, Cache
from advisor.wizard.state import (
    MOUNT,
    PLATFORM,
    MountAnswers,
    Session,
    Step,
    contradiction,
    infer,
    is_possible,
    without_answers,
)

if TYPE_CHECKING:
    from advisor.install import Artefact
    from advisor.install.build import Written


class SavedSession(NamedTuple):
    """`text`: JSON; `when`: local time of saving, as 2026-12-31 23:59; `answers`: how many, as "3 answers, 1 name".
    `name`: "" for the session without a name; `mount`: what it is about, as "nas:/data and 1 more"."""

    text: str
    when: str
    answers: str
    path: Path
    name: str = ""
    mount: str = ""


def is_valid_name(text: str) -> bool:
    return 0 < len(text) <= 40 and text[0] not in ".-" and all(char.isalnum() or char in "._-" for char in text)


def path_of(name: str = "") -> Path:
    """The file of a session; `name`: "" for the session without a name."""
    home = os.environ.get("XDG_STATE_HOME") or ""
    folder = Path(home) if home.startswith("/") else Path.home() / ".local" / "state"
    return folder / "advisor" / (f"wizard-{name}.json" if name else "wizard.json")


def name_of(path: Path) -> str:
    return path.stem.removeprefix("wizard").removeprefix("-")


def save_session(path: Path, text: str, earlier: SavedSession | None = None) -> str | None:
    """Writes the text atomically; returns the problem as a sentence, or None. `earlier`: the session that it replaces
    there, which is kept under the time when it was saved."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if earlier is not None and earlier.path == path:
            user_files.save(str(_path_to_keep(earlier)), earlier.text.encode(), 0o600)
        user_files.save(str(path), text.encode(), 0o600)
    except OSError as error:
        return f"{path}: {error.strerror}"
    except user_files.WriteError as error:
        return str(error)
    return None


def _path_to_keep(saved: SavedSession) -> Path:
    """The free file for a copy, beside the session."""
    when = "".join(char for char in saved.when.replace(" ", "-") if char != ":")
    places = (f"{saved.path.stem[:30]}-{when}{f'-{number}' if number else ''}.json" for number in count())
    return next(path for path in map(saved.path.with_name, places) if not path.exists())


def number_of_answers(session: Session) -> str:
    """ "3 answers, 2 names": of the mount on the screen."""
    return _numbers(session.order, session.answers.names, session.answers.pins) or "no answer"


def _numbers(answers: Sized, names: Sized, pins: Sized) -> str:
    """ "" for none."""
    told = ((answers, "answer"), (names, "name"), (pins, "pinned setting"))
    return ", ".join(counted(len(some), what) for some, what in told if some)


def read_session(path: Path) -> SavedSession | None:
    """The session in a file; None if it has no answers or cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text)
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(path.stat().st_mtime))
        given, others = data.get("answers", {}), data.get("others", ())
        answers = _numbers(data["order"], given.get("names") or (), given.get("pins") or ())
        names, platform = given.get("names") or {}, given.get("facts", {}).get(PLATFORM, "")
        mount = ":".join(filter(None, (names.get("server"), names.get("export")))) or str(platform)
        mount += f" and {len(others)} more" if mount and others else ""
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return SavedSession(text, when, answers, path, name_of(path), mount) if answers else None


def other_sessions(path: Path) -> list[SavedSession]:
    """The sessions in the same folder, the newest first."""
    sessions = [read_session(file) for file in path.parent.glob("wizard*.json") if file != path]
    return sorted(
        (session for session in sessions if session is not None), key=lambda session: session.when, reverse=True
    )


def session_names(path: Path | None) -> list[str]:
    """The names of all saved sessions. `path`: of the current one."""
    return [session.name for session in _all_sessions(path) if session.name]


def _all_sessions(path: Path | None) -> list[SavedSession]:
    path = path or path_of()
    return [*other_sessions(path), *filter(None, [read_session(path)])]


def find_answers(base: RuleBase, path: Path | None, name: str) -> Answers:
    """The answers of a saved session or an answers file. `path`: of the current session. Raises ValueError if `name` is
    neither."""
    if not name:
        raise ValueError("Write the name of an answers file or of a session first.")
    for session in _all_sessions(path):
        if session.name == name:
            return from_text(base, session.text).session.answers
    return read_answers(base, name)


def compare_answers(
    base: RuleBase, session: Session, other: Answers
) -> tuple[list[tuple[str, str, str]], list[AdviceChange]]:
    """(fact, answer here, answer there) of each that differs, and the settings whose advice differs."""
    mine = questions.preview(base, session)
    theirs = advice_cache.advice_for(base, other._replace(mounts=()))
    here, there = mine.answers.facts, other.facts

    def in_words(answers: Answers, fact: str) -> str:
        return wording.answer_text(base, fact, answers.facts[fact]) if fact in answers.facts else "not known"

    different = [
        (fact, in_words(mine.answers, fact), in_words(other, fact)) for fact in base.facts
        if (fact in here or fact in there) and here.get(fact) != there.get(fact)
    ]
    return different, advice_cache.changes(mine, theirs)


SCHEMA = "advisor-session/1"
STEPS = 40
"""Steps of undo and of redo that are saved."""


class Resumed(NamedTuple):
    """A saved session. `lost`: sentences on answers that were left out because the rules have changed."""

    session: Session
    lost: tuple[str, ...]


def to_text(session: Session) -> str:
    return json.dumps({
        "schema": SCHEMA, **_step_data(session.step), "fine": session.fine, "folder": session.folder,
        "past": [_step_data(step) for step in session.past[-STEPS:]],
        "future": [_step_data(step) for step in session.future[:STEPS]],
    })


def from_text(base: RuleBase, text: str) -> Resumed:
    """The session in a JSON text. Raises ValueError if the text is not a saved session."""
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise ValueError(f"its schema is not {SCHEMA}")
        lost: list[str] = []
        now = _read_step(base, data, lost)
        past = tuple(_read_step(base, step, []) for step in data["past"])
        future = tuple(_read_step(base, step, []) for step in data["future"])
        fine, folder = data.get("fine") is True, str(data.get("folder", ""))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"this is not a saved session: {error}") from None
    session = Session(**now._asdict(), past=past, future=future, fine=fine, folder=folder)
    return Resumed(session, tuple(dict.fromkeys(lost)))


def _step_data(step: Step) -> dict[str, object]:
    mine = MountAnswers(step.answers, step.order, step.line)
    others = [_mount_data(mount) for mount in step.others]
    saved = {**_mount_data(mine), "at": step.at, "others": others, "place": step.place}
    return saved if step.other_side is None else {**saved, "aside": _step_data(step.other_side)}


def _mount_data(mount: MountAnswers) -> dict[str, object]:
    return {"answers": to_plain(mount.answers), "order": list(mount.order), "read": [list(sign) for sign in mount.line]}


def _read_step(base: RuleBase, data: object, lost: list[str]) -> Step:
    if not isinstance(data, dict):
        raise TypeError("a step is not a mapping")
    mine = _read_mount(base, data, lost, lambda answers: contradiction(base, answers))

    def problem(answers: Answers) -> str | None:
        return None if is_possible(base, answers) else "It contradicts other answers."

    others = tuple(_read_mount(base, mount, lost, problem) for mount in data.get("others", ()))
    at, place = data["at"], data.get("place", 0)
    if type(place) is not int or not 0 <= place <= len(others):
        raise ValueError(f"unknown mount {place!r}")
    at = at if isinstance(at, str) and (at in base.facts or at == MOUNT) else None
    given = mine._replace(answers=Session(mine.answers, mine.order).given)
    other_side = _read_step(base, data["aside"], lost)._replace(other_side=None) if data.get("aside") else None
    return Step(infer(base, given, others), mine.order, at, mine.line, others, place, other_side)


def _read_mount(base: RuleBase, data: object, lost: list[str], wrong: Callable[[Answers], str | None]) -> MountAnswers:
    """The answers for one mount. `wrong`: returns the problem with the answers as a whole, or None."""
    if not isinstance(data, dict):
        raise TypeError("a mount is not a mapping")
    answers = _known_answers(base, from_plain(data["answers"]), lost, wrong)
    given = (*answers.facts, *sorted(answers.unknown))
    order = [str(fact) for fact in data["order"] if fact in given]
    order += [fact for fact in given if fact not in order and fact not in answers.origin]  # these are inferred
    line = tuple(Sign(str(fact), value, str(where)) for fact, value, where in data.get("read", ())
                 if not _problem(base, str(fact), value))
    return MountAnswers(answers, tuple(dict.fromkeys(order)), line)


def _problem(base: RuleBase, fact: str, value: object) -> str:
    """Why this answer is not one, or no longer; "" if it is."""
    try:
        fact_value(base, fact, value)
        base.engine.state({fact: value})
    except (AnswerError, EngineError) as error:
        return str(error)
    return ""


def _known_answers(
    base: RuleBase, answers: Answers, lost: list[str], wrong: Callable[[Answers], str | None]
) -> Answers:
    """The answers that the rule base still knows and that do not contradict each other."""
    for name, value in answers.facts.items():
        if problem := _problem(base, name, value):
            lost.append(problem)
            answers = without_answers(answers, (name,))
    for name, value in answers.pins.items():
        try:
            pin_value(base, name, value, answers.facts)
        except AnswerError as error:
            lost.append(str(error))
            answers = without_answers(answers, (), (name,))
    answers = answers._replace(unknown=frozenset(name for name in answers.unknown if name in base.facts))
    for name in reversed((*answers.facts, *answers.pins)):
        against = wrong(answers)
        if against is None:
            break
        lost.append(f"{name}: {against}")
        answers = without_answers(answers, (name,), (name,))
    return answers


ANSWERS, FOLDER = "answers.yaml", "nfs-config"
"""The file with the answers, and the proposed folder of the export."""
STATUS_TEXT = {
    "new": "written", "changed": "written again", "same": "is there already", "kept": "kept as edited",
    "removed": "removed: it no longer applies", "stale": "no longer applies, but was edited, so it is still there",
}
"""Status of an exported file → in words."""
KEPT = ("kept", "stale")
"""Statuses of files that an administrator has edited, so they are not overwritten."""
ALTERNATIVES = {"systemd", "autofs"}
"""Folders of files that are alternatives to the fstab line."""
SIDES = {"nfs-client": "clients", "nfs-server": "server"}
"""Role → folder of its files, if a session has both sides."""
_made: Cache[tuple[Artefact, ...]] = Cache(4)
"""The files of each side: the export shows, checks and writes the same ones, and making them takes long."""


class MadeFiles(NamedTuple):
    """The files of a session. `beware`: the linter's findings in them; `problem`: why they cannot be made, or ""."""

    artefacts: list[Artefact]
    beware: list[str]
    problem: str = ""


_files: Cache[MadeFiles] = Cache(4)


def made_files(base: RuleBase, session: Session) -> MadeFiles:
    """The files, made once."""
    def make() -> MadeFiles:
        try:
            return MadeFiles(artefacts(base, session), lint_artefacts(base, session))
        except ValueError as error:
            return MadeFiles([], [], f"The files cannot be written: {error}")

    return _files.get(_key(base, session), make)


def known_files(base: RuleBase, session: Session) -> MadeFiles | None:
    """What `made_files` made; None until then."""
    return _files.peek(_key(base, session))


def prepare(_: RuleBase) -> None:
    """Loads what all files need."""
    from advisor.install import context  # noqa: PLC0415

    context.data()
    for template in context.environment().list_templates(["j2"]):
        context.environment().get_template(template)


def _key(base: RuleBase, session: Session) -> advice_cache.Key:
    return base.hash, *(
        part for _, side in mounts.sides(session)
        for part in advice_cache.key_of(base, mounts.all_mounts(base, side) if side.others else side.answers)
    )


def lint_artefacts(base: RuleBase, session: Session) -> list[str]:
    """The linter's findings in the files to install as sentences, errors first, each message once. Raises ValueError if
    the files cannot be made."""
    from advisor.advice.beside_fstab import file_objections  # noqa: PLC0415

    findings = []
    for _, side in mounts.sides(session):
        files = [(artefact.install, artefact.text) for artefact in _side_artefacts(base, side) if artefact.install]
        findings += file_objections(base, files, questions.preview(base, side).answers.facts)
    messages = {finding.message: finding for _, finding in sorted(findings, key=lambda pair: pair[1].severity)}
    return [f"{finding.severity}: {message}. {finding.why}" for message, finding in messages.items()]


def artefacts(base: RuleBase, session: Session) -> list[Artefact]:
    """The files for all mounts, the answers first; for both sides, if there are two, each in its folder. Raises
    ValueError if they cannot be made."""
    sides = mounts.sides(session)
    if len(sides) == 1:
        return [*_side_artefacts(base, session)]
    return [
        artefact._replace(
            path=f"{SIDES[role]}/{artefact.path}", apply=_in_folder(role, artefact.apply),
            undo=_in_folder(role, artefact.undo),
        )
        for role, side in sides for artefact in _side_artefacts(base, side)
    ]


def _in_folder(role: str, steps: tuple[str, ...]) -> tuple[str, ...]:
    """The steps, run in the folder of a role."""
    return (f"cd {SIDES[role]}", *steps, "cd ..") if steps else ()


def install_commands(base: RuleBase, session: Session, folder: str) -> list[str]:
    """The commands that install the files of a folder, without ALTERNATIVES; steps that are no commands are
    comments."""
    from shlex import quote  # noqa: PLC0415

    from advisor.install.context import for_people  # noqa: PLC0415

    lines = [f"cd {quote(str(Path(folder).expanduser().absolute()))}"]
    for artefact in artefacts(base, session):
        if artefact.install and artefact.apply and not ALTERNATIVES & set(artefact.path.split("/")):
            lines += [
                f"# {artefact.path}: {artefact.title}",
                *(f"# {step}" if for_people(step) else step for step in artefact.apply),
            ]
    return lines if len(lines) > 1 else []


def _side_artefacts(base: RuleBase, session: Session) -> tuple[Artefact, ...]:
    """The files for all mounts of the current side, cached."""
    request = mounts.all_mounts(base, session) if session.others else session.answers
    return _made.get(advice_cache.key_of(base, request), lambda: _make_artefacts(base, session))


def _make_artefacts(base: RuleBase, session: Session) -> tuple[Artefact, ...]:
    from advisor import install as making  # noqa: PLC0415
    from advisor.install.build import artefacts_several  # noqa: PLC0415

    several = mounts.several_advice(base, session)
    if several is None:
        made = making.artefacts(base, questions.preview(base, session))
    else:
        made = artefacts_several(base, several)
    if any(artefact.path == ANSWERS for artefact in made):
        return (*made,)
    title = f"the answers; advisor recommend --answers {ANSWERS} reads them"
    answers = mounts.combined_answers(base, session)._replace(asked=True)
    return (making.Artefact(ANSWERS, answers_text(answers), title), *made)


def mount_commands(base: RuleBase, session: Session) -> list[str]:
    """The commands that mount manually, until the next restart. Raises ValueError if the files cannot be made."""
    return [
        line for artefact in artefacts(base, session) if artefact.path == "mount.sh"
        for line in artefact.text.splitlines()
        if line and not line.startswith(("#", "set "))
    ]


def write_export(base: RuleBase, session: Session, folder: str, force: bool = False) -> list[Written]:
    """Writes the files of the export; returns the status of each. Raises ValueError, with the reason."""
    from advisor.install import write_all  # noqa: PLC0415

    if not folder:
        raise ValueError("Write the name of a folder.")
    try:
        return write_all(Path(folder).expanduser(), artefacts(base, session), force)
    except (OSError, RuntimeError, user_files.WriteError) as error:
        raise ValueError(str(error)) from None
