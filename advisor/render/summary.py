"""Shapes of what the output formats of `advisor lint` are given beside the findings. Only type checkers read this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class LinePlace(TypedDict):
    file: str
    line: int


class NotJudged(TypedDict):
    """A file that was not understood, or is not read yet."""

    file: str
    kind: str | None
    reason: str


class NotSettled(LinePlace):
    """A setting that could not be judged, and the facts that could settle it."""

    tunable: str
    depends_on: Sequence[str]


class Inferred(TypedDict):
    """A fact that only a server's name or the type of a mount gave away, and where."""

    fact: str
    value: str
    title: str
    places: Sequence[LinePlace]


class OpenQuestion(TypedDict):
    """The fact that most of what was left open depends on. `concerns`: how many of `open_settings`."""

    open_settings: int
    fact: str
    question: str
    concerns: int
    example: str


class NotSeen(TypedDict):
    """A file, or a sort of files, of a host that could not be seen."""

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
    """The whole run. `config`: the configuration file that was read. `unseen`: where a host was checked."""

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
