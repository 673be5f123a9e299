"""The diff that --diff shows."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.lint.fix_write import unified
from tests.zipped import zip_equal


def diff(before: str, after: str) -> str:
    return "".join(unified("fstab", before, after))


def test_no_change_is_no_diff() -> None:
    assert diff("a\nb\n", "a\nb\n") == ""


def test_one_hunk() -> None:
    assert diff("a\nb\nc\n", "a\nB\nc\n") == "--- fstab\n+++ fstab\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"


@pytest.mark.parametrize(("before", "after", "span"), [
    ("a\n", "b\n", "-1 +1"), ("a\nb\n", "a\nB\n", "-1,2 +1,2"), ("a\nb\n", "A\nb\n", "-1,2 +1,2"),
])
def test_a_hunk_of_one_line_has_no_length(before: str, after: str, span: str) -> None:
    """As in diff -u."""
    assert f"@@ {span} @@\n" in diff(before, after)


def test_a_missing_newline_is_told() -> None:
    assert diff("a", "b") == (
        "--- fstab\n+++ fstab\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
    )


def test_changes_far_apart_are_two_hunks() -> None:
    before = "".join(f"{number}\n" for number in range(30))
    assert diff(before, before.replace("\n3\n", "\nx\n").replace("\n20\n", "\ny\n")).count("@@ -") == 2


@pytest.mark.parametrize(("second", "spans"), [
    (10, ["@@ -2,12 +2,12 @@"]), (11, ["@@ -2,13 +2,13 @@"]), (12, ["@@ -2,7 +2,7 @@", "@@ -9,7 +9,7 @@"]),
    (19, ["@@ -2,7 +2,7 @@", "@@ -16,5 +16,5 @@"]),
])  # fmt: skip
def test_three_unchanged_lines_are_around_each_change(second: int, spans: list[str]) -> None:
    """As in diff -u; `second`: the line of the second change of twenty lines, of which the fifth is the first."""
    lines = [f"{number}\n" for number in range(1, 21)]
    changed = ["x\n" if number in (5, second) else line for number, line in enumerate(lines, 1)]
    assert [line for line in diff("".join(lines), "".join(changed)).splitlines() if line.startswith("@@")] == spans


_line = st.sampled_from(["a", "b", "", "c\r", "\x0b", "é", "# x"])


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(_line, _line), min_size=1, max_size=30), st.booleans())
def test_patch_takes_it(tmp_path: Path, pairs: list[tuple[str, str]], ended: bool) -> None:
    end = "\n" * (ended or not all(pairs[-1]))
    before, after = ("\n".join(side) + end for side in zip_equal(*pairs))
    file = tmp_path / "fstab"
    file.write_bytes(before.encode())
    text = diff(before, after)
    if before == after:
        assert text == ""
        return
    command = ["patch", "--binary", "-p0", "--no-backup-if-mismatch"]
    subprocess.run(command, input=text.encode(), cwd=tmp_path, check=True, capture_output=True)
    assert file.read_bytes() == after.encode()
