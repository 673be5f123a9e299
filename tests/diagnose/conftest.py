from __future__ import annotations

import pytest

from advisor.rulebase.base import load
from advisor.rulebase.model import RuleBase


@pytest.fixture(scope="session")
def base() -> RuleBase:
    return load()
