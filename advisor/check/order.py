"""The order in which the files of one kind are applied: what is applied last holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.check.files import HostText


def in_order(texts: Sequence[HostText]) -> list[HostText]:
    """Files that hide one another go by their names, whatever their folders; others in the order of their patterns.
    A file that stands alone beside such folders is applied after all of them."""

    def place(one: HostText) -> tuple[int, str]:
        folder, _, name = one.path.rpartition("/")
        if one.host_file.same_name == "both":
            return 0, ""
        return (0, name) if folder.endswith(".d") else (1, name)

    return sorted(texts, key=place)
