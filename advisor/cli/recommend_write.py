"""`advisor recommend --write-to DIR`: the files to install."""

from __future__ import annotations

from typing import Any


def write(base: Any, advice: Any, folder: str, force: bool) -> int:
    raise NotImplementedError
