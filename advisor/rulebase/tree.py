"""The files of a rule base: which there are, and one hash of all they say. Standard library only, and quick."""

from __future__ import annotations

import os
from collections.abc import Iterator

from advisor import given

FOLDERS = ("rules", "kb")
MAX_PACK = 1 << 22
"""Bytes beyond which a file of a site's own rules is none."""


def files(root: str) -> dict[str, bytes]:
    """Path relative to `root` (with `/`) → content of every file below `rules/` and `kb/`, in order of path.

    Hidden files and editors' backups are left out: they are not part of the rule base."""
    found: dict[str, bytes] = {}
    for folder in FOLDERS:
        for path in _walk(os.path.join(root, folder), folder):  # noqa: PTH118  pathlib costs 15 ms at import
            with open(f"{root}/{path}", "rb", buffering=0) as stream:  # noqa: PTH123  hundreds of small files
                found[path] = stream.read()
    return found


def pack(folder: str) -> dict[str, bytes]:
    """Path → content of every YAML file of a site's own rules. Where there are rules/ and kb/ only these are read.

    Raises given.GivenError and OSError."""
    below = [f"{folder}/{name}" for name in FOLDERS if os.path.isdir(f"{folder}/{name}")]  # noqa: PTH112
    found: dict[str, bytes] = {}
    for start in below or [folder]:
        for path in _walk(start, start):
            if path.endswith((".yaml", ".yml")):
                found[path] = given.content(path, MAX_PACK)
    return found


def _walk(directory: str, name: str) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(directory), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name.endswith("~"):
            continue
        if entry.is_dir():
            yield from _walk(entry.path, f"{name}/{entry.name}")
        elif entry.is_file():
            yield f"{name}/{entry.name}"


def digest(*parts: bytes) -> str:
    """A hash of the parts; where one part ends matters."""
    try:  # what hashlib imports too, but without OpenSSL, which costs milliseconds to load
        from _blake2 import blake2b  # noqa: PLC0415  an installed wheel never hashes
    except ImportError:
        from hashlib import blake2b  # noqa: PLC0415

    state = blake2b(digest_size=16)
    for part in parts:
        state.update(len(part).to_bytes(8, "big"))
        state.update(part)
    return state.hexdigest()


def content_hash(contents: dict[str, bytes]) -> str:
    """One hash of what `files` found."""
    return digest(*(part for path, content in contents.items() for part in (path.encode(), content)))


def code_stamp() -> str:
    """Changes when the code that compiles the rule base changes, so that no old compile outlives it."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    marks = []
    for folder in ("engine", "rulebase", "rulebase/model", "rulebase/audit"):
        with os.scandir(f"{package}/{folder}") as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    marks.append(f"{folder}/{entry.name} {status.st_size} {status.st_mtime_ns}")
    return digest("\n".join(sorted(marks)).encode())
