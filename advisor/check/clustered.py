"""What the files of a node export beside what its cluster exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.lint.exports_together import plain
from advisor.readers.mounts.exports import read
from advisor.readers.settings import read as settings

if TYPE_CHECKING:
    from advisor.check.states import States


def compare(states: States) -> None:
    """Tell of each line of exports whose path a resource of the cluster exports too."""
    places = {
        path.rstrip("/") or "/": f"{file.name}:{one.value.span.line}"
        for file in states.texts("cib") for one in settings("cib", file.text, file.name).settings
        if (one.section, one.key.text) == ("exportfs", "directory") for path in one.value.text.split()
    }
    for file in states.texts("exports") if places else ():
        reported: set[tuple[str, int]] = set()
        for one in read(file.text):
            path = plain(one.path.text).rstrip("/") or "/"
            if one.bad is None and path in places and (path, one.line_no) not in reported:
                reported.add((path, one.line_no))
                states.tell("export-of-cluster", file.name, one.path.span, option=one.path.text, place=places[path])
