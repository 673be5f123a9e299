"""References from one file to another: claims, tunables, layers, rules."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.rulebase.catalogue import Authored, Items
from advisor.rulebase.document import Steps
from advisor.rulebase.problems import Problem, near
from advisor.rulebase.yaml_values import texts

_PLACES = {
    "claim": "kb/claims/", "tunable": "kb/tunables/", "fact": "rules/facts/", "decision": "rules/",
    "rule": "this decision", "message": "kb/messages/", "check": "rules/checks/",
}
_REFUTED = ("wrong", "typo")


def known(item: Authored, at: Steps, name: str, items: Items, kind: str, *, key: bool = False) -> Iterator[Problem]:
    """A problem when `name`, which stands at `at`, is not in `items`. `kind`: a key of `_PLACES`."""
    if name not in items:
        where = _PLACES[kind]
        hint = near(name, items, f"add it to {where}")
        yield item.problem(at, f'unknown {kind} "{name}"', f"{where} does not define it", hint, key)


def cites(item: Authored, steps: Steps, cited: object, claims: Items, needed: bool = True) -> Iterator[Problem]:
    """Problems of a list of citations: none at all, claims that do not exist, nothing but refuted claims."""
    at = (*steps, "cites")
    if needed and cited == []:
        why = "nothing is recommended without a source"
        yield item.problem(at, "no citation", why, "add cites: [source-id.claim] and the claim in kb/claims/")
    listed = texts(cited)
    for index, claim in listed:
        yield from known(item, (*at, index), claim, claims, "claim")
    verdicts = [claims[claim].data.get("verdict") for _, claim in listed if claim in claims]
    if needed and verdicts and len(verdicts) == len(listed) and all(verdict in _REFUTED for verdict in verdicts):
        yield item.problem(
            at,
            f"citations that are all refuted ({listed[0][1]} has the verdict {verdicts[0]})",
            "recommendations must not rest on claims known to be wrong",
            "also cite the claim that is believed instead",
        )
