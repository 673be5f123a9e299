"""Which lines were judged by a platform that only the server's name, or the type of the mount, gave away."""

from __future__ import annotations

from advisor.globs import fits, parts
from advisor.readers.fstab import read
from advisor.readers.source import parse_source
from advisor.sections import Mount, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lint.run import Result

PLATFORM = "storage.platform"


def mount_of(result: Result, line: int) -> Mount:
    """What a line of a `Result` mounts."""
    entry = next(iter(read(result.line(line)).entries))
    source = parse_source(entry.source.value)
    target = entry.target.value if entry.target is not None else ""
    return Mount(source.host, source.export, target, f"{result.name}:{line}")


def inferred(result: Result, line: int) -> int | None:
    """The mask of the platform inferred for a line of a `Result`; None where the user or nobody said."""
    judged = result.judged.get(line)
    if judged is None or judged.state.get(PLATFORM) == judged.rule_index.state.get(PLATFORM):
        return None
    mask: int = judged.state[PLATFORM]
    return mask


def why_inferred(result: Result, line: int, mask: int) -> tuple[str, tuple[str, ...]]:
    """What gave the platform of a line (`mask`) away, in words, and the claims that say that it does."""
    index = result.rule_index
    value = index.engine.describe(PLATFORM, mask)
    platform = next((one for one in index.rulebase.platforms if one.platform == value), None)
    fstype = result.judged[line].settings["fstab.type"].text
    if platform and fstype in platform.fstypes:
        return f"the mount's type is {fstype}", tuple(platform.cites[:1])
    host = plain("server", mount_of(result, line).server)
    for name in platform.server_names if platform else ():
        if fits(host, parts(name.pattern.lower())):
            return f"the server's name matches {name.pattern}", tuple(name.cites)
    return "the server's name shows it", ()
