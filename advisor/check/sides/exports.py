"""The exports of a server, with the options that are in force for each security flavour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from advisor.check.sides import clients
from advisor.lint.export_clients import left_out
from advisor.readers.mounts import cluster_exports
from advisor.readers.mounts.exports import Export, read
from advisor.readers.placeholders import has_markup
from advisor.readers.settings import read as settings

if TYPE_CHECKING:
    from advisor.check.files import HostText
    from advisor.readers.spans import Span
    from advisor.rulebase.model import RuleBase, Tunable
    from advisor.rulebase.model.types import Scalar

CIB = "cib"
ETAB = "/var/lib/nfs/etab"
BY_FLAVOUR = ("exports.rw", "exports.insecure", "exports.root_squash", "exports.all_squash")
"""Options that may differ from one flavour to the next."""
Options = Mapping[str, "Scalar"]


class Exported(NamedTuple):
    """One export. `options`: those that hold for all flavours, tunable → value, where written; `flavours`: in the order
    in which clients are told of them, each with those of BY_FLAVOUR; `at`: tunable → where it is written."""

    path: str
    client: str
    kind: int
    options: Options
    flavours: Mapping[str, Options]
    at: Mapping[str, Span]
    file: str
    span: Span
    of_cluster: bool = False
    """A resource makes it, so that its file is not for editing."""

    @property
    def place(self) -> str:
        where = f"{self.file}:{self.span.line}"
        return f"the exportfs resource ({where})" if self.of_cluster else where

    @property
    def is_root(self) -> bool:
        """Whether NFSv4 begins here."""
        return self.path == "/" or str(self.options.get("exports.fsid")) in ("0", "root")

    @property
    def crosses(self) -> bool:
        return self.options.get("exports.crossmnt") is True

    def fixed(self) -> str | None:
        """The number or UUID that it is given to be known by."""
        found = self.options.get("exports.fsid")
        return None if found is None else "0" if found == "root" else str(found).lower()

    def alike(self, other: Exported, names: Iterable[str]) -> bool:
        """Whether two exports agree in these options, for each flavour."""
        if [*self.flavours] != [*other.flavours]:
            return False
        return all(
            self.flavours[one].get(name) == other.flavours[one].get(name) for one in self.flavours for name in names
        )


class Exports:
    """`made`: in the order in which mountd looks at those of one path. `unclear`: a path or a client is a template."""

    def __init__(self, made: tuple[Exported, ...], unclear: bool) -> None:
        self.made, self.unclear = made, unclear
        self.of: dict[str, list[Exported]] = {}
        """Path → its exports."""
        self.inside: dict[str, list[Exported]] = {}
        """Directory → the exports that are it or lie below."""
        self.roots = [one for one in made if one.is_root]
        self.numbered: dict[tuple[int, str], Exported] = {}
        """Kind of client and fsid → the first export that has them."""
        for one in made:
            self.of.setdefault(one.path, []).append(one)
            for folder in around(one.path):
                self.inside.setdefault(folder, []).append(one)
            fixed = one.fixed()
            if fixed is not None:
                self.numbered.setdefault((one.kind, fixed), one)


def exports(base: RuleBase, texts: Iterable[HostText], etab: tuple[str, str] | None) -> Exports:
    """The exports of these files, those of a cluster among them, and those in effect that stand in none. `etab`: its
    text and its name."""
    reader = _ExportReader(base)
    found: dict[tuple[str, str], Exported] = {}
    unclear = False
    lists = [(listed, one.name) for one in texts for listed in _lists(one)]
    for listed, name in (*lists, *(((read(etab[0]), etab[1]),) if etab is not None else ())):
        for export in listed:
            if has_markup(export.path.text) or has_markup(export.client.text):
                unclear = True
                continue
            made = None if export.bad is not None else reader.made(export, name)
            if made is None:
                break  # exportfs stops reading this file
            if not left_out(made.client):
                found.setdefault((made.path, made.client.lower()), made)
    return Exports(tuple(sorted(found.values(), key=lambda one: one.kind)), unclear)


def _lists(text: HostText) -> list[list[Export]]:
    """The exports of a file. What is wrong with one of a cluster leaves the others alone."""
    if text.host_file.kind == CIB:
        return [[one] for one in cluster_exports.read(settings(CIB, text.text, text.name))]
    return [read(text.text)] if text.path == "/etc/exports" or _is_read(text.path) else []


def _is_read(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith(".exports") and not name.startswith(".")


def plain(path: str) -> str:
    """A path without double slashes and without one at its end."""
    return "/" + "/".join(part for part in path.split("/") if part)


class _ExportReader:
    def __init__(self, base: RuleBase) -> None:
        self.tunables: dict[str, Tunable] = {
            name: tunable for name, tunable in base.of_kinds("export-option").items() if tunable.forms
        }
        self.forms = {form.spelling: (name, form) for name, tunable in self.tunables.items() for form in tunable.forms}
        self.usual = {name: self.tunables[name].default for name in BY_FLAVOUR}

    def made(self, export: Export, file: str) -> Exported | None:
        """The export; None where it has an option that ends the reading of the file."""
        options: dict[str, Scalar] = {}
        own: dict[str, Scalar] = {name: value for name, value in self.usual.items() if value is not None}
        flavours: dict[str, dict[str, Scalar]] = {}
        active: list[str] = []
        at: dict[str, Span] = {}
        parts = export.options.parts
        for number, part in enumerate(parts):
            word, equals, value = part.text.partition("=")
            name, form = self.forms.get(word, ("", None))
            if not part.text and number == len(parts) - 1:
                continue
            if form is None or (equals if form.takes is None else form.takes == "value" and not equals):
                return None
            at[name] = part.span
            if name == "exports.sec":
                active = [str(self.tunables[name].synonyms.get(one, one)) for one in value.split(":")]
                for flavour in active:
                    flavours.setdefault(flavour, dict(own))
            elif name in BY_FLAVOUR:
                for held in (own, *(flavours[one] for one in active)):
                    held[name] = form.means if form.means is not None else value
            else:
                options[name] = value if form.means is None else form.means
        client = export.client.text
        span = export.client.span if export.client.parts else export.path.span
        return Exported(
            plain(export.path.text), client or "*", clients.kind(client), options, flavours or {"sys": own}, at, file,
            span, of_cluster=not export.fixable,
        )


def around(path: str) -> Iterator[str]:
    """A path and the directories that it is in, the nearest first."""
    yield path
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path
