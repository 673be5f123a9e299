"""What the wheel and the source distribution hold."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests import needs
from tests.tiers import thorough

pytestmark = thorough

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both."""
    needs.package("hatchling")
    folder = tmp_path_factory.mktemp("built")
    command = [sys.executable, "-m", "hatchling", "build", "-d", folder]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


def test_the_wheel_holds_the_program_its_rules_and_the_documents(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    tops = {name.partition("/")[0].partition("-")[0] for name in names}
    assert tops == {"advisor", "nfs_advisor"}
    assert {"advisor/_base.jsonl", "advisor/_data/rules/layers.yaml"} <= names
    data = {name.partition(".data/data/")[2] for name in names}
    pages = {f"share/doc/nfs-advisor/docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    assert pages | {"share/doc/nfs-advisor/README.md"} <= data
    assert {"share/man/man1/advisor.1", "share/man/man1/advisor-lint.1", "share/man/man5/advisor.toml.5"} <= data


def test_the_source_distribution_holds_all_that_building_and_testing_need(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    ran = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.skip("not a checkout")
    assert {name for name in ran.stdout.splitlines() if not name.startswith(".ci/")} <= names
