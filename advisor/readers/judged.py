"""Which kinds of files (`advisor.readers.kinds`) are read and judged."""

from __future__ import annotations

from advisor.readers.mounts import READ as MOUNTS
from advisor.readers.settings import READ as SETTINGS

JUDGED = tuple(dict.fromkeys(("fstab", "exports", *MOUNTS, *SETTINGS)))
