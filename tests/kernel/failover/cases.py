"""The cases of `cases.yaml`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import NamedTuple

import yaml

_WATCHING = "after=30\n"
"""Seconds, unless a case says more."""


class Case(NamedTuple):
    """`settings`: assignments as `pair` knows them, one a line. `without`: the decision that is not followed.
    `replaced`: Pacemaker moves the service, with the exported group in which words are replaced so."""

    name: str
    about: str
    without: str | None
    settings: str
    replaced: dict[str, str] | None = None


def cases() -> dict[str, Case]:
    """Every case by its name, the ones that matter most first."""
    told = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())
    return {
        name: Case(name, one["about"], one.get("without"), _WATCHING + "".join(
            f"{key}={shlex.quote(str(value))}\n" for key, value in one["settings"].items()
        ), one.get("pacemaker"))
        for name, one in told.items()
    }
