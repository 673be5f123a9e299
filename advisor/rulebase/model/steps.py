"""How settings are applied, checked and undone."""

from __future__ import annotations

from advisor.rulebase.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from advisor.rulebase.model.types import ClaimId, Kind, RuleId, Text


class Steps(Record):
    """How a value is applied, checked and undone.

    In these texts `{value}` is the value, `{text}` what is written for it ("nconnect=8"), `{unset}` the same for the
    default, `{name}` the setting without its kind ("net.core.rmem_max"), `{before}` what was there, `{server}`,
    `{export}` and `{target}` are those of the mount, `{section}` and `{key}` of nfs.conf, `{module}` and `{parameter}`
    of a module; `{value - 28}` is a number less 28."""

    sets: Text | None = None
    """What to write or run."""
    verify: Text | None = None
    """What to run, or where to look."""
    shows: Text | None = None
    """What is seen there when the value is in effect."""
    lacks: Text | None = None
    """What is not seen there then."""
    undo: Text | None = None
    """How to go back where nobody looked at what was there before."""
    undo_to: Text | None = None
    """How to go back to `{before}`, which was seen."""
    undo_unset: Text | None = None
    """How to go back where it was seen that nothing was set."""
    undo_same: Text | None = None
    """How to go back where the same value was there before."""
    line: Text | None = None
    """How the whole mount is written where the value puts it elsewhere than in fstab. `{options}` are its options."""


class Without(Record):
    """What follows where a tunable's `needs` do not hold, so that the setting cannot be used. `why` may stand with the
    kind; where no citation stands here, those of the capabilities hold that it needs. `id`: the name of the gate, where
    it shall have one of its own."""

    id: RuleId | None = None
    why: Text | None = None
    cites: Sequence[ClaimId] = ()


class ValueSteps(Steps):
    """Steps, and others for single values: "omit", or the value as text ("true", "active-passive"). What is said for
    the value stands instead of what is said in general."""

    by_value: Mapping[str, Steps] = {}
    without: Without | None = None


class KindSteps(ValueSteps):
    """What the tunables of one kind have in common. A tunable's own steps go before those of its kind."""

    id: Kind
    scope: Literal["host", "server", "mount"]
    """Where one value holds. What holds for the host has to suit all of its mounts."""
