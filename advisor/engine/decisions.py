"""Named conditions and decisions, decoded: what they read, and which rule beats which."""

from __future__ import annotations

from advisor.engine.errors import EngineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from advisor.engine.base import Base

GATE = "gate"
"""The layer of what no other rule passes, whatever the hit policy: what cannot be used at all."""
HITS = ("unique", "any", "priority", "collect", "min", "max")
UNRANKED = ("omit", "keep", "n/a")
"""Values that any number beats under `min` and `max`."""


def value_key(value: object) -> tuple[bool, object]:
    """Equal for equal values; true is not 1."""
    return isinstance(value, bool), value


class Rule:
    """`rank`: the higher beats the lower. `overrides`: rules that this one beats whatever their rank; nothing overrides
    a gate but another one."""

    __slots__ = ("boxes", "gate", "id", "layer", "overrides", "rank", "value")

    def __init__(self, row: list[Any], hit: str, boxes: tuple[int, ...], gate: bool) -> None:
        self.id: str = row[0]
        self.layer: int = row[1]
        self.value: Any = row[2]
        self.overrides: list[str] = row[3]
        self.boxes = boxes
        self.gate = gate
        self.rank: float = 0
        if gate:
            self.rank = float("inf")
        elif hit == "priority":
            self.rank = self.layer
        elif hit in ("min", "max"):
            number = self.value if hit == "max" or self.value in UNRANKED else -self.value
            self.rank = float("-inf") if self.value in UNRANKED else number

    def beats(self, other: Rule) -> bool:
        """Where both match, `other` is out."""
        return other.id in self.overrides or (self.rank > other.rank and self.id not in other.overrides)


class Condition:
    """A named condition: true where one of its boxes holds. `reads`: the facts that it compares, as guard bits."""

    __slots__ = ("boxes", "reads")

    def __init__(self, base: Base, boxes: tuple[int, ...]) -> None:
        self.boxes = boxes
        self.reads = 0
        for box in boxes:
            self.reads |= base.space.facts_of(box)


class Decision(Condition):
    """The rules of a decision, strongest first and then by id: their order in the file does not matter.

    `boxes` are those of all rules: where none of them holds, the decision has a gap."""

    __slots__ = ("_covers_above", "hit", "id", "rules")

    def __init__(self, base: Base, name: str, hit: str, rows: list[list[Any]]) -> None:
        rules = [Rule(row, hit, base.boxes(row[4]), base.layers[row[1]] == GATE) for row in rows]
        self.rules = sorted(rules, key=lambda rule: (-rule.rank, rule.id))
        super().__init__(base, tuple(box for rule in self.rules for box in rule.boxes))
        self.id = name
        self.hit = hit
        self._covers_above: dict[str, tuple[int, ...]] = {}

    def rule(self, name: str) -> Rule:
        """A rule by its id. Raises EngineError if the decision has none of this name."""
        for rule in self.rules:
            if rule.id == name:
                return rule
        raise EngineError(f"no rule {name!r} in decision {self.id!r}")

    def covers_above(self, rule: Rule) -> tuple[int, ...]:
        """The boxes of all rules that beat this one."""
        found = self._covers_above.get(rule.id)
        if found is None:
            found = tuple(box for other in self.rules if other.beats(rule) for box in other.boxes)
            self._covers_above[rule.id] = found
        return found
