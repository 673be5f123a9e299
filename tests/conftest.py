"""No test depends on the clock: what Hypothesis tries may take as long as a busy machine needs.
Nor on FORCE_COLOR, which some build machines set."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import current_thread, main_thread

import pytest
from hypothesis import settings

from advisor.rulebase import base
from advisor.rulebase.model import RuleBase

settings.register_profile("unhurried", settings.default, deadline=None)
settings.load_profile("unhurried")
os.environ.pop("FORCE_COLOR", None)
if sys.dont_write_bytecode:
    # The tests start the program some hundred times, which compiled all of it anew each time. Where no bytecode is
    # wanted beside the sources it goes to pytest's own folder.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes comes first, so that no worker is left with it at the end."""
    items.sort(key=lambda item: item.path.name != "test_mutations.py")


def pytest_configure() -> None:
    """The rule base of the checkout, which no test changes, is read and built once in each process, not by each test.
    A thread gets one of its own: the wizard works with a second one there."""
    load = base._from_files
    kept: dict[str, RuleBase] = {}

    def once(root: str, packs: Sequence[str] = (), compiling: Callable[[], None] | None = None) -> RuleBase:
        if packs or root != str(Path(__file__).parents[1]) or current_thread() is not main_thread():
            return load(root, packs, compiling)
        if root not in kept:
            kept[root] = load(root)
        return kept[root]

    pytest.MonkeyPatch().setattr(base, "_from_files", once)
