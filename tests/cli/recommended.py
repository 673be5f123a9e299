"""What `advisor recommend` says as JSON."""

from __future__ import annotations

import json
from typing import Any

import jsonschema

from advisor.render.recommend_schema import schema


def told(advisor: Any, *args: str) -> dict[str, Any]:
    """The document, which keeps to the published schema. `advisor`: the fixture."""
    ran = advisor("recommend", *args, "--output-format", "json")
    assert ran.code == 0, ran.err
    document: dict[str, Any] = json.loads(ran.out)
    jsonschema.validate(document, schema())
    return document
