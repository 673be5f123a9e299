"""Random environments: answers to the questions that the rule base asks, never contradicting one another."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from advisor.advice.answers import Answers
from advisor.engine import FactError, consistent
from advisor.rulebase.base import load

KERNELS = ("3.10.0-957.el7", "4.18.0-305.el8", "5.3", "5.4", "5.14.0-362.el9", "5.15.0-91-generic", "6.1", "6.12")
RELEASES = ("7.6", "8.4", "9.3", "12", "15.4", "22.04", "24.04")


@cache
def base() -> Any:
    return load()


def asked() -> list[str]:
    """The facts that somebody can be asked."""
    return [name for name, fact in base().facts.items() if fact.ask]


def values_of(name: str) -> st.SearchStrategy[Any]:
    fact = base().facts[name]
    if fact.type == "bool":
        return st.booleans()
    if fact.type == "enum":
        return st.sampled_from(list(fact.values))
    if fact.type == "version":
        return st.sampled_from(KERNELS if fact.scheme == "kernel" else RELEASES)
    low = fact.minimum or 0
    high = low + 100_000 if fact.maximum is None else fact.maximum
    return st.one_of(st.integers(low, min(high, low + 200)), st.integers(low, high))


@st.composite
def answers(draw: st.DrawFn, least: int = 0, most: int = 12) -> Answers:
    """Answers to some questions. The platform and the kind of work come first: most rules read them."""
    names = draw(st.lists(st.sampled_from(asked()), min_size=least, max_size=most, unique=True))
    facts: dict[str, Any] = {}
    for name in ["storage.platform", "workload.kind", *names]:
        tried = {**facts, name: draw(values_of(name))}
        if fits(tried):
            facts = tried
    return Answers(facts)


def fits(facts: dict[str, Any]) -> bool:
    """Whether the answers agree. What is presumed of the rest gives way to them, so it need not be worked out."""
    engine = base().engine
    try:
        return bool(consistent(engine, engine.certain(facts)))
    except FactError:
        return False
