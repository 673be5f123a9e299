"""The Debian package, by dpkg-deb."""

from __future__ import annotations

import hashlib
import os
import subprocess
from email.utils import formatdate
from pathlib import Path
from typing import Any

MAINTAINER = f"{os.environ.get('DEBFULLNAME', 'advisor')} <{os.environ.get('DEBEMAIL', 'root@localhost')}>"
"""Who builds, as Debian's own tools take it."""


def build(recipe: dict[str, Any], version: str, tree: Path, _work: Path, target: Path) -> Path:
    """Make the package of what lies below `tree`."""
    control = tree / "DEBIAN"
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    size = sum((path.stat().st_size + 1023) // 1024 for path in files)
    control.mkdir()
    long = "".join(f" {line}\n" for line in recipe["description"].splitlines())
    needs = ", ".join(f"{name} (>= {least})" for name, least in recipe["needs"].items())
    texts = {
        "control": f"Package: {recipe['name']}\nVersion: {version}-1\nArchitecture: all\nMaintainer: {MAINTAINER}\n"
                   f"Installed-Size: {size}\nDepends: {needs}\nSection: {recipe['section']}\nPriority: optional\n"
                   f"Description: {recipe['summary']}\n{long}",
        "md5sums": "".join(f"{_md5(path)}  {path.relative_to(tree)}\n" for path in files),
        "postinst": _script(f'[ "$1" != configure ] || {recipe["after_install"]}'),
        "prerm": _script(f'[ "$1" != remove ] || {recipe["before_remove"]}'),
        "postrm": _script(recipe["after_install"]),
    }
    for name, text in texts.items():
        (control / name).write_text(text, encoding="utf-8")
        (control / name).chmod(0o755 if text.startswith("#!") else 0o644)
    made = target / f"{recipe['name']}_{version}-1_all.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, made], check=True, capture_output=True)  # noqa: S603, S607
    return made


def changelog(version: str) -> str:
    """As Debian has it: of the package alone. What changed in the program is in CHANGELOG.md."""
    day = formatdate(int(os.environ["SOURCE_DATE_EPOCH"]))
    return (f"nfs-advisor ({version}-1) unstable; urgency=medium\n\n  * Release {version}; see CHANGELOG.md.\n\n"
            f" -- {MAINTAINER}  {day}\n")


def _script(does: str) -> str:
    """For a maintainer script: only where systemd runs, and not in a folder that holds another system."""
    return f'#!/bin/sh\nset -e\nif [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then\n    {does}\nfi\n'


def _md5(path: Path) -> str:
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
