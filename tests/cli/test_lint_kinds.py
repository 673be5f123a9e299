"""Files of other kinds than fstab, on the command line: what was not understood is never called clean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

GOOD = "nas:/a /a nfs vers=4.2,hard 0 0\n"
BAD = "nas:/a /a nfs vers=4.2,nconect=8 0 0\n"
CLUSTER = "totem {\n    version: 2\n    cluster_name: nas\n}\nnodelist {\n}\n"


def test_a_kind_that_is_not_read_is_not_called_clean(advisor, tmp_path: Path) -> None:
    (tmp_path / "corosync.conf").write_text(CLUSTER)
    ran = advisor("lint", str(tmp_path / "corosync.conf"))
    assert (ran.code, ran.out) == (2, "")
    assert "it looks like corosync.conf" in ran.err
    assert "--kind" in ran.err


def test_standard_input_is_told_by_its_content(advisor) -> None:
    ran = advisor("lint", "-", stdin=CLUSTER)
    assert (ran.code, ran.out) == (2, "")
    assert "<stdin>: not checked" in ran.err
    assert "it looks like corosync.conf" in ran.err


def test_a_file_of_no_kind_is_not_called_clean(advisor, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("Dear colleague\n")
    ran = advisor("lint", str(tmp_path / "notes"))
    assert (ran.code, ran.out) == (2, "")
    assert "--kind" in ran.err


def test_the_other_files_are_judged_and_the_rest_is_told_at_the_end(advisor, tmp_path: Path) -> None:
    (tmp_path / "corosync.conf").write_text(CLUSTER)
    (tmp_path / "fstab").write_text(BAD)
    ran = advisor("lint", str(tmp_path / "corosync.conf"), str(tmp_path / "fstab"))
    assert ran.code == 2
    assert "nconect=8" in ran.out
    assert "corosync.conf: not checked" in ran.err
    ran = advisor("lint", str(tmp_path / "fstab"))
    assert (ran.code, ran.err) == (1, "")


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "gitlab", "github", "markdown", "concise"])
def test_no_format_calls_it_clean(advisor, tmp_path: Path, form: str) -> None:
    (tmp_path / "corosync.conf").write_text(CLUSTER)
    ran = advisor("lint", str(tmp_path / "corosync.conf"), "--output-format", form)
    assert ran.code == 2
    assert "no findings" not in ran.out
    if form == "json":
        summary = json.loads(ran.out)["summary"]
        assert summary["files"] == []
        assert [(one["kind"], one["file"]) for one in summary["not_judged"]] == [
            ("corosync.conf", str(tmp_path / "corosync.conf"))
        ]


def test_the_kind_can_be_said(advisor, tmp_path: Path) -> None:
    (tmp_path / "odd").write_text(BAD + "something else\n" * 3)
    assert advisor("lint", str(tmp_path / "odd")).code == 2
    ran = advisor("lint", str(tmp_path / "odd"), "--kind", "fstab")
    assert ran.code == 1
    assert "nconect=8" in ran.out
    (tmp_path / "fstab").write_text(GOOD)
    assert advisor("lint", str(tmp_path / "fstab"), "--kind", "corosync.conf").code == 2


def test_nothing_is_written_to_a_file_that_was_not_understood(advisor, tmp_path: Path) -> None:
    path = tmp_path / "corosync.conf"
    path.write_text(CLUSTER)
    for option in ("--fix", "--unsafe-fixes", "--diff"):
        ran = advisor("lint", str(path), option)
        assert (ran.code, ran.out) == (2, "")
    assert path.read_text() == CLUSTER
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_file_holds_nothing_to_misread(advisor, tmp_path: Path) -> None:
    (tmp_path / "new").write_text("\n")
    assert advisor("lint", str(tmp_path / "new")).code == 0


def test_a_drop_in_whose_unit_is_missing_is_not_called_clean(advisor, tmp_path: Path) -> None:
    folder = tmp_path / "data.mount.d"
    folder.mkdir()
    (folder / "10-options.conf").write_text("[Mount]\nOptions=\nOptions=vers=4.2,soft\n")
    (tmp_path / "data.mount").write_text("[Mount]\nWhat=nas:/data\nWhere=/data\nType=nfs\n")
    ran = advisor("lint", str(folder / "10-options.conf"))
    assert (ran.code, ran.out) == (2, "")
    assert "the mount unit that it changes is not among the files" in ran.err
    ran = advisor("lint", str(folder / "10-options.conf"), str(tmp_path / "data.mount"))
    assert (ran.code, ran.err) == (1, "")
    assert "hard/default" in ran.out
    (folder / "10-options.conf").write_text("[Mount]\nType=nfs\nOptions=vers=4.2,soft\n")
    assert "hard/default" in advisor("lint", str(folder / "10-options.conf")).out
