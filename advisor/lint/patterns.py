"""Patterns over the value of a setting, as checks, sums and rules write them."""

from __future__ import annotations

import re
from functools import lru_cache

from advisor.options.words import Setting
from advisor.rulebase import values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Pattern

_BETWEEN = re.compile(r"[\s,]+")


def matches(pattern: Pattern, found: Setting | None) -> bool:
    """Whether a setting fits a pattern of a check: a scalar, a list, a range, `present`, `absent`, a regular expression
    that all of it must match (`~ …`) or must not (`!~ …`), or a word that must be among its words (`has …`) or must not
    (`lacks …`)."""
    if isinstance(pattern, list):
        return any(matches(one, found) for one in pattern)
    if pattern == "absent":
        return found is None
    if found is None:
        return False
    if pattern == "present":
        return True
    if isinstance(pattern, str) and pattern.startswith(("has ", "lacks ")):
        has, _, word = pattern.partition(" ")
        return (word in _BETWEEN.split(str(found.value))) is (has == "has")
    form = expression(pattern)
    if form is not None:
        return (form.fullmatch(str(found.value)) is not None) is str(pattern).startswith("~")
    if values.is_bound(pattern):
        return values.inside(found.value, pattern)
    return values.same(found.value, pattern)


@lru_cache(maxsize=64)
def expression(pattern: object) -> re.Pattern[str] | None:
    """The regular expression of a pattern of a check; None where it has none."""
    if not isinstance(pattern, str) or not pattern.startswith(("~ ", "!~ ")):
        return None
    text = pattern.partition(" ")[2]
    return re.compile(text)
