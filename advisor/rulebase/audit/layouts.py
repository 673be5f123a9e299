"""Where things lie in archives: expressions that compile, and groups that they have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.rulebase.audit import patterns
from advisor.rulebase.catalogue import Catalogue
from advisor.rulebase.problems import Problem
from advisor.rulebase.yaml_values import entries

_GROUP = re.compile(r"\{([^}]{0,20})\}")


def check(catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of all layouts."""
    for item in catalogue.layouts.values():
        for index, place in entries(item.data.get("places") if item.sound else None):
            at = ("places", index)
            line, gives, before = place.get("line"), place.get("gives"), place.get("before")
            if (line is None) != (gives is None) or (line is not None and before is not None):
                yield item.problem(at, "a place that is half said", "a line that fits gives something, and there is "
                                   "one way to read it", "write line and gives, or before, or neither")
                continue
            if not isinstance(line, str):
                continue
            wrong = list(patterns.check(item, (*at, "line"), line, "match"))
            yield from wrong
            groups = 0 if wrong else re.compile(line).groups
            for found in _GROUP.finditer(str(gives)):
                if not wrong and not (found[1].isdigit() and 1 <= int(found[1]) <= groups):
                    yield item.problem((*at, "gives"), f'"{found[0]}"', "no group of line has that number",
                                       f"write one of {{1}} to {{{groups}}}")
