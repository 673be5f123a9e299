"""The rule engine: what follows from what is known. Pure, standard library only; it knows nothing of NFS.

`compiler.build` makes a `Base` from plain data, `Base.from_json` from a compiled one; the functions here ask it. What
`lint` does not need is imported from its module: `ask`, `explain`, `usual`."""

from __future__ import annotations

from advisor.engine.base import GATE, Base
from advisor.engine.boxes import State
from advisor.engine.decisions import (
    Outcome,
    can_hold,
    can_win,
    consistent,
    contenders,
    holds,
    possible,
    reach,
    support,
    winners,
)
from advisor.engine.errors import EngineError, FactError, TooBigError, operand, word_list

__all__ = [
    "GATE", "Base", "EngineError", "FactError", "Outcome", "State", "TooBigError", "can_hold", "can_win", "consistent",
    "contenders", "holds", "operand", "possible", "reach", "support", "winners", "word_list",
]
