"""Benchmark recipes: what to run to see what a mount can do."""

from __future__ import annotations

from typing import Literal

from advisor.rulebase.schema.base import ClaimId, Scalar, Slug, Strict, Text


class Parameter(Strict):
    """Something that is filled in for `{name}` in the command."""

    name: Slug
    says: Text
    unit: Text | None = None
    default: Scalar | None = None
    """None: the person who runs it must say (a directory, a list of hosts)."""


class Recipe(Strict):
    """kb/recipes/<id>.yaml: one benchmark, as a command with parameters. `benchmark.recipe` names these."""

    recipe: Slug
    title: Text
    tool: Literal["fio", "iozone", "mdtest"]
    measures: Text
    parameters: list[Parameter]
    command: list[Text]
    """The words of the command; `{name}` stands for a parameter, nothing else is replaced."""
    runs: list[dict[str, Scalar]] = []
    """Sets of parameters, run one after the other (a series over thread counts); empty: one run with the defaults."""
    caution: Text
    """What it does to the file system and to others."""
    needs: Text | None = None
    note: Text | None = None
    cites: list[ClaimId]
