"""Work is measured in steps: wall time says more of the machine than of the program."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from advisor.rulebase.base import load
from advisor.rulebase.model import RuleBase


def steps(work: Callable[[], Any]) -> int:
    """How many lines of this package's Python run."""
    count = 0

    def local(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return local

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += 1
        return local if "/advisor/" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def own_base() -> RuleBase:
    """The rule base without what other tests asked of it, nor of the modules: how many steps are counted would depend
    on which of them ran before."""
    for module in [module for name, module in sys.modules.items() if name.startswith("advisor.")]:
        for value in vars(module).values():
            # What is bounded is remembered by what was read; the rest is the same for each.
            if hasattr(value, "cache_clear") and value.cache_parameters()["maxsize"] is not None:
                value.cache_clear()
    return load().again()
