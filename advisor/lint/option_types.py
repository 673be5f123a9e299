"""What reading a list of mount options yields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.lint.finding import Setting

if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value, Values


class OptionProblem(NamedTuple):
    """What is wrong with one option. `kind`: what sort of problem, the same word for the same sort for ever. `text`:
    the option as written; `start`: where it begins in its list.

    `suggestion`: what to write instead, "" for nothing at all, None where it cannot be told. `condition`: the open
    condition that it hangs on; None: certain."""

    kind: str
    text: str
    start: int
    tunable: str | None
    value: Value
    expected: Values | None
    message: str
    why: str
    consequence: str
    cites: tuple[str, ...]
    suggestion: str | None = None
    condition: str | None = None


class OptionList:
    """What one list of options says.

    `effective`: what is written and in effect, by tunable; `implied`: what that, or the type, brings with it; `every`:
    all that is written, in order; `overridden`: (the setting that gives way, the one it gives way to). `problems` need
    no facts; `pending` hang on a condition, each with the answer that makes it one (None: every answer but True).
    `tried`: what is negotiated at this attempt, tunable → value, over what is written (4.1 of `vers=4`)."""

    __slots__ = ("around", "effective", "every", "implied", "overridden", "pending", "problems", "tried")

    def __init__(self, around: Mapping[str, Value], tried: Mapping[str, Value]) -> None:
        self.around = around
        self.tried = tried
        self.effective: dict[str, Setting] = {}
        self.implied: dict[str, Setting] = {}
        self.every: list[Setting] = []
        self.overridden: list[tuple[Setting, Setting]] = []
        self.problems: list[OptionProblem] = []
        self.pending: list[tuple[OptionProblem, bool | None]] = []

    def value(self, tunable: str) -> Value:
        """The value in effect: tried, written or implied; None where the line does not say."""
        return self.tried[tunable] if tunable in self.tried else self.written(tunable)

    def written(self, tunable: str) -> Value:
        """The value that is written or implied, whatever is tried; None where the line does not say."""
        setting = self.effective.get(tunable) or self.implied.get(tunable)
        return self.around.get(tunable) if setting is None else setting.value

    @property
    def refusal(self) -> OptionProblem | None:
        """The first problem over which the mount fails for certain."""
        return next((problem for problem in self.problems if problem.consequence == "mount-fails"), None)
