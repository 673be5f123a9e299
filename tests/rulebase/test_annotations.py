"""What the annotations of records say is looked at: no type of a field is forgotten."""

from __future__ import annotations

import re

from advisor.rulebase.audit import CHECKS, OF_BOTH
from advisor.rulebase.model import types
from advisor.rulebase.model.record import KINDS

PLAIN = {
    "Added", "ById", "ConclusionId", "Consequence", "Date", "DottedId", "Filled", "Grade", "Hit", "Kind", "Literal",
    "Mapping", "None", "RuleId", "Sequence", "Slug", "Strength", "Text", "ValueType", "WordGroups", "bool", "float",
    "int", "list", "object", "str",
}
"""Types of which nothing is asked that the schema does not ask."""
BY_HAND = {"Scalar", "Values", "Pattern", "Implied"}
"""Types that say nothing by themselves: beside a key of OF_BOTH they are looked at, elsewhere the entry asks."""


def test_every_type_is_looked_at_or_plain() -> None:
    texts = {text for kind in KINDS.values() for text in kind.__annotations__.values()}
    used = {name for text in texts for name in re.findall(r"\w+", re.sub(r"Literal\[.*?\]", "", text))}
    assert used - KINDS.keys() - CHECKS.keys() - PLAIN - BY_HAND == set()


def test_every_type_that_is_looked_at_is_one() -> None:
    names = {*CHECKS, *(name for both in OF_BOTH for name in both)}
    assert {name for name in names if not hasattr(types, name)} == set()
