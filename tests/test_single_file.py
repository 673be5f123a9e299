"""advisor.pyz does what the checkout does, on every Python from 3.9 on that this machine has."""

from __future__ import annotations

import marshal
import os
import runpy
import subprocess
import sys
import zipfile
from binascii import crc32
from hashlib import sha256
from pathlib import Path

import pytest

from tests import needs
from tests.tiers import thorough

pytestmark = thorough

ROOT = Path(__file__).parents[1]
ANF = ["--set", "storage.platform=anf"]
SAME = [
    ["--version"], ["lint", "fstab"], ["lint", "fstab", "--output-format", "json"], ["lint", "pod.yaml"],
    ["check", "--root", "host"], ["recommend", *ANF], ["recommend", "--answers", "answers.yaml"],
    ["why", "nconnect", *ANF], ["why-not", "nconnect=16"], ["what-if", "nconnect"],
    ["facts", "--root", "host"], ["explain", "nconnect"],
    ["diagnose", "mount.nfs: access denied by server while mounting nas:/srv"], ["kb", "disputes"], ["rules", "list"],
    ["completion", "bash"], ["completion", "zsh"], ["observe"], ["nonsense"], ["wizard", "--plain"],
]
"""Commands whose output must be the checkout's own."""


def pythons(first: int = 9, last: int = 14) -> list[str]:
    """One of each minor version; pyenv's own are looked at, as in .ci/run."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = (next(iter(sorted(pyenv.glob(f"3.{minor}.*/bin/python3"))), None) for minor in range(first, last + 1))
    return [str(one) for one in found if one] or [sys.executable]


@pytest.fixture(scope="session")
def single_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """advisor.pyz, built once."""
    target = tmp_path_factory.mktemp("built") / "advisor.pyz"
    build(target)
    return target


def build(target: Path) -> None:
    subprocess.run([sys.executable, ROOT / "packaging/single_file.py", target], check=True, capture_output=True,
                   env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With files to judge; the commands find no other home or temporary folder."""
    return filled(tmp_path)


def filled(tmp_path: Path) -> Path:
    (tmp_path / "fstab").write_bytes((ROOT / "examples/fstab").read_bytes())
    (tmp_path / "host/etc").mkdir(parents=True)
    (tmp_path / "host/etc/fstab").write_text("nas:/a /a nfs4 soft,nconnect=4 0 0\n")
    (tmp_path / "answers.yaml").write_text("schema: advisor-answers/1\nfacts: {storage.platform: aws-efs}\n")
    (tmp_path / "advisor.toml").write_text("fail_on = \"error\"\n")
    (tmp_path / "pod.yaml").write_text("apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\nspec:\n"
                                       "  nfs: {server: nas, path: /a}\n  mountOptions: [soft, nconnect=99]\n")
    return tmp_path


def run(folder: Path, *command: str | Path) -> tuple[int, str, str]:
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder), "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=clean, stdin=subprocess.DEVNULL,
                         check=False)
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture(scope="session")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[int, str, str]]]:
    """A folder, and what the checkout says there."""
    there = filled(tmp_path_factory.mktemp("files"))
    says = [run(there, sys.executable, "-m", "advisor", *command) for command in SAME]
    assert [command for command, (code, _, _) in zip(SAME, says) if code == 2] == [["nonsense"]]
    return there, says


@pytest.mark.parametrize("python", [
    pytest.param(one, id=Path(one).parents[1].name, marks=() if one == pythons()[0] else thorough) for one in pythons()
])
def test_it_says_what_the_checkout_says(
    single_file: Path, expected: tuple[Path, list[tuple[int, str, str]]], python: str
) -> None:
    folder, says = expected
    ends = python in (pythons()[0], pythons()[-1])  # those between them can hardly differ: the first commands will do
    for command, said in list(zip(SAME, says))[: None if ends else 5]:
        assert run(folder, python, "-IS", single_file, *command) == said, command


@thorough
def test_files_to_install_are_the_same(single_file: Path, folder: Path) -> None:
    written = []
    for name, command in (("a", [pythons()[0], "-IS", single_file]), ("b", [sys.executable, "-m", "advisor"])):
        code, _, told = run(folder, *command, "recommend", *ANF, "--set", "workload.kind=eda", "--target", "/a",
                            "--server", "nas", "--export", "/a", "--write-to", name)
        assert code == 0, told
        written.append({path.name: path.read_bytes() for path in (folder / name).rglob("*") if path.is_file()})
    assert written[0] == written[1]
    assert len(written[0]) > 3


