"""Which lines were judged by a platform that only the server's name, or the type of the mount, gave away."""

from __future__ import annotations

from typing import Any

from advisor.globs import fits, parts
from advisor.readers.fstab import read
from advisor.readers.source import parse_source

PLATFORM = "storage.platform"


def inferred(result: Any, line: int) -> int | None:
    """The mask of the platform inferred for a line of a `Result`; None where the user or nobody said."""
    judged = result.judged.get(line)
    if judged is None or judged.state.get(PLATFORM) == judged.view.state.get(PLATFORM):
        return None
    mask: int = judged.state[PLATFORM]
    return mask


def why_inferred(result: Any, line: int) -> tuple[str, tuple[str, ...]]:
    """What gave the platform of a line away, in words, and the claims that say that it does."""
    view = result.view
    value = view.engine.describe(PLATFORM, inferred(result, line))
    platform: dict[str, Any] = next((one for one in view.rulebase.platforms if one["platform"] == value), {})
    fstype = result.judged[line].settings["fstab.type"].text
    if fstype in platform.get("fstypes", ()):
        return f"the type of the mount is {fstype}", tuple(platform.get("cites", ())[:1])
    entry = next(iter(read(result.line(line)).entries), None)
    host = parse_source(entry.source.value).host if entry is not None else None
    for name in platform.get("server_names", ()):
        if fits((host or "").lower().rstrip("."), parts(name["pattern"].lower())):
            return f"the server is called {name['pattern']}", tuple(name["cites"])
    return "the server's name says so", ()
