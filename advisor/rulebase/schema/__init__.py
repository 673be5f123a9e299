"""Authoring schema of every YAML file in `rules/` and `kb/` (pydantic; used only when authoring).

One model a kind of file. `DOCUMENTS` says which model reads which path.
"""

from advisor.rulebase.schema.base import Strict
from advisor.rulebase.schema.facts import ConstraintsFile, FactsFile, LayersFile
from advisor.rulebase.schema.kb import CapabilitiesFile, ClaimsFile, Platform, Source
from advisor.rulebase.schema.recipes import Recipe
from advisor.rulebase.schema.rules import Check, Decision, Erratum
from advisor.rulebase.schema.steps import KindsFile
from advisor.rulebase.schema.tunables import TunablesFile

# First match wins; patterns are relative to the root that holds `rules/` and `kb/`.
DOCUMENTS: tuple[tuple[str, type[Strict]], ...] = (
    ("rules/layers.yaml", LayersFile),
    ("rules/constraints.yaml", ConstraintsFile),
    ("rules/facts/**/*.yaml", FactsFile),
    ("rules/checks/**/*.yaml", Check),
    ("rules/errata/**/*.yaml", Erratum),
    ("rules/**/*.yaml", Decision),
    ("kb/capabilities.yaml", CapabilitiesFile),
    ("kb/sources/**/*.yaml", Source),
    ("kb/claims/**/*.yaml", ClaimsFile),
    ("kb/platforms/**/*.yaml", Platform),
    ("kb/recipes/**/*.yaml", Recipe),
    ("kb/kinds.yaml", KindsFile),
    ("kb/tunables/**/*.yaml", TunablesFile),
)

__all__ = [
    "DOCUMENTS",
    "CapabilitiesFile",
    "Check",
    "ClaimsFile",
    "ConstraintsFile",
    "Decision",
    "Erratum",
    "FactsFile",
    "KindsFile",
    "LayersFile",
    "Platform",
    "Recipe",
    "Source",
    "Strict",
    "TunablesFile",
]
