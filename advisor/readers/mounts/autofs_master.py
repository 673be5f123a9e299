"""Master files of the automounter (auto.master(5)): which maps they name."""

from __future__ import annotations

from advisor.named_tuple import NamedTuple

_FORMATS = ("file", "sun", "program", "exec", "yp", "nis", "nisplus", "ldap", "ldaps", "hesiod", "sss", "dir", "multi")


class MapName(NamedTuple):
    """A map. `path`: its file, "" for a map that is in no file; `program`: it may be one, which is not run."""

    point: str
    text: str
    path: str
    program: bool = False


def maps(text: str) -> list[MapName]:
    """The maps that a master file names, in its order; those that it includes (+auto.master) are not followed."""
    found = []
    for raw in text.replace("\\\n", " ").split("\n"):
        words = raw.split()
        if len(words) < 2 or not words[0].startswith("/") or words[1].startswith("-"):
            continue
        kind, colon, rest = words[1].partition(":")
        source = kind.partition(",")[0]
        named = colon == ":" and source in _FORMATS
        name = rest if named else words[1]
        in_file = not named or source in ("file", "program", "exec")
        path = "" if not in_file else name if name.startswith("/") else f"/etc/{name}"
        found.append(MapName(words[0], words[1], path, named and source in ("program", "exec")))
    return found
