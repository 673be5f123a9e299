"""The recipes of Homebrew, Arch Linux and nix, filled as a release fills them, build a program that runs. makepkg and
nix's own builder do so; of nixpkgs and Homebrew, what the recipes use stands here in a few lines."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor import __version__
from tests.docs.prose import ROOT
from tests.test_single_file import single_file as single_file  # noqa: PLC0414  the fixture
from tests.tiers import thorough

pytestmark = thorough
HERE = Path(__file__).parent
PYTHON = "/usr/bin/python3"


def run(*command: str | Path, folder: Path, **environment: str) -> str:
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8", **environment}
    ran = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder, env=clean)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture
def release(single_file: Path) -> Iterator[Path]:
    """A folder with the single file and the recipes, which any user may read: pytest's own are for one alone."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        shutil.copy(single_file, folder)
        run(ROOT / "packaging/publish", folder, folder=folder)
        yield folder


def need(*programs: str) -> None:
    for program in programs:
        if not Path("/usr/bin", program).exists():
            pytest.skip(f"needs {program}")


def test_nothing_is_left_to_fill_in(release: Path, tmp_path: Path) -> None:
    made = {path.name: path.read_text() for path in release.iterdir() if path.suffix != ".pyz"}
    assert {*made} == {"PKGBUILD", "nfs-advisor.rb", "nfs-advisor.nix", "INSTALL.md", "SHA256SUMS"}
    assert f"    RELEASE=dist VERSION={__version__} " in (ROOT / "docs/install.md").read_text(encoding="utf-8")
    assert not [name for name, text in made.items() if "@ADDRESS@" in text or "@VERSION@" in text or "@SHA256@" in text]
    run(ROOT / "packaging/publish", release, "https://files.example/v1", folder=tmp_path)
    assert 'url "https://files.example/v1/advisor.pyz"' in (release / "nfs-advisor.rb").read_text()
    assert "    RELEASE=https://files.example/v1 VERSION=" in (release / "INSTALL.md").read_text()
    run("sha256sum", "--check", "--quiet", "SHA256SUMS", folder=release)


def test_arch_linux(release: Path, tmp_path: Path) -> None:
    need("makepkg", "fakeroot", "bsdtar", "python3")
    build = release / "build"
    for folder in (build, build / "bin", build / "made"):
        folder.mkdir()
    (build / "bin/python").symlink_to(PYTHON)
    shutil.copy(release / "PKGBUILD", build)
    command = ["makepkg", "--nodeps"]
    if os.getuid() == 0:  # makepkg refuses to run as root
        need("setpriv")
        for folder in (build, build / "made"):
            os.chown(folder, 65534, 65534)
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
    run(*command, folder=build, PATH=f"{build}/bin:/usr/bin:/bin", PKGEXT=".pkg.tar", BUILDDIR=str(build / "made"))
    (package,) = build.glob("nfs-advisor-*-1-any.pkg.tar")
    held = run("bsdtar", "-tf", package, folder=build).split()
    assert {"usr/bin/advisor", "usr/share/licenses/nfs-advisor/LICENSE"} <= {*held}
    run("bsdtar", "-xf", package, "usr/bin/advisor", folder=tmp_path)
    assert run(PYTHON, tmp_path / "usr/bin/advisor", "--version", folder=tmp_path).startswith("advisor ")


def test_nix(release: Path, tmp_path: Path) -> None:
    need("nix-build", "python3")
    state = {f"NIX_{name}_DIR": str(tmp_path / name.lower()) for name in ("STORE", "STATE", "LOG", "CONF")}
    arguments = ("--argstr", "recipe", release / "nfs-advisor.nix", "--argstr", "python", PYTHON)
    alone = ("--option", "sandbox", "false", "--option", "build-users-group", "", "--option", "substitute", "false")
    run("nix-build", "-o", tmp_path / "result", *alone, HERE / "nixpkgs.nix", *arguments, folder=tmp_path, **state)
    assert run(tmp_path / "result/bin/advisor", "--version", folder=tmp_path).startswith("advisor ")
    assert (tmp_path / "result/share/bash-completion/completions/advisor").stat().st_size


def test_homebrew(release: Path, tmp_path: Path) -> None:
    need("ruby", "python3")
    python = tmp_path / "python/python3.13"
    python.parent.mkdir()
    python.symlink_to(PYTHON)
    made = tmp_path / "brew"
    run("ruby", HERE / "formula.rb", release / "nfs-advisor.rb", made, folder=tmp_path, OPT_BIN=str(python.parent))
    assert run(made / "bin/advisor", "--version", folder=tmp_path).startswith("advisor ")
