"""Scripts and other files with NFS configuration inside: what ends in which way, and what each output says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

MOUNT = "mount -t nfs -o hard,nconect=8 nas5:/a /a\n"
UNREAD = "share_it nas5:/a /a nfs nfsvers=3\n"


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()  # nothing above it counts


def test_a_file_without_nfs_ends_with_no_word(advisor, tmp_path: Path) -> None:
    for name, text in {"a.sh": "echo a\n", "a.tf": "locals {}\n", "a.yml": "a: 1\n", "a.py": "a = 1\n"}.items():
        (tmp_path / name).write_text(text)
    ran = advisor("lint", "a.sh", "a.tf", "a.yml", "a.py")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert json.loads(advisor("lint", "a.sh", "--output-format", "json").out)["summary"]["files"] == []


def test_a_file_that_only_mentions_nfs_says_so(advisor, tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("systemctl enable nfs-server\n")
    ran = advisor("lint", "a.sh")
    assert (ran.code, ran.out, ran.err) == (0, "", "advisor: a.sh: no NFS configuration in it that can be judged\n")
    assert advisor("lint", ".").err.count("a.sh") == 0


def test_a_line_of_another_file_system_with_a_variable_is_not_of_nfs(advisor, tmp_path: Path) -> None:
    line = r"""echo "UUID=$(blkid | sed -n 's/.*UUID=\"\(.*\)\" TYPE.*/\1/p') $D {} defaults 0 0" | tee -a /etc/fstab"""
    for kind, named in (("ext4", False), ("nfs", True)):
        (tmp_path / "a.sh").write_text(f"#!/bin/bash\n{line.format(kind)}\necho '/a *(ro)' > /etc/exports\n")
        assert ("not checked in line 2" in advisor("lint", "a.sh").err) is named, kind


def test_what_is_read_in_part_names_the_rest(advisor, tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text(f"#!/bin/sh\n{UNREAD}mount -t nfs -o hard nas5:/a /a\n")
    ran = advisor("lint", "a.sh")
    assert (ran.code, ran.out) == (0, "no findings in 1 NFS line\n")
    assert "a.sh: not checked in line 2:" in ran.err
    [passed] = json.loads(advisor("lint", "a.sh", "--output-format", "json").out)["summary"]["not_judged"]
    assert "line 2" in passed["reason"]


@pytest.mark.parametrize("name", ["a.sh", "a.py", "a.yml"])
def test_what_is_read_nowhere_is_not_clean(advisor, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(f"a: {UNREAD}")
    ran = advisor("lint", name)
    assert (ran.code, ran.out) == (2, "")
    assert f"{name}: not checked in line 1:" in ran.err


def test_standard_input_needs_no_name(advisor) -> None:
    ran = advisor("lint", "-", "--output-format", "json", stdin=f"#!/bin/sh\n{MOUNT}")
    [finding] = json.loads(ran.out)["findings"]
    assert (ran.code, finding["line"], finding["column"], finding["end_column"]) == (1, 2, 22, 31)
    assert advisor("lint", "--kind", "script", "-", stdin=MOUNT).code == 1


def test_a_fix_changes_the_option_in_its_file(advisor, tmp_path: Path) -> None:
    script = tmp_path / "a.sh"
    script.write_text(f"{MOUNT}cat > /etc/fstab <<EOF\nnas5:/b /b nfs nconect=8 0 0\nEOF\n")
    assert advisor("lint", "--unsafe-fixes", "a.sh").code == 0
    assert script.read_text() == (
        "mount -t nfs -o hard,nconnect=8 nas5:/a /a\ncat > /etc/fstab <<EOF\nnas5:/b /b nfs nconnect=8 0 0\nEOF\n"
    )


def test_a_comment_above_accepts_a_finding(advisor) -> None:
    ran = advisor("lint", "-", stdin=f"#!/bin/sh\n# advisor: ignore[unknown-option] a new kernel\n{MOUNT}")
    assert (ran.code, ran.err) == (0, "")
    assert "1 suppressed" in ran.out


def test_line_numbers_in_messages_are_those_of_the_file(advisor) -> None:
    mounts = "".join(f"  - echo 'nas5:/{name} /a nfs hard 0 0' >> /etc/fstab\n" for name in "ab")
    text = f"#cloud-config\npackages: [nfs-common]\nruncmd:\n{mounts}"
    ran = advisor("lint", "--stdin-filename", "user-data", stdin=text)
    assert "user-data:5:" in ran.out
    assert "line 4" in ran.out


def test_what_cannot_be_read_is_not_clean(advisor, tmp_path: Path) -> None:
    volume = "kind: PersistentVolume\nspec:\n  nfs: {{server: n, path: /a}}\n  mountOptions: {}\n"
    (tmp_path / "itself.yaml").write_text(volume.format("&a [hard, *a]"))
    ran = advisor("lint", "itself.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "itself.yaml: not checked: line 4: this cannot be read as YAML: a value that contains itself" in ran.err
    (tmp_path / "text.yaml").write_text(volume.format("hard"))
    ran = advisor("lint", "text.yaml")
    assert ran.code == 1
    assert "Kubernetes refuses a string" in " ".join(ran.out.split())
