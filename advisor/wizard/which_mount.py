"""The first question, for the mount: the answer is a line of fstab, or typed names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor import session as state
from advisor.advice.answers_file import mount_key
from advisor.advice.mount_line import bracketed_host
from advisor.pages import wording
from advisor.rulebase.model import RuleBase
from advisor.session import Refused, Session
from advisor.user_files import UserFileError
from advisor.wizard import words
from advisor.wizard.files import read_file

if TYPE_CHECKING:
    from advisor.lint.lines import NfsLine

TITLE = "Which mount is this for?"
HELP = (
    "Write it as in fstab, server:/export /mount/point, or only part of it. The names answer some of the questions, "
    "and go into the files to install. Press Enter to continue without them."
)
EXAMPLE = "nas1.example:/data /mnt/data"
WRITTEN = "the line that you wrote"


class OfferedLine(NamedTuple):
    """A line of fstab that is offered as a mount. `file`: its path, for messages."""

    line: NfsLine
    file: str

    @property
    def label(self) -> str:
        """ "nas1:/data on /mnt/data"."""
        return f"{bracketed_host(self.line.server)}:{self.line.export} on {self.line.target}"

    @property
    def note(self) -> str:
        """The file and the line."""
        return f"{self.file}:{self.line.number}"


def lines_of_text(base: RuleBase, text: str, file: str) -> list[OfferedLine]:
    """The NFS lines of a file's text."""
    from advisor.lint.lines import nfs_lines  # noqa: PLC0415  only where there is a file

    return [OfferedLine(line, file) for line in nfs_lines(base, text, file)]


def lines_of_file(base: RuleBase, path: str) -> list[OfferedLine]:
    """The NFS lines of a file. Raises UserFileError for one that cannot be read, or has none."""
    lines = lines_of_text(base, read_file(path), path)
    if not lines:
        raise UserFileError(f"{path}: no NFS line found")
    return lines


def use_line(base: RuleBase, session: Session, offered: OfferedLine) -> Session:
    """The session with this line as its mount. Raises Refused."""
    return _name_mount(base, session, offered.line, offered.note)


def use_text(base: RuleBase, session: Session, text: str) -> Session:
    """The session with the typed mount; with an empty text, without names. Raises Refused."""
    return _name_mount(base, session, _line(base, text), WRITTEN) if text.strip() else state.go(session, None)


def add_lines(base: RuleBase, session: Session, lines: Sequence[OfferedLine]) -> Session:
    """The session with these lines as further mounts, except those that it has already. One undo removes all of them.
    Raises Refused."""
    past = session.past
    for offered in lines:
        names = _names(offered.line)
        if all(mount_key(names) != mount_key(mount.answers.names) for mount in session.mounts):
            session = state.add(base, session, names, offered.line.facts, offered.note)
    return session if session.past == past else session._replace(past=session.past[: len(past) + 1])


def add_text(base: RuleBase, session: Session, text: str) -> Session:
    """The session with one more, typed mount. Raises Refused."""
    line = _line(base, text)
    return state.add(base, session, _names(line), line.facts, WRITTEN)


def _line(base: RuleBase, text: str) -> NfsLine:
    from advisor.lint.lines import line_of  # noqa: PLC0415

    try:
        return line_of(base, text)
    except ValueError as error:
        raise Refused(str(error)) from None


def _names(line: NfsLine) -> dict[str, str]:
    names = {"server": line.server, "export": line.export, "target": line.target}
    return {name: text for name, text in names.items() if text}


def _name_mount(base: RuleBase, session: Session, line: NfsLine, where: str) -> Session:
    return state.mount(base, session, _names(line), line.facts, where)


def known_names(session: Session) -> str:
    """The names given so far, as a sentence; "" for none."""
    if session.others:
        return f"So far: {', '.join(words.mount_label(mount.answers) for mount in session.mounts)}"
    names = session.answers.names
    parts = ", ".join(f"{name} {names[name]}" for name in ("server", "export", "target") if name in names)
    return f"So far: {parts}" if parts else ""


def inferred_answers(base: RuleBase, session: Session) -> list[tuple[str, str]]:
    """(fact, question with answer and origin) of each fact inferred from the mount; facts of the host and usual values
    come last."""
    drawn = {fact: value for fact, value in session.answers.facts.items() if fact not in session.order}
    facts = sorted(drawn, key=lambda fact: (_is_usual(base, fact, drawn[fact]), _is_host_fact(base, fact)))
    origin = session.answers.origin
    return [
        (fact, f"{wording.question(base, fact)} {wording.answer_text(base, fact, drawn[fact])} ({origin[fact]})")
        for fact in facts
    ]


def _is_host_fact(base: RuleBase, fact: str) -> bool:
    return bool(base.facts[fact].scope == "host")


def _is_usual(base: RuleBase, fact: str, value: object) -> bool:
    return any(usual.value == value for usual in base.facts[fact].usual)
