"""A host as a server: what its files export, beside its file systems, its cluster and what is exported now; and the
units that start at boot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from advisor.check.files import ETAB, UnseenFile, exportfs_reads
from advisor.files.exports import Export, read
from advisor.files.mountinfo import mount_of, parents
from advisor.files.placeholders import has_markup
from advisor.files.settings import read as read_settings
from advisor.files.spans import Span
from advisor.host.tree import NotCollected, Unread
from advisor.lint.exports_together import plain

if TYPE_CHECKING:
    from advisor.check.comparison import HostComparison
    from advisor.check.files import HostText
    from advisor.host.tree import Tree

_NAMED = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*")
"""A client that exportfs may write otherwise than the file does: by its full name."""
UNITS = "/etc/systemd/system"
"""Where `systemctl enable` and `systemctl mask` leave their links."""
_WANTING = (".wants", ".requires")

Key = tuple[str, str]
"""Path and client."""


def compare(host: HostComparison) -> None:
    """Report what cannot be exported, is not exported yet, is in no file, or is exported with other options; exports
    that a cluster makes too; units."""
    files = [file for file in host.texts("exports") if exportfs_reads(file.path)]
    exports = [(file.name, export) for file in files for export in read(file.text) if _is_known(export)]
    for name, export in exports:
        _report_file_system(host, name, export)
    _report_mounts_below(host, exports)
    _compare_with_etab(host, files)
    _compare_with_cluster(host)
    if host.texts("exports") or host.texts("cib"):
        _masked_units(host)
    _starting_units(host)


def _report_file_system(host: HostComparison, name: str, export: Export) -> None:
    mount = mount_of(plain(export.path.text), host.tree.mounts)
    if mount is None:
        return
    fields = {
        "option": export.path.text, "fstype": mount.fstype, "effect": mount.fstype, "options": mount.super_options,
    }
    numbered = any(part.text.partition("=")[0] in ("fsid", "reexport") for part in export.options.parts)
    if not host.report("export-on", name, export.path.span, **fields) and not numbered:
        host.report("export-without-fsid", name, export.path.span, **fields)


def _is_known(export: Export) -> bool:
    return export.bad is None and bool(export.path.text) and not has_markup(export.path.text)


def _report_mounts_below(host: HostComparison, exports: list[tuple[str, Export]]) -> None:
    """Report file systems mounted below an export that no export shows, each at the export nearest to it."""
    paths: dict[str, tuple[str, Export]] = {}
    crossing: set[str] = set()
    for name, export in exports:
        path = plain(export.path.text)
        paths.setdefault(path, (name, export))
        if any(part.text == "crossmnt" for part in export.options.parts):
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


def _compare_with_etab(host: HostComparison, files: list[HostText]) -> None:
    try:
        text, where = host.tree.read(ETAB)
    except Unread:
        return
    exported: dict[Key, Export] = {_key(export): export for export in read(text)}
    if not exported:
        return  # the server is stopped
    paths: set[str] = set()
    for file in files:
        for export in read(file.text):
            if export.bad is not None or has_markup(export.path.text) or has_markup(export.client.text):
                continue
            key = _key(export)
            paths.add(key[0])
            if key in exported:
                _compare_options(host, file.name, export, exported[key])
            elif not _may_be_exported(key, exported):
                host.report(
                    "export-not-made", file.name, export.client.span, option=export.client.text or "*",
                    source=export.path.text,
                )
    if host.seen("exports"):
        name = host.add_result("server", where, text)
        for path, export in ((path, export) for (path, _), export in exported.items() if path not in paths):
            span = Span(export.line_no, export.path.span.column, export.path.span.end_column)
            host.report("export-in-no-file", name, span, option=path, source=export.client.text or "*")


def _key(export: Export) -> Key:
    return export.path.text.rstrip("/") or "/", export.client.text.lower() or "*"


def _may_be_exported(key: Key, exported: Mapping[Key, Export]) -> bool:
    """Whether an export may be there under another name of its client."""
    path, client = key
    return bool(_NAMED.fullmatch(client)) and any(
        other_path == path and _NAMED.fullmatch(other) for other_path, other in exported
    )


def _compare_options(host: HostComparison, name: str, export: Export, exported: Export) -> None:
    """Report options whose values in effect differ from the file."""
    forms = _forms(host)
    now: dict[str, set[object]] = {}
    for part in exported.options.parts:
        tunable, means = forms.get(part.text, ("", None))
        now.setdefault(tunable, set()).add(means)
    if sum(part.text.startswith("sec=") for part in export.options.parts) > 1:
        return  # each flavour has options of its own
    written = {forms[part.text][0]: part for part in export.options.parts if part.text in forms}  # the last one counts
    for tunable, part in written.items():
        if tunable in now and forms[part.text][1] not in now[tunable]:
            effect = next(p.text for p in exported.options.parts if forms.get(p.text, ("",))[0] == tunable)
            host.report(
                "export-otherwise", name, part.span, tunable=tunable, value=part.text, option=part.text, effect=effect,
                source=export.path.text,
            )


def _forms(host: HostComparison) -> dict[str, tuple[str, object]]:
    """Bare option word → (tunable, value)."""
    return {
        form.spelling: (tunable.id, form.means)
        for tunable in host.base.of_kinds("export-option").values() for form in tunable.forms
        if form.takes is None
    }


def _compare_with_cluster(host: HostComparison) -> None:
    """Report each line of exports whose path a resource of the cluster exports too."""
    places = {
        path.rstrip("/") or "/": f"{file.name}:{setting.value.span.line}"
        for file in host.texts("cib") for setting in read_settings("cib", file.text, file.name).settings
        if (setting.section, setting.key.text) == ("exportfs", "directory") for path in setting.value.text.split()
    }
    for file in host.texts("exports") if places else ():
        reported: set[tuple[str, int]] = set()
        for export in read(file.text):
            path = plain(export.path.text).rstrip("/") or "/"
            if export.bad is None and path in places and (path, export.line_no) not in reported:
                reported.add((path, export.line_no))
                host.report(
                    "export-of-cluster", file.name, export.path.span, option=export.path.text, place=places[path],
                )


def _units_of(host: HostComparison, difference: str) -> set[str]:
    """The units that the checks for this are about."""
    return {unit for check in host.checks.get(difference, ()) if check.host for unit in check.host.of}


def _masked_units(host: HostComparison) -> None:
    for unit in _units_of(host, "masked-unit"):
        path = f"{UNITS}/{unit}"
        try:
            masked = host.tree.masked(path)
        except Unread:
            continue  # nothing is reported of a unit that cannot be seen
        if masked:
            name = host.add_result("server", path, f"{unit}\n")
            host.report("masked-unit", name, Span(1, 1, len(unit) + 1), tunable=unit, option=unit)


def _starting_units(host: HostComparison) -> None:
    wanted = _units_of(host, "starts")
    if not wanted:
        return
    try:
        for folder, unit in [*_wanted_units(host.tree)]:
            if unit in wanted and not host.tree.masked(f"{UNITS}/{unit}"):
                name = host.add_result("server", f"{folder}/{unit}", f"{unit}\n")
                host.report("starts", name, Span(1, 1, len(unit) + 1), tunable=unit, option=unit)
    except Unread as error:
        there = not isinstance(error, NotCollected)
        why = str(error) if there else "not collected"
        host.collected.unseen.insert(0, UnseenFile("units that start at boot", UNITS, why, there, not there))


def _wanted_units(tree: Tree) -> Iterator[tuple[str, str]]:
    """The folder and the name of each unit that another one starts."""
    for name in tree.names(UNITS):
        if name.endswith(_WANTING):
            yield from ((f"{UNITS}/{name}", unit) for unit in tree.names(f"{UNITS}/{name}"))
