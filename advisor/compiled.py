"""The compiled rule base: plain data that everything else reads. Standard library only, on the way of every `lint`."""

from __future__ import annotations

import json

from advisor.engine import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SCHEMA = "advisor-base/2"


class RuleBaseError(Exception):
    """The rule base cannot be used. `messages`: one for each problem, each with file, line and column where known."""

    def __init__(self, messages: list[str]) -> None:
        self.messages = messages
        super().__init__("\n".join(messages))


class RuleBase:
    """Everything the rule base says, as plain data: what the author wrote, without examples, ids as keys.

    Keys that were not written are absent. Claims, sources, capabilities, recipes and constraints are decoded when first
    used, and what a finding cites of claims and sources by itself: `lint` needs no more than that."""

    __slots__ = (
        "_citations",
        "_data",
        "_engine",
        "_kb",
        "checks",
        "decisions",
        "errata",
        "facts",
        "hash",
        "layers",
        "platforms",
        "sections",
        "tunables",
        "version",
    )

    def __init__(self, data: dict[str, Any]) -> None:
        if data.get("schema") != SCHEMA:
            raise RuleBaseError([f"the compiled rule base is of schema {data.get('schema')}, not {SCHEMA}"])
        self._data = data
        self._engine: Base | None = None
        self._citations: dict[str, Any] | None = None
        self._kb: dict[str, Any] | None = None
        self.hash: str = data["hash"]
        """Of the contents of rules/ and kb/."""
        self.version: str = data["version"]
        """Of the program that compiled it."""
        self.facts: dict[str, dict[str, Any]] = data["facts"]
        """Fact id → fact; capabilities are among them, as yes/no facts with `capability: true`."""
        self.sections: dict[str, str] = data["sections"]
        """Section → title, in the order in which the wizard asks."""
        self.layers: list[dict[str, Any]] = data["layers"]
        """Weakest first."""
        self.tunables: dict[str, dict[str, Any]] = data["tunables"]
        self.checks: dict[str, dict[str, Any]] = data["checks"]
        self.decisions: dict[str, dict[str, Any]] = data["decisions"]
        """Decision id → {decision, hit, file, rules: {rule id: rule}}; what a decision rests on comes before it."""
        self.platforms: list[dict[str, Any]] = data["platforms"]
        self.errata: dict[str, dict[str, Any]] = data["errata"]

    @property
    def engine(self) -> Base:
        """The engine's base."""
        if self._engine is None:
            self._engine = Base.from_json(self._data["engine"])
        return self._engine

    @property
    def citations(self) -> dict[str, Any]:
        """{claims: claim id → [source id, place], sources: source id → {title, publisher, grade, date?, address?}}."""
        if self._citations is None:
            self._citations = json.loads(self._data["citations"])
        return self._citations

    @property
    def claims(self) -> dict[str, dict[str, Any]]:
        """Claim id → claim."""
        claims: dict[str, dict[str, Any]] = self._knowledge()["claims"]
        return claims

    @property
    def sources(self) -> dict[str, dict[str, Any]]:
        """Source id → source."""
        sources: dict[str, dict[str, Any]] = self._knowledge()["sources"]
        return sources

    @property
    def capabilities(self) -> dict[str, dict[str, Any]]:
        """Capability id → capability, with its citations."""
        capabilities: dict[str, dict[str, Any]] = self._knowledge()["capabilities"]
        return capabilities

    @property
    def recipes(self) -> dict[str, dict[str, Any]]:
        """Recipe id → benchmark recipe."""
        recipes: dict[str, dict[str, Any]] = self._knowledge()["recipes"]
        return recipes

    @property
    def kinds(self) -> dict[str, dict[str, Any]]:
        """Kind of tunables → how they are applied, checked and undone."""
        kinds: dict[str, dict[str, Any]] = self._knowledge()["kinds"]
        return kinds

    @property
    def check_examples(self) -> dict[str, list[dict[str, Any]]]:
        """Check → the fstab texts in which it must, and must not, find something."""
        examples: dict[str, list[dict[str, Any]]] = self._knowledge()["check_examples"]
        return examples

    @property
    def constraints(self) -> dict[str, dict[str, Any]]:
        """Constraint id → what cannot be, with its citations."""
        constraints: dict[str, dict[str, Any]] = self._knowledge()["constraints"]
        return constraints

    def _knowledge(self) -> dict[str, Any]:
        if self._kb is None:
            self._kb = json.loads(self._data["kb"])
        return self._kb
