"""What a server makes of a path that a client asks for, as mountd (NFSv3) and nfsd (NFSv4) go about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.sides.exports import Exported, Exports, around, plain
from advisor.readers.mountinfo import below

if TYPE_CHECKING:
    from advisor.readers.mountinfo import MountInfo

Lets = Callable[[Exported], bool]
"""Whether an export is for the client."""


class Reply(NamedTuple):
    """`how`: `mounted`, by this `export`; or why not (sides.reply in docs/rule-language.md). `path`: which is meant on
    the server. `passed`: an export of the path itself that is not asked, because the client is still in one around it.
    `other`: the path to ask for instead."""

    how: str
    path: str
    export: Exported | None = None
    passed: Exported | None = None
    other: str = ""


class Served:
    """The exports of one server as one client sees them. `on`: the mount of the server that a path lies on; None where
    its mounts are not known."""

    def __init__(self, exports: Exports, lets: Lets, on: Callable[[str], MountInfo | None] | None) -> None:
        self.exports, self.lets, self.on = exports, lets, on
        fixed = [one for one in exports.roots if one.fixed() == "0"]
        self.foreign = next(iter(fixed), None)
        """An export that takes the place of the pseudo root for all clients, though it may be for others."""
        here = (self._first(path) for path in dict.fromkeys(one.path for one in fixed or exports.roots))
        self.roots = [one for one in here if one is not None and (one.is_root if fixed else one.path == "/")]

    def _first(self, path: str) -> Exported | None:
        """The export of a path that answers the client."""
        return next((one for one in self.exports.of.get(path, ()) if self.lets(one)), None)

    def _leads_on(self, path: str) -> bool:
        """Whether a directory is exported to the client, or lies above one that is."""
        return any(self.lets(one) for one in self.exports.inside.get(path, ()))

    def v3(self, asked: str) -> Reply:
        """The answer to NFSv3: the nearest export at the path or around it, on the same file system."""
        path = plain(asked)
        export = next((one for one in map(self._first, around(path)) if one is not None), None)
        if export is not None:
            if not export.crosses and self._parted(export.path, path):
                return Reply("other-file-system", path, export)
            return Reply("mounted", path, export)
        why = self._others(path)
        if why.how != "not-exported":
            return why
        for root in self.roots:
            inner = plain(f"{root.path}/{path}")
            export = self._first(inner)
            if root.path != "/" and export is not None:
                return Reply("v4-path", path, export, other=inner)
        return why

    def v4(self, asked: str) -> list[Reply]:
        """The answers to NFSv4 that are possible; several where the server's mounts are not known."""
        if len({root.path for root in self.roots}) > 1:
            return []
        root = self.roots[0] if self.roots else None
        if root is None and self.foreign is not None:
            return [Reply("no-v4-root", plain(asked), self.foreign)]
        path = plain(f"{root.path}/{asked}") if root is not None else plain(asked)
        found = [*self._walk(root, path)]
        if root is None or root.path == "/":
            return found
        inner = plain(asked)
        export = self._first(inner)
        if export is None or self._leads_on(path):
            return found
        if below(inner, root.path):
            return [Reply("below-root", path, export, other=plain(inner[len(root.path) :]))]
        return [Reply("outside-root", path, export, root)]

    def _walk(self, root: Exported | None, path: str) -> Iterator[Reply]:
        """Go down from the root, a real one or the pseudo root that mountd makes, one directory at a time."""
        steps = [*around(path)][::-1]
        at = root
        if root is not None:
            steps = [one for one in steps if below(one, root.path) and one != root.path]
        yield from self._down(at, steps, path)

    def _down(self, at: Exported | None, steps: list[str], path: str) -> Iterator[Reply]:
        passed: Exported | None = None
        for number, step in enumerate(steps):
            own = self._first(step)
            if at is None:  # still in the pseudo file system, of which only the ways to exports can be seen
                at = own
                if own is None and not self._leads_on(step):
                    yield self._others(path)
                    return
                continue
            if own is at:
                continue
            if own is not None and self.on is None:
                yield from self._down(own, steps[number + 1 :], path)
            elif self._parted(step.rpartition("/")[0] or "/", step):
                if own is None and not at.crosses:
                    yield Reply("covered", path, at, next(iter(self.exports.of.get(step, ())), None))
                    return
                at, passed = own or at, None
                continue
            passed = own or passed
        yield Reply("mounted", path, at, passed) if at is not None else Reply("pseudo", path)

    def _others(self, path: str) -> Reply:
        """Why nothing answers: it is exported to other clients, or to nobody."""
        for one in around(path):
            if one in self.exports.of:
                return Reply("other-clients", path, self.exports.of[one][0])
        return Reply("not-exported", path)

    def _parted(self, outer: str, inner: str) -> bool:
        """Whether a directory certainly is on another file system than one around it."""
        if self.on is None:
            return False
        one, other = self.on(outer), self.on(inner)
        return one is not None and other is not None and one is not other
