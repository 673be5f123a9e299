"""Facts, and the finitely many cells into which their domains split. A set of cells is a bit mask.

An enum has a cell for each value, a bool has false and true. Integers and versions have an order; their cells are the
intervals between edges. A fact that does not always apply has one more cell, the last: `n/a`.

An edge lies where the answer of some condition changes: just before a constant or just after it. Cell i lies between
edge i - 1 and edge i. For integers, just after 4 is the same as just before 5, so that no interval is empty."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from advisor.engine.errors import FactError, near, word_list
from advisor.engine.versions import comparisons, following, key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, Optional, Union

    Edge = Any  # an int, or (version key, 0 before or 1 after)
    Value = Union[bool, int, float, str]
    # Rows are lists where they were read from JSON. Each fact's is (id, type, domain, applies always, derived).
    ListedRow = tuple[str, Literal["enum", "bool"], Optional[list[str]], bool, bool]
    IntRow = tuple[str, Literal["int"], tuple[Optional[int], Optional[int], list[int]], bool, bool]
    """Domain: minimum, maximum, edges."""
    VersionRow = tuple[str, Literal["version"], tuple[str, list[tuple[str, int]]], bool, bool]
    """Domain: scheme, edges as (constant, 0 before or 1 after)."""
    FactRow = Union[ListedRow, IntRow, VersionRow]
else:
    FactRow = Value = object

NOT_APPLICABLE = "n/a"


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
            for alternative in answer:
                mask |= self.mask(alternative)
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
        return (word_list(texts, conjunction) if conjunction else ", ".join(texts)) or "nothing"

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
            return [f"anything but {word_list(others)}"]
        return chosen

    def _text(self, value: object) -> str:
        return str(value).lower() if self.type == "bool" else str(value)

    def _answers(self, mask: int) -> list[Value]:
        return [value for index, value in enumerate(self.values) if mask >> index & 1]


UNQUOTED = '{!r} is not a version: write it in quotes, as "5.10" (5.10 without them is 5.1)'


class OrderedFact(CellFact):
    """What numbers and versions share."""

    __slots__ = ()

    @abstractmethod
    def around(self, constant: object) -> tuple[Edge, Edge]:
        """The edges just before and just after a constant. Raises ValueError if it is none of this type."""

    def _exact(self, value: object) -> tuple[Edge, Edge]:
        """As `around`, for a value that stands alone and not in a range."""
        return self.around(value)

    @abstractmethod
    def edge_list(self) -> Sequence[Edge]:
        """The edges between the cells, in order."""

    def domain(self) -> tuple[Edge | None, Edge | None]:
        """Where the domain starts and ends; None where it does not."""
        return None, None

    def _cells(self, value: object) -> int:
        try:
            pairs = comparisons(value) if isinstance(value, str) else []
            if pairs:
                mask = self._touched([(sign, *self.around(constant)) for sign, constant in pairs])
            else:
                mask = self._touched([("==", *self._exact(value))])
        except ValueError as error:
            raise FactError(self.id, value, str(error)) from None
        if not mask:
            domain = self.describe_domain()
            raise FactError(self.id, value, f"no value is {value}" + (f"; it is {domain}" if domain else ""))
        return mask

    def _touched(self, bounds: list[tuple[str, Edge, Edge]]) -> int:
        low, high = self.domain()
        holes = []
        for operator, before, after in bounds:
            if operator == "!=":
                holes.append((before, after))
            if operator in (">=", "==", ">"):
                start = after if operator == ">" else before
                low = start if low is None else max(low, start)
            if operator in ("<=", "==", "<"):
                end = before if operator == "<" else after
                high = end if high is None else min(high, end)
        if low is not None and high is not None and low >= high:
            return 0
        mask = self._between(low, high)
        for before, after in holes:
            mask &= ~self._within(before, after)
        return mask

    def _between(self, low: Edge | None, high: Edge | None) -> int:
        """The cells that the interval touches."""
        edges = self.edge_list()
        first = 0 if low is None else bisect_right(edges, low)
        last = len(edges) if high is None else bisect_left(edges, high)
        return (1 << last + 1) - (1 << first)

    def _within(self, low: Edge, high: Edge) -> int:
        """The cells that lie wholly inside the interval: those touched, less those that what is outside touches."""
        start, end = self.domain()
        outside = 0
        if start is None or start < low:
            outside |= self._between(start, low)
        if end is None or high < end:
            outside |= self._between(high, end)
        return self._between(low, high) & ~outside

    def _texts(self, mask: int) -> list[str]:
        return [self._run_text(first, last) for first, last in self._runs(mask)]

    def _answers(self, mask: int) -> list[Value]:
        answers: list[Value] = [self._run_answer(first, last) for first, last in self._runs(mask)]
        return ["<0", ">=0"] if answers == [""] else answers  # a domain without limits, all of it but n/a

    def _runs(self, mask: int) -> list[tuple[int, int]]:
        """The neighbouring cells of a mask, as first and last cell."""
        runs: list[tuple[int, int]] = []
        for index in range(mask.bit_length()):
            if mask >> index & 1:
                if runs and runs[-1][1] == index - 1:
                    runs[-1] = (runs[-1][0], index)
                else:
                    runs.append((index, index))
        return runs

    @abstractmethod
    def _run_text(self, first: int, last: int) -> str:
        """Neighbouring cells in words."""

    @abstractmethod
    def _run_answer(self, first: int, last: int) -> Value:
        """Neighbouring cells as an answer."""

    def describe_domain(self) -> str:
        """ "1 to 16", "at least 1"; empty for a domain without limits."""
        return ""


class IntFact(OrderedFact):
    """An integer. `edges` are the first integers of the cells after the first."""

    __slots__ = ("edges", "maximum", "minimum")

    def __init__(self, row: IntRow, shift: int) -> None:
        self.minimum, self.maximum, self.edges = row[2]
        super().__init__(row, len(self.edges) + 1, shift)

    def around(self, constant: object) -> tuple[int, int]:
        number = whole_number(constant)
        return number, number + 1

    def _exact(self, value: object) -> tuple[int, int]:
        if isinstance(value, str):
            raise ValueError(f"{value!r} is not a whole number; numbers are written without quotes")
        return self.around(value)

    def edge_list(self) -> Sequence[int]:
        return self.edges

    def domain(self) -> tuple[int | None, int | None]:
        return self.minimum, None if self.maximum is None else self.maximum + 1

    def describe_domain(self) -> str:
        return "" if self.minimum is None and self.maximum is None else self._run_text(0, len(self.edges))

    def _limits(self, first: int, last: int) -> tuple[int | None, int | None]:
        """The smallest and largest integer of a run of cells."""
        low = self.edges[first - 1] if first else self.minimum
        return low, self.edges[last] - 1 if last < len(self.edges) else self.maximum

    def _run_text(self, first: int, last: int) -> str:
        low, high = self._limits(first, last)
        if low is None:
            return "any number" if high is None else f"at most {high}"
        if low == high:
            return str(low)
        return f"at least {low}" if high is None else f"{low} to {high}"

    def _run_answer(self, first: int, last: int) -> Value:
        low, high = self._limits(first, last)
        if low is not None and low == high:
            return low
        return " ".join([f">={low}"] * (low is not None) + [f"<={high}"] * (high is not None))


class VersionEdges(Sequence["Edge"]):
    """The edges of versions. A search among hundreds compares few of them, so each is made when it is looked at."""

    __slots__ = ("_cuts", "_made", "_scheme")

    def __init__(self, scheme: str, cuts: Sequence[tuple[str, int]]) -> None:
        self._scheme, self._cuts = scheme, cuts
        self._made: dict[int, Edge] = {}

    def __len__(self) -> int:
        return len(self._cuts)

    def __getitem__(self, number: int) -> Edge:  # type: ignore[override]
        edge = self._made.get(number)
        if edge is None:
            constant, after = self._cuts[number]
            edge = self._made[number] = key(self._scheme, constant), after
        return edge


class VersionFact(OrderedFact):
    """A version. `cuts` are the edges as [constant, 0 before or 1 after].

    `builds`: name of a build that does not tell its release → the release: 6.1.0-28 → 6.1.119. The name without its
    number, 6.1.0-, is for numbers that are not listed: 6.1, any release of it."""

    __slots__ = ("_edges", "builds", "cuts", "scheme")

    def __init__(self, row: VersionRow, shift: int, builds: Mapping[str, Mapping[str, str]]) -> None:
        self.scheme, self.cuts = row[2]
        self.builds = builds.get(self.scheme)
        super().__init__(row, len(self.cuts) + 1, shift)
        self._edges = VersionEdges(self.scheme, self.cuts)

    def around(self, constant: object) -> tuple[Edge, Edge]:
        if not isinstance(constant, str):
            raise ValueError(UNQUOTED.format(constant))
        version_key, after = key(self.scheme, constant), following(constant)
        return (version_key, 0), (key(self.scheme, after), 0) if after else (version_key, 1)

    def release(self, text: str) -> str:
        """The release behind the name of a build; any other version unchanged."""
        if not self.builds:
            return text
        head, hyphen, rest = text.partition("-")
        number = rest.partition("-")[0]
        listed = self.builds.get(head + hyphen) if number.isdigit() else None
        return text if listed is None else self.builds.get(f"{head}-{number}", listed)

    def _exact(self, value: object) -> tuple[Edge, Edge]:
        return self.around(self.release(value) if isinstance(value, str) else value)

    def edge_list(self) -> Sequence[Edge]:
        return self._edges

    def _run_text(self, first: int, last: int) -> str:
        ends = self._ends(first, last, ("{} or newer", "newer than {}"), ("older than {}", "{} or older"))
        return " but ".join(ends) or "any version"

    def _run_answer(self, first: int, last: int) -> Value:
        return " ".join(self._ends(first, last, (">={}", ">{}"), ("<{}", "<={}")))

    def _ends(self, first: int, last: int, lows: Sequence[str], highs: Sequence[str]) -> list[str]:
        """The ends of a run in words, which differ with the side of the cut; one for a single version."""
        low = [(lows[after].format(cut), cut) for cut, after in self.cuts[max(first - 1, 0) : first]]
        high = [(highs[after].format(cut), cut) for cut, after in self.cuts[last : last + 1]]
        same = [cut for _, cut in low if high and high[0][1] == cut]
        return same or [words for words, _ in (*low, *high)]


def whole_number(value: object) -> int:
    """An integer, or the text of one inside a range. Raises ValueError for anything else."""
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) < 20:
            return int(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    raise ValueError(f"{value!r} is not a whole number")
