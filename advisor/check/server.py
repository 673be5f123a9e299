"""A host as a server: what its files export, beside its file systems, its cluster and what is exported now; and the
units that start at boot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from advisor.check.host import ETAB, UnseenFile
from advisor.files.export_options import ExportGrammar
from advisor.files.exports import Export, KeptExport, cluster_exports, folder_of, kept, plain, read
from advisor.files.kinds import read_settings
from advisor.files.mountinfo import mount_of, parents
from advisor.files.placeholders import has_markup
from advisor.files.records import Span
from advisor.host.tree import NotCollected, Unread

if TYPE_CHECKING:
    from advisor.check.host import HostText, WholeHost
    from advisor.host.tree import Tree

_NAMED = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*")
"""A client that exportfs may write otherwise than the file does: by its full name."""
UNITS = "/etc/systemd/system"
"""Where `systemctl enable` and `systemctl mask` leave their links."""
_WANTING = (".wants", ".requires")


def compare(host: WholeHost) -> None:
    """Report what cannot be exported, is not exported yet, is in no file, or is exported with other options; exports
    that a cluster makes too; units."""
    files = [file for file in host.texts("exports") if folder_of(file.path) is not None]
    exports = [(file.name, export) for file in files for export in read(file.text) if is_known(export)]
    for name, export in exports:
        _report_file_system(host, name, export)
    _report_mounts_below(host, exports)
    _compare_with_etab(host, files)
    _compare_with_cluster(host)
    if host.texts("exports") or host.texts("cib"):
        _masked_units(host)
    _starting_units(host)


def _report_file_system(host: WholeHost, name: str, export: Export) -> None:
    mount = mount_of(plain(export.path.text), host.tree.mounts)
    if mount is None:
        return
    fields = {
        "option": export.path.text, "fstype": mount.fstype, "effect": mount.fstype, "options": mount.super_options,
    }
    written = host.base.ready(ExportGrammar).read(export.options).written
    numbered = not written.keys().isdisjoint(("exports.fsid", "exports.reexport"))
    if not host.report("export-on", name, export.path.span, **fields) and not numbered:
        host.report("export-without-fsid", name, export.path.span, **fields)


def is_known(export: Export) -> bool:
    return export.bad is None and bool(export.path.text) and not has_markup(export.path.text)


def _report_mounts_below(host: WholeHost, exports: list[tuple[str, Export]]) -> None:
    """Report file systems mounted below an export that no export shows, each at the export nearest to it."""
    paths: dict[str, tuple[str, Export]] = {}
    crossing: set[str] = set()
    for name, export in exports:
        path = plain(export.path.text)
        paths.setdefault(path, (name, export))
        if host.base.ready(ExportGrammar).read(export.options).values.get("exports.crossmnt"):
            crossing.add(path)
    for mount in host.tree.mounts:
        above = [path for path in parents(mount.target) if path in paths]
        if mount.target in paths or not above or not crossing.isdisjoint(above):
            continue
        name, export = paths[above[0]]
        host.report(
            "mount-below-export", name, export.path.span, value=mount.fstype, option=export.path.text,
            fstype=mount.fstype, effect=mount.target,
        )


def _compare_with_etab(host: WholeHost, files: list[HostText]) -> None:
    try:
        text, where = host.tree.read(ETAB)
    except Unread:
        return
    exported = {(made.path, made.client): made for made in kept(read(text))}
    if not exported:
        return  # the server is stopped
    paths: set[str] = set()
    for file in files:
        for made in kept(read(file.text), file.name):
            paths.add(made.path)
            now = exported.get((made.path, made.client))
            if now is not None:
                _compare_options(host, made, now.export)
            elif not _may_be_exported(made, exported.values()):
                export = made.export
                host.report(
                    "export-not-made", file.name, export.client.span, option=export.client.text or "*",
                    source=export.path.text,
                )
    if host.seen("exports"):
        name = host.add_result("server", where, text)
        for made in exported.values():
            if made.path not in paths:
                span = Span(made.export.line_no, made.export.path.span.column, made.export.path.span.end_column)
                host.report("export-in-no-file", name, span, option=made.path, source=made.export.client.text or "*")


def _may_be_exported(wanted: KeptExport, exported: Iterable[KeptExport]) -> bool:
    """Whether an export may be there under another name of its client."""
    return bool(_NAMED.fullmatch(wanted.client)) and any(
        made.path == wanted.path and _NAMED.fullmatch(made.client) for made in exported
    )


def _compare_options(host: WholeHost, made: KeptExport, exported: Export) -> None:
    """Report options whose values in effect differ from the file."""
    grammar = host.base.ready(ExportGrammar)
    written, now = grammar.read(made.export.options), grammar.read(exported.options)
    if written.several_flavours:
        return  # each flavour has options of its own
    for tunable, word in written.written.items():
        effect = [other for other in now.words if other.tunable == tunable and "=" not in other.text]
        if "=" not in word.text and effect and all(other.value != word.value for other in effect):
            span = made.export.options.at(word.start, word.start + len(word.text))
            host.report(
                "export-otherwise", made.file, span, tunable=tunable, value=word.text, option=word.text,
                effect=effect[0].text, source=made.export.path.text,
            )


def _compare_with_cluster(host: WholeHost) -> None:
    """Report each line of exports whose path a resource of the cluster exports too."""
    places = {
        plain(export.path.text): f"{file.name}:{export.line_no}"
        for file in host.texts("cib") for export in cluster_exports(read_settings("cib", file.text, file.name))
    }
    for file in host.texts("exports") if places else ():
        reported: set[tuple[str, int]] = set()
        for export in read(file.text):
            path = plain(export.path.text)
            if export.bad is None and path in places and (path, export.line_no) not in reported:
                reported.add((path, export.line_no))
                host.report(
                    "export-of-cluster", file.name, export.path.span, option=export.path.text, place=places[path],
                )


def _masked_units(host: WholeHost) -> None:
    for unit in {*host.about("masked-unit")}:
        path = f"{UNITS}/{unit}"
        try:
            masked = host.tree.masked(path)
        except Unread:
            continue  # nothing is reported of a unit that cannot be seen
        if masked:
            name = host.add_result("server", path, f"{unit}\n")
            host.report("masked-unit", name, Span(1, 1, len(unit) + 1), tunable=unit, option=unit)


def _starting_units(host: WholeHost) -> None:
    wanted = host.about("starts")
    if not wanted:
        return
    try:
        for folder, unit in [*wanted_units(host.tree)]:
            if unit in wanted and not host.tree.masked(f"{UNITS}/{unit}"):
                name = host.add_result("server", f"{folder}/{unit}", f"{unit}\n")
                host.report("starts", name, Span(1, 1, len(unit) + 1), tunable=unit, option=unit)
    except Unread as error:
        there = not isinstance(error, NotCollected)
        why = str(error) if there else "not collected"
        host.collected.unseen.insert(0, UnseenFile("units that start at boot", UNITS, why, there, not there))


def wanted_units(tree: Tree) -> Iterator[tuple[str, str]]:
    """The folder and the name of each unit that another one starts."""
    for name in tree.names(UNITS):
        if name.endswith(_WANTING):
            yield from ((f"{UNITS}/{name}", unit) for unit in tree.names(f"{UNITS}/{name}"))
