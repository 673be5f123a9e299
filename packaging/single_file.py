"""Builds advisor.pyz: the program, its compiled rules and the pure-Python packages that it uses, in one file that any
Python from 3.9 on runs. `python packaging/single_file.py dist/advisor.pyz`, in an environment with the extra `test`.

The same commit, packages and zlib give the same bytes. Times are SOURCE_DATE_EPOCH, else those of the last commit."""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import time
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUNDLED = ("jinja2", "markupsafe", "ruamel.yaml", "shtab", "tomli")
"""Dependencies that need no compiled part: all but textual and pydantic."""


def main() -> int:
    top = argparse.ArgumentParser(description="Builds advisor.pyz.")
    top.add_argument("target", type=Path, help="where to write it")
    target = top.parse_args().target
    target.parent.mkdir(parents=True, exist_ok=True)
    write(target, {**program(), **packages()}, "/usr/bin/env python3")
    print(f"{target}: {target.stat().st_size} bytes, sha256 {hashlib.sha256(target.read_bytes()).hexdigest()}")
    return 0


def program() -> dict[str, bytes]:
    """Name in the archive → content: the package and the compiled base."""
    sys.path.insert(0, str(ROOT))
    from advisor.rulebase.base import compiled  # noqa: PLC0415  only now can it be found

    found = {
        str(path.relative_to(ROOT)): path.read_bytes()
        for path in (ROOT / "advisor").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    found["advisor/_base.jsonl"] = compiled(str(ROOT))
    found["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    return found


def packages() -> dict[str, bytes]:
    """The same of the bundled packages, each with its licence."""
    found: dict[str, bytes] = {"ruamel/__init__.py": b""}  # before 3.13 a zip cannot hold a part of a namespace
    for name in BUNDLED:
        try:
            one = distribution(name)
        except PackageNotFoundError:  # tomli, where Python itself has it
            raise SystemExit(f"{name} is not installed: pip install -e '.[release]' brings it") from None
        for file in one.files or ():
            path = Path(str(one.locate_file(file)))
            if file.suffix == ".py" and file.parts[0] != "..":
                found[str(file)] = path.read_bytes()
            elif "dist-info" in str(file) and file.name.upper().startswith(("LICEN", "COPYING")):
                found[f"licences/{name}-{one.version}/{file.name}"] = path.read_bytes()
    return found


def write(target: Path, content: dict[str, bytes], interpreter: str) -> None:
    """Write the file: its members in order of name, with one time."""
    build = hashlib.blake2b(digest_size=8)
    for name in sorted(content):
        build.update(f"{name}\0{len(content[name])}\0".encode() + content[name])
    start = (ROOT / "packaging/single_file_main.py").read_text(encoding="utf-8")
    assert start.count('BUILD = "unknown"') == 1
    content = {**content, "__main__.py": start.replace("unknown", build.hexdigest(), 1).encode()}
    when = time.gmtime(max(commit_time(), 315532800))[:6]  # a zip knows no time before 1980
    target.write_bytes(f"#!{interpreter}\n".encode())
    target.chmod(0o755)
    with zipfile.ZipFile(target, "a") as archive:
        for name in sorted(content):
            info = zipfile.ZipInfo(name, when)
            info.create_system, info.external_attr = 3, 0o644 << 16
            archive.writestr(info, content[name], zipfile.ZIP_DEFLATED, 9)


def commit_time() -> int:
    """Seconds since 1970."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    when = given or subprocess.run(command, check=False, capture_output=True, text=True).stdout  # noqa: S603
    if not when:
        raise SystemExit("not a checkout of git: set SOURCE_DATE_EPOCH, seconds since 1970")
    return int(when)


if __name__ == "__main__":
    raise SystemExit(main())
