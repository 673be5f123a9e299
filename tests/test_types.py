"""`Any` switches the type checker off, so that its number only falls."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "advisor"
LINES = 49
"""Lines of advisor/ that name it. Where this fails since there are fewer now, lower it."""


def test_any_only_becomes_rarer() -> None:
    texts = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    assert sum(bool(re.search(r"\bAny\b", line)) for text in texts for line in text.splitlines()) == LINES
