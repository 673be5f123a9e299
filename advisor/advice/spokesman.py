"""Which rule speaks for a settled value that several rules may give."""

from __future__ import annotations

from advisor.engine import State, proof, winners
from advisor.engine.decisions import value_key
from advisor.rulebase.model import Rule, RuleBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value

STRENGTHS = ("must", "should", "may")


def spokesman(base: RuleBase, decision: str, value: Value, state: State) -> Rule:
    """The rule that holds for certain, else the one that assumes least: one that does not say that the mount fails, of
    the lowest layer, and the weakest there. Its strength is the weakest of all that may win: no more is certain."""
    rules = base.decisions[decision].rules
    wanted = value_key(value)
    won = winners(base.engine, decision, state)
    mine = [rules[name] for name in won if value_key(rules[name].value) == wanted]
    if len(mine) == 1:
        return mine[0]
    layers = [layer.id for layer in base.layers]
    verdicts = {told.rule: told.verdict for told in proof(base.engine, decision, state)}

    def rank(rule: Rule) -> tuple[bool, bool, int, int, str]:
        fails = rule.consequence == "mount-fails"
        layer = layers.index(rule.layer)
        return verdicts[rule.id] is not True, fails, layer, -_strength(rule), rule.id

    weakest = max(map(_strength, mine))
    speaking = min(mine, key=rank)
    return speaking.but(strength=STRENGTHS[weakest])


def _strength(rule: Rule) -> int:
    return STRENGTHS.index(rule.strength or "may")
