"""The records for files to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values


class Artefact(NamedTuple):
    """A file. `path`: below the folder that it is written to; `install`: where it belongs on the host, "" for one that
    is run or read in place. `apply`, `verify`, `undo`: commands, names quoted for a shell."""

    path: str
    text: str
    title: str
    install: str = ""
    apply: tuple[str, ...] = ()
    verify: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()
    mode: int = 0o644

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that are neither blank nor comments."""
        return tuple(line for line in self.text.splitlines() if line.strip() and not line.startswith("#"))


def for_people(step: str) -> bool:
    """Whether a step is a sentence, not a command: it begins with a capital letter."""
    return step[:1].isupper()


class Objection(Protocol):
    """An objection to a line that is to be written, such as a linter's finding."""

    @property
    def rule(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def tunable(self) -> str | None: ...
    @property
    def message(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def remedy(self) -> str: ...
    @property
    def cites(self) -> tuple[str, ...]: ...


Judge = Callable[["RuleBase", str, "Mapping[str, Values]"], "Sequence[Objection]"]
"""(rule base, line of fstab, what is known: fact → value) → what there is against the line."""


class Unwritable(ValueError):
    """A name cannot be written in a file's format; the text says which and why."""
