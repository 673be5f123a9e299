"""The hosts of a report: bundles, files and folders of them, sosreports and trees, one after another."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from advisor.host.bundle import bundles, is_bundle
from advisor.host.layouts import known_by
from advisor.host.tree import Unread

if TYPE_CHECKING:
    from advisor.rulebase.model import Layout

ARCHIVES = (".tar", ".tgz", ".tbz", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tzst")
_OF_BUNDLES = (".json", ".jsonl", ".json.gz", ".jsonl.gz", ".ndjson", ".ndjson.gz")
DEEPEST = 5
"""Folders in folders."""


class HostSource(NamedTuple):
    """Where a host stands. `text`: of its bundle; None where `place` is a tree or an archive. `why`: it cannot be
    used, "" where it can."""

    place: str
    text: str | None
    why: str = ""


def sources(paths: Iterable[str], layouts: Sequence[Layout]) -> Iterator[HostSource]:
    """Each host below these paths. Files of a folder that are by their names neither bundles nor archives are passed
    over; what was named itself is told of."""
    for path in paths:
        yield from _at(path, layouts, 0)


def _at(path: str, layouts: Sequence[Layout], depth: int) -> Iterator[HostSource]:
    try:
        if os.path.isdir(path):  # noqa: PTH112  pathlib costs 15 ms at import
            yield from _folder(path, layouts, depth)
        elif not os.path.isfile(path):  # noqa: PTH113
            there = os.path.lexists(path)
            yield HostSource(path, None, f"{path}: {'not an ordinary file' if there else 'not found'}")
        elif is_bundle(path):
            for place, text in bundles(path):
                yield HostSource(place, text)
        elif path.endswith(ARCHIVES):
            yield HostSource(path, None)
        else:
            yield HostSource(path, None, f"{path}: neither a bundle nor an archive")
    except (OSError, Unread) as error:
        yield HostSource(path, None, str(error))


def _folder(path: str, layouts: Sequence[Layout], depth: int) -> Iterator[HostSource]:
    names = sorted(os.listdir(path))  # noqa: PTH208
    if {"etc", "proc"}.intersection(names) or known_by(names, layouts) is not None:
        yield HostSource(path, None)
        return
    for name in names:
        inner = f"{path.rstrip('/')}/{name}"
        if os.path.islink(inner) and os.path.isdir(inner):  # noqa: PTH112, PTH114
            continue  # it may lead back
        if os.path.isdir(inner):  # noqa: PTH112
            if depth < DEEPEST and not name.startswith("."):
                yield from _at(inner, layouts, depth + 1)
        elif name.endswith((*_OF_BUNDLES, *ARCHIVES)):
            yield from _at(inner, layouts, depth + 1)
