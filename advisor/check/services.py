"""Units that systemd starts at boot, and units that it may not start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.check.files import Unseen
from advisor.host import NotCollected, Unread
from advisor.readers.spans import Span

if TYPE_CHECKING:
    from advisor.check.states import States
    from advisor.host import Tree

FOLDER = "/etc/systemd/system"
"""Where `systemctl enable` and `systemctl mask` leave their links."""
_WANTING = (".wants", ".requires")


def compare(states: States) -> None:
    """Tell of units that start at boot, of masked ones that a server needs, and what could not be seen of them."""
    if states.texts("exports") or states.texts("cib"):
        _masked(states)
    wanted = _asked(states, "starts")
    if not wanted:
        return
    try:
        links = [*_links(states.tree)]
        for folder, unit in links:
            if unit in wanted and not states.tree.masked(f"{FOLDER}/{unit}"):
                path = f"{folder}/{unit}"
                name = states.place("server", path, f"{unit}\n")
                states.tell("starts", name, Span(1, 1, len(unit) + 1), tunable=unit, option=unit)
    except Unread as error:
        there = not isinstance(error, NotCollected)
        why = str(error) if there else "not collected"
        states.collected.unseen.insert(0, Unseen("units that start at boot", FOLDER, why, there, not there))


def _asked(states: States, found: str) -> set[str]:
    return {unit for check in states.checks.get(found, ()) if check.host for unit in check.host.of}


def _masked(states: States) -> None:
    for unit in _asked(states, "masked-unit"):
        path = f"{FOLDER}/{unit}"
        try:
            masked = states.tree.masked(path)
        except Unread:
            continue  # nothing is said of a unit that cannot be seen
        if masked:
            name = states.place("server", path, f"{unit}\n")
            states.tell("masked-unit", name, Span(1, 1, len(unit) + 1), tunable=unit, option=unit)


def _links(tree: Tree) -> Iterator[tuple[str, str]]:
    """The folder and the name of each unit that another one starts."""
    for name in tree.names(FOLDER):
        if name.endswith(_WANTING):
            yield from ((f"{FOLDER}/{name}", unit) for unit in tree.names(f"{FOLDER}/{name}"))
