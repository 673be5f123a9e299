"""A line as mount(8) and as getmntent(3) read it. Loaded only when a file has a line that needs it: most have none."""

from __future__ import annotations

from advisor.readers.fstab import glibc, libmount, traps
from advisor.readers.fstab.libmount import Columns, Heard
from advisor.readers.fstab.traps import Trap

_COLUMNS = ("source", "target", "type", "options", "fifth field", "sixth field")


class BothReadings:
    """What each makes of the line, worked out when it is asked for. `heard`: what getmntent(3) has in its buffer."""

    __slots__ = ("_heard", "_line_no", "_raw", "_reading", "_traps", "body", "cuts")

    def __init__(self, line_no: int, raw: str, ended: bool, heard: Heard | None) -> None:
        self.body = libmount.body_of(raw, ended)
        self.cuts = libmount.tokens(self.body)
        self._line_no = line_no
        self._raw = raw
        self._heard = heard
        self._reading: Columns | str | None = None
        self._traps: tuple[Trap, ...] | None = None

    @property
    def reading(self) -> Columns | str:
        """The columns as mount(8) reads them, or why it ignores the line."""
        if self._reading is None:
            self._reading = libmount.parse(self.body, self.cuts)
        return self._reading

    @property
    def glibc(self) -> Columns | None:
        return glibc.view(self._heard)

    @property
    def difference(self) -> str | None:
        return difference(None if isinstance(self.reading, str) else self.reading, self.glibc)

    @property
    def traps(self) -> tuple[Trap, ...]:
        if self._traps is None:
            accepted = isinstance(self.reading, Columns)
            self._traps = traps.find(self._line_no, self._raw, self.body, self.cuts, accepted)
        return self._traps


def difference(mine: Columns | None, theirs: Columns | None) -> str | None:
    """In words, how the reading of mount(8) (`mine`) differs from that of getmntent(3); None when it does not."""
    if mine is None or theirs is None:
        view = mine or theirs
        if view is None:
            return None
        taker, other = ("mount(8)", "getmntent(3)") if mine else ("getmntent(3)", "mount(8)")
        columns = ", ".join(f"{name} {_said(value)}" for name, value in zip(_COLUMNS, view))
        return f"{other} ignores the line, {taker} reads it as {columns}"
    parts = []
    for name, one, two in zip(_COLUMNS, mine, theirs):
        if (one or "") != (two or ""):
            said = (_said(one), _said(two))
            if said[0] == said[1]:  # both shortened
                said = (f"{len(str(one))} characters", f"{len(str(two))} characters")
            parts.append(f"the {name} as {said[0]}, getmntent(3) as {said[1]}")
    return "mount(8) reads " + "; ".join(parts) if parts else None


def _said(value: str | int | None) -> str:
    return libmount.shown(value) if isinstance(value, str) else "nothing" if value is None else str(value)
