"""Parts of a whole, in one bar."""

from __future__ import annotations

from typing import NamedTuple


class StackPart(NamedTuple):
    """A part of a whole. `amount`: not negative; `figure`: the same in the reader's units. `mark`: its look, of
    advisor.document.layout.PARTS, which stands for the same thing in every stack."""

    label: str
    amount: float
    figure: str
    mark: int


class Stack(NamedTuple):
    """The parts of one whole side by side, in one bar."""

    parts: tuple[StackPart, ...]

    def shares(self, of: int, least: int = 1) -> list[int]:
        """How much of a whole of `of` each part has, in whole numbers that add up to it; what is not nothing has
        `least`, 0 or 1, where there is room for that. Nothing has 0, and so has all where all is nothing."""
        whole = sum(part.amount for part in self.parts)
        if not whole:
            return [0] * len(self.parts)
        exact = [part.amount * of / whole for part in self.parts]
        least = least if of >= len(exact) else 0
        found = [max(int(one), least if part.amount > 0 else 0) for one, part in zip(exact, self.parts)]
        order = sorted(range(len(exact)), key=lambda at: exact[at] - found[at])
        while sum(found) > of:  # a part of 1 came from almost nothing: the one that is over its share most gives it
            found[max((at for at in order if found[at] > 1), key=lambda at: found[at] - exact[at])] -= 1
        while sum(found) < of:
            found[order.pop()] += 1
        return found

    def drawn(self) -> list[tuple[int, str, str]]:
        """Mark, label, and share with the figure, of each part."""
        return [
            (part.mark, part.label, f"{share if share or not part.amount else '<1'} % {part.figure}".rstrip())
            for part, share in zip(self.parts, self.shares(100, 0))
        ]
