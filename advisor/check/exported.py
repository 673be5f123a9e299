"""What files export beside the file systems it lies on, and beside what the server exports: /var/lib/nfs/etab."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.check.files import ETAB, exportfs_reads
from advisor.host import Unread
from advisor.lint.exports_together import plain
from advisor.readers.mountinfo import mount_of, parents
from advisor.readers.mounts.exports import Export, read
from advisor.readers.placeholders import has_markup
from advisor.readers.spans import Span

if TYPE_CHECKING:
    from advisor.check.files import HostText
    from advisor.check.states import States

_NAMED = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]*")
"""A client that exportfs may write otherwise than it stands in the file: by its whole name."""

Key = tuple[str, str]


def compare(states: States) -> None:
    """What cannot be exported, what is not exported yet, what no file exports, and what is exported otherwise."""
    files = [one for one in states.texts("exports") if exportfs_reads(one.path)]
    exports = [(file.name, one) for file in files for one in read(file.text) if _is_known(one)]
    for name, one in exports:
        _on_its_file_system(states, name, one)
    _below(states, exports)
    _beside_the_server(states, files)


def _on_its_file_system(states: States, name: str, one: Export) -> None:
    mount = mount_of(plain(one.path.text), states.tree.mounts)
    if mount is None:
        return
    fields = {"option": one.path.text, "fstype": mount.fstype, "effect": mount.fstype, "options": mount.super_options}
    numbered = any(part.text.partition("=")[0] in ("fsid", "reexport") for part in one.options.parts)
    if not states.tell("export-on", name, one.path.span, **fields) and not numbered:
        states.tell("export-without-fsid", name, one.path.span, **fields)


def _is_known(export: Export) -> bool:
    return export.bad is None and bool(export.path.text) and not has_markup(export.path.text)


def _below(states: States, exports: list[tuple[str, Export]]) -> None:
    """File systems mounted below an export that no export shows. Each is told once, of the export nearest to it."""
    paths: dict[str, tuple[str, Export]] = {}
    crossing: set[str] = set()
    for name, one in exports:
        path = plain(one.path.text)
        paths.setdefault(path, (name, one))
        if any(part.text == "crossmnt" for part in one.options.parts):
            crossing.add(path)
    for mount in states.tree.mounts:
        above = [path for path in parents(mount.target) if path in paths]
        if mount.target in paths or not above or not crossing.isdisjoint(above):
            continue
        name, one = paths[above[0]]
        states.tell(
            "mount-below-export", name, one.path.span, value=mount.fstype, option=one.path.text, fstype=mount.fstype,
            effect=mount.target,
        )


def _beside_the_server(states: States, files: list[HostText]) -> None:
    try:
        text, where = states.tree.read(ETAB)
    except Unread:
        return
    made: dict[Key, Export] = {_key(one): one for one in read(text)}
    if not made:
        return  # the server is stopped
    asked: dict[Key, Export] = {}
    for file in files:
        for one in read(file.text):
            if one.bad is not None or has_markup(one.path.text) or has_markup(one.client.text):
                continue
            key = _key(one)
            asked[key] = one
            if key in made:
                _options(states, file.name, one, made[key])
            elif not _perhaps(key, made):
                states.tell(
                    "export-not-made", file.name, one.client.span, option=one.client.text or "*", source=one.path.text,
                )
    paths = {path for path, _ in asked}
    if states.seen("exports"):
        name = states.place("server", where, text)
        for path, one in ((path, one) for (path, _), one in made.items() if path not in paths):
            span = Span(one.line_no, one.path.span.column, one.path.span.end_column)
            states.tell("export-in-no-file", name, span, option=path, source=one.client.text or "*")


def _key(one: Export) -> Key:
    return one.path.text.rstrip("/") or "/", one.client.text.lower() or "*"


def _perhaps(key: Key, made: Mapping[Key, Export]) -> bool:
    """Whether an export may be there under another name of its client."""
    path, client = key
    return bool(_NAMED.fullmatch(client)) and any(
        other_path == path and _NAMED.fullmatch(other) for other_path, other in made
    )


def _options(states: States, name: str, one: Export, made: Export) -> None:
    """Options that are written one way and in force the other way."""
    forms = _forms(states)
    now: dict[str, set[object]] = {}
    for part in made.options.parts:
        tunable, means = forms.get(part.text, ("", None))
        now.setdefault(tunable, set()).add(means)
    if sum(part.text.startswith("sec=") for part in one.options.parts) > 1:
        return  # each flavour has options of its own
    written = {forms[part.text][0]: part for part in one.options.parts if part.text in forms}  # the last one counts
    for tunable, part in written.items():
        if tunable in now and forms[part.text][1] not in now[tunable]:
            effect = next(p.text for p in made.options.parts if forms.get(p.text, ("",))[0] == tunable)
            states.tell(
                "export-otherwise", name, part.span, tunable=tunable, value=part.text, option=part.text, effect=effect,
                source=one.path.text,
            )


def _forms(states: States) -> dict[str, tuple[str, object]]:
    """The words that are options by themselves → the tunable, and what it is by that."""
    return {
        form.spelling: (tunable.id, form.means)
        for tunable in states.base.of_kinds("export-option").values() for form in tunable.forms
        if form.takes is None
    }
