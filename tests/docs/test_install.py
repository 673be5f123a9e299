"""Nobody owns the name nfs-advisor on a package index: who registers it would run code wherever a page, a message or a
script of this project installs it by name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.prose import ROOT
from tests.each import each
from tests.tiers import long, thorough

BY_NAME = re.compile(
    r"\b(?:pip3?|pipx|uvx|uv tool|uv pip|uv|easy_install|poetry|pdm|conda|mamba)\b.*?[\s'\"`]nfs[-_]advisor(?![-_./\w])"
    r"|additional_dependencies.*nfs[-_]advisor|^\s*(?:- )?['\"]?nfs[-_]advisor(?:\[[\w,]+\])?(?:[=<>~!]=?.*)?['\"]?$"
    r"|\b(?:podman|docker) run\b.*\s(?:docker\.io/\S*)?nfs-advisor\b"
)
"""What fetches the name from an index or a registry."""
WITHOUT_INDEX = "--no-index"


def by_name(line: str) -> bool:
    return BY_NAME.search(line) is not None and WITHOUT_INDEX not in line


@each(lambda: [
    "pipx install nfs-advisor", "    pip install 'nfs-advisor[web]'", "- run: pip install -U nfs_advisor==0.1",
    '"pip install \'nfs-advisor[sweep]\'; "', "uvx nfs-advisor lint", "nfs-advisor>=0.1", "  - nfs-advisor",
    "additional_dependencies: [nfs-advisor]", "podman run --rm nfs-advisor check", "uv tool install nfs-advisor",
])
def test_what_installs_by_name_is_seen(line: str) -> None:
    assert by_name(line)


@each(lambda: [
    "pipx install '.[web]'", "pipx install wheelhouse/nfs_advisor-*.whl", "apt install ./dist/nfs-advisor_*_all.deb",
    "pip install --no-index --find-links wheelhouse nfs-advisor", "podman run --rm localhost/nfs-advisor check",
    "name: nfs-advisor", "/etc/auto.nfs-advisor",
])
def test_what_is_local_is_allowed(line: str) -> None:
    assert not by_name(line)


def test_nothing_installs_the_name_from_an_index() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False).stdout.decode()
    if not listed:
        pytest.skip("not a checkout")
    lines = [
        f"{name}:{number}: {line}" for name in listed.split("\0") if name and not name.startswith(("tests/", "kb/"))
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8", errors="replace").split("\n"), 1)
        if by_name(line)
    ]
    assert lines == []


def test_no_section_of_a_page_is_cited_by_a_number() -> None:
    """Pages have headings and no numbers."""
    paths = [*(ROOT / "advisor").rglob("*.py"), *(ROOT / "docs").glob("*.md"), *(ROOT / "tests").rglob("*.py")]
    assert [path for path in paths if re.search(r"design\.md \u00a7", path.read_text(encoding="utf-8"))] == []


@thorough
@long
def test_what_is_documented_is_built_and_installed_from_a_fresh_clone(tmp_path: Path) -> None:
    """README's first command, a whole release, and what INSTALL.md of that release says, each in a new environment."""
    clone, home = tmp_path / "clone", tmp_path / "home"
    home.mkdir()
    paths = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))  # packages are fetched once
    # What pip need not compile it does not (`no`, for pip reads the name of an option that says no as its contrary).
    clean = {"HOME": str(home), "PATH": paths, "LC_ALL": "C.UTF-8", "SOURCE_DATE_EPOCH": "1700000000",
             "XDG_CACHE_HOME": cache} | {
        name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "PYENV_"))
    } | {"PIP_NO_COMPILE": "no"}

    def run(command: str, code: int = 0) -> str:
        folder = clone if clone.exists() else tmp_path
        ran = subprocess.run(["bash", "-euc", command], cwd=folder, env=clean, capture_output=True, text=True,
                             check=False)
        assert ran.returncode == code, ran.stdout + ran.stderr
        return ran.stdout

    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    run(f"git clone -q {ROOT} {clone}")
    first = re.search(r"^    (python3 -m venv .*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert first is not None
    assert "nconect" in run(first[1], code=1)
    run("packaging/release dist")
    run("cd dist && sha256sum --check --quiet SHA256SUMS")
    page = (clone / "dist/INSTALL.md").read_text(encoding="utf-8")
    release = re.search(r"^    (RELEASE=\S+ VERSION=\S+)", page, re.MULTILINE)
    assert release is not None
    assert "python3 $RELEASE/advisor.pyz lint" in page
    run(f"{release[1]}; python3 $RELEASE/advisor.pyz lint examples/fstab", code=1)
    for tool in ("pipx install", "uv tool install"):
        command = f"{tool} $RELEASE/nfs_advisor-$VERSION-py3-none-any.whl"
        assert command in page
        if shutil.which(tool.split()[0], path=paths):
            run(f"{release[1]}; {command}; $HOME/.local/bin/advisor --version; rm -r $HOME/.local")
