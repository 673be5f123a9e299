"""Examples of conclusions: tried with what draws them."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.observe.conclude import conclusions
from advisor.rulebase.catalogue import Catalogue
from advisor.rulebase.model import ConclusionExample, RuleBase
from advisor.rulebase.problems import Problem
from advisor.rulebase.yaml_values import entries


def conclusion_examples(catalogue: Catalogue, base: RuleBase) -> Iterator[Problem]:
    """Examples in which a conclusion is drawn and should not be, or the other way round."""
    for item in catalogue.conclusions.values():
        for number, example in entries(item.data.get("examples")):
            parsed = ConclusionExample.from_data({**example})
            drawn = {one.conclusion.id: one for one in conclusions(base, parsed.given)}
            if (item.id in drawn) is not parsed.expect:
                found = "is not concluded" if parsed.expect else "is concluded"
                yield item.problem(("examples", number, "expect"), f"{item.id} {found}", "the example says otherwise",
                                   "correct the conclusion or the example")
            elif parsed.expect and "?" in drawn[item.id].says:
                yield item.problem(("examples", number, "given"), f'"{drawn[item.id].says}"',
                                   "the example gives no value for a field of says", "add it to given")
