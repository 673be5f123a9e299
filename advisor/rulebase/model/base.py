"""The compiled rule base as the program reads it. Standard library only: it is on the way of every `lint`."""

from __future__ import annotations

import json

from advisor.engine import Base
from advisor.rulebase.model.facts import Constraint, Fact, Layer
from advisor.rulebase.model.kb import Capability, Claim, Platform, Recipe, Source
from advisor.rulebase.model.layouts import Layout
from advisor.rulebase.model.record import Record
from advisor.rulebase.model.rules import Check, CheckExample, Decision, Erratum
from advisor.rulebase.model.steps import KindSteps
from advisor.rulebase.model.tunables import Tunable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeVar

    R = TypeVar("R", bound=Record)

SCHEMA = "advisor-base/3"


class RuleBaseError(Exception):
    """The rule base cannot be used. `messages`: one for each problem, each with file, line and column where known."""

    def __init__(self, messages: Sequence[str]) -> None:
        self.messages = list(messages)
        super().__init__("\n".join(messages))


class RuleBase:
    """Everything the rule base says, without examples.

    Claims, sources, capabilities, recipes and constraints are decoded when first used, and what a finding cites of
    claims and sources by itself: `lint` needs no more than that."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        if data.get("schema") != SCHEMA:
            raise RuleBaseError([f"the compiled rule base is of schema {data.get('schema')}, not {SCHEMA}"])
        self._data = data
        self._engine: Base | None = None
        self._citations: Mapping[str, Any] | None = None
        self._knowledge: Mapping[str, Any] | None = None
        self._tables: dict[str, Mapping[str, Any]] = {}
        self.hash: str = data["hash"]
        """Of the contents of rules/ and kb/."""
        self.version: str = data["version"]
        """Of the program that compiled it."""
        self.facts = _table(Fact, data["facts"])
        """Capabilities are among them, as yes/no facts."""
        self.sections: Mapping[str, str] = data["sections"]
        """Section → title, in the order in which the wizard asks."""
        self.layers = [Layer.from_data(told) for told in data["layers"]]
        """Weakest first."""
        self.tunables = _table(Tunable, data["tunables"])
        self.kinds = _table(KindSteps, data["kinds"])
        """Kind of tunables → how they are applied, checked and undone, and the files in which they stand."""
        self.checks = _table(Check, data["checks"])
        self.decisions = _table(Decision, data["decisions"])
        """What a decision rests on comes before it."""
        self.platforms = [Platform.from_data(told) for told in data["platforms"]]
        self.errata = _table(Erratum, data["errata"])

    @property
    def engine(self) -> Base:
        """The engine's base."""
        if self._engine is None:
            self._engine = Base.from_json(self._data["engine"])
        return self._engine

    def cited(self, claim: str) -> tuple[Source, str]:
        """The source of a claim, as far as a finding tells of it (title, publisher, grade, date, address), and the
        place in it."""
        if self._citations is None:
            self._citations = json.loads(self._data["citations"])
        source, at = self._citations["claims"][claim]
        return Source.from_data({"source": source, **self._citations["sources"][source]}), at

    @property
    def claims(self) -> Mapping[str, Claim]:
        return self._known("claims", Claim)

    @property
    def sources(self) -> Mapping[str, Source]:
        return self._known("sources", Source)

    @property
    def capabilities(self) -> Mapping[str, Capability]:
        return self._known("capabilities", Capability)

    @property
    def recipes(self) -> Mapping[str, Recipe]:
        return self._known("recipes", Recipe)

    @property
    def layouts(self) -> Sequence[Layout]:
        """Of what support tools collect, in the order in which they are tried."""
        return list(self._known("layouts", Layout).values())

    @property
    def constraints(self) -> Mapping[str, Constraint]:
        """What cannot be."""
        return self._known("constraints", Constraint)

    def check_examples(self, check: str) -> Sequence[CheckExample]:
        """The fstab texts in which a check must, and must not, find something."""
        return [CheckExample.from_data(told) for told in self._kb()["check_examples"][check]]

    def _known(self, name: str, kind: type[R]) -> Mapping[str, R]:
        if name not in self._tables:
            self._tables[name] = _table(kind, self._kb()[name])
        return self._tables[name]

    def _kb(self) -> Mapping[str, Any]:
        if self._knowledge is None:
            self._knowledge = json.loads(self._data["kb"])
        return self._knowledge


def _table(kind: type[R], told: Mapping[str, dict[str, Any]]) -> Mapping[str, R]:
    return {name: kind.from_data(one) for name, one in told.items()}
