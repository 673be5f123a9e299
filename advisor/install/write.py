"""Writes artefacts into a folder. Files that were edited since, or that were there before, are not overwritten."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from advisor.install.context import Artefact
from advisor.user_files import NewFile, WriteError, failure_text, sync

MANIFEST = ".advisor-manifest.json"
SCHEMA = "advisor-manifest/1"
_LONGEST = 50_000_000
"""A larger file is not one of ours."""


class Written(NamedTuple):
    """The outcome for a file. `status`: "new", "same", "changed", "kept" (edited, or not
    written by advisor, so not overwritten), "removed" (obsolete), "stale" (obsolete but edited, so not removed)."""

    path: str
    status: str


def write_all(folder: str | Path, artefacts: Iterable[Artefact], force: bool = False) -> list[Written]:
    """Write the files, and a manifest of what was written. A second run changes nothing.

    `force`: overwrite, and remove, what was edited too. Raises WriteError; each file is then as it was, or whole."""
    top = Path(folder)
    wanted = {artefact.path: artefact for artefact in artefacts}
    try:
        _make(top)
        top = top.resolve()
        ours = _manifest(top)
        plans = [_plan(top, artefact, ours, force) for artefact in wanted.values()]
        stale = [_stale(top, path, ours, force) for path in ours if path not in wanted]
        contents = {artefact.path: _content(artefact) for artefact in wanted.values()}
        sums = {path: _sum(content) for path, content in contents.items()}
        kept = {path: ours[path] for path, status in (*plans, *stale) if status in ("kept", "stale") and path in ours}
        # Both sums while files change: after a failure in between, each file is still known as ours.
        _save_manifest(top, {**ours, **{path: ours.get(path, set()) | {sums[path]} for path, status in plans if
                               status != "kept"}})
        for path, status in plans:
            if status in ("new", "changed"):
                _write(top, path, contents[path], wanted[path].mode)
        for path, status in stale:
            if status == "removed":
                _remove(top, path)
        _save_manifest(top, {**kept, **{path: {sums[path]} for path, status in plans if status != "kept"}})
    except OSError as error:
        raise WriteError(failure_text(str(error.filename or top), error)) from None
    return [Written(path, status) for path, status in (*plans, *stale) if status != "gone"]


def _plan(top: Path, artefact: Artefact, ours: dict[str, set[str]], force: bool) -> tuple[str, str]:
    there = _existing_sum(top, artefact.path)
    if there is None:
        return artefact.path, "new"
    if there == _sum(_content(artefact)):
        return artefact.path, "same"
    return artefact.path, "changed" if force or there in ours.get(artefact.path, ()) else "kept"


def _stale(top: Path, path: str, ours: dict[str, set[str]], force: bool) -> tuple[str, str]:
    there = _existing_sum(top, path)
    if there is None:
        return path, "gone"
    return path, "removed" if force or there in ours[path] else "stale"


def _content(artefact: Artefact) -> bytes:
    return artefact.text.encode("utf-8", "surrogateescape")


def _sum(content: bytes) -> str:
    return sha256(content).hexdigest()


def _place(top: Path, path: str) -> Path:
    """The path of a file; no folder below `top` on the way may be a link or a file."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or parts == (MANIFEST,):
        raise WriteError(f"{path}: lies outside the folder")
    way = top
    for part in parts[:-1]:
        way = way / part
        status = _lstat(way)
        if status is not None and not stat.S_ISDIR(status.st_mode):
            raise WriteError(f"{way}: is in the way: {_type_of(status)} where a folder belongs; move it away")
    return way / parts[-1]


def _existing_sum(top: Path, path: str) -> str | None:
    """The checksum of the file that is there; None without one."""
    place = _place(top, path)
    status = _lstat(place)
    if status is None:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise WriteError(f"{place}: is in the way: {_type_of(status)} where a file belongs; move it away")
    return _sum(_read(place))


def _read(place: Path) -> bytes:
    handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        return file.read(_LONGEST)


def _lstat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def _type_of(status: os.stat_result) -> str:
    if stat.S_ISLNK(status.st_mode):
        return "a symbolic link"
    return "a folder" if stat.S_ISDIR(status.st_mode) else "a file" if stat.S_ISREG(status.st_mode) else "a device"


def _make(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise WriteError(f"{folder}: is not a folder")
    folder.mkdir(parents=True, exist_ok=True)


def _write(top: Path, path: str, content: bytes, mode: int) -> None:
    place = _place(top, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    with NewFile(place, content, mode=mode) as fresh:
        fresh.replace(place)
    sync(place.parent)


def _remove(top: Path, path: str) -> None:
    """Remove the file, and the folders below `top` that this leaves empty."""
    place = _place(top, path)
    place.unlink()
    for folder in place.parents:
        if folder == top or any(folder.iterdir()):
            return
        folder.rmdir()


def _manifest(top: Path) -> dict[str, set[str]]:
    """Path → checksums of what was written there. Nothing is ours where the manifest cannot be read."""
    if _lstat(top / MANIFEST) is None:
        return {}
    try:
        data = json.loads(_read(top / MANIFEST))
        if data["schema"] != SCHEMA:
            return {}
        return {str(path): set(map(str, sums)) for path, sums in data["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _save_manifest(top: Path, files: dict[str, set[str]]) -> None:
    """Write the manifest, if it differs."""
    data = {"schema": SCHEMA, "files": {path: sorted(files[path]) for path in sorted(files)}}
    text = json.dumps(data, indent=1, ensure_ascii=True) + "\n"
    place = top / MANIFEST
    if _lstat(place) is None or _read(place) != text.encode():
        with NewFile(place, text.encode()) as fresh:
            fresh.replace(place)
