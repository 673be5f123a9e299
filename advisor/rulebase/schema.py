"""Authoring schema of every YAML file in `rules/` and `kb/`: the records as models of pydantic.

Used only when authoring. `DOCUMENTS` says which model reads which path."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from advisor.rulebase.model import Check, Decision, Erratum, Platform, Recipe, Record, Source, files, types
from advisor.rulebase.model.record import KINDS


class Strict(BaseModel):
    """Refuses unknown keys and silent conversions; says so with the place in the file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


def _models() -> dict[str, type[Strict]]:
    """The model of each kind of record, by name."""
    made: dict[str, type[Strict]] = {}
    for name, kind in KINDS.items():
        parents = tuple(made[base.__name__] for base in kind.__bases__ if base is not Record)
        fields: dict[str, Any] = {
            field: (text, vars(kind).get(field, ...))
            for field, text in kind.__annotations__.items() if not text.startswith("Added[")
        }
        made[name] = create_model(name, __base__=parents or (Strict,), __doc__=kind.__doc__, **fields)
    for model in made.values():
        model.model_rebuild(_types_namespace={**vars(types), **made})
    return made


MODELS = _models()
# First match wins; patterns are relative to the root that holds `rules/` and `kb/`.
DOCUMENTS: tuple[tuple[str, type[Strict]], ...] = tuple(
    (pattern, MODELS[kind.__name__])
    for pattern, kind in (
        ("rules/layers.yaml", files.LayersFile),
        ("rules/constraints.yaml", files.ConstraintsFile),
        ("rules/facts/**/*.yaml", files.FactsFile),
        ("rules/checks/**/*.yaml", Check),
        ("rules/errata/**/*.yaml", Erratum),
        ("rules/**/*.yaml", Decision),
        ("kb/capabilities.yaml", files.CapabilitiesFile),
        ("kb/sources/**/*.yaml", Source),
        ("kb/claims/**/*.yaml", files.ClaimsFile),
        ("kb/platforms/**/*.yaml", Platform),
        ("kb/recipes/**/*.yaml", Recipe),
        ("kb/kinds.yaml", files.KindsFile),
        ("kb/layouts.yaml", files.LayoutsFile),
        ("kb/host-files.yaml", files.HostFilesFile),
        ("kb/tunables/**/*.yaml", files.TunablesFile),
    )
)
