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
    kind: Literal["limit", "trouble", "work"]
    """`limit`: what the work waits for. `trouble`: something that goes wrong. `work`: what the work is like."""
    of: Literal["mount", "server"] = "mount"
    when: Condition
    """Only where this is certainly true, by what was counted, is anything concluded."""
    says: Text
    """The evidence, a sentence with quantities in it: `{observed.rtt}`."""
    means: Text
    """What follows: one to three sentences that a colleague would say."""
    helps: Sequence[DottedId] = ()
    """Tunables that can change it."""
    useless: Sequence[DottedId] = ()
    """Tunables that people turn for it and that change nothing."""
    holds: Mapping[DottedId, Values] = {}
    """Facts of the mount that are so for the work of the window."""
    cites: Sequence[ClaimId]
    note: Text | None = None
    examples: Sequence[ConclusionExample]
    """At least one in which it is concluded, and one in which it is not."""
