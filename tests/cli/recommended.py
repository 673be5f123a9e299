"""What `advisor recommend` says as JSON."""

from __future__ import annotations

import json
from typing import Any

from tests.schemas import validate


def told(advisor: Any, *args: str) -> dict[str, Any]:
    """The document, which keeps to the published schema. `advisor`: the fixture."""
    ran = advisor("recommend", *args, "--output-format", "json")
    assert ran.code == 0, ran.err
    document: dict[str, Any] = json.loads(ran.out)
    validate(document, "advisor-recommend-1")
    return document
