"""The pages of `advisor rules docs`, from the rule base and the examples in its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from advisor.advice.steps import general
from advisor.cli.lint_output import cite
from advisor.cli.rules_examples import Lab
from advisor.render import rule_page
from advisor.render.rule_index import Entry, index_page
from advisor.render.rule_page import Advice
from advisor.rulebase import tree
from advisor.rulebase.base import authored
from advisor.rulebase.load import documents

if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase

INDEX = "README"
_KINDS = {"mount-option": "Decisions on mount options", "fstab-field": "Decisions on fields of fstab"}


def pages(base: RuleBase) -> dict[str, str]:
    """Name of a page (without `.md`) → its text; the index is `README`."""
    lab = Lab(base)
    written = _written()
    layers = [layer.id for layer in base.layers]
    found: dict[str, str] = {}
    entries = []
    for slug, told in sorted(base.checks.items()):
        examples = lab.of_check(told, base.check_examples(slug))
        found[slug] = rule_page.check_page(told, examples, _cited(base, told.cites))
        entries.append(Entry(slug, told.title, "Checks", (slug,)))
    for name, decision in sorted(base.decisions.items()):
        tunable = base.tunables[name]
        usual = general(base, tunable)
        tunable = tunable.but(sets=usual.apply, verify=usual.check, undo=usual.undo)
        advice = list(_advice(written.get(decision.file, {})))
        ranked = sorted(decision.rules.values(), key=lambda rule: (-layers.index(rule.layer), rule.id))
        decision = decision.but(rules={rule.id: rule for rule in ranked})  # noqa: PLW2901
        cited = _cited(base, (claim for rule in ranked for claim in rule.cites))
        examples = lab.of_decision(decision, tunable, advice)
        found[name] = rule_page.decision_page(decision, tunable, examples, advice, cited)
        kind = _KINDS.get(tunable.kind, "Other decisions")
        entries.append(Entry(name, tunable.title, kind, tuple(decision.rules)))
    for slug, bug in sorted(base.errata.items()):
        known = list(_advice(written.get(bug.file, {})))
        found[slug] = rule_page.erratum_page(bug, known, _cited(base, bug.cites))
        entries.append(Entry(slug, bug.title, "Errata", (slug,)))
    found[INDEX] = index_page(entries)
    return found


def _written() -> dict[str, Mapping[str, Any]]:
    """Path → what stands in each file of the rule base: the examples of decisions and errata are not compiled."""
    root = authored()
    return {one.path: one.data for one in documents(root, tree.files(root)) if isinstance(one.data, dict)}


def _advice(data: Mapping[str, Any]) -> Iterator[Advice]:
    """The examples of a decision's rules, then its own, or those of an erratum; each once."""
    owners = [*(data.get("rules") or ()), data]
    seen: list[Advice] = []
    for owner in owners:
        for example in owner.get("examples") or ():
            one = Advice(dict(example["given"]), example["expect"])
            if one not in seen:
                seen.append(one)
                yield one


def _cited(base: RuleBase, claims: Iterable[str]) -> Iterator[dict[str, Any]]:
    for claim in dict.fromkeys(claims):
        told = base.claims[claim]
        yield {**cite(base, claim), "says": told.says, "verdict": told.verdict}
