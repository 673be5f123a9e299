"""A window in parts, which tell how even the work in it was."""

from __future__ import annotations

from advisor.observe.compare import COMPARED
from advisor.observe.rolling import named
from advisor.observe.window import windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.observe.recording import Recording
    from advisor.observe.rolling import Name

PARTS = 12
"""Of a window. Twelve and twelve parts can be told from chance for a thousand mounts at once."""
_KEPT = ("observed.window", *COMPARED)


def parts_of(read: Recording) -> dict[Name, list[dict[str, int]]]:
    """Mount → what is compared, in each part in which it was mounted from beginning to end. Nothing where the recording
    has no readings between the first and the last. A last part that ended early is left out."""
    found: dict[Name, list[dict[str, int]]] = {}
    if read.before is None or not read.between:
        return found
    for first, last in zip((read.before, *read.between), (*read.between, read.after)):
        for name, window in named(windows(first, last)):
            if window.since_mount or window.mounted:
                continue
            quantities = {one: window.quantities.get(one) for one in _KEPT}
            found.setdefault(name, []).append({
                each: value for each, value in quantities.items() if isinstance(value, int)
            })
    for parts in found.values():
        if parts[-1].get("observed.window", 0) * 2 < parts[0].get("observed.window", 0):
            del parts[-1]
    return found
