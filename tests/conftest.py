"""No test depends on the clock: what Hypothesis tries may take as long as a busy machine needs.
Nor on FORCE_COLOR, which some build machines set."""

import os

import pytest
from hypothesis import settings

settings.register_profile("unhurried", settings.default, deadline=None)
settings.load_profile("unhurried")
os.environ.pop("FORCE_COLOR", None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes minutes comes first, so that no worker is left with it at the end."""
    items.sort(key=lambda item: item.path.name not in ("test_mutations.py", "test_collection.py"))
