"""Facts, and the finitely many cells into which their domains split. A set of cells is a bit mask.

An enum has a cell for each value, a bool has false and true; `ordered` has numbers and versions. A fact that does not
always apply has one more cell, the last: `n/a`."""

from __future__ import annotations

from abc import ABC, abstractmethod

from advisor.engine.errors import FactError, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.engine.types import FactRow, ListedRow, Value

NOT_APPLICABLE = "n/a"


def listed(texts: list[str], conjunction: str) -> str:
    """"anf, ontap"; with a conjunction "anf or ontap"."""
    if not conjunction or len(texts) < 2:
        return ", ".join(texts)
    return f"{', '.join(texts[:-1])} {conjunction} {texts[-1]}"


class CellFact(ABC):
    """One thing that can be known. `size` cells, `full` their mask, `shift` their place in the integer of all facts.

    `always`: it applies always; otherwise `not_applicable` is the mask of its n/a cell (0 without one).
    `derived`: it follows from other facts."""

    __slots__ = ("derived", "full", "id", "not_applicable", "shift", "size", "type")

    def __init__(self, row: FactRow, cells: int, shift: int) -> None:
        self.id, self.derived = row[0], row[4]
        self.type: str = row[1]
        always = row[3]
        self.not_applicable = 0 if always else 1 << cells
        self.size = cells if always else cells + 1
        self.full = (1 << self.size) - 1
        self.shift = shift

    def mask(self, answer: object) -> int:
        """The cells that an exact value, a range, "n/a" or a list of these touches. Raises FactError outside."""
        if isinstance(answer, (list, tuple)):
            if not answer:
                raise FactError(self.id, answer, "the list is empty: give at least one value")
            mask = 0
            for one in answer:
                mask |= self.mask(one)
            return mask
        if isinstance(answer, str) and answer == NOT_APPLICABLE:
            if not self.not_applicable:
                raise FactError(self.id, answer, "this fact always applies; n/a is not one of its values")
            return self.not_applicable
        return self._cells(answer)

    def describe(self, mask: int, conjunction: str = "") -> str:
        """The cells in words: "anf, ontap", "older than 5.3"; with a conjunction "anf or ontap"."""
        if mask == self.full:
            return "anything"
        texts = self._texts(mask & ~self.not_applicable)
        if mask & self.not_applicable:
            texts.append(NOT_APPLICABLE)
        return listed(texts, conjunction) if texts else "nothing"

    def answer(self, mask: int) -> Value | list[Value]:
        """The cells as an answer, so that `mask(answer(m)) == m`: one value or range, or a list of them."""
        answers = self._answers(mask & ~self.not_applicable)
        if mask & self.not_applicable:
            answers.append(NOT_APPLICABLE)
        return answers[0] if len(answers) == 1 else answers

    @abstractmethod
    def _cells(self, value: object) -> int:
        """The cells that one value touches."""

    @abstractmethod
    def _texts(self, mask: int) -> list[str]:
        """The cells in words, one text for each run of them; n/a is none of them."""

    @abstractmethod
    def _answers(self, mask: int) -> list[Value]:
        """The cells as answers, in the same way."""


class ListedFact(CellFact):
    """An enum or a bool: one cell for each of `values`."""

    __slots__ = ("values",)

    def __init__(self, row: ListedRow, shift: int) -> None:
        self.values: tuple[Value, ...] = (False, True) if row[2] is None else tuple(row[2])
        super().__init__(row, len(self.values), shift)

    def _cells(self, value: object) -> int:
        for index, known in enumerate(self.values):
            if known == value and isinstance(value, type(known)):
                return 1 << index
        if self.type == "bool":
            raise FactError(self.id, value, f"{value!r} is neither true nor false")
        if str(value) in self.values:
            raise FactError(self.id, value, f'{value!r} must be written in quotes, "{value}"')
        suggestions = near(value, self.values)
        listed = "" if suggestions else f"; its values are {', '.join(map(str, self.values))}"
        raise FactError(self.id, value, f"{value!r} is not one of its values{listed}", suggestions)

    def _texts(self, mask: int) -> list[str]:
        chosen = [self._text(value) for value in self._answers(mask)]
        others = [self._text(value) for value in self._answers(self.full & ~mask)]
        if len(chosen) > 4 and 0 < 2 * len(others) <= len(chosen):
            return [f"anything but {listed(others, 'or')}"]
        return chosen

    def _text(self, value: object) -> str:
        return str(value).lower() if self.type == "bool" else str(value)

    def _answers(self, mask: int) -> list[Value]:
        return [value for index, value in enumerate(self.values) if mask >> index & 1]
