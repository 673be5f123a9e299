"""What would have to be otherwise for another value of a setting: first what somebody can find out, or change."""

from __future__ import annotations

from typing import NamedTuple

from advisor.advice.model import Advice
from advisor.engine import FactChange, consistent, what_if
from advisor.rulebase.model import RuleBase


class Otherwise(NamedTuple):
    """`asks`: facts that nobody has told yet and that settle it. `changes`: of what is known or assumed, without
    touching what lasts; `elsewhere`: those that need another platform, other work or the like."""

    asks: tuple[str, ...]
    changes: tuple[FactChange, ...]
    elsewhere: tuple[FactChange, ...]


def otherwise(base: RuleBase, advice: Advice, tunable: str) -> Otherwise:
    """The smallest changes that lead to another value, none of them to a state that cannot be."""
    now = advice.find(tunable)
    assumed = {one.fact for one in now.rests_on} if now is not None else set()
    state = {fact: mask for fact, mask in advice.state.items() if fact != tunable}
    state |= {fact: advice.supposed[fact] for fact in assumed if fact in advice.supposed and fact != tunable}
    lasting = {name for name, fact in base.facts.items() if fact.lasting}
    asks = next((one.asks for one in advice.open if one.tunable == tunable), ())
    engine = base.engine
    changes = what_if(engine, tunable, state, fixed=lasting)
    elsewhere = [one for one in what_if(engine, tunable, state) if lasting & one.facts.keys()]
    return Otherwise(
        tuple(fact for fact in asks if base.facts[fact].ask),
        tuple(one for one in changes if consistent(engine, one.state)),
        tuple(one for one in elsewhere if consistent(engine, one.state)),
    )
