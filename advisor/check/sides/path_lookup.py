"""How a kernel server looks up the path that a client asks for: mountd for NFSv3, nfsd for NFSv4."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.sides.exports import Exported, Exports, normalized
from advisor.files.mountinfo import below, parents

if TYPE_CHECKING:
    from advisor.files.mountinfo import MountInfo

Admits = Callable[[Exported], bool]
"""Whether an export is for the client."""


class Reply(NamedTuple):
    """`how`: `mounted`, by this `export`; or why not (sides.reply in docs/rule-language.md). `path`: on the server.
    `skipped`: an export of the path itself that does not answer, because the client is still in one around it.
    `other_path`: the one to ask for instead."""

    how: str
    path: str
    export: Exported | None = None
    skipped: Exported | None = None
    other_path: str = ""


class PathLookup:
    """The exports of one server as one client sees them. `mount_of`: the mount of the server that a path lies on; None
    where its mounts are not known."""

    def __init__(
        self, exports: Exports, admits: Admits, mount_of: Callable[[str], MountInfo | None] | None
    ) -> None:
        self.exports, self.admits, self.mount_of = exports, admits, mount_of
        explicit = [export for export in exports.roots if export.fsid == "0"]
        self.explicit_root = next(iter(explicit), None)
        """An export with fsid=0: it takes the place of the pseudo root for all clients, even if it is for others."""
        first = (self._first(path) for path in dict.fromkeys(export.path for export in explicit or exports.roots))
        self.roots = [
            export for export in first
            if export is not None and (export.is_root if explicit else export.path == "/")
        ]

    def v3(self, asked: str) -> Reply:
        """The answer to NFSv3: the nearest export at the path or around it, on the same file system."""
        path = normalized(asked)
        export = next((export for export in map(self._first, (path, *parents(path))) if export is not None), None)
        if export is not None:
            if not export.crosses and self._on_other_file_system(export.path, path):
                return Reply("other-file-system", path, export)
            return Reply("mounted", path, export)
        refusal = self._refusal(path)
        if refusal.how != "not-exported":
            return refusal
        for root in self.roots:
            inner = normalized(f"{root.path}/{path}")
            export = self._first(inner)
            if root.path != "/" and export is not None:
                return Reply("v4-path", path, export, other_path=inner)
        return refusal

    def v4(self, asked: str) -> list[Reply]:
        """The answers to NFSv4 that are possible; several where the server's mounts are not known."""
        if len({root.path for root in self.roots}) > 1:
            return []
        root = self.roots[0] if self.roots else None
        if root is None and self.explicit_root is not None:
            return [Reply("no-v4-root", normalized(asked), self.explicit_root)]
        path = normalized(f"{root.path}/{asked}") if root is not None else normalized(asked)
        steps = [path, *parents(path)][::-1]
        if root is not None:
            steps = [step for step in steps if below(step, root.path) and step != root.path]
        replies = [*self._walk(root, steps, path)]
        if root is None or root.path == "/":
            return replies
        inner = normalized(asked)
        export = self._first(inner)
        if export is None or self._leads_to_export(path):
            return replies
        if below(inner, root.path):
            return [Reply("below-root", path, export, other_path=normalized(inner[len(root.path) :]))]
        return [Reply("outside-root", path, export, root)]

    def _walk(self, at: Exported | None, steps: list[str], path: str) -> Iterator[Reply]:
        """Go down one directory at a time, from a root or, with None, from the pseudo root that mountd makes."""
        skipped: Exported | None = None
        for number, step in enumerate(steps):
            own = self._first(step)
            if at is None:  # still in the pseudo file system, which shows only the ways to exports
                at = own
                if own is None and not self._leads_to_export(step):
                    yield self._refusal(path)
                    return
                continue
            if own is at:
                continue
            if own is not None and self.mount_of is None:
                yield from self._walk(own, steps[number + 1 :], path)
            elif self._on_other_file_system(step.rpartition("/")[0] or "/", step):
                if own is None and not at.crosses:
                    yield Reply("covered", path, at, next(iter(self.exports.by_path.get(step, ())), None))
                    return
                at, skipped = own or at, None
                continue
            skipped = own or skipped
        yield Reply("mounted", path, at, skipped) if at is not None else Reply("pseudo", path)

    def _first(self, path: str) -> Exported | None:
        """The export of a path that answers the client."""
        return next((export for export in self.exports.by_path.get(path, ()) if self.admits(export)), None)

    def _leads_to_export(self, path: str) -> bool:
        """Whether a directory is exported to the client, or lies above one that is."""
        return any(self.admits(export) for export in self.exports.below.get(path, ()))

    def _refusal(self, path: str) -> Reply:
        """The reply where no export answers: the path is exported to other clients, or not at all."""
        for folder in (path, *parents(path)):
            if folder in self.exports.by_path:
                return Reply("other-clients", path, self.exports.by_path[folder][0])
        return Reply("not-exported", path)

    def _on_other_file_system(self, outer: str, inner: str) -> bool:
        """Whether a directory certainly is on another file system than one around it."""
        if self.mount_of is None:
            return False
        outer_mount, inner_mount = self.mount_of(outer), self.mount_of(inner)
        return outer_mount is not None and inner_mount is not None and outer_mount is not inner_mount
