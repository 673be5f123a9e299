"""Regular expressions of the rule base: they compile, and no text can keep them busy."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.rulebase.catalogue import Authored
from advisor.rulebase.document import Steps
from advisor.rulebase.linear import unproved
from advisor.rulebase.problems import Problem


def check(item: Authored, at: Steps, pattern: object, way: str, flags: int = 0) -> Iterator[Problem]:
    """Problems of one pattern. `way`: how it is used, one of linear.WAYS."""
    text = pattern if isinstance(pattern, str) else ""
    try:
        why = unproved(text, flags, way)
    except (re.error, OverflowError, RecursionError) as error:
        yield item.problem(at, f'"{pattern}"', f"that is not a regular expression: {error}", "mend it")
        return
    if why is not None:
        yield item.problem(
            at, f'"{pattern}"', f"a long text could keep it busy for a very long time: {why}",
            "write it so that each character can be read in one way only",
        )
