"""`advisor lint --fix`, `--unsafe-fixes`, `--diff` as a user meets them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# intr has no effect: a safe fix. nconect is a slip: an unsafe one.
TEXT = "# ours\nnas:/a   /a   nfs  vers=4.2,hard,intr   0 0\nnfs:/b   /b   nfs  vers=4.2,nconect=8   0 0\n"
SAFE = TEXT.replace(",intr   0", "        0")
BOTH = SAFE.replace("nconect=8   0", "nconnect=8  0")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "fstab"
    path.write_text(TEXT)
    return path


def test_fix_writes_the_safe_ones(advisor, file):
    ran = advisor("lint", str(file), "--fix")
    assert file.read_text() == SAFE
    assert file.with_name("fstab.advisor~").read_text() == TEXT
    assert ran.err == f"advisor: {file}: 1 fix made; backup in {file}.advisor~\n"
    assert ran.code == 1, "the other finding is still there"
    assert "nconect" in ran.out
    assert "intr" not in ran.out


def test_unsafe_fixes_writes_all_and_nothing_is_left(advisor, file):
    ran = advisor("lint", str(file), "--unsafe-fixes")
    assert file.read_text() == BOTH
    assert ran.code == 0
    again = advisor("lint", str(file), "--unsafe-fixes")
    assert again.err == f"advisor: {file}: no fixes made\n"
    assert file.with_name("fstab.advisor~").read_text() == TEXT, "nothing was written the second time"


def test_a_second_fix_keeps_the_first_original_and_says_so(advisor, file):
    advisor("lint", str(file), "--fix")
    assert "the first original is still in" in advisor("lint", str(file), "--unsafe-fixes").err
    assert file.with_name("fstab.advisor~").read_text() == TEXT
    assert file.with_name("fstab.advisor-last~").read_text() == SAFE


def test_diff_shows_and_does_not_write(advisor, file):
    ran = advisor("lint", str(file), "--fix", "--diff")
    assert file.read_text() == TEXT
    assert sorted(path.name for path in file.parent.iterdir()) == ["fstab"]
    assert ran.out.startswith(f"--- {file}\n+++ {file}\n@@ -1,3 +1,3 @@\n # ours\n-nas:/a")
    assert ran.err == f"advisor: {file}: 1 fix would be made\n"
    assert ran.code == 1


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_diff_can_be_given_to_patch(advisor, file, ends):
    file.write_bytes(b"# \xff\xe9\n" + TEXT.replace("\n", ends).encode())
    before = file.read_bytes()
    command = [sys.executable, "-m", "advisor", "lint", "fstab", "--diff", "--unsafe-fixes", "--no-config"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    diff = subprocess.run(command, cwd=file.parent, capture_output=True, env=env, check=False)
    subprocess.run(["patch", "--binary", "-p0"], cwd=file.parent, input=diff.stdout, check=True, capture_output=True)
    patched = file.read_bytes()
    file.write_bytes(before)
    advisor("lint", str(file), "--unsafe-fixes")
    assert file.read_bytes() == patched == b"# \xff\xe9\n" + BOTH.replace("\n", ends).encode()


def test_standard_input_comes_out_fixed(advisor):
    ran = advisor("lint", "-", "--fix", stdin=TEXT)
    assert ran.out == SAFE
    assert "<stdin>: 1 fix made" in ran.err
    assert "nconect" in ran.err
    assert ran.code == 1


def test_standard_input_that_is_no_text():
    odd = b"# \xff\r\nnas:/a /a nfs vers=4.2,hard,intr 0 0"
    command = [sys.executable, "-m", "advisor", "lint", "-", "--fix", "--no-config"]
    ran = subprocess.run(command, input=odd, capture_output=True, cwd=ROOT, check=False)
    assert ran.stdout == odd.replace(b",intr", b"")


def test_only_what_is_told_is_fixed(advisor, file):
    for args in (["--ignore", "option-ignored"], ["--min-severity", "warning"], ["--select", "unknown-option"]):
        advisor("lint", str(file), "--fix", *args)
        assert file.read_text() == TEXT
    file.write_text("# advisor: ignore[option-ignored] our policy\nnas:/a /a nfs vers=4.2,hard,intr 0 0\n")
    before = file.read_text()
    advisor("lint", str(file), "--fix")
    assert file.read_text() == before


def test_accepted_findings_are_not_fixed(advisor, file, tmp_path):
    known = str(tmp_path / "known.json")
    advisor("lint", str(file), "--write-baseline", known, "--select", "option-ignored")
    ran = advisor("lint", str(file), "--baseline", known, "--unsafe-fixes")
    assert file.read_text() == TEXT.replace("nconect=8   0", "nconnect=8  0")
    assert ran.code == 0


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda file: os.link(file, file.with_name("second")), "hard links"),
        (lambda file: file.with_name("fstab.advisor~").mkdir(), "blocks the backup"),
    ],
)
def test_what_cannot_be_written_is_refused(advisor, file, prepare, words):
    prepare(file)
    ran = advisor("lint", str(file), "--fix")
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert file.read_text() == TEXT


def test_a_link_out_of_its_folder_is_refused(advisor, file, tmp_path):
    link = tmp_path / "etc" / "fstab"
    link.parent.mkdir()
    link.symlink_to(file)
    ran = advisor("lint", str(link), "--fix")
    assert ran.code == 2
    assert f"symbolic link to {file}" in ran.err
    assert file.read_text() == TEXT
    assert advisor("lint", str(link), "--diff", "--fix").code == 1, "looking is allowed"


def test_the_json_of_what_is_left(advisor, file):
    ran = advisor("lint", str(file), "--fix", "--output-format", "json")
    assert [finding["rule"] for finding in json.loads(ran.out)["findings"]] == ["unknown-option"]


def test_the_shipped_example(advisor, tmp_path):
    file = tmp_path / "fstab"
    shutil.copy(ROOT / "examples/fstab", file)
    before = json.loads(advisor("lint", str(file), "--output-format", "json").out)["findings"]
    after = json.loads(advisor("lint", str(file), "--unsafe-fixes", "--output-format", "json").out)["findings"]
    assert len([f for f in before if f["fix"]]) >= 10
    assert not [f for f in after if f["fix"]]
    assert len(file.read_text().splitlines()) == len((ROOT / "examples/fstab").read_text().splitlines())
