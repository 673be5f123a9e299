"""What findmnt and nfsstat print of mounts in effect."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from advisor.files import kinds, mountinfo
from advisor.files.kinds import identify
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each
from tests.files.spans import written

TREE = """TARGET                SOURCE                  FSTYPE OPTIONS
/                     /dev/sda1               ext4   rw,relatime
├─/mnt/a              nas5:/a                 nfs4   rw,relatime,vers=4.1,soft,addr=10.0.0.9
│ └─/mnt/a/b          nas5:/b[/sub]           nfs    rw,vers=3,hard
"""
PAIRS = 'TARGET="/mnt/a" SOURCE="nas5:/a" FSTYPE="nfs4" OPTIONS="rw,vers=4.1,soft"\n'
JSON = """{
   "filesystems": [
      {"target":"/mnt/a", "source":"nas5:/a", "fstype":"nfs4", "options":"rw,vers=4.1,soft"},
      {
         "target": "/mnt/b",
         "source": "nas5:/b",
         "fstype": "nfs",
         "options": "rw,vers=3,hard"
      }
   ]
}
"""
NFSSTAT = """/mnt/a from nas5:/a
 Flags:\trw,relatime,vers=4.1,soft,addr=10.0.0.9

/mnt/b from nas6:/b
 Flags: rw,hard
