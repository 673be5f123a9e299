"""Builds the Debian and the RPM package from recipe.yaml: `python packaging/distribution.py dist`, in an environment
with the extra `dev`; `--only deb` or `--only rpm` for one of them. They need dpkg-deb and rpmbuild.

The same commit gives the same bytes, as for the single file (single_file.py)."""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import deb
import rpm
import single_file
from ruamel.yaml import YAML

ROOT = single_file.ROOT
SHELLS = ("bash", "zsh", "fish")


def main() -> int:
    top = argparse.ArgumentParser(description="Builds the Debian and the RPM package.")
    top.add_argument("target", type=Path, help="the folder to write them to")
    top.add_argument("--only", choices=("deb", "rpm"), help="build only this one")
    args = top.parse_args()
    args.target.mkdir(parents=True, exist_ok=True)
    recipe = YAML(typ="safe", pure=True).load(ROOT / "packaging/recipe.yaml")
    os.umask(0o022)
    os.environ["SOURCE_DATE_EPOCH"] = str(single_file.commit_time())
    with tempfile.TemporaryDirectory(prefix="advisor-packages-") as folder:
        made = Path(folder, "made")
        make(made)
        for kind, build in (("deb", deb.build), ("rpm", rpm.build)):
            if args.only in (None, kind):
                tree = Path(folder, kind)
                stage(recipe, kind, made, tree)
                print(build(recipe, version(), tree, Path(folder), args.target))
    return 0


def version() -> str:
    """Of the program."""
    sys.path.insert(0, str(ROOT))
    from advisor import __version__  # noqa: PLC0415  only now can it be found

    return __version__


def make(made: Path) -> None:
    """What the recipe calls made/…: the program, completions, manual pages, licences."""
    made.mkdir()
    content = {**single_file.program(), **single_file.packages()}
    program = made / "advisor"
    single_file.write(program, content, "/usr/bin/python3")  # not whichever python3 a user has first
    (made / "changelog.Debian").write_text(deb.changelog(version()), encoding="utf-8")
    (made / "copyright").write_text(copyright_text(content), encoding="utf-8")
    subprocess.run([sys.executable, ROOT / "tools/man_pages.py", made / "man"], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    (made / "completion").mkdir()
    for shell in SHELLS:
        says = subprocess.run([sys.executable, program, "completion", shell], check=True, capture_output=True).stdout  # noqa: S603
        (made / "completion" / shell).write_bytes(says)


def copyright_text(content: dict[str, bytes]) -> str:
    """The licences of what the single file bundles; the Apache licence itself, which Debian has a copy of, is named."""
    texts, apache = [], ["advisor"]
    for name, text in sorted(content.items()):
        if name.startswith("licences/"):
            package = name.split("/")[1]
            if b"Apache License" in text:
                apache.append(package)
            else:
                texts.append(f"{'=' * 70}\n{package}\n\n{text.decode()}")
    return (f"These are under the Apache License, version 2.0: {', '.join(apache)}.\n"
            "On Debian its text is in /usr/share/common-licenses/Apache-2.0.\n\n"
            "/usr/bin/advisor also holds the following packages.\n\n" + "\n".join(texts))


def stage(recipe: dict[str, Any], kind: str, made: Path, tree: Path) -> None:
    """Lay the files out below `tree` as they will be installed, with the commit's time."""
    moved = recipe["moved_in_rpm"] if kind == "rpm" else {}
    for target, pattern in {**recipe["files"], **recipe[kind]}.items():
        base, _, rest = pattern.partition("/")
        folder, rest = (made, rest) if base == "made" else (ROOT, pattern)
        sources = sorted(one for one in folder.glob(rest) if one.is_file())
        if not sources:
            raise SystemExit(f"recipe.yaml: {target}: {pattern} finds no file")
        for source in sources:
            place = target + source.name if target.endswith("/") else target
            for old, new in moved.items():
                place = place.replace(old, new)
            install(source, tree / place[1:])
    for name in recipe["folders"]:
        (tree / name[1:]).mkdir(parents=True)
    when = single_file.commit_time()
    for path in [tree, *tree.rglob("*")]:
        os.utime(path, (when, when), follow_symlinks=False)


def install(source: Path, target: Path) -> None:
    """One file; manual pages and Debian's changelog are compressed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    content = source.read_bytes()
    if "/man/" in str(target):
        target = target.with_name(f"{target.name}.gz")
    if target.suffix == ".gz":
        content = gzip.compress(content, 9, mtime=0)
    target.write_bytes(content)
    target.chmod(0o755 if target.parent.name == "bin" else 0o644)


if __name__ == "__main__":
    raise SystemExit(main())
