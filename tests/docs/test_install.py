"""Nobody owns the name nfs-advisor on a package index: who registers it would run code wherever a page, a message or a
script of this project installs it by name."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.docs.prose import ROOT

BY_NAME = re.compile(
    r"\b(?:pip3?|pipx|uvx|uv tool|uv pip|uv|easy_install|poetry|pdm|conda|mamba)\b.*?[\s'\"`]nfs[-_]advisor(?![-_./\w])"
    r"|additional_dependencies.*nfs[-_]advisor|^\s*(?:- )?['\"]?nfs[-_]advisor(?:\[[\w,]+\])?(?:[=<>~!]=?.*)?['\"]?$"
    r"|\b(?:podman|docker) run\b.*\s(?:docker\.io/\S*)?nfs-advisor\b"
)
"""What fetches the name from an index or a registry."""
WITHOUT_INDEX = "--no-index"


def by_name(line: str) -> bool:
    return BY_NAME.search(line) is not None and WITHOUT_INDEX not in line


@pytest.mark.parametrize("line", [
    "pipx install nfs-advisor", "    pip install 'nfs-advisor[web]'", "- run: pip install -U nfs_advisor==0.1",
    '"pip install \'nfs-advisor[sweep]\'; "', "uvx nfs-advisor lint", "nfs-advisor>=0.1", "  - nfs-advisor",
    "additional_dependencies: [nfs-advisor]", "podman run --rm nfs-advisor check", "uv tool install nfs-advisor",
])
def test_what_installs_by_name_is_seen(line: str) -> None:
    assert by_name(line)


@pytest.mark.parametrize("line", [
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