@thorough
@pytest.mark.parametrize("command", [["rules", "verify"], ["rules", "schema", "decision"]])
def test_what_needs_more_says_how_to_get_it(single_file: Path, folder: Path, command: list[str]) -> None:
    code, _, told = run(folder, pythons()[0], "-IS", single_file, *command)
    assert (code, told.count("\n")) == (2, 1)
    assert "pipx install . in a checkout" in told


@thorough
def test_the_wizard_in_a_browser_needs_the_package(single_file: Path, folder: Path) -> None:
    needs.package("textual_serve", "web")
    code, _, told = run(folder, sys.executable, single_file, "wizard", "--web", "--port", "0")
    assert (code, "pipx install" in told) == (2, True), told


def test_an_older_python_is_told_so(single_file: Path, folder: Path) -> None:
    older = pythons(6, 8)
    if older == [sys.executable]:
        pytest.skip("needs a Python older than 3.9")
    for python in older:
        code, _, told = run(folder, python, single_file, "lint", "fstab")
        assert (code, told.count("\n")) == (2, 1)
        assert "needs Python 3.9 or later" in told


@thorough
def test_two_builds_are_equal(single_file: Path, tmp_path: Path) -> None:
    build(tmp_path / "again.pyz")
    first, again = (sha256(file.read_bytes()).hexdigest() for file in (single_file, tmp_path / "again.pyz"))
    assert again == first  # of the bytes themselves, pytest would look for the difference for hours
    with zipfile.ZipFile(single_file) as archive:
        assert archive.namelist() == sorted(archive.namelist())
        assert not [name for name in archive.namelist() if name.endswith((".pyc", ".so"))]
        assert {info.date_time for info in archive.infolist()} == {(2023, 11, 14, 22, 13, 20)}


def build_of(single_file: Path) -> str:
    """The hash that the names of what it keeps carry."""
    with zipfile.ZipFile(single_file) as archive:
        line = next(one for one in archive.read("__main__.py").decode().splitlines() if one.startswith("BUILD = "))
    return line.split('"')[1]


def kept(folder: Path) -> list[Path]:
    return sorted(folder.glob("advisor-*/code-*"))


def test_compiled_code_is_kept_for_the_next_start(single_file: Path, folder: Path) -> None:
    first = run(folder, sys.executable, "-I", single_file, "lint", "fstab")
    made = kept(folder)
    assert len(made) == 1
    before = made[0].stat()
    assert run(folder, sys.executable, "-I", single_file, "lint", "fstab") == first
    assert made[0].stat().st_mtime_ns == before.st_mtime_ns  # nothing had to be compiled
    made[0].write_bytes(made[0].read_bytes()[:-1000])
    assert run(folder, sys.executable, "-I", single_file, "lint", "fstab") == first


def test_nothing_is_taken_from_a_folder_that_others_can_write_to(single_file: Path, folder: Path) -> None:
    run(folder, sys.executable, "-I", single_file, "lint", "fstab")
    path = kept(folder)[0]
    strange = marshal.dumps({"advisor.cli": marshal.dumps(compile("raise SystemExit(77)", "", "exec"))})
    path.write_bytes(crc32(strange).to_bytes(4, "big") + strange)
    assert run(folder, sys.executable, "-I", single_file, "--version")[0] == 77
    path.parent.chmod(0o770)
    assert run(folder, sys.executable, "-I", single_file, "--version")[0] == 0


@thorough
def test_what_old_builds_kept_is_deleted_in_the_end(single_file: Path, folder: Path) -> None:
    private = folder / f"advisor-{os.getuid()}"
    private.mkdir(0o700)
    outside = folder / "outside"
    outside.write_text("not ours to delete")
    (private / "code-feed-old").write_bytes(b"of a build that nobody runs any more")
    (private / "base-beef-used").write_bytes(b"of a build that somebody still runs")
    (private / "notes").write_bytes(b"of somebody else")
    (private / "code-dead-link").symlink_to(outside)
    for name in ("code-feed-old", "code-dead-link", "notes"):
        os.utime(private / name, (0, 0), follow_symlinks=False)
    os.utime(outside, (0, 0))
    assert run(folder, sys.executable, "-I", single_file, "--version")[0] == 0
    left = {path.name for path in private.iterdir() if build_of(single_file) not in path.name}
    assert left == {"base-beef-used", "notes"}
    assert outside.exists()


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    build = runpy.run_path(str(ROOT / "packaging/single_file.py"))
    monkeypatch.setitem(build["packages"].__globals__, "BUNDLED", ("jinja2", "no-such-package"))
    says = r"^no-such-package is not installed: pip install -e '\.\[release\]' brings it$"
    with pytest.raises(SystemExit, match=says):
        build["packages"]()
