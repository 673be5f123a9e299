"""Compare the exports of a file with one another, and with those of the files that exportfs reads before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from advisor.files.exports import Export, file_system
from advisor.files.option_reading import Setting
from advisor.files.placeholders import has_markup
from advisor.lint.export_clients import is_dropped, is_placeholder
from advisor.lint.export_networks import inside, same_host
from advisor.lint.export_options import Spellings, effect
from advisor.lint.finding import Finding, from_check
from advisor.lint.rule_index import RuleIndex
from advisor.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model.types import Value

DEEPEST = 100
"""Longest path, in components, whose parent directories are searched for exports; nobody exports a longer one."""
MOST = 200
"""Clients of one path that are searched for a network that contains another; the search is quadratic."""
_RIGHTS = ("exports.rw", "exports.root_squash", "exports.all_squash")
"""Decide who may do what below an export."""


class ResolvedExport(NamedTuple):
    """An export that exportfs makes. `path`: without doubled slashes. `client`: in one spelling per host."""

    export: Export
    file: str
    """The file that the export is in; "" for the file under judgement."""
    path: str
    client: str

    @property
    def place(self) -> str:
        line = f"line {self.export.line_no}"
        return f"{line} of {self.file}" if self.file else line


def resolve(exports: Sequence[Export], file: str = "") -> list[ResolvedExport]:
    """The exports of one file that exportfs can make. Placeholders are left out: what they become is not known."""
    resolved = []
    for export in exports:
        path = plain(export.path.text)
        if export.bad is not None or has_markup(path) or is_placeholder(export.client.text):
            continue
        client = same_host(export.client.text)
        if not client and export.client.near != export.path.span:  # a list of options by itself
            client = "*"
        if not is_dropped(export.client.text):
            resolved.append(ResolvedExport(export, file, path, client))
    return resolved


def plain(path: str) -> str:
    """A path as exportfs resolves it: one slash between two names, none at the end."""
    return path[:1] + "/".join(part for part in path.split("/") if part) if path.startswith("/") else path


def together(
    index: RuleIndex, forms: Spellings, own: Sequence[ResolvedExport], earlier: Sequence[ResolvedExport] = ()
) -> Iterator[tuple[Export, Finding]]:
    """The findings on the exports of a file, `own`, beside one another and beside those of files read `earlier`."""
    entries = [*earlier, *own]
    yield from _exported_twice(index, entries)
    yield from _shadowed(index, forms, entries)
    yield from _fsids(index, entries)
    yield from _nested(index, forms, entries)
    yield from _outside(index, entries)


def _exported_twice(index: RuleIndex, entries: Sequence[ResolvedExport]) -> Iterator[tuple[Export, Finding]]:
    first: dict[tuple[str, str], ResolvedExport] = {}
    for entry in entries:
        before = first.setdefault((entry.path, entry.client), entry)
        written = entry.export.client.text or before.export.apart is None  # else the space is reported
        if before is not entry and not entry.file and written:
            client = entry.export.client.text or ("everybody" if entry.client in ("", "*") else entry.client)
            yield from _report(
                index, "export-twice", entry, _at_client(entry), place=before.place, path=entry.path, client=client,
            )


def _shadowed(
    index: RuleIndex, forms: Spellings, entries: Sequence[ResolvedExport]
) -> Iterator[tuple[Export, Finding]]:
    """Networks and patterns inside an earlier one with other options: of those that match a host, the first counts."""
    of_path: dict[str, list[ResolvedExport]] = {}
    for entry in entries:
        before = of_path.setdefault(entry.path, [])
        if not entry.file and len(before) < MOST:
            outer = next((other for other in before if other.client != entry.client
                          and inside(entry.client, other.client)), None)
            if outer is not None and _differ(index, forms, entry, outer):
                yield from _report(
                    index, "export-network-shadowed", entry, _at_client(entry), other=outer.export.client.text,
                    place=outer.place,
                )
        before.append(entry)


def _differ(index: RuleIndex, forms: Spellings, entry: ResolvedExport, other: ResolvedExport) -> bool:
    options, others = effect(index, entry.export, forms), effect(index, other.export, forms)
    return options is not None and others is not None and options != others


def _fsids(index: RuleIndex, entries: Sequence[ResolvedExport]) -> Iterator[tuple[Export, Finding]]:
    """One fsid for two paths, and numbers beside reexport=."""
    roots: dict[str, ResolvedExport] = {}
    reexporting = next(
        (entry for entry in entries for part in entry.export.options.parts
         if part.text.startswith("reexport=") and part.text != "reexport=none"), None,
    )
    for entry in entries:
        offset = 0
        for part in entry.export.options.parts:
            setting = Setting(part.text, "options", offset, offset + len(part.text), part.text)
            offset += len(part.text) + 1
            key = file_system(part.text[5:]) if part.text.startswith("fsid=") else None
            if key is None:
                continue
            other = roots.setdefault(key, entry)
            if entry.file:
                continue
            if other.path != entry.path:
                yield from _report(
                    index, "export-fsid-twice", entry, setting, other=other.export.path.text, place=other.place,
                )
            elif reexporting is not None and reexporting is not entry and len(key) < 32:
                yield from _report(index, "export-fsid-beside-reexport", entry, setting, place=reexporting.place)


def _nested(index: RuleIndex, forms: Spellings, entries: Sequence[ResolvedExport]) -> Iterator[tuple[Export, Finding]]:
    """Exports with other rights than the nearest export above them to the same client."""
    first: dict[tuple[str, str], ResolvedExport] = {}
    for entry in entries:
        first.setdefault((entry.path, entry.client), entry)
    for (path, client), entry in first.items():
        for parent in _above(path):
            outer = first.get((parent, client))
            if outer is not None:
                if not entry.file:
                    yield from _differing_rights(index, forms, entry, outer)
                break


def _differing_rights(
    index: RuleIndex, forms: Spellings, entry: ResolvedExport, outer: ResolvedExport
) -> Iterator[tuple[Export, Finding]]:
    inner, around = effect(index, entry.export, forms), effect(index, outer.export, forms)
    if inner is None or around is None:
        return
    if inner["exports.sec"] != around["exports.sec"]:
        setting = _at_client(entry)._replace(value=f"sec={inner['exports.sec']}")
        yield from _report(
            index, "export-nested-sec", entry, setting, other=f"sec={around['exports.sec']} of {outer.path}",
            place=outer.place,
        )
        return
    changed = [tunable for tunable in _RIGHTS if inner[tunable] != around[tunable]]
    if changed and not _apart(entry, outer):
        setting = _at_client(entry)._replace(value=_spelling(forms, changed[0], inner[changed[0]]))
        yield from _report(
            index, "export-nested-rights", entry, setting, other=_spelling(forms, changed[0], around[changed[0]]),
            path=outer.path, place=outer.place,
        )


def _apart(entry: ResolvedExport, outer: ResolvedExport) -> bool:
    """Whether the options show that the inner directory is a separate file system."""
    inner, around = (
        {part.text.partition("=")[0] for part in resolved.export.options.parts} for resolved in (entry, outer)
    )
    return bool(inner & {"fsid", "nohide", "mp", "mountpoint", "refer"} or around & {"crossmnt", "fsid"})


def _spelling(forms: Spellings, tunable: str, value: Value) -> str:
    """The option that gives a tunable this value."""
    return next((form.spelling for name, form in forms.values() if name == tunable and form.means == value), "")


def _outside(index: RuleIndex, entries: Sequence[ResolvedExport]) -> Iterator[tuple[Export, Finding]]:
    """Paths that NFSv4 clients cannot reach, because an export with fsid=0 makes another directory their root."""
    root = next((entry for entry in entries if entry.path != "/" and _is_root(entry)), None)
    if root is None:
        return
    reported: set[str] = set()
    for entry in entries:
        beside = entry.path.startswith("/") and entry.path != root.path and not entry.path.startswith(f"{root.path}/")
        if beside and not entry.file and entry.path not in reported and not _is_root(entry):
            reported.add(entry.path)
            setting = Setting(entry.path, "source", 0, len(entry.export.path.text), entry.export.path.text)
            yield from _report(index, "export-outside-root", entry, setting, other=root.path, place=root.place)


def _is_root(entry: ResolvedExport) -> bool:
    texts = [part.text for part in entry.export.options.parts]
    return any(text.startswith("fsid=") and file_system(text[5:]) == "0" for text in texts)


def _above(path: str) -> Iterator[str]:
    """The parent directories of a path, the nearest first; none for a path longer than DEEPEST."""
    if path.count("/") <= DEEPEST:
        while path not in ("", "/"):
            path = path.rpartition("/")[0]
            yield path or "/"


def _at_client(entry: ResolvedExport) -> Setting:
    text = entry.export.client.text
    return Setting(text, "target", 0, len(text), text)


def _report(
    index: RuleIndex, slug: str, entry: ResolvedExport, setting: Setting, **figures: str
) -> Iterator[tuple[Export, Finding]]:
    check = index.builtin(slug)
    if check is not None:
        yield entry.export, from_check(check, setting, tunable=None, value=setting.value, figures=figures)
