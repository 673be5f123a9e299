"""Both sides in one text: whether the list of exports that it shows has the path that is mounted, and lets this client
in."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from advisor.diagnose.lines import PastedLine

PATH_EXPORTED = "story.path_exported"
CLIENT_ALLOWED = "story.client_allowed"
_HEADER = "Export list for "
_PRINTED = "wdelay"
"""exportfs -v prints it, or its opposite, for every export; hardly anybody writes it."""
_ABOUT = ("mount", "nfs")


class ShownExport(NamedTuple):
    """One path with its clients as they are written. `whole`: a program printed the list, so nothing is missing in it.
    `root`: fsid=0, the path that NFSv4 calls `/`."""

    path: str
    clients: tuple[str, ...]
    whole: bool
    root: bool
    line: int


class SideFact(NamedTuple):
    """`fact`: PATH_EXPORTED or CLIENT_ALLOWED. `sure`: it rests on output, not on lines that may be a part."""

    fact: str
    value: bool
    line: int
    sure: bool


def compare(lines: Sequence[PastedLine]) -> list[SideFact]:
    """What the exports in a text say of the mounts in it; [] where either is missing or several servers are named."""
    shown = list(_shown(lines))
    asked = {(server, path) for line in lines for server, path in _asked(line.text)}
    if not shown or len({server for server, _ in asked}) != 1:
        return []
    found: list[SideFact] = []
    for path in sorted({path for _, path in asked if path}):
        found += _of_path(path, shown, _addresses(lines))
    values = {fact: {one.value for one in found if one.fact == fact} for fact in (PATH_EXPORTED, CLIENT_ALLOWED)}
    return [one for one in found if len(values[one.fact]) == 1]


def _of_path(path: str, shown: Sequence[ShownExport], addresses: set[str]) -> Iterator[SideFact]:
    under = [
        one for one in shown
        if _below(path, one.path) or any(root.root and _below(root.path + path, one.path) for root in shown)
    ]
    if not under:
        yield SideFact(PATH_EXPORTED, False, shown[0].line, all(one.whole for one in shown))
        return
    nearest = max(len(one.path) for one in under)
    meant = [one for one in under if len(one.path) == nearest]
    yield SideFact(PATH_EXPORTED, True, meant[0].line, True)
    verdicts = [_lets_in(client, address) for one in meant for client in one.clients for address in addresses]
    if verdicts and None not in verdicts:
        yield SideFact(CLIENT_ALLOWED, any(verdicts), meant[0].line, True)


def _below(path: str, parent: str) -> bool:
    return path == parent or path.startswith(parent.rstrip("/") + "/")


def _shown(lines: Sequence[PastedLine]) -> Iterator[ShownExport]:
    listed = False
    waiting: tuple[str, int] | None = None
    for line in lines:
        words = line.text.split()
        listed = line.text.startswith(_HEADER) or (listed and bool(words) and words[0].startswith("/"))
        if not words:
            waiting = None
        elif waiting and "(" in words[0] and _PRINTED in words[0]:  # exportfs breaks the line behind a long path
            yield _export(waiting[0], words, waiting[1])
        elif words[0].startswith("/") and "(" in line.text and line.text.count("(") == line.text.count(")"):
            yield _export(words[0], words[1:], line.number)
        elif listed and words[0].startswith("/"):
            named = " ".join(words[1:]).replace("(everyone)", "*").replace(",", " ").split()
            yield ShownExport(_plain(words[0]), tuple(named), True, False, line.number)
        waiting = (words[0], line.number) if len(words) == 1 and words[0].startswith("/") else None


def _export(path: str, words: Sequence[str], line: int) -> ShownExport:
    options = " ".join(words)
    clients = tuple(
        "*" if word.startswith(("(", "<world>")) else word.partition("(")[0] for word in words if "(" in word
    )
    root = any(mark in options.replace(")", ",") for mark in ("fsid=0,", "fsid=root,"))
    return ShownExport(_plain(path), clients, _PRINTED in options, root, line)


def _plain(path: str) -> str:
    return path.strip('"').rstrip("/") or "/"


def _asked(text: str) -> Iterator[tuple[str, str]]:
    """Each server:/path in a line about mounting. The path of the root is "": NFSv4 always has one."""
    if not any(word in text for word in _ABOUT):
        return
    for word in text.split():
        server, colon, path = word.strip("'\"`,;()").rpartition(":/")
        if colon and server and not path.startswith("/") and not set(server) & set("/='\"@<>{}$*"):
            yield server.strip("[]"), "" if not path else _plain(f"/{path}")


def _addresses(lines: Sequence[PastedLine]) -> set[str]:
    """The client's own address, as the mount command and rpc.mountd tell it."""
    found: set[str] = set()
    for line in lines:
        _, marked, rest = line.text.partition("clientaddr=")
        if not marked:
            _, marked, rest = line.text.partition("mount request from ")
        if marked:
            word = rest.replace(",", " ").replace("'", " ").split()[:1]
            found.update(one for one in word if _is_address(one))
    return found


def _is_address(text: str) -> bool:
    try:
        return ip_address(text) is not None
    except ValueError:
        return False


def _lets_in(client: str, address: str) -> bool | None:
    """Whether a client field of an export matches an address; None where names or netgroups decide."""
    if client == "*":
        return True
    try:
        return ip_address(address) in ip_network(client, strict=False)
    except ValueError:
        return None