"""


def read(text: str, kind: str) -> list[tuple[str, str, str, str]]:
    table = kinds.read_mounts(kind, text, "x")
    return [(one.source.value, one.target.value, one.fstype.value, one.options.text) for one in table.mounts]


@pytest.mark.parametrize(("kind", "text", "expected"), [
    ("findmnt", TREE, [
        ("/dev/sda1", "/", "ext4", "rw,relatime"), ("nas5:/a", "/mnt/a", "nfs4", "rw,relatime,vers=4.1,soft"),
        ("nas5:/b[/sub]", "/mnt/a/b", "nfs", "rw,vers=3,hard"),
    ]),
    ("findmnt", PAIRS, [("nas5:/a", "/mnt/a", "nfs4", "rw,vers=4.1,soft")]),
    ("findmnt", JSON, [
        ("nas5:/a", "/mnt/a", "nfs4", "rw,vers=4.1,soft"), ("nas5:/b", "/mnt/b", "nfs", "rw,vers=3,hard"),
    ]),
    ("mountinfo", "36 35 0:41 / /mnt/a rw,noatime - nfs nas5:/a rw,vers=3,soft\n", [
        ("nas5:/a", "/mnt/a", "nfs", "rw,noatime,vers=3,soft"),
    ]),
    ("mountinfo", "36 35 0:41 / /mnt/a rw shared:1 master:2 - nfs nas5:/a rw,vers=3,soft\n", [
        ("nas5:/a", "/mnt/a", "nfs", "rw,vers=3,soft"),
    ]),
    ("nfsstat", NFSSTAT, [
        ("nas5:/a", "/mnt/a", "nfs", "rw,relatime,vers=4.1,soft"), ("nas6:/b", "/mnt/b", "nfs", "rw,hard"),
    ]),
])  # fmt: skip
def test_each_form(kind: str, text: str, expected: list[tuple[str, str, str, str]]) -> None:
    assert identify(text) == kind
    assert read(text, kind) == expected


def test_the_numbers_at_the_end_of_proc_mounts_may_be_missing() -> None:
    assert read("nas5:/a /mnt/a nfs rw,soft\n", "proc-mounts") == [("nas5:/a", "/mnt/a", "nfs", "rw,soft")]


@pytest.mark.parametrize(("kind", "text", "line"), [
    ("findmnt", TREE, 3), ("findmnt", PAIRS, 1), ("findmnt", JSON, 3), ("nfsstat", NFSSTAT, 2),
])  # fmt: skip
def test_what_is_found_is_shown_where_it_stands(kind: str, text: str, line: int) -> None:
    (found,) = [f for f in lint_text(text, "x", load(), {}, kind=kind).findings if f.rule == "hard/default"]
    assert found.line == line
    assert text.split("\n")[line - 1][found.column - 1 : found.end_column - 1] == "soft"


@pytest.mark.parametrize("text", [
    "", "TARGET SOURCE\n/a\n", "TARGET SOURCE FSTYPE OPTIONS\n/a b\n", '"target":"x"\n', "\0", "/a from b:/c\n",
])  # fmt: skip
@pytest.mark.parametrize("kind", ["findmnt", "nfsstat"])
def test_half_a_list(kind: str, text: str) -> None:
    assert read(text, kind) == []


@pytest.mark.skipif(shutil.which("findmnt") is None, reason="findmnt is not installed")
@pytest.mark.parametrize("options", [[], ["-l"], ["-P"], ["-J"], ["-a"]])
def test_findmnt_itself(options: list[str]) -> None:
    command = ["findmnt", "-k", "-o", "TARGET,SOURCE,FSTYPE,OPTIONS", *options]
    env = {**os.environ, "LC_ALL": "C.UTF-8"}
    ran = subprocess.run(command, capture_output=True, check=True, text=True, env=env)
    expected = {(one.target, one.fstype) for one in mountinfo.read(Path("/proc/self/mountinfo").read_text()).mounts}
    told = {(target, fstype) for _, target, fstype, _ in read(ran.stdout, "findmnt")}
    assert told == expected


@each(lambda: [
    ("findmnt", TREE), ("findmnt", PAIRS), ("findmnt", JSON), ("nfsstat", NFSSTAT),
    ("mount", "\nnas5:/a on /mnt/a type nfs (rw,vers=3)\n"), ("proc-mounts", "nas5:/a  /mnt/a nfs rw,vers=3 0 0\n"),
    ("mountinfo", "36 35 0:41 / /mnt/a rw,noatime shared:1 - nfs nas5:/a rw,vers=3,soft\n"),
])  # fmt: skip
def test_each_field_is_where_it_is_written(kind: str, text: str) -> None:
    table = kinds.read_mounts(kind, text, "x")
    assert table.mounts
    for mount in table.mounts:
        for field in (mount.source, mount.target, mount.fstype, mount.options):
            for part in field.parts:
                assert written(text, part.span) == part.text
        assert mount.raw == text.split("\n")[mount.line_no - 1]
        assert mount.source.span.line == mount.line_no
        assert mount.options.near.end_column > mount.options.near.column


@each(lambda: [
    ("mount", "nas5:/a on /mnt/a type nfs\n"), ("proc-mounts", "nas5:/a /mnt/a nfs\n"), ("proc-mounts", ""),
    ("mountinfo", "36 35 0:41 / /mnt/a rw - nfs nas5:/a\n"), ("mountinfo", "36 35 0:41 / /mnt/a - nfs nas5:/a rw\n"),
    ("mountinfo", "36 35 0:41 / /mnt/a rw nfs nas5:/a rw\n"), ("nfsstat", "Flags: rw\n"),
    ("nfsstat", "/a from b\nFlags: rw\n"),
    ("nfsstat", "/a from b:/c\nx\n"),
])  # fmt: skip
def test_lines_of_another_form_are_ignored(kind: str, line: str) -> None:
    assert read(line, kind) == []


def test_an_option_that_the_kernel_shows_twice_or_by_itself_counts_once_or_not() -> None:
    text = "36 35 0:41 / /a rw,ro - nfs n:/a rw,addr=1,mountvers=3,rsize=4,namlen=9,local_lock=none,port=0,intr,hard\n"
    assert read(text, "mountinfo") == [("n:/a", "/a", "nfs", "rw,ro,hard")]


def test_a_mount_that_lacks_a_field_is_left_out_and_the_next_one_is_read() -> None:
    text = '{"target": "/a", "source": "n:/a"},\n{"target": "/b", "source": "n:/b", "fstype": "nfs", "options": "rw"}\n'
    assert read(text, "findmnt") == [("n:/b", "/b", "nfs", "rw")]


def test_the_flags_of_a_mount_count_once() -> None:
    assert read("/a from n:/a\nFlags: rw\nFlags: ro\n", "nfsstat") == [("n:/a", "/a", "nfs", "rw")]
