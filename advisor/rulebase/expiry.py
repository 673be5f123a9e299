"""Files of a site's own rules that hold until a day: `until: 2027-11-22` on a line of its own."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping

_UNTIL = re.compile(rb"^until: *[\"']?(\d{4}-\d\d-\d\d)[\"']? *$", re.MULTILINE)


def expired(contents: Mapping[str, bytes], today: str = "") -> dict[str, str]:
    """Path → the last day, of the files that hold no more. `today`: as 2026-11-22; "" for the clock's."""
    today = today or time.strftime("%Y-%m-%d")
    found = {path: _UNTIL.search(text) for path, text in contents.items()}
    days = {path: hit[1].decode() for path, hit in found.items() if hit}
    return {path: day for path, day in days.items() if day < today}
