"""What the grammar says of an option list, in the shape in which kernels are compared with it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from advisor.engine import holds
from advisor.files.fstab import split_options
from advisor.files.option_reading import OptionProblem
from advisor.files.options import Grammar, OptionList
from advisor.files.source import parse_source
from advisor.rulebase.base import load

KERNELS = {"6.1": "6.1.192", "6.12": "6.12.117"}
"""The two kernels that were asked, as `client.kernel` is given."""


@lru_cache(1)
def _base() -> tuple[Any, Grammar]:
    base = load()
    return base.engine, Grammar(base.tunables)


def read(options: str, fstype: str, source: str) -> OptionList:
    """An option list as the grammar reads it."""
    return _base()[1].read(fstype, split_options(options), {"fstab.family": parse_source(source).kind})


def problems(options: str, fstype: str, source: str, kernel: str) -> tuple[OptionProblem, ...]:
    """Every problem, also those that hang on facts other than the kernel."""
    engine, grammar = _base()
    state = engine.state({"client.kernel": kernel})
    return grammar.judge(read(options, fstype, source), lambda name: holds(engine, name, state))


def reports(options: str, fstype: str, source: str, kernel: str) -> set[tuple[str, str]]:
    """The certain findings on an option list: (kind, consequence)."""
    return {(p.kind, p.consequence) for p in problems(options, fstype, source, kernel) if p.condition is None}


def fails(options: str, fstype: str, source: str, kernel: str) -> bool:
    """Whether a mount with these options is reported to fail."""
    return any(consequence == "mount-fails" for _, consequence in reports(options, fstype, source, kernel))
