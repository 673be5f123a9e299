"""What `advisor recommend` says as JSON."""

from __future__ import annotations

import json
from typing import Any

from tests.schemas import validate

_printed: dict[tuple[str, ...], str] = {}


def told(advisor: Any, *args: str) -> dict[str, Any]:
    """The document, which keeps to the published schema. `advisor`: the fixture. Where no file has a part in it, it is
    worked out once."""
    if args not in _printed:
        ran = advisor("recommend", *args, "--output-format", "json")
        assert ran.code == 0, ran.err
        validate(json.loads(ran.out), "advisor-recommend-1")
        if any("/" in word for word in args):
            return json.loads(ran.out)
        _printed[args] = ran.out
    return json.loads(_printed[args])
