"""The rule engine: what follows from what is known. Pure, standard library only; it knows nothing of NFS.

`build` makes a `Base` from plain data, `Base.from_json` from a compiled one; the other functions ask it. What `lint`
does not need is imported when it is first used."""

from __future__ import annotations

from advisor.engine.base import Base
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
from advisor.engine.errors import EngineError, FactError, TooBigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.engine.ask import Question, applicability_facts, next_questions
    from advisor.engine.chain import advise, decided
    from advisor.engine.compiler import Fault, build, verify, with_condition
    from advisor.engine.explain import FactChange, Obstacle, Proof, open_facts, proof, reason, what_if, why_not
    from advisor.engine.usual import Assumption, Counsel, Usual, counsel

_LATER = {
    "ask": "Question applicability_facts next_questions", "chain": "advise decided",
    "compiler": "Fault build verify with_condition",
    "explain": "FactChange Obstacle Proof open_facts proof reason what_if why_not",
    "usual": "Assumption Counsel Usual counsel",
}
"""Module → the names of it that are imported when they are first used."""

__all__ = [
    "Assumption", "Base", "Counsel", "EngineError", "FactChange", "FactError", "Fault", "Obstacle", "Outcome", "Proof",
    "Question", "State", "TooBigError", "Usual", "advise", "applicability_facts", "build", "can_hold", "can_win",
    "consistent", "contenders", "counsel", "decided", "holds", "next_questions", "open_facts", "possible", "proof",
    "reach", "reason", "support", "verify", "what_if", "why_not", "winners", "with_condition",
]


def __getattr__(name: str) -> object:
    module = next((module for module, names in _LATER.items() if name in names.split()), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(__import__(f"{__name__}.{module}", fromlist=[name]), name)
