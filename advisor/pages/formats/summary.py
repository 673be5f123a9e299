"""Shapes of what the output formats of `advisor lint` get besides the findings. Only type checkers import this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class LinePlace(TypedDict):
    file: str
    line: int


class NotJudged(TypedDict):
    """A file that was not understood, or that advisor does not read yet."""

    file: str
    kind: str | None
    reason: str


class NotSettled(LinePlace):
    """A setting that could not be judged, and the facts that could settle it."""

    tunable: str
    depends_on: Sequence[str]


class Inferred(TypedDict):
    """A fact that was inferred from a server's name or a mount's type, and the lines with findings that rest on it."""

    fact: str
    value: str
    title: str
    places: Sequence[LinePlace]


class OpenQuestion(TypedDict):
    """The fact on which most open settings depend. `concerns`: how many of the `open_settings`."""

    open_settings: int
    fact: str
    question: str
    concerns: int
    example: str


class NotSeen(TypedDict):
    """A file of a host, or a sort of files, that could not be seen."""

    what: str
    reason: str


class _OfHost(TypedDict, total=False):
    unseen: Sequence[NotSeen]


class Counted(_OfHost):
    files: Sequence[str]
    nfs_lines: int
    errors: int
    warnings: int
    notes: int
    suppressed: int
    suppressions: Sequence[object]
    fixable: int
    fixable_unsafe: int
    inferred: Sequence[Inferred]
    open: Sequence[NotSettled]
    question: OpenQuestion | None


class Summary(Counted):
    """The whole run. `config`: the configuration file that was read. `unseen`: only of `advisor check`."""

    not_judged: Sequence[NotJudged]
    config: str | None


class Cited(TypedDict):
    """A claim as a finding cites it."""

    claim: str
    source: str
    title: str
    publisher: str
    at: str
    grade: str
    date: str | None
    address: str | None


class RuleFacts(TypedDict):
    """What the rule base says of a rule, check or erratum, in one shape for all three."""

    rule: str
    title: str
    why: str
    remedy: str
    severity: str
    consequence: str
    cites: Sequence[str]
