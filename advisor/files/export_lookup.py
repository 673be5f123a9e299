"""The exports of a kernel server, and which of them a client gets that asks for a path: from mountd with NFSv3, from
nfsd with NFSv4."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from advisor.files.export_clients import kind_of
from advisor.files.export_options import BY_FLAVOUR, ExportGrammar
from advisor.files.exports import Export, file_system, kept, plain
from advisor.files.mountinfo import MountInfo, below, parents
from advisor.files.placeholders import has_markup
from advisor.files.records import Span
from advisor.named_tuple import NamedTuple, grouped
from advisor.rulebase.model import RuleBase, Value

Options = Mapping[str, Value]


class Exported(NamedTuple):
    """One export. `options`: those that apply to all flavours, tunable → value in effect; `flavours`: in the order in
    which the server offers them, each with those of BY_FLAVOUR; `at`: tunable → where it is written."""

    path: str
    client: str
    options: Options
    flavours: Mapping[str, Options]
    at: Mapping[str, Span]
    file: str
    span: Span
    of_cluster: bool = False
    """A resource of a cluster makes it, so its file is not for editing."""

    @property
    def kind(self) -> int:
        return kind_of(self.client)

    @property
    def place(self) -> str:
        where = f"{self.file}:{self.span.line}"
        return f"the exportfs resource ({where})" if self.of_cluster else where

    @property
    def is_root(self) -> bool:
        """Whether it is the root of what NFSv4 clients see."""
        return self.path == "/" or self.fsid == "0"

    @property
    def crosses(self) -> bool:
        return self.options.get("exports.crossmnt") is True

    @property
    def fsid(self) -> str | None:
        """The number or UUID that is written for it, in one spelling; "0" for the root."""
        fsid = self.options.get("exports.fsid")
        return None if fsid is None else file_system(str(fsid))

    def has_same(self, other: Exported, names: Iterable[str]) -> bool:
        """Whether another export has the same flavours, and for each of them the same values of these options."""
        if [*self.flavours] != [*other.flavours]:
            return False
        return all(
            self.flavours[flavour].get(name) == other.flavours[flavour].get(name)
            for flavour in self.flavours for name in names
        )


class Exports:
    """All exports of a server, in the order in which mountd looks at those of one path. `has_markup`: a path, a client
    or an option is a placeholder of a template."""

    def __init__(self, exports: Sequence[Exported], has_markup: bool = False) -> None:
        self.all, self.has_markup = exports, has_markup
        self.by_path = grouped((export.path, export) for export in exports)
        self.below = grouped((folder, export) for export in exports for folder in (export.path, *parents(export.path)))
        """Directory → the exports of it and of what lies below."""
        self.roots = [export for export in exports if export.is_root]
        self.by_fsid = {(one.kind, one.fsid): one for one in reversed(exports) if one.fsid is not None}
        """Kind of client and fsid → the first export that has them."""


def exports_of(base: RuleBase, lists: Iterable[tuple[Iterable[Export], str]]) -> Exports:
    """The exports that exportfs makes of these lists, each with the name of its file, read up to its first error. Of
    several exports of one path to one client the first counts."""
    grammar = base.ready(ExportGrammar)
    exports: dict[tuple[str, str], Exported] = {}
    is_template = False
    for lines, name in lists:
        for line in lines:
            options = grammar.read(line.options)
            if line.bad is not None or options.wrong is not None:
                break  # exportfs stops reading this file
            if has_markup(line.path.text) or has_markup(line.client.text) or not options.is_whole:
                is_template = True
                continue
            for made in kept([line], name):
                exports.setdefault((made.path, made.client), _exported(made.path, line, name, grammar))
    return Exports(sorted(exports.values(), key=lambda export: export.kind), is_template)


def _exported(path: str, line: Export, file: str, grammar: ExportGrammar) -> Exported:
    options = grammar.read(line.options)
    common = {name: value for name, value in options.values.items() if name not in BY_FLAVOUR}
    return Exported(
        path, line.client.text or "*", common, options.flavours,
        {name: line.options.at(word.start, word.start + len(word.text)) for name, word in options.written.items()},
        file, line.client.span if line.client.parts else line.path.span, of_cluster=not line.fixable,
    )


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

    def __init__(self, exports: Exports, admits: Admits, mount_of: Callable[[str], MountInfo | None] | None) -> None:
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
        path = absolute(asked)
        export = next((export for export in map(self._first, (path, *parents(path))) if export is not None), None)
        if export is not None:
            if not export.crosses and self._on_other_file_system(export.path, path):
                return Reply("other-file-system", path, export)
            return Reply("mounted", path, export)
        refusal = self._refusal(path)
        if refusal.how != "not-exported":
            return refusal
        for root in self.roots:
            inner = absolute(f"{root.path}/{path}")
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
            return [Reply("no-v4-root", absolute(asked), self.explicit_root)]
        path = absolute(f"{root.path}/{asked}") if root is not None else absolute(asked)
        steps = [path, *parents(path)][::-1]
        if root is not None:
            steps = [step for step in steps if below(step, root.path) and step != root.path]
        replies = [*self._walk(root, steps, path)]
        if root is None or root.path == "/":
            return replies
        inner = absolute(asked)
        export = self._first(inner)
        if export is None or self._leads_to_export(path):
            return replies
        if below(inner, root.path):
            return [Reply("below-root", path, export, other_path=absolute(inner[len(root.path) :]))]
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


def absolute(asked: str) -> str:
    """The path that a client asks for, without double slashes and without one at its end."""
    return plain(f"/{asked}")
