"""What was found on this host, as far as it can be true of the one that is asked about."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.engine import EngineError
from advisor.rulebase.model import RuleBase
from advisor.session.inferred import fitting
from advisor.session.model import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Values

    Found = Mapping[str, tuple[Values, str]]
    """Fact → its value, and where it was read."""


def offered(base: RuleBase, session: Session, found: Found, fact: str) -> tuple[Values, str] | None:
    """What to offer as the answer to a question; None where nothing was found, or what was said contradicts it."""
    offer = found.get(fact)
    if offer is None or elsewhere(base, session, found) is not None:
        return None
    answers = session.answers
    fits = fact in answers.facts or fitting(base, answers, {**answers.facts, fact: offer[0]})
    return offer if fits else None


def elsewhere(base: RuleBase, session: Session, found: Found) -> str | None:
    """The fact by which the host that is asked about is not this one: it was answered otherwise than found here."""
    said = session.said.facts
    return next((
        fact for fact, (value, _) in found.items()
        if fact in said and base.facts[fact].scope == "host" and _apart(base, fact, said[fact], value)
    ), None)


def _apart(base: RuleBase, fact: str, one: Values, other: Values) -> bool:
    """Whether the fact cannot have both values."""
    if one == other:
        return False
    try:
        masks = [base.engine.state({fact: value})[fact] for value in (one, other)]
    except EngineError:
        return False
    return not masks[0] & masks[1]
