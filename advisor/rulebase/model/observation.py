"""What follows from the counters of a mount or a server."""

from __future__ import annotations

from advisor.rulebase.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from advisor.rulebase.model.types import ClaimId, ConclusionId, Condition, DottedId, Text, Values


class ConclusionExample(Record):
    """Quantities of a window, and whether they lead to the conclusion."""

    given: Mapping[DottedId, Values]
    expect: bool
    note: Text | None = None


class Conclusion(Record):
    """What the counters of a window show."""

    id: ConclusionId
    title: Text
    """What it means to the reader, in a few words without a full stop."""
    kind: Literal["limit", "trouble", "work", "verdict", "note"]
    """`limit`: what the work waits for. `trouble`: something that goes wrong. `work`: what the work is like. `verdict`:
    where nothing here is to be tuned. `note`: what is certain besides and limits nothing."""
    of: Literal["mount", "server"] = "mount"
    when: Condition
    """Only where this is certainly true, by what was counted, is anything concluded."""
    says: Text
    """The evidence, a sentence with quantities in it: `{observed.rtt}`."""
    means: Text
    """What follows: one to three sentences that a colleague would say."""
    helps: Sequence[DottedId] = ()
    """Tunables of the host that was looked at that can change it."""
    helps_server: Sequence[DottedId] = ()
    """Those of the server that it mounts from."""
    at_most: Mapping[DottedId, DottedId] = {}
    """Tunable → the quantity that it can save, all of it at most."""
    useless: Sequence[DottedId] = ()
    """Tunables that people turn for it and that change nothing."""
    holds: Mapping[DottedId, Values] = {}
    """Facts of the mount that are so for the work of the window."""
    measures: Mapping[DottedId, Text] = {}
    """Facts whose value, or bound, is a quantity: `{observed.rtt}`, `>={observed.in_flight}`."""
    cites: Sequence[ClaimId]
    note: Text | None = None
    examples: Sequence[ConclusionExample]
    """At least one in which it is concluded, and one in which it is not."""
